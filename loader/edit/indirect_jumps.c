#include "loader/edit/indirect_jumps.h"

#include <stdlib.h>
#include <string.h>

#include "loader/edit/edit_priv.h"
#include "loader/edit/liveness.h"

enum { RA = 1, SP = 2, T0 = 5, FP = 8, REGISTERS = 32, SLOTS_MOST = 4096, LOOK_BACK = 64 };

/* What a register holds. */
enum value_kind {
	UNKNOWN,
	CONSTANT, /* at */
	LABEL,    /* some label of the function */
	TABLE,    /* an address: at, and an index that nobody knows */
	ENTRY,    /* what was loaded from there, `width` bytes */
	DISTANCE, /* base, and an entry */
	STACK,    /* the stack pointer that the function was entered with, and at */
};

struct value {
	uint64_t at, base;
	uint8_t kind, width;
};

struct state {
	struct value reg[REGISTERS];
	bool seen;
};

struct finder {
	const struct edit *e;
	const struct edit_function *f;
	struct ways *out;
	uint8_t *pads;         /* [instructions], owned */
	bool leaps_out;
	bool failed;           /* memory is out */
	/* Of the function. */
	uint32_t *first;       /* [count + 1], owned: blocks */
	uint32_t count;
	/* [instructions of the largest function], owned: by instruction, less the function's first
	 */
	uint32_t *block;
	struct state *in;      /* [blocks of the largest function], owned */
	/* the same, owned: how many come to each, 2 at most, 2 if others than direct jumps may */
	uint8_t *froms;
	uint32_t *from;        /* the same, owned: the block that comes, if it is one */
	struct state leaping;  /* where jumps through registers lead that may lead anywhere */
	bool changed;
};

/* ---- the program ---- */
static bool is_code(const struct edit *e, uint32_t i)
{
	return !(e->insts[i].flags & EDIT_DATA);
}

static bool is_leap(const struct edit_inst *i)
{
	return !(i->flags & EDIT_DATA) && (inst_flags(&i->in) & OPF_INDIRECT) &&
	       i->in.rd == REG_SINK && !inst_pops_ras(&i->in) && i->ref == REF_NONE;
}

bool edit_leaps_out(const struct edit *e)
{
	bool set = false; /* since code was last gone on to */
	for (uint32_t i = 0; i < e->inst_count; i++) {
		const struct inst *in = &e->insts[i].in;
		if (!is_code(e, i))
			continue;
		if (set && is_leap(&e->insts[i]))
			return true;
		set |= in->rd == SP && in->rs1 != SP && !(in->op == OP_ADDI && in->rs1 == FP);
		set &= !inst_is_control(in);
	}
	return false;
}

static const struct edit_section *data_section(const struct edit *e, uint64_t addr)
{
	for (uint32_t i = 1; i < e->section_count; i++) {
		const struct edit_section *s = &e->sections[i];
		if ((s->head.sh_flags & SHF_ALLOC) && s->bytes &&
		    addr - s->head.sh_addr < s->head.sh_size)
			return s;
	}
	return NULL;
}

static bool inside(const struct finder *f, uint32_t i)
{
	return i != EDIT_NONE && i - f->f->first < f->f->count;
}

/* A place that a jump through a register may lead to. */
static bool is_place(const struct finder *f, uint32_t i)
{
	const unsigned flags = f->e->insts[i].flags;
	return (flags & EDIT_TAKEN) && !(flags & (EDIT_ENTRY | EDIT_DATA));
}

/* One to which nobody else goes. */
static bool is_aimable(const struct finder *f, uint32_t i)
{
	return is_place(f, i) && !(f->pads[i] & PAD_THROWN) && !(f->pads[i] && f->leaps_out);
}

/* ---- values ---- */
static struct value constant(uint64_t at)
{
	return (struct value){.kind = CONSTANT, .at = at};
}

static struct value get(const struct state *s, unsigned reg)
{
	return reg == 0 ? constant(0) : reg < REGISTERS ? s->reg[reg] : (struct value){0};
}

