/* Lays the code out: the old instructions and what is put in become one row of items, which get addresses, and grow where a branch
 * no longer reaches. Items only grow, so it ends. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/isa/encode.h"
#include "loader/edit/edit_priv.h"

/* ---- the row ---- */
static struct edit_item *add_item(struct edit *e, const struct inst *in)
{
	struct edit_item *item = &e->items[e->item_count++];
	*item = (struct edit_item){
		.in = *in, .to = EDIT_NONE, .high = EDIT_NONE, .origin = EDIT_NONE, .stub = EDIT_NONE, .size = in->len,
	};
	return item;
}

static void add_inserts(struct edit *e, uint32_t first)
{
	for (uint32_t at = first; at; at = e->inserts[at - 1].next) {
		const struct edit_insert *insert = &e->inserts[at - 1];
		const uint32_t first_item = e->item_count;
		uint32_t high = EDIT_NONE;
		for (uint32_t k = 0; k < insert->count; k++) {
			const struct edit_code *c = &e->code[insert->first + k];
			struct edit_item *item = add_item(e, &c->in);
			item->ref = c->ref;
			item->target = c->target;
			item->high = high;
			if (c->ref == REF_LABEL) {
				item->ref = REF_NEAR;
				item->to = first_item + (uint32_t)c->target;
			}
			if (c->ref == REF_HIGH)
				high = e->item_count - 1;
		}
	}
}

static void add_inst(struct edit *e, uint32_t i)
{
	const struct edit_inst *in = &e->insts[i];
	struct edit_item *item = add_item(e, &in->in);
	item->origin = i;
	item->ref = in->ref;
	item->target = in->target;
	/* A short one would have no room for its new address. */
	if (in->ref == REF_ABS_HIGH || in->ref == REF_ABS_LOW)
		item->size = item->in.len = 4;
	item->via = &e->places[i].via;
	item->stub = e->places[i].taken ? i : EDIT_NONE;
}

static struct edit_item *add_jump(struct edit *e, uint64_t target, uint32_t stub, uint32_t *via)
{
	struct edit_item *jump = add_item(e, &(struct inst){.op = OP_JAL, .len = 4, .rd = REG_SINK});
	jump->ref = REF_NEAR;
	jump->target = target;
	jump->stub = stub;
	jump->via = via;
	return jump;
}

/* Stubs of taken branches stand behind their function: what is put in, then a jump to where the branch led. */
static void add_stubs(struct edit *e, uint32_t first, uint32_t end, uint32_t *stub)
{
	for (uint32_t i = first; i < end; i++) {
		if (!e->places[i].taken)
			continue;
		stub[i] = e->item_count;
		add_inserts(e, e->places[i].taken);
		add_jump(e, e->insts[i].target, EDIT_NONE, &e->places[i].stub_via);
	}
}

static void add_islands(struct edit *e, uint32_t first)
{
	for (uint32_t at = first; at; at = e->islands[at - 1].next) {
		struct edit_island *island = &e->islands[at - 1];
		island->item = e->item_count;
		add_jump(e, island->target, island->stub, &island->via);
	}
}

/* The last instruction of its function, or of its section. */
static bool ends_function(const struct edit *e, uint32_t i)
{
	return i + 1 == e->inst_count || (e->insts[i + 1].flags & (EDIT_ENTRY | EDIT_DATA)) == EDIT_ENTRY ||
	       e->insts[i + 1].addr != e->insts[i].addr + e->insts[i].in.len;
}

static void add_all(struct edit *e, uint32_t *stub)
{
	uint32_t first = 0;
	for (uint32_t i = 0; i < e->inst_count; i++) {
		e->start[i] = e->item_count;
		add_inserts(e, e->places[i].before);
		add_inst(e, i);
		add_inserts(e, e->places[i].behind);
		add_islands(e, e->places[i].island);
		if (ends_function(e, i)) {
			add_stubs(e, first, i + 1, stub);
			first = i + 1;
		}
	}
	e->start[e->inst_count] = e->item_count;
	for (uint32_t i = 0; i < e->routine_count; i++) {
		e->routines[i].item = e->item_count;
		add_inserts(e, e->routines[i].insert);
	}
}

/* Of each old instruction, where it is itself. */
static uint32_t *self_of(const struct edit *e)
{
	uint32_t *self = malloc((e->inst_count + 1) * sizeof *self);
	for (uint32_t k = 0; self && k < e->item_count; k++)
		if (e->items[k].origin != EDIT_NONE)
			self[e->items[k].origin] = k;
	return self;
}

