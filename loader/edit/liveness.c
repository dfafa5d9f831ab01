#include "loader/edit/liveness.h"

#include <stdlib.h>
#include <string.h>

#include "loader/edit/edit_priv.h"

enum { ALL = -1, SYSTEM_CALL = 0xff << 10 /* a0 to a7 */, RA = 1, SP = 2, FP = 8 };

#define ANY_LINK (UINT32_C(1) << 1 | UINT32_C(1) << 5) /* ra, t0 */

/* Functions that share code: one and the parts of it that lie elsewhere. By the number of one of them. */
struct part {
	uint32_t same;       /* another function of it; itself: the one by which it is known */
	uint32_t returned;   /* what matters wherever its returns may go */
	uint32_t within;     /* what matters wherever its jump tables may lead */
	bool taken;          /* its address is known: indirect calls come here */
	bool jumps;          /* it jumps indirectly: to a function whose address is known, maybe, which then returns for it */
	bool returns;        /* it may return; exit() and its kin don't */
	bool odd;            /* a jump of it through any register may be its return: it is called through others than ra and t0, or moves them */
	uint32_t links;      /* registers that it is called through */
	uint32_t through;    /* that it jumps through */
	bool strays;         /* it returns to where another call came from: longjmp, unwinding */
};

struct flow {
	const struct edit *e;
	uint32_t *live;      /* [inst_count] */
	uint8_t *pad;        /* [inst_count]: a landing pad, or a place that code puts the address of somewhere */
	struct part *parts;  /* [function_count] */
	uint32_t called;     /* what matters wherever an indirect call may go */
	uint32_t returned;   /* wherever the returns of what was called indirectly may go */
	uint32_t anywhere;   /* wherever any return may go, or a jump to another function's frame */
};

static uint32_t bit(unsigned reg)
{
	return reg > 0 && reg < 32 ? UINT32_C(1) << reg : 0;
}

static uint32_t reads(const struct inst *in)
{
	if (in->op == OP_ECALL)
		return (uint32_t)SYSTEM_CALL;
	return bit(in->rs1) | bit(in->rs2) | bit(in->rs3);
}

static bool is_jump(const struct edit_inst *i)
{
	return !(i->flags & EDIT_DATA) && (inst_flags(&i->in) & OPF_JUMP);
}

static bool is_call(const struct edit_inst *i)
{
	return is_jump(i) && i->in.rd != REG_SINK;
}

static bool is_indirect(const struct edit_inst *i)
{
	return inst_flags(&i->in) & OPF_INDIRECT;
}

/* ---- parts ---- */
static struct part *part_of(const struct flow *f, uint32_t function)
{
	while (f->parts[function].same != function)
		function = f->parts[function].same = f->parts[f->parts[function].same].same;
	return &f->parts[function];
}

static struct part *part_at(const struct flow *f, uint32_t i)
{
	return part_of(f, f->e->insts[i].function);
}

static void join(struct flow *f, uint32_t a, uint32_t b)
{
	part_of(f, a)->same = (uint32_t)(part_of(f, b) - f->parts);
}

static uint32_t target_of(const struct flow *f, uint32_t i)
{
	return f->e->insts[i].ref == REF_NEAR ? edit_inst_at(f->e, f->e->insts[i].target) : EDIT_NONE;
}

/* It sets ra to something else than what its own frame holds, or leaves by a frame that isn't its own. */
static bool strays(const struct inst *in)
{
	if (in->rd == RA && !(inst_flags(in) & OPF_JUMP))
		return in->op != OP_LD || in->rs1 != SP;
	return in->rd == SP && in->rs1 != SP && !(in->op == OP_ADDI && in->rs1 == FP);
}

/* Code that is jumped to in its middle belongs to the function that jumps; so do parts by their names: f and f.cold. */
static void find_parts(struct flow *f)
{
	const struct edit *e = f->e;
	for (uint32_t k = 0; k < e->function_count; k++)
		f->parts[k].same = k;
	for (uint32_t i = 0; i < e->inst_count; i++) {
		uint32_t to = target_of(f, i);
		if (to != EDIT_NONE && !(e->insts[to].flags & EDIT_ENTRY))
			join(f, e->insts[i].function, e->insts[to].function);
	}
	for (uint32_t k = 0; k < e->function_count; k++) {
		const char *name = e->functions[k].name, *dot = strstr(name, ".cold");
		for (uint32_t n = 0; dot && n < e->function_count; n++)
			if (!strncmp(e->functions[n].name, name, (size_t)(dot - name)) && !e->functions[n].name[dot - name])
				join(f, k, n);
	}
	for (uint32_t i = 0; i < e->inst_count; i++) {
		const struct edit_inst *at = &e->insts[i];
		struct part *p = part_at(f, i);
		if (at->flags & EDIT_DATA)
			continue;
		p->taken |= (at->flags & EDIT_TAKEN) && (at->flags & EDIT_ENTRY);
		p->jumps |= is_jump(at) && is_indirect(at) && !is_call(at) && !inst_pops_ras(&at->in);
		p->strays |= strays(&at->in);
	}
}