static unsigned width_of(enum op op)
{
	switch (op) {
	case OP_LD: return 8;
	case OP_LW: case OP_LWU: return 4;
	case OP_LH: case OP_LHU: return 2;
	case OP_LB: case OP_LBU: return 1;
	default: return 0;
	}
}

static struct value add(const struct finder *f, struct value a, struct value b)
{
	if (a.kind != CONSTANT) {
		const struct value c = a;
		a = b;
		b = c;
	}
	if (a.kind == CONSTANT && b.kind == CONSTANT)
		return constant(a.at + b.at);
	if (a.kind == CONSTANT && b.kind == ENTRY && b.width < 8)
		return (struct value){.kind = DISTANCE, .at = b.at, .base = a.at, .width = b.width};
	if (a.kind == CONSTANT && (b.kind == TABLE || b.kind == STACK)) {
		b.at += a.at;
		return b;
	}
	if (a.kind == CONSTANT && a.at == 0)
		return b;
	if (a.kind == CONSTANT && data_section(f->e, a.at))
		return (struct value){.kind = TABLE, .at = a.at};
	/* An index of two parts. */
	return a.kind == TABLE && b.kind == UNKNOWN   ? a
	       : b.kind == TABLE && a.kind == UNKNOWN ? b
	                                              : (struct value){0};
}

static struct value load(const struct finder *f, struct value base, int32_t offset, unsigned width)
{
	const uint64_t at = base.at + (uint64_t)(int64_t)offset;
	const struct edit_section *s =
		base.kind == CONSTANT || base.kind == TABLE ? data_section(f->e, at) : NULL;
	uint64_t slot;
	if (!s)
		return (struct value){0};
	/* A slot of the global offset table holds what it held. */
	if (base.kind == CONSTANT && width == 8 && !strcmp(s->name, ".got") &&
	    at - s->head.sh_addr + 8 <= s->head.sh_size) {
		memcpy(&slot, s->bytes + (at - s->head.sh_addr), sizeof slot);
		return constant(slot);
	}
	return (struct value){.kind = ENTRY, .at = at, .width = (uint8_t)width};
}

static struct value result(const struct finder *f, const struct state *s, const struct edit_inst *i)
{
	const struct inst *in = &i->in;
	struct value a = get(s, in->rs1);
	switch (in->op) {
	case OP_AUIPC:
		return constant(i->addr + (uint64_t)(int64_t)in->imm);
	case OP_LUI:
		return constant((uint64_t)(int64_t)in->imm);
	case OP_ADDI:
		return in->imm ? add(f, constant((uint64_t)(int64_t)in->imm), a) : a;
	case OP_ADDIW:
		return a.kind == CONSTANT
		               ? constant((uint64_t)(int64_t)(int32_t)((uint32_t)a.at +
		                                                       (uint32_t)in->imm))
		               : (struct value){0};
	case OP_ADD:
		return add(f, a, get(s, in->rs2));
	default:
		return width_of((enum op)in->op) ? load(f, a, in->imm, width_of((enum op)in->op))
		                                 : (struct value){0};
	}
}

static void step(const struct finder *f, struct state *s, uint32_t i)
{
	const struct edit_inst *at = &f->e->insts[i];
	const unsigned rd = at->in.rd;
	if ((inst_flags(&at->in) & OPF_JUMP) && rd != REG_SINK) {
		/* Calls, by ra; of others nobody knows what they keep. */
		static const uint32_t lost = UINT32_C(0xf003fce2);
		for (unsigned r = 0; r < REGISTERS; r++)
			if (rd != RA || (lost >> r & 1))
				s->reg[r] = (struct value){0};
		return;
	}
	if (rd > 0 && rd < REGISTERS)
		s->reg[rd] = result(f, s, at);
}

/* ---- the flow ---- */
static bool is_label(const struct finder *f, const struct value *v)
{
	const uint32_t i = v->kind == CONSTANT ? edit_inst_at(f->e, v->at) : EDIT_NONE;
	return v->kind == LABEL || (inside(f, i) && is_place(f, i));
}