static bool connect(struct edit *e, const uint32_t *stub, struct err *err)
{
	uint32_t *self = self_of(e);
	if (!self)
		return err_set(err, "out of memory for the new code of %s", e->p->path);
	for (uint32_t k = 0; k < e->item_count; k++) {
		struct edit_item *item = &e->items[k];
		if (item->origin != EDIT_NONE && item->ref == REF_LOW)
			item->high = self[e->insts[item->origin].high];
		if (item->via && *item->via) {
			item->to = e->islands[*item->via - 1].item;
		} else if (item->stub != EDIT_NONE) {
			item->to = stub[item->stub];
		} else if (item->target - EDIT_ROUTINES < e->routine_count) {
			item->to = e->routines[item->target - EDIT_ROUTINES].item;
		} else if (item->ref != REF_NONE && item->to == EDIT_NONE) {
			uint32_t to = edit_inst_at(e, item->target);
			item->to = to == EDIT_NONE ? EDIT_NONE : e->start[to];
		}
	}
	free(self);
	return true;
}

static size_t items_needed(const struct edit *e)
{
	size_t n = e->inst_count + e->code_count + e->island_count;
	for (uint32_t i = 0; i < e->inst_count; i++)
		n += e->places[i].taken != 0;
	return n + 1;
}

static bool line_up(struct edit *e, struct err *err)
{
	uint32_t *stub = malloc((e->inst_count + 1) * sizeof *stub);
	free(e->items);
	free(e->start);
	e->item_count = 0;
	e->items = calloc(items_needed(e), sizeof *e->items);
	e->start = calloc(e->inst_count + 1, sizeof *e->start);
	bool ok = stub && e->items && e->start;
	if (ok) {
		memset(stub, 0xff, (e->inst_count + 1) * sizeof *stub);
		add_all(e, stub);
		ok = connect(e, stub, err);
	} else {
		err_format(err, "out of memory for the new code of %s", e->p->path);
	}
	free(stub);
	return ok;
}

/* ---- addresses ---- */
static uint64_t place_of(const struct edit *e, const struct edit_item *item)
{
	if (item->to != EDIT_NONE)
		return e->items[item->to].addr;
	if (item->origin != EDIT_NONE && e->insts[item->origin].of_code)
		return edit_new_end(e, item->target);
	return item->ref == REF_NEAR ? item->target : edit_new_address(e, item->target);
}

static bool fits(int64_t offset, unsigned bits)
{
	return offset >= -(INT64_C(1) << (bits - 1)) && offset < INT64_C(1) << (bits - 1);
}

/* Bytes that a branch or jump over this distance takes: 2, 4; a branch that isn't taken over a jump, or a call through its link
 * register, 8; a branch that isn't taken over such a pair never occurs: code is smaller than a jump's reach, or refused. */
static unsigned near_size(const struct edit_item *item, int64_t offset)
{
	const bool branch = inst_flags(&item->in) & OPF_BRANCH;
	if (item->in.len == 2 && fits(offset, branch ? 9 : 12))
		return 2;
	return fits(offset, branch ? 13 : 21) ? 4 : 8;
}

/* Old data between code keeps its place in a line of 8 bytes, and so do functions in a line of 4. */
static uint64_t aligned(const struct edit *e, const struct edit_item *item, uint64_t at)
{
	if (item->origin == EDIT_NONE)
		return at;
	const struct edit_inst *i = &e->insts[item->origin];
	const bool first_data = (i->flags & EDIT_DATA) && (item->origin == 0 || !(i[-1].flags & EDIT_DATA));
	if (first_data)
		while ((at ^ i->addr) & 7)
			at += 2;
	return at;
}

static void give_addresses(struct edit *e)
{
	uint64_t at = e->text;
	for (uint32_t s = 1; s < e->section_count; s++) {
		struct edit_section *section = &e->sections[s];
		if (!section->code)
			continue;
		const uint64_t line = section->head.sh_addralign > 2 ? section->head.sh_addralign : 2;
		at = (at + line - 1) / line * line;
		section->new_addr = at;
		for (uint32_t k = e->start[section->first]; k < e->start[section->first + section->count]; k++) {
			at = aligned(e, &e->items[k], at);
			e->items[k].addr = at;
			at += e->items[k].size;
		}
	}
	e->routines_at = at;
	for (uint32_t k = e->start[e->inst_count]; k < e->item_count; k++) {
		e->items[k].addr = at;
		at += e->items[k].size;
	}
	e->text_end = at;
}

static bool grow(struct edit *e)
{
	bool grown = false;
	for (uint32_t k = 0; k < e->item_count; k++) {
		struct edit_item *item = &e->items[k];
		if (item->ref != REF_NEAR)
			continue;
		unsigned size = near_size(item, (int64_t)(place_of(e, item) - item->addr));
		if (size > item->size) {
			item->size = (uint8_t)size;
			grown = true;
		}
	}
	return grown;
}