/* A return address that leaves its register by anything but a store, or comes back from the stack into another one. */
static bool moves_link(const struct part *p, const struct inst *in)
{
	const unsigned flags = inst_flags(in);
	if (in->op == OP_LD && (in->rs1 == SP || in->rs1 == FP))
		return p->jumps && !(ANY_LINK >> in->rd & 1) && (p->through >> in->rd & 1);
	return !(flags & (OPF_JUMP | OPF_STORE)) && (p->links & (bit(in->rs1) | bit(in->rs2)));
}

static void find_odd(struct flow *f)
{
	const struct edit *e = f->e;
	uint32_t indirect = bit(RA);
	for (uint32_t i = 0; i < e->inst_count; i++) {
		const struct edit_inst *at = &e->insts[i];
		const uint32_t to = target_of(f, i);
		if (is_call(at) && to != EDIT_NONE)
			part_at(f, to)->links |= bit(at->in.rd);
		else if (is_call(at))
			indirect |= bit(at->in.rd);
		else if (is_jump(at) && is_indirect(at))
			part_at(f, i)->through |= bit(at->in.rs1);
	}
	for (uint32_t k = 0; k < e->function_count; k++)
		part_of(f, k)->links |= part_of(f, k)->taken ? indirect : 0;
	/* Who goes on to another function hands its return address over. */
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < e->inst_count; i++) {
			const uint32_t to = is_call(&e->insts[i]) ? EDIT_NONE : target_of(f, i);
			const uint32_t more = to == EDIT_NONE ? 0 : part_at(f, i)->links & ~part_at(f, to)->links;
			if (more)
				part_at(f, to)->links |= more;
			changed |= more != 0;
		}
	}
	for (uint32_t i = 0; i < e->inst_count; i++) {
		struct part *p = part_at(f, i);
		if (!(e->insts[i].flags & EDIT_DATA))
			p->odd |= (p->links & ~ANY_LINK) || moves_link(p, &e->insts[i].in);
	}
}

/* Whether anything is executed behind instruction i. */
static bool goes_on(const struct flow *f, uint32_t i)
{
	const struct edit_inst *at = &f->e->insts[i];
	const uint32_t to = target_of(f, i);
	if (!is_jump(at))
		return true;
	/* Who calls with its last instruction knows that nothing comes back. */
	if (at->addr + at->in.len == f->e->functions[at->function].end)
		return false;
	return is_call(at) && (to == EDIT_NONE || part_at(f, to)->returns);
}

/* A function may return if it has a return or an indirect jump, or goes on to one that may. */
static void find_returning(struct flow *f)
{
	const struct edit *e = f->e;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < e->inst_count; i++) {
			const struct edit_inst *at = &e->insts[i];
			struct part *p = part_at(f, i);
			const uint32_t to = target_of(f, i), next = i + 1 < e->inst_count ? i + 1 : i;
			if (p->returns || (at->flags & EDIT_DATA))
				continue;
			p->returns = (is_jump(at) && is_indirect(at) && !is_call(at)) ||
			             (to != EDIT_NONE && !is_call(at) && part_at(f, to)->returns) ||
			             (part_at(f, next) != p && goes_on(f, i) && !(e->insts[next].flags & EDIT_DATA) && part_at(f, next)->returns);
			changed |= p->returns;
		}
	}
}

/* Landing pads are known by their table, which returns lead to as well; where a goto out of a nested function, or __builtin_longjmp(), leads, by code
 * that puts its address somewhere. */
uint8_t *edit_pads(const struct edit *e)
{
	uint8_t *pad = calloc(e->inst_count + 1, 1);
	for (size_t k = 0; pad && k < e->reloc_count; k++) {
		const struct edit_reloc *r = &e->relocs[k];
		uint32_t i = strcmp(e->sections[r->section].name, ".gcc_except_table") ? EDIT_NONE : edit_inst_at(e, r->value);
		if (i != EDIT_NONE)
			pad[i] = 1;
	}
	for (uint32_t k = 0; pad && k < e->inst_count; k++) {
		const bool pair = e->insts[k].ref == REF_HIGH || e->insts[k].ref == REF_ABS_HIGH;
		uint32_t i = pair ? edit_inst_at(e, e->insts[k].target) : EDIT_NONE;
		if (i != EDIT_NONE && !(e->insts[i].flags & EDIT_ENTRY))
			pad[i] = 1;
	}
	return pad;
}

