#include "loader/instrument/switch_plan_priv.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/isa/csr.h"
#include "loader/edit/indirect_jumps.h"
#include "loader/edit/liveness.h"
#include "loader/edit/loops.h"
#include "loader/instrument/path_code.h"

enum { SP = 2, MIN_LOOP = 16 };

/* ---- functions without flags ---- */
/* Whether block k may end with a return, or continue at another function's entry; then its frame
 * should be gone. A call that ends its function does not return. */
static bool switch_plan_block_leaves_function(struct planner *p, const struct edit_function *f,
                                              uint32_t k)
{
	const uint32_t last = p->body.first[k + 1] - 1;
	const struct edit_inst *at = &p->insts[last];
	const uint32_t target = planner_is_call(at) ? EDIT_NONE : planner_target_of(p, last),
		       next = planner_is_jump(at) || at->in.op == OP_EBREAK
	                              ? EDIT_NONE
	                              : planner_next_of(p, last);
	if (planner_is_jump(at) && !planner_is_call(at) && (inst_flags(&at->in) & OPF_INDIRECT))
		return inst_pops_ras(&at->in) || planner_leap(p, k, last) == LEAPS_AWAY;
	return (target != EDIT_NONE && !planner_is_inside(f, target) &&
	        planner_is_entry(p, target)) ||
	       (next != EDIT_NONE && !planner_is_inside(f, next) && planner_is_entry(p, next));
}

static void switch_plan_check_function(struct planner *p, const struct edit_function *f, uint32_t n)
{
	for (uint32_t k = 0; k < p->body.count; k++) {
		const uint32_t last = p->body.first[k + 1] - 1;
		const struct edit_inst *at = &p->insts[last];
		if (!planner_is_code(p, last))
			continue;
		if (planner_is_leap(at) && planner_leap(p, k, last) == LEAPS_SOMEWHERE)
			planner_refuse(p, n, LEFT_LEAPS);
		const int64_t depth = planner_depth_at(p, k, last + 1);
		if (switch_plan_block_leaves_function(p, f, k) && depth != UNKNOWN && depth != 0 &&
		    depth != UNSEEN)
			planner_refuse(p, n, LEFT_FRAME);
	}
	for (uint32_t i = f->first; i < f->first + f->count; i++) {
		if (!planner_is_code(p, i))
			continue;
		if (planner_strays(&p->insts[i].in))
			planner_refuse(p, n, LEFT_FRAME);
		const uint32_t to =
			planner_is_call(&p->insts[i]) ? planner_target_of(p, i) : EDIT_NONE;
		if (to != EDIT_NONE && !planner_is_entry(p, to))
			planner_refuse(p, p->insts[to].function, LEFT_ENTRIES);
		if ((p->pads[i] & PAD_THROWN) || (p->pads[i] && p->leaps_out) ||
		    path_comes_back_twice(p->j, i))
			p->catches[planner_one_of(p, n)] = 1;
	}
}

static void find_tables(struct planner *p)
{
	for (uint32_t i = 0; i < p->j->count; i++)
		if (planner_is_code(p, i) && (p->insts[i].flags & EDIT_TAKEN) &&
		    !planner_is_entry(p, i) && p->pads[i] != PAD_THROWN)
			p->tables[planner_one_at(p, i)] |= p->pads[i] ? TABLES_NAMED : TABLES_DATA;
}

/* Whether the program's own code switches flags, written by hand or by an assembler. */
static bool switches_itself(const struct planner *p)
{
	for (uint32_t i = 0; i < p->j->count; i++) {
		const struct inst *in = &p->insts[i].in;
		if (!planner_is_code(p, i))
			continue;
		switch (in->op) {
		case OP_RESETPF:
		case OP_SETPF:
		case OP_PUSHPF:
		case OP_POPPF:
		case OP_PUSHPF_ALL:
		case OP_POPPF_ALL:
			return true;
		case OP_CSRRW:
		case OP_CSRRS:
		case OP_CSRRC:
		case OP_CSRRWI:
		case OP_CSRRSI:
		case OP_CSRRCI:
			if (in->imm == CSR_PFLAGS || in->imm == CSR_PFBASE)
				return true;
			break;
		default:
			break;
		}
	}
	return false;
}

/* ---- places ---- */
static void switch_plan_mark_place(struct planner *p, uint32_t i, unsigned place, uint32_t unit)
{
	p->out->places[i] |= (uint8_t)place;
	p->out->unit[i] = unit;
}

/* Whether control from function f to instruction `to` leaves it, or enters another procedure of the
 * same code. */
static bool leads_away(struct planner *p, uint32_t f, uint32_t to)
{
	return to == EDIT_NONE || planner_one_at(p, to) != planner_one_of(p, f) ||
	       (planner_is_entry(p, to) && p->insts[to].function != f);
}

