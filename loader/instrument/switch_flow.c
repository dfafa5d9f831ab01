/* Control flow of functions for switching profile flags: functions that share code, blocks and
 * edges, stack depth, and which jumps through registers leave. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/edit/indirect_jumps.h"
#include "loader/instrument/switch_plan_priv.h"

enum { RA = 1, SP = 2, FP = 8 };

bool planner_is_code(const struct planner *p, uint32_t i)
{
	return !(p->insts[i].flags & EDIT_DATA);
}

bool planner_is_jump(const struct edit_inst *i)
{
	return inst_flags(&i->in) & OPF_JUMP;
}

bool planner_is_call(const struct edit_inst *i)
{
	return planner_is_jump(i) && i->in.rd != REG_SINK;
}

uint32_t planner_target_of(const struct planner *p, uint32_t i)
{
	return p->insts[i].ref == REF_NEAR ? edit_inst_at(p->j->e, p->insts[i].target) : EDIT_NONE;
}

/* The instruction after i when control falls through; EDIT_NONE: none is known. */
uint32_t planner_next_of(const struct planner *p, uint32_t i)
{
	const uint32_t next = i + 1;
	return next < p->j->count && planner_is_code(p, next) &&
	                       p->insts[next].addr == p->insts[i].addr + p->insts[i].in.len
	               ? next
	               : EDIT_NONE;
}

/* ---- functions that share code ---- */
uint32_t planner_one_of(struct planner *p, uint32_t f)
{
	while (p->same[f] != f)
		f = p->same[f] = p->same[p->same[f]];
	return f;
}

uint32_t planner_one_at(struct planner *p, uint32_t i)
{
	return planner_one_of(p, p->insts[i].function);
}

/* Whether it is a separate part of a function, not an entry. */
static bool is_cold(const struct edit_function *f)
{
	return strstr(f->name, ".cold") != NULL;
}

bool planner_is_entry(const struct planner *p, uint32_t i)
{
	const struct edit_function *f = &p->functions[p->insts[i].function];
	return f->first == i && !is_cold(f);
}

void planner_join_functions(struct planner *p)
{
	for (uint32_t f = 0; f < p->function_count; f++)
		p->same[f] = f;
	for (uint32_t i = 0; i < p->j->count; i++) {
		uint32_t to = planner_is_code(p, i) ? planner_target_of(p, i) : EDIT_NONE;
		if (to == EDIT_NONE && planner_is_code(p, i) && !planner_is_jump(&p->insts[i]))
			to = planner_next_of(p, i);
		if (to == EDIT_NONE || p->insts[to].function == p->insts[i].function)
			continue;
		p->entered[to] = 1;
		if (!planner_is_entry(p, to))
			p->same[planner_one_at(p, i)] = planner_one_at(p, to);
	}
}

/* ---- what a function does ---- */
void planner_refuse(struct planner *p, uint32_t f, enum skip_reason why)
{
	if (!p->why[planner_one_of(p, f)])
		p->why[planner_one_of(p, f)] = (uint8_t)(1 + why);
}

/* Whether the instruction switches to another frame than its own. */
bool planner_strays(const struct inst *in)
{
	if (in->rd == RA && !(inst_flags(in) & OPF_JUMP))
		return in->op != OP_LD || in->rs1 != SP;
	return in->rd == SP && in->rs1 != SP && !(in->op == OP_ADDI && in->rs1 == FP);
}

static int64_t depth_behind(const struct inst *in, int64_t depth)
{
	if (in->rd == SP)
		return in->op == OP_ADDI && in->rs1 == SP && depth != UNKNOWN ? depth - in->imm
		                                                              : UNKNOWN;
	/* A prologue that calls a routine. */
	return (inst_flags(in) & OPF_JUMP) && in->rd != REG_SINK && in->rd != RA ? UNKNOWN : depth;
}

int64_t planner_depth_at(const struct planner *p, uint32_t block, uint32_t end)
{
	int64_t depth = p->body.depth[block];
	for (uint32_t i = p->body.first[block]; i < end; i++)
		depth = depth_behind(&p->insts[i].in, depth);
	return depth;
}

/* Classifies a jump by its register: a sum of addresses is from a jump table, a loaded pointer
 * leads to a function. */
static enum leaps leap_by_register(const struct planner *p, uint32_t block, uint32_t jump)
{
	unsigned reg = p->insts[jump].in.rs1;
	for (uint32_t i = jump; i-- > p->body.first[block];) {
		const struct inst *in = &p->insts[i].in;
		if (in->rd != reg)
			continue;
		if (in->op == OP_ADD)
			return reg == p->insts[jump].in.rs1 ? LEAPS_WITHIN : LEAPS_SOMEWHERE;
		if (in->op == OP_LD && reg == p->insts[jump].in.rs1)
			reg = in->rs1;
		else
			return reg == p->insts[jump].in.rs1 ? LEAPS_SOMEWHERE : LEAPS_AWAY;
	}
	return reg == p->insts[jump].in.rs1 ? LEAPS_SOMEWHERE : LEAPS_AWAY;
}

enum leaps planner_leap(struct planner *p, uint32_t block, uint32_t jump)
{
	if (!p->tables[planner_one_at(p, jump)])
		return LEAPS_AWAY;
	const int64_t depth = planner_depth_at(p, block, jump);
	/* A jump with its own frame still in place stays in the function. */
	if (depth != UNKNOWN && depth > 0)
		return LEAPS_WITHIN;
	const enum leaps leap = leap_by_register(p, block, jump);
	/* The pointer may hold a label of its own. */
	return leap == LEAPS_AWAY && (p->tables[planner_one_at(p, jump)] & TABLES_NAMED)
	               ? LEAPS_SOMEWHERE
	               : leap;
}