/* ---- what matters ---- */
/* Before instruction i + 1: nothing if there is none, as code that comes there dies of it. */
static uint32_t live_next(const struct flow *f, uint32_t i)
{
	const struct edit_inst *in = &f->e->insts[i];
	const bool joined = i + 1 < f->e->inst_count && in[1].addr == in->addr + in->in.len;
	return joined ? f->live[i + 1] : 0;
}

static uint32_t live_behind_jump(const struct flow *f, uint32_t i)
{
	const struct edit_inst *at = &f->e->insts[i];
	uint32_t to = target_of(f, i), live = goes_on(f, i) ? live_next(f, i) : 0;
	if (!is_indirect(at))
		return live | (to == EDIT_NONE ? (uint32_t)ALL : f->live[to]);
	const struct part *p = part_at(f, i);
	if (is_call(at))
		return live | f->called;
	if (inst_pops_ras(&at->in))
		return p->strays ? f->anywhere : p->returned;
	return live | f->called | p->within | (p->strays ? f->anywhere : 0) | (p->odd ? p->returned : 0);
}

static uint32_t live_before(const struct flow *f, uint32_t i)
{
	const struct edit_inst *at = &f->e->insts[i];
	uint32_t live;
	if (at->flags & EDIT_DATA)
		return 0;
	if (inst_flags(&at->in) & OPF_JUMP) {
		live = live_behind_jump(f, i);
	} else {
		uint32_t to = target_of(f, i);
		live = live_next(f, i);
		if (inst_flags(&at->in) & OPF_BRANCH)
			live |= to == EDIT_NONE ? (uint32_t)ALL : f->live[to];
	}
	return (live & ~bit(at->in.rd)) | reads(&at->in);
}

/* Where a jump from one function leads to another's entry, that one returns for the first. */
static void hand_on(struct flow *f, uint32_t i, uint32_t to)
{
	if (to != EDIT_NONE && (f->e->insts[to].flags & EDIT_ENTRY))
		part_at(f, to)->returned |= part_at(f, i)->returned;
}

static void gather(struct flow *f)
{
	const struct edit *e = f->e;
	for (uint32_t i = 0; i < e->inst_count; i++) {
		const struct edit_inst *at = &e->insts[i];
		const uint32_t to = target_of(f, i);
		if (at->flags & EDIT_DATA)
			continue;
		if (is_call(at)) {
			const uint32_t live = goes_on(f, i) ? live_next(f, i) : 0;
			f->anywhere |= live;
			if (is_indirect(at))
				f->returned |= live;
			else if (to != EDIT_NONE)
				part_at(f, to)->returned |= live;
		} else {
			hand_on(f, i, to);
			if (!is_jump(at) && i + 1 < e->inst_count)
				hand_on(f, i, i + 1);
		}
		if (f->pad[i])
			f->anywhere |= f->live[i];
		if (!(at->flags & EDIT_TAKEN))
			continue;
		if (at->flags & EDIT_ENTRY)
			f->called |= f->live[i];
		else
			part_at(f, i)->within |= f->live[i];
	}
	for (uint32_t k = 0; k < e->function_count; k++) {
		struct part *p = part_of(f, k);
		if (p->jumps)
			f->returned |= p->returned;
		if (p->taken)
			p->returned |= f->returned;
	}
}

uint32_t *edit_liveness(const struct edit *e)
{
	struct flow f = {
		.e = e, .live = calloc(e->inst_count + 1, sizeof *f.live), .pad = edit_pads(e),
		.parts = calloc(e->function_count + 1, sizeof *f.parts),
	};
	bool changed = f.live && f.pad && f.parts;
	if (!changed) {
		free(f.live);
		f.live = NULL;
	} else {
		find_parts(&f);
		find_odd(&f);
		find_returning(&f);
	}
	while (changed) {
		changed = false;
		gather(&f);
		for (uint32_t i = e->inst_count; i-- > 0;) {
			uint32_t live = live_before(&f, i);
			changed |= live != f.live[i];
			f.live[i] = live;
		}
	}
	free(f.pad);
	free(f.parts);
	return f.live;
}