/* The first instruction of block k from which to its end sp is as at the function's entry, and so
 * the caller's flags can be restored. */
static uint32_t back_in_frame(const struct planner *p, uint32_t k)
{
	uint32_t back = p->body.first[k + 1] - 1;
	while (back > p->body.first[k] && planner_depth_at(p, k, back - 1) == 0 &&
	       p->insts[back - 1].in.rd != SP && !planner_is_call(&p->insts[back - 1]))
		back--;
	return back;
}

static void mark_leaves(struct planner *p, uint32_t f, uint32_t k)
{
	const uint32_t last = p->body.first[k + 1] - 1;
	const struct edit_inst *at = &p->insts[last];
	uint8_t *place = &p->out->places[last];
	if (!planner_is_code(p, last))
		return;
	if (planner_is_jump(at) && !planner_is_call(at)) {
		if (!(inst_flags(&at->in) & OPF_INDIRECT)) {
			*place |= leads_away(p, f, planner_target_of(p, last)) ? PLACE_LEAVE : 0;
		} else if (inst_pops_ras(&at->in) || planner_leap(p, k, last) == LEAPS_AWAY) {
			*place |= PLACE_LEAVE;
			p->out->places[back_in_frame(p, k)] |= PLACE_LEAVE_EARLY;
		}
		return;
	}
	if ((inst_flags(&at->in) & OPF_BRANCH) && leads_away(p, f, planner_target_of(p, last)))
		*place |= PLACE_LEAVE_TAKEN;
	const uint32_t next = planner_next_of(p, last);
	if (next != EDIT_NONE && leads_away(p, f, next))
		*place |= PLACE_LEAVE_BEHIND;
}

/* Whether a loop gets flags of its own: they would slow down a short inner loop, for which the
 * outer loop's suffice. */
static bool deserves_flag(const struct planner *p, const struct loops *loops, uint32_t k)
{
	const struct loop *l = &loops->all[k];
	uint32_t insts = 0;
	if (l->outer == LOOP_NONE || l->inner)
		return true;
	for (uint32_t b = 0; b < p->body.count; b++) {
		if (loops->innermost[b] != k)
			continue;
		insts += p->body.first[b + 1] - p->body.first[b];
		if (planner_is_code(p, p->body.first[b + 1] - 1) &&
		    planner_is_call(&p->insts[p->body.first[b + 1] - 1]))
			return true;
	}
	return insts >= p->min_loop;
}

/* The first instruction of the unit of code that has block b. */
static uint32_t switch_plan_unit_of_block(const struct planner *p, const struct edit_function *f,
                                          const struct loops *loops, const uint8_t *has_flag,
                                          uint32_t b)
{
	if (p->units == UNITS_BLOCKS) {
		while (b && !edit_may_insert_before(p->j->e, p->body.first[b]))
			b--; /* an atomic sequence is one */
		return p->body.first[b];
	}
	uint32_t k = loops->innermost[b];
	while (k != LOOP_NONE && !has_flag[k])
		k = loops->all[k].outer;
	return k == LOOP_NONE ? f->first : p->body.first[loops->all[k].head];
}

static void mark_flags(struct planner *p, const struct edit_function *f, const struct loops *loops,
                       const uint8_t *has_flag)
{
	const struct body *b = &p->body;
	const bool within = p->units == UNITS_LOOPS || p->units == UNITS_BLOCKS;
	for (uint32_t k = 0; k < b->count; k++) {
		const uint32_t i = b->first[k],
			       unit = switch_plan_unit_of_block(p, f, loops, has_flag, k);
		if (!planner_is_code(p, i))
			continue;
		if (planner_is_entry(p, i))
			switch_plan_mark_place(p, i, PLACE_ENTER, i);
		/* Control from an exception or non-local jump may have another flag. */
		if (p->pads[i] ||
		    (k > 0 && planner_is_code(p, i - 1) && path_comes_back_twice(p->j, i - 1)))
			switch_plan_mark_place(p, i, PLACE_FLAG, unit);
		if (p->units == UNITS_BLOCKS && !planner_is_entry(p, i) &&
		    edit_may_insert_before(p->j->e, i))
			switch_plan_mark_place(p, i, PLACE_ROUND | PLACE_CHECK, i);
		if (within && p->entered[i] && !planner_is_entry(p, i))
			switch_plan_mark_place(p, i, PLACE_ROUND, unit);
	}
	for (uint32_t k = 0; p->units == UNITS_LOOPS && k < loops->count; k++) {
		const uint32_t i = b->first[loops->all[k].head];
		if (has_flag[k] && planner_is_code(p, i))
			switch_plan_mark_place(p, i, PLACE_ROUND | PLACE_CHECK, i);
	}
	for (uint32_t e = 0; within && e < b->edge_count; e++) {
		const uint32_t from = switch_plan_unit_of_block(p, f, loops, has_flag,
		                                                b->edges[e].from),
			       to = switch_plan_unit_of_block(p, f, loops, has_flag,
		                                              b->edges[e].to);
		if (from != to)
			switch_plan_mark_place(p, b->first[b->edges[e].to], PLACE_ROUND, to);
	}
}

