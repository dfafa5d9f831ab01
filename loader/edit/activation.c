#include "loader/edit/activation.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/edit/edit_priv.h"

enum { SP = 2, FP = 8, T0 = 5, UNKNOWN = ACTIVATION_UNKNOWN };

enum { PLACE_PAD = 1, PLACE_JUMPED = 2 }; /* landing pads; where an indirect jump may lead */

struct flow {
	const struct edit *e;
	struct activations *a;
	uint8_t *place;               /* [inst_count], owned: PLACE_* */
	/* [function_count], owned: by group: what indirect jumps bring with them */
	struct activation *jumping;
	/* [function_count], owned: by group: what calls do, and so who is thrown to a landing pad
	 */
	struct activation *calling;
	struct activation *returning; /* [function_count], owned: by group: at returns through t0 */
	/* [function_count], owned: by group: it may; exit() and its kin don't */
	uint8_t *returns;
	bool changed;
};

/* ---- groups ---- */
static uint32_t group_of(struct activations *a, uint32_t f)
{
	while (a->group[f] != f)
		f = a->group[f] = a->group[a->group[f]];
	return f;
}

static bool is_code(const struct edit_inst *i)
{
	return !(i->flags & EDIT_DATA);
}

static bool links(const struct edit_inst *i)
{
	return (inst_flags(&i->in) & OPF_JUMP) && i->in.rd != REG_SINK;
}

/* Where a branch or direct jump leads. */
static uint32_t target_of(const struct edit *e, uint32_t i)
{
	return e->insts[i].ref == REF_NEAR ? edit_inst_at(e, e->insts[i].target) : EDIT_NONE;
}

/* Whether a procedure begins here, for who comes from elsewhere. */
static bool begins(const struct edit *e, const struct activations *a, uint32_t i)
{
	return (e->insts[i].flags & EDIT_ENTRY) && a->entry[e->insts[i].function] &&
	       e->functions[e->insts[i].function].first == i;
}

static void find_groups(const struct edit *e, struct activations *a)
{
	for (uint32_t f = 0; f < e->function_count; f++) {
		a->group[f] = f;
		a->entry[f] = !strstr(e->functions[f].name, ".cold");
	}
	for (uint32_t i = 0; i < e->inst_count; i++) {
		const uint32_t to =
			is_code(&e->insts[i]) && !links(&e->insts[i]) ? target_of(e, i) : EDIT_NONE;
		if (to != EDIT_NONE && e->insts[to].function != e->insts[i].function &&
		    !begins(e, a, to))
			a->group[group_of(a, e->insts[i].function)] =
				group_of(a, e->insts[to].function);
	}
	for (uint32_t f = 0; f < e->function_count; f++)
		a->group[f] = group_of(a, f);
}

/* ---- places that no direct jump leads to ---- */
static void find_places(struct flow *f)
{
	const struct edit *e = f->e;
	for (uint32_t i = 0; i < e->inst_count; i++)
		if ((e->insts[i].flags & EDIT_TAKEN) && !begins(e, f->a, i))
			f->place[i] = PLACE_JUMPED;
	for (size_t k = 0; k < e->reloc_count; k++) {
		const struct edit_reloc *r = &e->relocs[k];
		const uint32_t i = strcmp(e->sections[r->section].name, ".gcc_except_table")
		                           ? EDIT_NONE
		                           : edit_inst_at(e, r->value);
		if (i != EDIT_NONE && f->place[i])
			f->place[i] = PLACE_PAD;
	}
	/* A goto out of a nested function comes from a call, too. */
	for (uint32_t k = 0; k < e->inst_count; k++) {
		const bool pair = e->insts[k].ref == REF_HIGH || e->insts[k].ref == REF_ABS_HIGH;
		const uint32_t i = pair ? edit_inst_at(e, e->insts[k].target) : EDIT_NONE;
		if (i != EDIT_NONE && f->place[i])
			f->place[i] |= PLACE_PAD;
	}
}

/* ---- calls that don't return ---- */
/* A group may return if it jumps through a register, or goes on to one that may. */
static void find_returning(struct flow *f)
{
	const struct edit *e = f->e;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < e->inst_count; i++) {
			const struct edit_inst *in = &e->insts[i];
			uint8_t *returns = &f->returns[f->a->group[in->function]];
			if (*returns || !is_code(in) || links(in))
				continue;
			const uint32_t to = activation_tail_call(e, f->a, i);
			*returns = (inst_flags(&in->in) & OPF_INDIRECT) ||
			           (to != EDIT_NONE && f->returns[f->a->group[to]]);
			changed |= *returns;
		}
	}
}