/* ---- islands ---- */
static bool cant(const struct edit *e, const struct edit_item *item, const char *why, struct err *err)
{
	char text[96], where[256] = "code that was put in";
	if (item->origin != EDIT_NONE)
		program_addr_text(e->p, e->insts[item->origin].addr, where, sizeof where);
	return err_set(err, "%s: %s at %s: %s", e->p->path, inst_disasm(&item->in, item->addr, text, sizeof text), where, why);
}

/* Bytes: less than a jump's reach, for code grows when islands come; and what is worth one. */
enum { ISLAND_REACH = 900 << 10, ISLAND_STEP = 4 << 10 };

/* Whether a jump that keeps all registers doesn't reach. */
static bool is_stranded(const struct edit *e, const struct edit_item *item)
{
	if (item->ref != REF_NEAR || !item->via)
		return false;
	const bool branch = inst_flags(&item->in) & OPF_BRANCH;
	const int64_t offset = (int64_t)(place_of(e, item) - item->addr) - (branch && item->size == 8 ? 4 : 0);
	return item->size == 8 && !fits(offset, 21) && (branch || item->in.rd == REG_SINK);
}

static bool never_goes_on(const struct edit_inst *i)
{
	return !(i->flags & EDIT_DATA) && (inst_flags(&i->in) & OPF_JUMP) && i->in.rd == REG_SINK;
}

/* The farthest instruction within reach behind which an island may stand; EDIT_NONE. */
static uint32_t find_shore(const struct edit *e, const struct edit_item *item, bool forwards)
{
	uint32_t best = EDIT_NONE;
	for (uint32_t k = (uint32_t)(item - e->items); k < e->item_count; forwards ? k++ : k--) {
		const struct edit_item *at = &e->items[k];
		const uint64_t far = forwards ? at->addr - item->addr : item->addr - at->addr;
		if (far > ISLAND_REACH)
			break;
		if (far > ISLAND_STEP && at->origin != EDIT_NONE && never_goes_on(&e->insts[at->origin]))
			best = at->origin;
	}
	return best;
}

/* An island within reach that leads there, nearer to it than the jump is: index + 1; 0. */
static uint32_t find_island(const struct edit *e, const struct edit_item *item, bool forwards)
{
	for (uint32_t i = 0; i < e->island_count; i++) {
		const struct edit_island *island = &e->islands[i];
		if (island->item == EDIT_NONE || island->target != item->target || island->stub != item->stub)
			continue;
		const int64_t far = (int64_t)(e->items[island->item].addr - item->addr);
		if ((forwards ? far : -far) > ISLAND_STEP && (forwards ? far : -far) <= ISLAND_REACH)
			return i + 1;
	}
	return 0;
}

static uint32_t make_island(struct edit *e, const struct edit_item *item, bool forwards, struct err *err)
{
	uint32_t shore = find_shore(e, item, forwards);
	if (shore == EDIT_NONE) {
		cant(e, item, "leads more than 1 MB away, and no place for a jump lies between", err);
		return 0;
	}
	if (e->island_count == e->island_room) {
		uint32_t room = 2 * e->island_room + 64;
		struct edit_island *more = realloc(e->islands, room * sizeof *more);
		if (!more) {
			err_format(err, "out of memory for the new code of %s", e->p->path);
			return 0;
		}
		for (uint32_t k = 0; k < e->item_count; k++) /* those of islands move with them */
			e->items[k].via = NULL;
		e->islands = more;
		e->island_room = room;
	}
	e->islands[e->island_count] = (struct edit_island){
		.behind = shore, .next = e->places[shore].island, .target = item->target, .stub = item->stub, .item = EDIT_NONE,
	};
	e->places[shore].island = ++e->island_count;
	return e->island_count;
}

/* Lets stranded jumps go over islands. False with *err; *moved says whether any did, so that all has to be laid out again. */
static bool bridge(struct edit *e, bool *moved, struct err *err)
{
	*moved = false;
	for (uint32_t k = 0; k < e->item_count; k++) {
		struct edit_item *item = &e->items[k];
		if (!is_stranded(e, item))
			continue;
		const bool forwards = place_of(e, item) > item->addr;
		uint32_t *via = item->via;
		uint32_t island = find_island(e, item, forwards);
		*moved = true;
		if (!island && !(island = make_island(e, item, forwards, err)))
			return false;
		if (!item->via)
			return true; /* the islands have moved: once more */
		*via = island;
	}
	return true;
}