bool planner_is_leap(const struct edit_inst *i)
{
	return planner_is_jump(i) && !planner_is_call(i) && (inst_flags(&i->in) & OPF_INDIRECT) &&
	       !inst_pops_ras(&i->in);
}

/* ---- blocks ---- */
void planner_body_free(struct body *b)
{
	free(b->first);
	free(b->depth);
	free(b->edges);
	*b = (struct body){0};
}

static uint32_t switch_flow_block_of_inst(const struct body *b, uint32_t i)
{
	uint32_t lo = 0, hi = b->count;
	while (hi - lo > 1) {
		const uint32_t mid = lo + (hi - lo) / 2;
		if (b->first[mid] <= i)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* Finds blocks by edit_is_leader(); data between them is an empty block. */
bool planner_find_blocks(struct planner *p, const struct edit_function *f)
{
	struct body *b = &p->body;
	b->first = alloc_bytes((f->count + 1) * sizeof *b->first);
	b->depth = alloc_bytes((f->count + 1) * sizeof *b->depth);
	if (!b->first || !b->depth)
		return false;
	for (uint32_t i = f->first; i < f->first + f->count; i++)
		if (i == f->first || edit_is_leader(p->j->e, i) || !planner_is_code(p, i) ||
		    p->pads[i])
			b->first[b->count++] = i;
	b->first[b->count] = f->first + f->count;
	for (uint32_t k = 0; k < b->count; k++) {
		const uint32_t i = b->first[k];
		const bool known = i == f->first && planner_is_entry(p, i);
		b->depth[k] = known                                          ? 0
		              : p->pads[i] || p->entered[i] || i == f->first ? UNKNOWN
		                                                             : UNSEEN;
	}
	return true;
}

bool planner_is_inside(const struct edit_function *f, uint32_t i)
{
	return i != EDIT_NONE && i - f->first < f->count;
}

/* Lists the blocks to which block k leads in its function, except by jump table: at most two. */
static unsigned switch_flow_list_successors(const struct planner *p, const struct edit_function *f,
                                            uint32_t k, uint32_t to[2])
{
	const uint32_t last = p->body.first[k + 1] - 1;
	unsigned n = 0;
	if (!planner_is_code(p, last))
		return 0;
	const struct edit_inst *at = &p->insts[last];
	const uint32_t target = planner_target_of(p, last), next = planner_next_of(p, last);
	if (planner_is_inside(f, target) && !planner_is_call(at))
		to[n++] = target;
	if (planner_is_inside(f, next) && (!planner_is_jump(at) || planner_is_call(at)))
		to[n++] = next;
	return n;
}

static bool switch_flow_merge_depth(int64_t *depth, int64_t now)
{
	const int64_t was = *depth;
	if (now != UNSEEN)
		*depth = was == UNSEEN ? now : was == now ? was : UNKNOWN;
	return *depth != was;
}

/* Finds the stack depth of all blocks, and which jumps are jump tables'. */
void planner_find_depths(struct planner *p, const struct edit_function *f)
{
	struct body *b = &p->body;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t k = 0; k < b->count; k++) {
			const uint32_t last = b->first[k + 1] - 1;
			uint32_t to[2];
			if (b->depth[k] == UNSEEN || !planner_is_code(p, last))
				continue;
			const int64_t depth = planner_depth_at(p, k, last + 1);
			const unsigned n = switch_flow_list_successors(p, f, k, to);
			for (unsigned i = 0; i < n; i++)
				changed |= switch_flow_merge_depth(
					&b->depth[switch_flow_block_of_inst(b, to[i])], depth);
			if (!planner_is_leap(&p->insts[last]) ||
			    planner_leap(p, k, last) != LEAPS_WITHIN)
				continue;
			for (uint32_t t = 0; t < b->count; t++)
				if ((p->insts[b->first[t]].flags & EDIT_TAKEN) &&
				    b->first[t] != f->first)
					changed |= switch_flow_merge_depth(&b->depth[t], depth);
		}
	}
}

static bool switch_flow_append_edge(struct body *b, uint32_t *room, uint32_t from, uint32_t to)
{
	if (b->edge_count == *room) {
		const uint32_t more = 2 * *room + 64;
		struct loop_edge *edges = alloc_resize(b->edges, more * sizeof *edges);
		if (!edges)
			return false;
		b->edges = edges;
		*room = more;
	}
	b->edges[b->edge_count++] = (struct loop_edge){from, to};
	return true;
}

bool planner_find_edges(struct planner *p, const struct edit_function *f)
{
	struct body *b = &p->body;
	uint32_t room = 0;
	bool ok = true;
	for (uint32_t k = 0; ok && k < b->count; k++) {
		const uint32_t last = b->first[k + 1] - 1;
		uint32_t to[2];
		const unsigned n = switch_flow_list_successors(p, f, k, to);
		/* The branch that repeats an atomic sequence makes no loop: nothing goes there. */
		for (unsigned i = 0; ok && i < n; i++)
			ok = (to[i] <= last && !edit_may_insert_taken(p->j->e, last)) ||
			     switch_flow_append_edge(b, &room, k,
			                             switch_flow_block_of_inst(b, to[i]));
		if (!planner_is_code(p, last) || !planner_is_leap(&p->insts[last]) ||
		    planner_leap(p, k, last) != LEAPS_WITHIN)
			continue;
		for (uint32_t t = 0; ok && t < b->count; t++)
			if ((p->insts[b->first[t]].flags & EDIT_TAKEN) && !p->pads[b->first[t]] &&
			    b->first[t] != f->first)
				ok = switch_flow_append_edge(b, &room, k, t);
	}
	return ok;
}