/* ---- the flow ---- */
static void meet(struct flow *f, struct activation *to, const struct activation *from)
{
	if (!from->reached)
		return;
	struct activation now = *from;
	if (to->reached) {
		now = *to;
		if (now.sp != from->sp)
			now.sp = UNKNOWN;
		if (now.fp != from->fp)
			now.fp = UNKNOWN;
		now.constants &= from->constants;
		for (unsigned r = 0; now.constants >> r; r++)
			if ((now.constants >> r & 1) && now.value[r] != from->value[r])
				now.constants &= (uint16_t)~(1U << r);
	}
	const bool same = to->reached && now.sp == to->sp && now.fp == to->fp &&
	                  now.constants == to->constants;
	if (!same) {
		*to = now;
		f->changed = true;
	}
}

static int32_t plus(int32_t distance, int64_t more)
{
	const int64_t sum = distance + more;
	return distance == UNKNOWN || sum != (int32_t)sum ? UNKNOWN : (int32_t)sum;
}

/* What a register holds, less the stack pointer at the entry. */
static int32_t distance_of(const struct activation *s, unsigned reg)
{
	return reg == SP ? s->sp : reg == FP ? s->fp : UNKNOWN;
}

static bool is_constant(const struct activation *s, unsigned reg)
{
	return reg < ACTIVATION_CONSTANTS && (s->constants >> reg & 1);
}

/* The distance that an instruction gives to the register that it writes. */
static int32_t result_of(const struct activation *s, const struct inst *in)
{
	switch (in->op) {
	case OP_ADDI:
		return plus(distance_of(s, in->rs1), in->imm);
	case OP_ADD:
		if (in->rs1 == 0 || in->rs2 == 0)
			return distance_of(s, in->rs1 + in->rs2);
		if (is_constant(s, in->rs2))
			return plus(distance_of(s, in->rs1), s->value[in->rs2]);
		return is_constant(s, in->rs1) ? plus(distance_of(s, in->rs2), s->value[in->rs1])
		                               : UNKNOWN;
	case OP_SUB:
		return is_constant(s, in->rs2)
		               ? plus(distance_of(s, in->rs1), -(int64_t)s->value[in->rs2])
		               : UNKNOWN;
	default:
		return UNKNOWN;
	}
}

/* Constants are made by lui, addi and addiw. */
static void follow_constant(struct activation *s, const struct inst *in)
{
	const bool add = in->op == OP_ADDI || in->op == OP_ADDIW;
	const bool known = in->op == OP_LUI || (add && (in->rs1 == 0 || is_constant(s, in->rs1)));
	if (in->rd >= ACTIVATION_CONSTANTS)
		return;
	s->constants &= (uint16_t)~(1U << in->rd);
	if (!known)
		return;
	s->value[in->rd] =
		(int32_t)((add && in->rs1 ? (uint32_t)s->value[in->rs1] : 0) + (uint32_t)in->imm);
	s->constants |= (uint16_t)(1U << in->rd);
}

static struct activation behind(const struct activation *before, const struct inst *in)
{
	struct activation s = *before;
	if (in->rd >= 32)
		return s;
	const int32_t result = result_of(before, in);
	follow_constant(&s, in);
	if (in->rd == SP)
		s.sp = result;
	if (in->rd == FP)
		s.fp = result;
	return s;
}

/* Behind a call: registers that are not kept may hold anything. What is called through t0 from
 * prologues moves the stack pointer. */
static struct activation behind_call(struct flow *f, const struct activation *before, uint32_t i,
                                     uint32_t to)
{
	struct activation s = *before;
	s.constants = 0;
	if (to != EDIT_NONE && !f->returns[f->a->group[f->e->insts[to].function]])
		s.reached = false;
	if (f->e->insts[i].in.rd != T0)
		return s;
	const struct activation *r =
		to == EDIT_NONE ? NULL : &f->returning[f->a->group[f->e->insts[to].function]];
	if (r && !r->reached)
		s.reached = false; /* so far */
	else
		s.sp = r && r->sp != UNKNOWN ? plus(s.sp, r->sp) : UNKNOWN;
	return s;
}

static void go_to(struct flow *f, uint32_t to, const struct activation *s)
{
	if (to != EDIT_NONE && is_code(&f->e->insts[to]) && !begins(f->e, f->a, to))
		meet(f, &f->a->at[to], s);
}

static void flow_through(struct flow *f, uint32_t i)
{
	const struct edit *e = f->e;
	const struct edit_inst *in = &e->insts[i];
	const struct activation before = f->a->at[i];
	const unsigned flags = inst_flags(&in->in);
	const uint32_t next =
		i + 1 < e->inst_count && in[1].addr == in->addr + in->in.len ? i + 1 : EDIT_NONE;
	const uint32_t to = target_of(e, i), group = f->a->group[in->function];
	if (!before.reached)
		return;
	if (links(in)) {
		const struct activation s = behind_call(f, &before, i, to);
		meet(f, &f->calling[group], &before);
		go_to(f, next, &s);
		return;
	}
	if (flags & OPF_CONTROL)
		go_to(f, to, &before);
	if ((flags & OPF_INDIRECT) && in->in.rs1 == T0)
		meet(f, &f->returning[group], &before);
	else if ((flags & OPF_INDIRECT) && !inst_pops_ras(&in->in))
		meet(f, &f->jumping[group], &before);
	if (!(flags & OPF_JUMP)) {
		const struct activation s = behind(&before, &in->in);
		go_to(f, next, &s);
	}
}

