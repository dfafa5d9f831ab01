#include "loader/edit/activation.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/isa/op.h"
#include "loader/edit/edit_priv.h"

enum { SP = 2, FP = 8, T0 = 5, UNKNOWN = ACTIVATION_UNKNOWN };

enum { PLACE_PAD = 1, PLACE_JUMPED = 2 }; /* landing pads; possible targets of an indirect jump */

struct flow {
	const struct edit *e;
	struct activations *a;
	uint8_t *place;               /* [inst_count], owned: PLACE_* */
	/* [function_count], owned: by group: the state at its indirect jumps */
	struct activation *jumping;
	/* [function_count], owned: by group: the state at its calls, which also holds at its
	 * landing pads */
	struct activation *calling;
	struct activation *returning; /* [function_count], owned: by group: the state at returns
				       * through t0 */
	bool changed;
};

/* ---- groups ---- */
static uint32_t group_of(struct activations *a, uint32_t f)
{
	while (a->group[f] != f)
		f = a->group[f] = a->group[a->group[f]];
	return f;
}

static bool activation_inst_is_code(const struct edit_inst *i)
{
	return !(i->flags & EDIT_DATA);
}

static bool activation_inst_links(const struct edit_inst *i)
{
	return (inst_flags(&i->in) & OPF_JUMP) && i->in.rd != REG_SINK;
}

/* The target of a branch, or of a jump by one instruction or by auipc and jalr. */
static uint32_t activation_branch_target(const struct edit *e, uint32_t i)
{
	const struct edit_inst *in = &e->insts[i];
	const bool far = in->ref == REF_LOW && (inst_flags(&in->in) & OPF_INDIRECT);
	return in->ref == REF_NEAR || far ? edit_inst_at(e, in->target) : EDIT_NONE;
}

static bool activation_jumps_anywhere(const struct edit *e, uint32_t i)
{
	return (inst_flags(&e->insts[i].in) & OPF_INDIRECT) &&
	       activation_branch_target(e, i) == EDIT_NONE;
}

/* Whether a procedure begins here when control comes from elsewhere. */
static bool activation_procedure_begins_at(const struct edit *e, const struct activations *a,
                                           uint32_t i)
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
		const uint32_t to = activation_inst_is_code(&e->insts[i]) &&
		                                    !activation_inst_links(&e->insts[i])
		                            ? activation_branch_target(e, i)
		                            : EDIT_NONE;
		if (to != EDIT_NONE && e->insts[to].function != e->insts[i].function &&
		    !activation_procedure_begins_at(e, a, to))
			a->group[group_of(a, e->insts[i].function)] =
				group_of(a, e->insts[to].function);
	}
	for (uint32_t f = 0; f < e->function_count; f++)
		a->group[f] = group_of(a, f);
}

/* ---- places without a direct jump to them ---- */
static void find_places(struct flow *f)
{
	const struct edit *e = f->e;
	for (uint32_t i = 0; i < e->inst_count; i++) {
		const unsigned flags = e->insts[i].flags;
		if (!activation_procedure_begins_at(e, f->a, i))
			f->place[i] = (flags & EDIT_TAKEN ? PLACE_JUMPED : 0) |
			              (flags & EDIT_PAD ? PLACE_PAD : 0);
	}
	/* A goto out of a nested function also comes from a call. */
	for (uint32_t k = 0; k < e->inst_count; k++) {
		const bool pair = e->insts[k].ref == REF_HIGH || e->insts[k].ref == REF_ABS_HIGH;
		const uint32_t i = pair ? edit_inst_at(e, e->insts[k].target) : EDIT_NONE;
		if (i != EDIT_NONE && f->place[i])
			f->place[i] |= PLACE_PAD;
	}
}

/* ---- calls that don't return ---- */
/* Finds the groups that may return: groups that jump through a register, or go on to a group that
 * may return. */
static void activation_find_returning_groups(struct flow *f)
{
	const struct edit *e = f->e;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < e->inst_count; i++) {
			const struct edit_inst *in = &e->insts[i];
			uint8_t *returns = &f->a->returns[f->a->group[in->function]];
			if (*returns || !activation_inst_is_code(in) || activation_inst_links(in))
				continue;
			const uint32_t to = activation_tail_call(e, f->a, i);
			*returns = activation_jumps_anywhere(e, i) ||
			           (to != EDIT_NONE && f->a->returns[f->a->group[to]]);
			changed |= *returns;
		}
	}
}

/* ---- the flow ---- */
static void activation_merge_state(struct flow *f, struct activation *to,
                                   const struct activation *from)
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

static int32_t activation_add_distance(int32_t distance, int64_t more)
{
	const int64_t sum = distance + more;
	return distance == UNKNOWN || sum != (int32_t)sum ? UNKNOWN : (int32_t)sum;
}