static void meet(struct finder *f, struct state *to, const struct state *from)
{
	if (!from->seen)
		return;
	if (!to->seen) {
		*to = *from;
		f->changed = true;
		return;
	}
	for (unsigned r = 1; r < REGISTERS; r++) {
		struct value *a = &to->reg[r];
		const struct value *b = &from->reg[r];
		if (a->kind == UNKNOWN || (a->kind == b->kind && a->at == b->at &&
		                           a->base == b->base && a->width == b->width))
			continue;
		const struct value both = {.kind = is_label(f, a) && is_label(f, b) ? LABEL
		                                                                    : UNKNOWN};
		f->changed |= both.kind != a->kind;
		*a = both;
	}
}

static uint32_t block_of(const struct finder *f, uint32_t i)
{
	return f->block[i - f->f->first];
}

static void arrive(struct finder *f, uint32_t to, uint32_t from)
{
	const uint32_t k = block_of(f, to);
	f->froms[k] = f->froms[k] ? 2 : 1;
	f->from[k] = from;
}

/* Where block k goes on in its function, but by a leap. */
static unsigned goes_to(const struct finder *f, uint32_t k, uint32_t to[2])
{
	const uint32_t last = f->first[k + 1] - 1;
	const struct edit_inst *at = &f->e->insts[last];
	const unsigned flags = inst_flags(&at->in);
	unsigned n = 0;
	if (!is_code(f->e, last))
		return 0;
	const bool call = (flags & OPF_JUMP) && at->in.rd != REG_SINK;
	const uint32_t target =
		at->ref == REF_NEAR && !call ? edit_inst_at(f->e, at->target) : EDIT_NONE;
	if (inside(f, target))
		to[n++] = target;
	if ((!(flags & OPF_JUMP) || call) && inside(f, last + 1) && is_code(f->e, last + 1))
		to[n++] = last + 1;
	return n;
}

static void find_blocks(struct finder *f)
{
	f->count = 0;
	for (uint32_t i = f->f->first; i < f->f->first + f->f->count; i++) {
		if (i == f->f->first || !is_code(f->e, i) || edit_is_leader(f->e, i))
			f->first[f->count++] = i;
		f->block[i - f->f->first] = f->count - 1;
	}
	f->first[f->count] = f->f->first + f->f->count;
	memset(f->in, 0, f->count * sizeof *f->in);
	memset(f->froms, 0, f->count);
	for (uint32_t k = 0; k < f->count; k++) {
		const uint32_t i = f->first[k];
		uint32_t to[2];
		const unsigned n = goes_to(f, k, to);
		for (unsigned j = 0; j < n; j++)
			arrive(f, to[j], k);
		if (k > 0 && !is_place(f, i) && !(f->e->insts[i].flags & EDIT_ENTRY))
			continue;
		f->froms[k] = 2;
		/* Who throws brings anything. */
		f->in[k].seen = k == 0 || !is_aimable(f, i);
	}
	f->in[0].reg[SP] = (struct value){.kind = STACK};
	f->leaping = (struct state){0};
}

static struct state out_of(const struct finder *f, uint32_t k)
{
	struct state s = f->in[k];
	for (uint32_t i = f->first[k]; i < f->first[k + 1] && is_code(f->e, i); i++)
		step(f, &s, i);
	return s;
}