static bool plan_function(struct planner *p, uint32_t n)
{
	const struct edit_function *f = &p->functions[n];
	struct loops loops;
	if (!planner_find_edges(p, f) ||
	    !loops_find(p->body.count, p->body.edges, p->body.edge_count, &loops))
		return false;
	uint8_t *has_flag = alloc_zeroed(loops.count + 1, 1);
	for (uint32_t k = 0; has_flag && k < loops.count; k++)
		has_flag[k] = deserves_flag(p, &loops, k);
	if (has_flag)
		mark_flags(p, f, &loops, has_flag);
	for (uint32_t k = 0; k < p->body.count; k++)
		mark_leaves(p, n, k);
	p->out->controlled[n] = 1;
	loops_free(&loops);
	free(has_flag);
	return has_flag != NULL;
}

/* Checks all functions; then (plans) marks places in those that can have flags. */
static bool switch_plan_visit_functions(struct planner *p, bool plans)
{
	for (uint32_t n = 0; n < p->function_count; n++) {
		const struct edit_function *f = &p->functions[n];
		if (!f->count ||
		    (plans && (!p->wanted[planner_one_of(p, n)] || p->why[planner_one_of(p, n)])))
			continue;
		bool ok = planner_find_blocks(p, f);
		if (ok) {
			planner_find_depths(p, f);
			if (plans)
				ok = plan_function(p, n);
			else
				switch_plan_check_function(p, f, n);
		}
		planner_body_free(&p->body);
		if (!ok)
			return false;
	}
	return true;
}

static bool say_what_is_left(struct planner *p)
{
	bool ok = true;
	for (uint32_t n = 0; ok && n < p->function_count; n++) {
		const uint32_t one = planner_one_of(p, n);
		if (!p->why[one] || !p->functions[n].count || !p->wanted[one])
			continue;
		if (p->catches[one]) {
			p->out->astray = true;
			p->out->catcher = n;
		}
		ok = job_leave(p->j, &p->functions[n], (enum skip_reason)(p->why[one] - 1));
	}
	return ok;
}

static bool planner_init(struct planner *p)
{
	const size_t n = p->function_count + 1;
	p->same = alloc_bytes(n * sizeof *p->same);
	p->why = alloc_zeroed(n, 1);
	p->tables = alloc_zeroed(n, 1);
	p->wanted = alloc_zeroed(n, 1);
	p->catches = alloc_zeroed(n, 1);
	p->pads = edit_pads(p->j->e);
	p->entered = alloc_zeroed(p->j->count + 1, 1);
	p->out->places = alloc_zeroed(p->j->count + 1, 1);
	p->out->unit = alloc_zeroed(p->j->count + 1, sizeof *p->out->unit);
	p->out->controlled = alloc_zeroed(n, 1);
	p->out->catches = alloc_zeroed(n, 1);
	return p->same && p->why && p->tables && p->wanted && p->catches && p->pads && p->entered &&
	       p->out->places && p->out->unit && p->out->controlled && p->out->catches;
}

bool switch_plan_make(struct job *j, enum switch_units units, uint32_t min_loop,
                      struct switch_plan *out)
{
	struct planner p = {.j = j,
	                    .insts = j->insts,
	                    .out = out,
	                    .units = units,
	                    .min_loop = min_loop ? min_loop : MIN_LOOP};
	*out = (struct switch_plan){.catcher = EDIT_NONE};
	p.functions = edit_functions(j->e, &p.function_count);
	bool ok = planner_init(&p);
	if (ok) {
		planner_join_functions(&p);
		find_tables(&p);
		for (uint32_t f = 0; f < p.function_count; f++)
			p.wanted[planner_one_of(&p, f)] |= job_wants(j, &p.functions[f]);
		p.leaps_out = edit_leaps_out(p.j->e);
		out->astray = switches_itself(&p);
		ok = switch_plan_visit_functions(&p, false) && say_what_is_left(&p) &&
		     switch_plan_visit_functions(&p, true);
		for (uint32_t f = 0; f < p.function_count; f++)
			out->catches[f] = p.catches[planner_one_of(&p, f)];
	}
	free(p.same);
	free(p.why);
	free(p.tables);
	free(p.wanted);
	free(p.catches);
	free(p.pads);
	free(p.entered);
	if (ok)
		return true;
	switch_plan_free(out);
	return err_set(j->err, "out of memory for profile flags");
}

void switch_plan_free(struct switch_plan *p)
{
	free(p->places);
	free(p->unit);
	free(p->controlled);
	free(p->catches);
	*p = (struct switch_plan){0};
}