/* A register's value relative to the stack pointer at the entry. */
static int32_t distance_of(const struct activation *s, unsigned reg)
{
	return reg == SP ? s->sp : reg == FP ? s->fp : UNKNOWN;
}

static bool activation_reg_is_constant(const struct activation *s, unsigned reg)
{
	return reg < ACTIVATION_CONSTANTS && (s->constants >> reg & 1);
}

/* The distance from the entry's stack pointer of an instruction's result. */
static int32_t result_of(const struct activation *s, const struct inst *in)
{
	switch (in->op) {
	case OP_ADDI:
		return activation_add_distance(distance_of(s, in->rs1), in->imm);
	case OP_ADD:
		if (in->rs1 == 0 || in->rs2 == 0)
			return distance_of(s, in->rs1 + in->rs2);
		if (activation_reg_is_constant(s, in->rs2))
			return activation_add_distance(distance_of(s, in->rs1), s->value[in->rs2]);
		return activation_reg_is_constant(s, in->rs1)
		               ? activation_add_distance(distance_of(s, in->rs2), s->value[in->rs1])
		               : UNKNOWN;
	case OP_SUB:
		return activation_reg_is_constant(s, in->rs2)
		               ? activation_add_distance(distance_of(s, in->rs1),
		                                         -(int64_t)s->value[in->rs2])
		               : UNKNOWN;
	default:
		return UNKNOWN;
	}
}

/* Tracks constants, which are made by lui, addi and addiw. */
static void follow_constant(struct activation *s, const struct inst *in)
{
	const bool add = in->op == OP_ADDI || in->op == OP_ADDIW;
	const bool known = in->op == OP_LUI ||
	                   (add && (in->rs1 == 0 || activation_reg_is_constant(s, in->rs1)));
	if (in->rd >= ACTIVATION_CONSTANTS)
		return;
	s->constants &= (uint16_t)~(1U << in->rd);
	if (!known)
		return;
	s->value[in->rd] =
		(int32_t)((add && in->rs1 ? (uint32_t)s->value[in->rs1] : 0) + (uint32_t)in->imm);
	s->constants |= (uint16_t)(1U << in->rd);
}

static struct activation activation_step_inst(const struct activation *before,
                                              const struct inst *in)
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

/* The state after a call: caller-saved registers may hold anything. Routines called through t0 from
 * prologues move the stack pointer. */
static struct activation activation_step_call(struct flow *f, const struct activation *before,
                                              uint32_t i, uint32_t to)
{
	struct activation s = *before;
	s.constants = 0;
	if (to != EDIT_NONE && !f->a->returns[f->a->group[f->e->insts[to].function]])
		s.reached = false;
	if (f->e->insts[i].in.rd != T0)
		return s;
	const struct activation *r =
		to == EDIT_NONE ? NULL : &f->returning[f->a->group[f->e->insts[to].function]];
	if (r && !r->reached)
		s.reached = false; /* so far */
	else
		s.sp = r && r->sp != UNKNOWN ? activation_add_distance(s.sp, r->sp) : UNKNOWN;
	return s;
}

static void activation_propagate_to(struct flow *f, uint32_t to, const struct activation *s)
{
	if (to != EDIT_NONE && activation_inst_is_code(&f->e->insts[to]) &&
	    !activation_procedure_begins_at(f->e, f->a, to))
		activation_merge_state(f, &f->a->at[to], s);
}

static void flow_through(struct flow *f, uint32_t i)
{
	const struct edit *e = f->e;
	const struct edit_inst *in = &e->insts[i];
	const struct activation before = f->a->at[i];
	const unsigned flags = inst_flags(&in->in);
	const uint32_t next =
		i + 1 < e->inst_count && in[1].addr == in->addr + in->in.len ? i + 1 : EDIT_NONE;
	const uint32_t to = activation_branch_target(e, i), group = f->a->group[in->function];
	if (!before.reached)
		return;
	if (activation_inst_links(in)) {
		const struct activation s = activation_step_call(f, &before, i, to);
		activation_merge_state(f, &f->calling[group], &before);
		activation_propagate_to(f, next, &s);
		return;
	}
	if (flags & OPF_CONTROL)
		activation_propagate_to(f, to, &before);
	if (activation_jumps_anywhere(e, i) && in->in.rs1 == T0)
		activation_merge_state(f, &f->returning[group], &before);
	else if (activation_jumps_anywhere(e, i) && !inst_pops_ras(&in->in))
		activation_merge_state(f, &f->jumping[group], &before);
	if (!(flags & OPF_JUMP)) {
		const struct activation s = activation_step_inst(&before, &in->in);
		activation_propagate_to(f, next, &s);
	}
}