bool edit_lay_out(struct edit *e, struct err *err)
{
	for (bool moved = true; moved;) {
		if (!line_up(e, err))
			return false;
		do
			give_addresses(e);
		while (grow(e));
		if (!bridge(e, &moved, err))
			return false;
	}
	return true;
}

uint64_t edit_new_end(const struct edit *e, uint64_t addr)
{
	const struct edit_section *s = edit_inst_at(e, addr) == EDIT_NONE ? edit_code_section(e, addr, true) : NULL;
	if (!s || !s->count || addr != s->head.sh_addr + s->head.sh_size)
		return edit_new_address(e, addr);
	const struct edit_item *last = &e->items[e->start[s->first + s->count] - 1];
	return last->addr + last->size;
}

uint64_t edit_new_address(const struct edit *e, uint64_t addr)
{
	uint32_t i = edit_inst_at(e, addr);
	if (i != EDIT_NONE)
		return e->items[e->start[i]].addr;
	const struct edit_section *s = edit_code_section(e, addr, false);
	if (e->frame_section && addr - e->frame_section->head.sh_addr < e->frame_section->head.sh_size)
		return edit_new_frame(e, (uint32_t)(addr - e->frame_section->head.sh_addr));
	if (!s || !s->count)
		return addr;
	return edit_new_address(e, addr - 1) + 1; /* in the middle of one */
}

/* ---- bytes ---- */
static bool put(const struct edit *e, const struct edit_item *item, const struct inst *in, uint8_t *out, struct err *err)
{
	uint32_t raw;
	if (!inst_encode(in, &raw))
		return cant(e, item, "can't be written at its new place", err);
	memcpy(out, &raw, in->len);
	return true;
}

/* A branch or jump, as long as layout has made it. */
static bool put_near(const struct edit *e, const struct edit_item *item, uint8_t *out, struct err *err)
{
	const int64_t offset = (int64_t)(place_of(e, item) - item->addr);
	struct inst in = item->in;
	in.imm = (int32_t)offset;
	uint32_t raw;
	if (item->size == 2) {
		if (!inst_retarget(&in, offset, &raw))
			return cant(e, item, "can't be written at its new place", err);
		memcpy(out, &raw, 2);
		return true;
	}
	in.len = 4;
	if (item->size == 4)
		return put(e, item, &in, out, err);
	if (!fits(offset, 32))
		return cant(e, item, "leads to no code", err);
	if (inst_flags(&in) & OPF_BRANCH) {
		struct inst jump = {.op = OP_JAL, .len = 4, .rd = REG_SINK, .imm = (int32_t)offset - 4};
		in.op = inst_opposite(in.op);
		in.imm = 8;
		return put(e, item, &in, out, err) && put(e, item, &jump, out + 4, err);
	}
	struct inst high = {.op = OP_AUIPC, .len = 4, .rd = in.rd, .imm = (int32_t)(((uint32_t)offset + 0x800) & 0xfffff000)};
	struct inst low = {.op = OP_JALR, .len = 4, .rd = in.rd, .rs1 = in.rd, .imm = (int32_t)offset - high.imm};
	return put(e, item, &high, out, err) && put(e, item, &low, out + 4, err);
}

static int32_t high_of(uint64_t offset)
{
	return (int32_t)(((uint32_t)offset + 0x800) & 0xfffff000);
}

bool edit_encode(const struct edit *e, const struct edit_item *item, uint8_t *out, struct err *err)
{
	struct inst in = item->in;
	uint64_t offset;
	switch ((enum edit_ref)item->ref) {
	case REF_NEAR:
		return put_near(e, item, out, err);
	case REF_HIGH:
		offset = place_of(e, item) - item->addr;
		if (!fits((int64_t)(offset + 0x800), 32))
			return cant(e, item, "its address is more than 2 GB away", err);
		in.imm = high_of(offset);
		return put(e, item, &in, out, err);
	case REF_LOW:
		offset = place_of(e, &e->items[item->high]) - e->items[item->high].addr;
		in.imm = (int32_t)((uint32_t)offset - (uint32_t)high_of(offset));
		return put(e, item, &in, out, err);
	case REF_ABS_HIGH:
		in.imm = high_of(place_of(e, item));
		return put(e, item, &in, out, err);
	case REF_ABS_LOW:
		offset = place_of(e, item);
		in.imm = (int32_t)((uint32_t)offset - (uint32_t)high_of(offset));
		return put(e, item, &in, out, err);
	case REF_LABEL: /* became REF_NEAR when it was put in */
	case REF_NONE:
		break;
	}
	if (item->origin == EDIT_NONE && in.len == 4)
		return put(e, item, &in, out, err);
	memcpy(out, &in.raw, in.len);
	return true;
}