static void find_all(struct flow *f)
{
	const struct edit *e = f->e;
	for (uint32_t i = 0; i < e->inst_count; i++)
		if (is_code(&e->insts[i]) && begins(e, f->a, i))
			f->a->at[i] = (struct activation){.fp = UNKNOWN, .reached = true};
	do {
		f->changed = false;
		for (uint32_t i = 0; i < e->inst_count; i++) {
			const uint32_t group = f->a->group[e->insts[i].function];
			if (!is_code(&e->insts[i]))
				continue;
			if (f->place[i] & PLACE_JUMPED)
				meet(f, &f->a->at[i], &f->jumping[group]);
			if (f->place[i] & PLACE_PAD)
				meet(f, &f->a->at[i], &f->calling[group]);
			flow_through(f, i);
		}
	} while (f->changed);
}

void activations_free(struct activations *a)
{
	free(a->at);
	free(a->group);
	free(a->entry);
	*a = (struct activations){0};
}

bool activations_of(const struct edit *e, struct activations *out, struct err *err)
{
	const size_t insts = e->inst_count + (size_t)1, functions = e->function_count + (size_t)1;
	*out = (struct activations){.at = alloc_zeroed(insts, sizeof *out->at),
	                            .group = alloc_zeroed(functions, sizeof *out->group),
	                            .entry = alloc_zeroed(functions, 1)};
	struct flow f = {
		.e = e,
		.a = out,
		.place = alloc_zeroed(insts, 1),
		.jumping = alloc_zeroed(functions, sizeof *f.jumping),
		.calling = alloc_zeroed(functions, sizeof *f.calling),
		.returning = alloc_zeroed(functions, sizeof *f.returning),
		.returns = alloc_zeroed(functions, 1),
	};
	const bool ok = out->at && out->group && out->entry && f.place && f.jumping && f.calling &&
	                f.returning && f.returns;
	if (ok) {
		find_groups(e, out);
		find_places(&f);
		find_returning(&f);
		find_all(&f);
	} else {
		activations_free(out);
		err_format(err, "out of memory for the procedures of %s", e->p->path);
	}
	free(f.place);
	free(f.jumping);
	free(f.calling);
	free(f.returning);
	free(f.returns);
	return ok;
}

/* ---- asking ---- */
struct activation activation_behind(const struct edit *e, const struct activations *a, uint32_t i)
{
	return inst_flags(&e->insts[i].in) & OPF_CONTROL ? a->at[i]
	                                                 : behind(&a->at[i], &e->insts[i].in);
}

unsigned activation_base(const struct activation *s, int32_t *more)
{
	if (!s->reached || (s->sp == UNKNOWN && s->fp == UNKNOWN))
		return 0;
	*more = s->sp != UNKNOWN ? -s->sp : -s->fp;
	return s->sp != UNKNOWN ? SP : FP;
}

uint32_t activation_tail_call(const struct edit *e, const struct activations *a, uint32_t i)
{
	const struct edit_inst *in = &e->insts[i];
	uint32_t to = target_of(e, i);
	if (!is_code(in) || links(in))
		return EDIT_NONE;
	if (!(inst_flags(&in->in) & OPF_CONTROL) && i + 1 < e->inst_count &&
	    in[1].addr == in->addr + in->in.len && is_code(&in[1]))
		to = i + 1;
	return to != EDIT_NONE && e->insts[to].function != in->function && begins(e, a, to)
	               ? e->insts[to].function
	               : EDIT_NONE;
}

bool activation_indirect_tail_call(const struct edit *e, const struct activations *a, uint32_t i)
{
	const struct edit_inst *in = &e->insts[i];
	if (!is_code(in) || !(inst_flags(&in->in) & OPF_INDIRECT) || links(in) ||
	    inst_pops_ras(&in->in))
		return false;
	/* With its frame still there it is a jump table's; else a table's if the function has
	 * places that are known. */
	if (a->at[i].reached && a->at[i].sp != UNKNOWN && a->at[i].sp != 0)
		return false;
	const struct edit_function *f = &e->functions[in->function];
	for (uint32_t k = f->first; k < f->first + f->count; k++)
		if ((e->insts[k].flags & (EDIT_TAKEN | EDIT_ENTRY)) == EDIT_TAKEN)
			return false;
	return true;
}