static void activation_run_dataflow(struct flow *f)
{
	const struct edit *e = f->e;
	for (uint32_t i = 0; i < e->inst_count; i++)
		if (activation_inst_is_code(&e->insts[i]) &&
		    activation_procedure_begins_at(e, f->a, i))
			f->a->at[i] = (struct activation){.fp = UNKNOWN, .reached = true};
	do {
		f->changed = false;
		for (uint32_t i = 0; i < e->inst_count; i++) {
			const uint32_t group = f->a->group[e->insts[i].function];
			if (!activation_inst_is_code(&e->insts[i]))
				continue;
			if (f->place[i] & PLACE_JUMPED)
				activation_merge_state(f, &f->a->at[i], &f->jumping[group]);
			if (f->place[i] & PLACE_PAD)
				activation_merge_state(f, &f->a->at[i], &f->calling[group]);
			flow_through(f, i);
		}
	} while (f->changed);
}

void activations_free(struct activations *a)
{
	free(a->at);
	free(a->group);
	free(a->entry);
	free(a->returns);
	*a = (struct activations){0};
}

bool activations_of(const struct edit *e, struct activations *out, struct err *err)
{
	const size_t insts = e->inst_count + (size_t)1, functions = e->function_count + (size_t)1;
	*out = (struct activations){.at = alloc_zeroed(insts, sizeof *out->at),
	                            .group = alloc_zeroed(functions, sizeof *out->group),
	                            .entry = alloc_zeroed(functions, 1),
	                            .returns = alloc_zeroed(functions, 1)};
	struct flow f = {
		.e = e,
		.a = out,
		.place = alloc_zeroed(insts, 1),
		.jumping = alloc_zeroed(functions, sizeof *f.jumping),
		.calling = alloc_zeroed(functions, sizeof *f.calling),
		.returning = alloc_zeroed(functions, sizeof *f.returning),
	};
	const bool ok = out->at && out->group && out->entry && out->returns && f.place &&
	                f.jumping && f.calling && f.returning;
	if (ok) {
		find_groups(e, out);
		find_places(&f);
		activation_find_returning_groups(&f);
		activation_run_dataflow(&f);
	} else {
		activations_free(out);
		err_format(err, "out of memory for the procedures of %s", e->p->path);
	}
	free(f.place);
	free(f.jumping);
	free(f.calling);
	free(f.returning);
	return ok;
}

/* ---- queries ---- */
struct activation activation_behind(const struct edit *e, const struct activations *a, uint32_t i)
{
	return inst_flags(&e->insts[i].in) & OPF_CONTROL
	               ? a->at[i]
	               : activation_step_inst(&a->at[i], &e->insts[i].in);
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
	uint32_t to = activation_branch_target(e, i);
	if (!activation_inst_is_code(in) || activation_inst_links(in))
		return EDIT_NONE;
	if (!(inst_flags(&in->in) & OPF_CONTROL) && i + 1 < e->inst_count &&
	    in[1].addr == in->addr + in->in.len && activation_inst_is_code(&in[1]))
		to = i + 1;
	return to != EDIT_NONE && e->insts[to].function != in->function &&
	                       activation_procedure_begins_at(e, a, to)
	               ? e->insts[to].function
	               : EDIT_NONE;
}

bool activation_call_is_last(const struct edit *e, const struct activations *a, uint32_t i)
{
	const struct edit_inst *in = &e->insts[i];
	const struct edit_function *f = &e->functions[in->function];
	const uint32_t to = activation_branch_target(e, i), next = i + 1;
	/* Other data there than padding and c.unimp may be found by the return address. */
	const bool ends = next == f->first + f->count || in[1].addr != in->addr + in->in.len ||
	                  (!activation_inst_is_code(&in[1]) && !in[1].in.raw);
	if (!activation_inst_links(in) || to == EDIT_NONE ||
	    !activation_procedure_begins_at(e, a, to) ||
	    (!ends && a->returns[a->group[e->insts[to].function]]))
		return false;
	for (uint32_t k = f->first; k < f->first + f->count; k++)
		if (e->insts[k].flags & EDIT_PAD)
			return false;
	return true;
}

bool activation_indirect_tail_call(const struct edit *e, const struct activations *a, uint32_t i)
{
	const struct edit_inst *in = &e->insts[i];
	if (!activation_inst_is_code(in) || !(inst_flags(&in->in) & OPF_INDIRECT) ||
	    activation_inst_links(in) || inst_pops_ras(&in->in))
		return false;
	/* A jump with the frame still in place is a jump table's; else it may be one if the
	 * function has places whose address is known. */
	if (a->at[i].reached && a->at[i].sp != UNKNOWN && a->at[i].sp != 0)
		return false;
	const struct edit_function *f = &e->functions[in->function];
	for (uint32_t k = f->first; k < f->first + f->count; k++)
		if ((e->insts[k].flags & (EDIT_TAKEN | EDIT_ENTRY)) == EDIT_TAKEN)
			return false;
	return true;
}