/* ---- tables ---- */
static const struct edit_reloc *reloc_at(const struct edit *e, uint32_t section, uint64_t at)
{
	size_t lo, end, hi;
	edit_relocs_of(e, section, &lo, &end);
	for (hi = end; lo < hi;) {
		const size_t mid = lo + (hi - lo) / 2;
		if (e->relocs[mid].at < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < end && e->relocs[lo].at == at ? &e->relocs[lo] : NULL;
}

static bool is_sum(uint32_t type, unsigned width, bool minus)
{
	switch (width) {
	case 8: return type == (minus ? R_RISCV_SUB64 : R_RISCV_ADD64);
	case 4: return type == (minus ? R_RISCV_SUB32 : R_RISCV_ADD32);
	case 2:
		return type == (minus ? R_RISCV_SUB16 : R_RISCV_ADD16) ||
		       (!minus && type == R_RISCV_SET16);
	default:
		return type == (minus ? R_RISCV_SUB8 : R_RISCV_ADD8) ||
		       (!minus && type == R_RISCV_SET8);
	}
}

/* What the k-th entry leads to; EDIT_NONE: it is none. */
static uint32_t slot_target(const struct edit *e, uint32_t section, const struct value *v,
                            uint64_t k)
{
	const uint64_t at = v->at + k * v->width;
	const struct edit_reloc *r = reloc_at(e, section, at), *end = e->relocs + e->reloc_count;
	if (!r)
		return EDIT_NONE;
	if (v->kind == ENTRY)
		return r->moves && (v->width == 8 ? r->type == R_RISCV_64
		                                  : v->width == 4 && r->type == R_RISCV_32)
		               ? edit_inst_at(e, r->value)
		               : EDIT_NONE;
	const struct edit_reloc *plus = NULL, *minus = NULL;
	for (; r < end && r->section == section && r->at == at; r++) {
		plus = is_sum(r->type, v->width, false) ? r : plus;
		minus = is_sum(r->type, v->width, true) ? r : minus;
	}
	return plus && minus && plus->moves ? edit_inst_at(e, plus->value - minus->value + v->base)
	                                    : EDIT_NONE;
}

/* ---- bounds ---- */
/* What block `from` says of a register where it goes on to `to`: its values are below *n. */
static bool bound_at(const struct finder *f, uint32_t from, uint32_t to, unsigned *reg, uint64_t *n)
{
	const uint32_t last = f->first[from + 1] - 1;
	const struct inst *in = &f->e->insts[last].in;
	const bool less = in->op == OP_BLTU,
		   taken = edit_inst_at(f->e, f->e->insts[last].target) == to;
	if ((!less && in->op != OP_BGEU) || (taken && last + 1 == to))
		return false;
	struct state s = out_of(f, from);
	const struct value a = get(&s, in->rs1), b = get(&s, in->rs2);
	if (less == taken) { /* rs1 is below rs2 */
		*reg = in->rs1;
		*n = b.at;
		return b.kind == CONSTANT;
	}
	*reg = in->rs2;
	*n = a.at + 1;
	return a.kind == CONSTANT;
}

/* Whether what instruction i does with an index leaves it one of the same order: zeros above it, or
 * more below. */
static bool keeps_index(const struct finder *f, const struct state *s, uint32_t i, uint64_t tainted)
{
	const struct inst *in = &f->e->insts[i].in;
	switch (in->op) {
	case OP_SLLI: case OP_SRLI:
		return true;
	case OP_ADDI: case OP_ADDIW:
		return in->imm == 0;
	case OP_ADD:
		return get(s, in->rs1).kind == CONSTANT || get(s, in->rs2).kind == CONSTANT ||
		       !(tainted >> in->rs1 & tainted >> in->rs2 & 1);
	default:
		return width_of((enum op)in->op) != 0;
	}
}

/* How many entries the comparison before a jump lets through; 0: nobody knows. */
static uint64_t bound_of(const struct finder *f, uint32_t jump)
{
	uint32_t blocks[8], n = 0, k = block_of(f, jump);
	unsigned reg = 0;
	uint64_t entries = 0;
	bool found = false;
	for (;;) {
		blocks[n++] = k;
		if (n == 8 || f->froms[k] != 1)
			return 0;
		found = bound_at(f, f->from[k], f->first[k], &reg, &entries);
		k = f->from[k];
		if (found)
			break;
	}
	uint64_t tainted = UINT64_C(1) << reg;
	bool loaded = false;
	while (n--) {
		struct state s = f->in[blocks[n]];
		for (uint32_t i = f->first[blocks[n]]; i < f->first[blocks[n] + 1]; i++) {
			const struct inst *in = &f->e->insts[i].in;
			const bool reads = (in->rs1 < 32 && tainted >> in->rs1 & 1) ||
			                   (in->rs2 < 32 && tainted >> in->rs2 & 1);
			if (i == jump)
				return reads && entries <= SLOTS_MOST ? entries : 0;
			const bool loads = width_of((enum op)in->op) != 0;
			/* What a table of other indices gives is no index of the same order. */
			const bool keeps = reads && !inst_is_control(in) &&
			                   keeps_index(f, &s, i, tainted) && !(loads && loaded);
			loaded |= keeps && loads;
			if (in->rd < 32)
				tainted = keeps ? tainted | UINT64_C(1) << in->rd
				                : tainted & ~(UINT64_C(1) << in->rd);
			step(f, &s, i);
		}
	}
	return 0;
}

/* ---- values, all around ---- */
/* A jump whose table and bound are known leads there only. What is known of values becomes less as
 * more is followed: then it is one of the others. */
static bool follow_table(struct finder *f, uint32_t jump, const struct state *s)
{
	const struct value v = get(s, f->e->insts[jump].in.rs1);
	const struct edit_section *in =
		v.kind == ENTRY || v.kind == DISTANCE ? data_section(f->e, v.at) : NULL;
	const uint64_t bound = in ? bound_of(f, jump) : 0;
	for (uint64_t k = 0; k < bound; k++)
		if (slot_target(f->e, (uint32_t)(in - f->e->sections), &v, k) == EDIT_NONE)
			return false;
	for (uint64_t k = 0; k < bound; k++) {
		const uint32_t to = slot_target(f->e, (uint32_t)(in - f->e->sections), &v, k);
		if (inside(f, to) && is_place(f, to) && is_aimable(f, to))
			meet(f, &f->in[block_of(f, to)], s);
	}
	return bound;
}

static void follow(struct finder *f)
{
	do {
		f->changed = false;
		for (uint32_t k = 0; k < f->count; k++) {
			uint32_t to[2];
			if (is_aimable(f, f->first[k]))
				meet(f, &f->in[k], &f->leaping);
			if (!f->in[k].seen)
				continue;
			const struct state s = out_of(f, k);
			const unsigned n = goes_to(f, k, to);
			for (unsigned j = 0; j < n; j++)
				meet(f, &f->in[block_of(f, to[j])], &s);
			const uint32_t last = f->first[k + 1] - 1;
			if (is_leap(&f->e->insts[last]) && !follow_table(f, last, &s))
				meet(f, &f->leaping, &s);
		}
	} while (f->changed);
}

/* ---- ways ---- */
static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static void add_target(struct finder *f, uint32_t i)
{
	struct ways *w = f->out;
	if (w->target_count == w->target_room) {
		const uint32_t room = 2 * w->target_room + 256;
		uint32_t *more = realloc(w->targets, room * sizeof *more);
		if (!more) {
			f->failed = true;
			return;
		}
		w->targets = more;
		w->target_room = room;
	}
	w->targets[w->target_count++] = i;
}

/* The way's targets by its table. False: it has none that is known. */
static bool read_table(struct finder *f, struct way *w, const struct value *v,
                       const uint64_t *starts, uint32_t start_count)
{
	const struct edit *e = f->e;
	const struct edit_section *s =
		v->kind == ENTRY || v->kind == DISTANCE ? data_section(e, v->at) : NULL;
	const uint64_t bound = s ? bound_of(f, w->jump) : 0;
	if (!s)
		return false;
	for (uint64_t k = 0; k < (bound ? bound : SLOTS_MOST); k++) {
		bool other = false; /* another table begins here */
		for (uint32_t t = 0; !bound && k && t < start_count; t++)
			other |= starts[t] == v->at + k * v->width;
		const uint32_t to =
			other ? EDIT_NONE : slot_target(e, (uint32_t)(s - e->sections), v, k);
		const bool here = inside(f, to) && is_place(f, to);
		if (!bound &&
		    (to == EDIT_NONE ||
		     (!here && !strstr(e->functions[e->insts[to].function].name, ".cold"))))
			return k > 0;
		if (to == EDIT_NONE)
			return false;
		if (!here || !is_aimable(f, to))
			w->certain = false;
		else
			add_target(f, to);
	}
	return true;
}

static void take_all_places(struct finder *f, struct way *w)
{
	for (uint32_t i = f->f->first + 1; i < f->f->first + f->f->count; i++) {
		if (!is_place(f, i))
			continue;
		if (is_aimable(f, i))
			add_target(f, i);
		else
			w->certain = false;
	}
}

static void sort_targets(struct finder *f, struct way *w)
{
	uint32_t *all = f->out->targets + w->first, n = 0;
	w->count = f->out->target_count - w->first;
	if (w->count)
		qsort(all, w->count, sizeof *all, by_number);
	for (uint32_t k = 0; k < w->count; k++)
		if (!n || all[n - 1] != all[k])
			all[n++] = all[k];
	w->count = n;
	f->out->target_count = w->first + n;
}

/* More room for a list; NULL: there is none. */
static void *grow(void *list, uint32_t *room, size_t size)
{
	const uint32_t more_room = 2 * *room + 64;
	void *more = realloc(list, more_room * size);
	*room = more ? more_room : *room;
	return more;
}

static uint32_t root_of(uint32_t *parent, uint32_t k)
{
	while (parent[k] != k)
		k = parent[k] = parent[parent[k]];
	return k;
}

static bool add_set(struct finder *f, uint32_t first_way, const uint32_t *root, uint32_t k)
{
	struct ways *out = f->out;
	if (out->set_count == out->set_room) {
		struct way_set *more = grow(out->sets, &out->set_room, sizeof *more);
		if (!more)
			return false;
		out->sets = more;
	}
	struct way all = {.first = out->target_count};
	for (uint32_t i = k; i < out->count; i++) {
		if (root[i - first_way] != root[k - first_way])
			continue;
		out->all[i].set = out->set_count;
		for (uint32_t t = 0; t < out->all[i].count; t++)
			add_target(f, out->targets[out->all[i].first + t]);
	}
	sort_targets(f, &all);
	out->sets[out->set_count++] = (struct way_set){all.first, all.count};
	return !f->failed;
}

/* Ways that share a place are of one set. */
static bool find_sets(struct finder *f, uint32_t first_way)
{
	struct ways *out = f->out;
	const uint32_t n = out->count - first_way;
	uint32_t *parent = malloc((n + (size_t)1) * sizeof *parent),
		 *owner = calloc(f->f->count + (size_t)1, sizeof *owner);
	bool ok = parent && owner;
	for (uint32_t k = 0; ok && k < n; k++) {
		const struct way *w = &out->all[first_way + k];
		parent[k] = k;
		for (uint32_t t = 0; t < w->count; t++) {
			uint32_t *of = &owner[out->targets[w->first + t] - f->f->first];
			if (*of)
				parent[root_of(parent, k)] = root_of(parent, *of - 1);
			*of = k + 1;
		}
	}
	for (uint32_t k = 0; ok && k < n; k++)
		parent[k] = root_of(parent, k);
	for (uint32_t k = 0; ok && k < n; k++) {
		bool new = true;
		for (uint32_t i = 0; i < k && new; i++)
			new = parent[i] != parent[k];
		ok = !new || add_set(f, first_way, parent, first_way + k);
	}
	free(parent);
	free(owner);
	return ok;
}

static bool add_way(struct finder *f, const struct way *w)
{
	struct ways *out = f->out;
	if (out->count == out->room) {
		struct way *more = grow(out->all, &out->room, sizeof *more);
		if (!more)
			return false;
		out->all = more;
	}
	out->all[out->count++] = *w;
	for (uint32_t k = 0; k < w->count; k++)
		out->aimed[out->targets[w->first + k]] = 1;
	return true;
}

/* Values of all leaps, and the tables that they are loaded from. */
static bool find_ways(struct finder *f, uint32_t function)
{
	const uint32_t first_way = f->out->count;
	struct value *values = malloc((f->count + 1) * sizeof *values);
	uint64_t *starts = malloc((f->count + 1) * sizeof *starts);
	uint32_t n = 0;
	bool ok = values && starts;
	for (uint32_t k = 0; ok && k < f->count; k++) {
		const uint32_t last = f->first[k + 1] - 1;
		if (!is_leap(&f->e->insts[last]))
			continue;
		const struct state s = out_of(f, k);
		values[k] = f->in[k].seen ? get(&s, f->e->insts[last].in.rs1) : (struct value){0};
		if (values[k].kind == ENTRY || values[k].kind == DISTANCE)
			starts[n++] = values[k].at;
	}
	for (uint32_t k = 0; ok && k < f->count; k++) {
		const uint32_t last = f->first[k + 1] - 1;
		if (!is_leap(&f->e->insts[last]))
			continue;
		struct way w = {.jump = last, .first = f->out->target_count, .certain = true};
		w.resolved = read_table(f, &w, &values[k], starts, n);
		if (!w.resolved) {
			const struct state s = out_of(f, k);
			f->out->target_count = w.first;
			w.certain = (s.reg[SP].kind == STACK && (int64_t)s.reg[SP].at < 0) ||
			            is_label(f, &values[k]);
			take_all_places(f, &w);
		}
		sort_targets(f, &w);
		f->out->open[function] |= !w.certain;
		if (!w.count)
			continue;
		ok = add_way(f, &w);
	}
	free(values);
	free(starts);
	return ok && !f->failed && find_sets(f, first_way);
}

/* Whether a function jumps through a register and has places that are known; its size counts. */
static bool is_worth_it(const struct finder *f, const struct edit_function *function)
{
	bool leaps = false, places = false;
	for (uint32_t i = function->first;
	     i < function->first + function->count && !(leaps && places); i++) {
		leaps |= is_leap(&f->e->insts[i]);
		places |= i > function->first && is_place(f, i);
	}
	return leaps && places;
}

void ways_free(struct ways *w)
{
	free(w->all);
	free(w->sets);
	free(w->targets);
	free(w->aimed);
	free(w->open);
	*w = (struct ways){0};
}

bool ways_of(const struct edit *e, struct ways *out, struct err *err)
{
	struct finder f = {
		.e = e, .out = out, .pads = edit_pads(e), .leaps_out = edit_leaps_out(e)};
	uint32_t most = 0;
	*out = (struct ways){.aimed = calloc(e->inst_count + (size_t)1, 1),
	                     .open = calloc(e->function_count + (size_t)1, 1)};
	bool ok = f.pads && out->aimed && out->open;
	for (uint32_t k = 0; ok && k < e->function_count; k++)
		if (e->functions[k].count > most && is_worth_it(&f, &e->functions[k]))
			most = e->functions[k].count;
	if (ok && most) {
		f.first = malloc((most + (size_t)1) * sizeof *f.first);
		f.block = malloc((most + (size_t)1) * sizeof *f.block);
		f.from = malloc((most + (size_t)1) * sizeof *f.from);
		f.froms = malloc(most + (size_t)1);
		ok = f.first && f.block && f.from && f.froms;
	}
	for (uint32_t k = 0; ok && most && k < e->function_count; k++) {
		f.f = &e->functions[k];
		if (!is_worth_it(&f, f.f) || f.f->fixed)
			continue;
		uint32_t blocks = 0;
		for (uint32_t i = f.f->first; i < f.f->first + f.f->count; i++)
			blocks += i == f.f->first || !is_code(e, i) || edit_is_leader(e, i);
		f.in = malloc((blocks + (size_t)1) * sizeof *f.in);
		ok = f.in;
		if (ok) {
			find_blocks(&f);
			follow(&f);
			ok = find_ways(&f, k);
		}
		free(f.in);
	}
	free(f.pads);
	free(f.first);
	free(f.block);
	free(f.from);
	free(f.froms);
	if (ok)
		return true;
	ways_free(out);
	return err_set(err, "out of memory for the jumps of %s", e->p->path);
}

uint32_t ways_from(const struct ways *w, uint32_t first)
{
	uint32_t lo = 0, hi = w->count;
	while (lo < hi) {
		const uint32_t mid = lo + (hi - lo) / 2;
		if (w->all[mid].jump < first)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
