#include "loader/instrument/switch_plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/isa/csr.h"
#include "loader/edit/indirect_jumps.h"
#include "loader/edit/liveness.h"
#include "loader/edit/loops.h"

enum { RA = 1, SP = 2, FP = 8, MIN_LOOP = 16 };

/* How far sp is below where it was when the function was entered. */
#define UNSEEN INT64_MIN
#define UNKNOWN INT64_MAX

enum { TABLES_DATA = 1, TABLES_NAMED = 2 };

/* A function's blocks, as whoever switches sees them: jump tables lead anywhere in it whose address
 * is known. */
struct body {
	uint32_t *first;  /* [count + 1]: instructions; the last is the end's */
	uint32_t count;
	int64_t *depth;   /* [count]: where a block begins */
	struct loop_edge *edges;
	uint32_t edge_count;
};

struct planner {
	struct job *j;
	const struct edit_inst *insts;
	const struct edit_function *functions;
	uint32_t function_count;
	/* [function_count], owned: functions whose code is one's: jumps lead from one into the
	 * other's middle */
	uint32_t *same;
	/* [function_count], owned: of a `same`, 1 + enum skip_reason: it has no flags; 0 */
	uint8_t *why;
	/* [function_count], owned: of a `same`: TABLES_*: places in it have an address that data or
	 * code knows */
	uint8_t *tables;
	/* [function_count], owned: of a `same`: one of them is to be instrumented */
	uint8_t *wanted;
	/* [function_count], owned: of a `same`: it has landing pads, or calls what returns twice */
	uint8_t *catches;
	uint8_t *pads;       /* [count], owned */
	uint8_t *entered;    /* [count], owned: another function jumps here */
	struct body body;
	struct switch_plan *out;
	enum switch_units units;
	uint32_t min_loop;
	bool leaps_out;      /* somebody may jump to another function's label */
};

static bool is_code(const struct planner *p, uint32_t i)
{
	return !(p->insts[i].flags & EDIT_DATA);
}

static bool is_jump(const struct edit_inst *i)
{
	return inst_flags(&i->in) & OPF_JUMP;
}

static bool is_call(const struct edit_inst *i)
{
	return is_jump(i) && i->in.rd != REG_SINK;
}

static uint32_t target_of(const struct planner *p, uint32_t i)
{
	return p->insts[i].ref == REF_NEAR ? edit_inst_at(p->j->e, p->insts[i].target) : EDIT_NONE;
}

/* What is executed behind i if it doesn't jump; EDIT_NONE: nothing that is known. */
static uint32_t next_of(const struct planner *p, uint32_t i)
{
	const uint32_t next = i + 1;
	return next < p->j->count && is_code(p, next) &&
	                       p->insts[next].addr == p->insts[i].addr + p->insts[i].in.len
	               ? next
	               : EDIT_NONE;
}

/* ---- functions that are one ---- */
static uint32_t one_of(struct planner *p, uint32_t f)
{
	while (p->same[f] != f)
		f = p->same[f] = p->same[p->same[f]];
	return f;
}

static uint32_t one_at(struct planner *p, uint32_t i)
{
	return one_of(p, p->insts[i].function);
}

/* A part of a function that lies elsewhere is nobody's entry. */
static bool is_cold(const struct edit_function *f)
{
	return strstr(f->name, ".cold") != NULL;
}

static bool is_entry(const struct planner *p, uint32_t i)
{
	const struct edit_function *f = &p->functions[p->insts[i].function];
	return f->first == i && !is_cold(f);
}

static void join_functions(struct planner *p)
{
	for (uint32_t f = 0; f < p->function_count; f++)
		p->same[f] = f;
	for (uint32_t i = 0; i < p->j->count; i++) {
		uint32_t to = is_code(p, i) ? target_of(p, i) : EDIT_NONE;
		if (to == EDIT_NONE && is_code(p, i) && !is_jump(&p->insts[i]))
			to = next_of(p, i);
		if (to == EDIT_NONE || p->insts[to].function == p->insts[i].function)
			continue;
		p->entered[to] = 1;
		if (!is_entry(p, to))
			p->same[one_at(p, i)] = one_at(p, to);
	}
}

/* ---- what a function does ---- */
static void refuse(struct planner *p, uint32_t f, enum skip_reason why)
{
	if (!p->why[one_of(p, f)])
		p->why[one_of(p, f)] = (uint8_t)(1 + why);
}

/* It goes back by another frame than its own. */
static bool strays(const struct inst *in)
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
	/* A prologue that calls. */
	return (inst_flags(in) & OPF_JUMP) && in->rd != REG_SINK && in->rd != RA ? UNKNOWN : depth;
}

static int64_t depth_at(const struct planner *p, uint32_t block, uint32_t end)
{
	int64_t depth = p->body.depth[block];
	for (uint32_t i = p->body.first[block]; i < end; i++)
		depth = depth_behind(&p->insts[i].in, depth);
	return depth;
}

/* What an indirect jump that is no return does. */
enum leaps { LEAPS_WITHIN, LEAPS_AWAY, LEAPS_SOMEWHERE };

/* By what it jumps through: a sum of addresses is a table's, what a pointer leads to is a function.
 */
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

static enum leaps leap_of(struct planner *p, uint32_t block, uint32_t jump)
{
	if (!p->tables[one_at(p, jump)])
		return LEAPS_AWAY;
	const int64_t depth = depth_at(p, block, jump);
	/* Nobody goes to another function with a frame of his own. */
	if (depth != UNKNOWN && depth > 0)
		return LEAPS_WITHIN;
	const enum leaps leap = leap_by_register(p, block, jump);
	/* A pointer may hold a label of its own. */
	return leap == LEAPS_AWAY && (p->tables[one_at(p, jump)] & TABLES_NAMED) ? LEAPS_SOMEWHERE
	                                                                         : leap;
}

static bool is_leap(const struct edit_inst *i)
{
	return is_jump(i) && !is_call(i) && (inst_flags(&i->in) & OPF_INDIRECT) &&
	       !inst_pops_ras(&i->in);
}

/* ---- blocks ---- */
static void body_free(struct body *b)
{
	free(b->first);
	free(b->depth);
	free(b->edges);
	*b = (struct body){0};
}

static uint32_t block_at(const struct body *b, uint32_t i)
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

/* Blocks are those of edit_is_leader(); data between them is a block in which nothing happens. */
static bool find_blocks(struct planner *p, const struct edit_function *f)
{
	struct body *b = &p->body;
	b->first = malloc((f->count + 1) * sizeof *b->first);
	b->depth = malloc((f->count + 1) * sizeof *b->depth);
	if (!b->first || !b->depth)
		return false;
	for (uint32_t i = f->first; i < f->first + f->count; i++)
		if (i == f->first || edit_is_leader(p->j->e, i) || !is_code(p, i) || p->pads[i])
			b->first[b->count++] = i;
	b->first[b->count] = f->first + f->count;
	for (uint32_t k = 0; k < b->count; k++) {
		const uint32_t i = b->first[k];
		const bool known = i == f->first && is_entry(p, i);
		b->depth[k] = known                                          ? 0
		              : p->pads[i] || p->entered[i] || i == f->first ? UNKNOWN
		                                                             : UNSEEN;
	}
	return true;
}

static bool is_inside(const struct edit_function *f, uint32_t i)
{
	return i != EDIT_NONE && i - f->first < f->count;
}

/* Where block k may go on in its function, if it ends with no table: one place, or two. */
static unsigned goes_to(const struct planner *p, const struct edit_function *f, uint32_t k,
                        uint32_t to[2])
{
	const uint32_t last = p->body.first[k + 1] - 1;
	unsigned n = 0;
	if (!is_code(p, last))
		return 0;
	const struct edit_inst *at = &p->insts[last];
	const uint32_t target = target_of(p, last), next = next_of(p, last);
	if (is_inside(f, target) && !is_call(at))
		to[n++] = target;
	if (is_inside(f, next) && (!is_jump(at) || is_call(at)))
		to[n++] = next;
	return n;
}

static bool lower(int64_t *depth, int64_t now)
{
	const int64_t was = *depth;
	if (now != UNSEEN)
		*depth = was == UNSEEN ? now : was == now ? was : UNKNOWN;
	return *depth != was;
}

/* Depths of all blocks, and which jumps are tables'. */
static void find_depths(struct planner *p, const struct edit_function *f)
{
	struct body *b = &p->body;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t k = 0; k < b->count; k++) {
			const uint32_t last = b->first[k + 1] - 1;
			uint32_t to[2];
			if (b->depth[k] == UNSEEN || !is_code(p, last))
				continue;
			const int64_t depth = depth_at(p, k, last + 1);
			const unsigned n = goes_to(p, f, k, to);
			for (unsigned i = 0; i < n; i++)
				changed |= lower(&b->depth[block_at(b, to[i])], depth);
			if (!is_leap(&p->insts[last]) || leap_of(p, k, last) != LEAPS_WITHIN)
				continue;
			for (uint32_t t = 0; t < b->count; t++)
				if ((p->insts[b->first[t]].flags & EDIT_TAKEN) &&
				    b->first[t] != f->first)
					changed |= lower(&b->depth[t], depth);
		}
	}
}

static bool add_edge(struct body *b, uint32_t *room, uint32_t from, uint32_t to)
{
	if (b->edge_count == *room) {
		const uint32_t more = 2 * *room + 64;
		struct loop_edge *edges = realloc(b->edges, more * sizeof *edges);
		if (!edges)
			return false;
		b->edges = edges;
		*room = more;
	}
	b->edges[b->edge_count++] = (struct loop_edge){from, to};
	return true;
}

static bool find_edges(struct planner *p, const struct edit_function *f)
{
	struct body *b = &p->body;
	uint32_t room = 0;
	bool ok = true;
	for (uint32_t k = 0; ok && k < b->count; k++) {
		const uint32_t last = b->first[k + 1] - 1;
		uint32_t to[2];
		const unsigned n = goes_to(p, f, k, to);
		for (unsigned i = 0; ok && i < n; i++)
			ok = add_edge(b, &room, k, block_at(b, to[i]));
		if (!is_code(p, last) || !is_leap(&p->insts[last]) ||
		    leap_of(p, k, last) != LEAPS_WITHIN)
			continue;
		for (uint32_t t = 0; ok && t < b->count; t++)
			if ((p->insts[b->first[t]].flags & EDIT_TAKEN) && !p->pads[b->first[t]] &&
			    b->first[t] != f->first)
				ok = add_edge(b, &room, k, t);
	}
	return ok;
}

/* ---- what has no flags ---- */
/* Whether block k may end with a return, or go on to another function's beginning: with its
 * caller's frame, if it is like others. Who calls with its last instruction knows that nothing
 * comes back. */
static bool leaves(struct planner *p, const struct edit_function *f, uint32_t k)
{
	const uint32_t last = p->body.first[k + 1] - 1;
	const struct edit_inst *at = &p->insts[last];
	const uint32_t target = is_call(at) ? EDIT_NONE : target_of(p, last),
		       next = is_jump(at) || at->in.op == OP_EBREAK ? EDIT_NONE : next_of(p, last);
	if (is_jump(at) && !is_call(at) && (inst_flags(&at->in) & OPF_INDIRECT))
		return inst_pops_ras(&at->in) || leap_of(p, k, last) == LEAPS_AWAY;
	return (target != EDIT_NONE && !is_inside(f, target) && is_entry(p, target)) ||
	       (next != EDIT_NONE && !is_inside(f, next) && is_entry(p, next));
}

static void look_at(struct planner *p, const struct edit_function *f, uint32_t n)
{
	for (uint32_t k = 0; k < p->body.count; k++) {
		const uint32_t last = p->body.first[k + 1] - 1;
		const struct edit_inst *at = &p->insts[last];
		if (!is_code(p, last))
			continue;
		if (is_leap(at) && leap_of(p, k, last) == LEAPS_SOMEWHERE)
			refuse(p, n, LEFT_LEAPS);
		const int64_t depth = depth_at(p, k, last + 1);
		if (leaves(p, f, k) && depth != UNKNOWN && depth != 0 && depth != UNSEEN)
			refuse(p, n, LEFT_FRAME);
	}
	for (uint32_t i = f->first; i < f->first + f->count; i++) {
		if (!is_code(p, i))
			continue;
		if (strays(&p->insts[i].in))
			refuse(p, n, LEFT_FRAME);
		const uint32_t to = is_call(&p->insts[i]) ? target_of(p, i) : EDIT_NONE;
		if (to != EDIT_NONE && !is_entry(p, to))
			refuse(p, p->insts[to].function, LEFT_ENTRIES);
		if ((p->pads[i] & PAD_THROWN) || (p->pads[i] && p->leaps_out) ||
		    job_returns_twice(p->j, i))
			p->catches[one_of(p, n)] = 1;
	}
}

static void find_tables(struct planner *p)
{
	for (uint32_t i = 0; i < p->j->count; i++)
		if (is_code(p, i) && (p->insts[i].flags & EDIT_TAKEN) && !is_entry(p, i) &&
		    p->pads[i] != PAD_THROWN)
			p->tables[one_at(p, i)] |= p->pads[i] ? TABLES_NAMED : TABLES_DATA;
}

/* The program's own instructions switch flags: by hand, or by an assembler. */
static bool switches_itself(const struct planner *p)
{
	for (uint32_t i = 0; i < p->j->count; i++) {
		const struct inst *in = &p->insts[i].in;
		if (!is_code(p, i))
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
static void mark(struct planner *p, uint32_t i, unsigned place, uint32_t unit)
{
	p->out->places[i] |= (uint8_t)place;
	p->out->unit[i] = unit;
}

/* Whether who goes from function f to instruction `to` leaves it, or enters another procedure of
 * the same code. */
static bool leads_away(struct planner *p, uint32_t f, uint32_t to)
{
	return to == EDIT_NONE || one_at(p, to) != one_of(p, f) ||
	       (is_entry(p, to) && p->insts[to].function != f);
}

/* The first instruction of block k from which on to its end sp is as it was when the function was
 * entered, where its caller's flags are. */
static uint32_t back_in_frame(const struct planner *p, uint32_t k)
{
	uint32_t back = p->body.first[k + 1] - 1;
	while (back > p->body.first[k] && depth_at(p, k, back - 1) == 0 &&
	       p->insts[back - 1].in.rd != SP && !is_call(&p->insts[back - 1]))
		back--;
	return back;
}

static void mark_leaves(struct planner *p, uint32_t f, uint32_t k)
{
	const uint32_t last = p->body.first[k + 1] - 1;
	const struct edit_inst *at = &p->insts[last];
	uint8_t *place = &p->out->places[last];
	if (!is_code(p, last))
		return;
	if (is_jump(at) && !is_call(at)) {
		if (!(inst_flags(&at->in) & OPF_INDIRECT)) {
			*place |= leads_away(p, f, target_of(p, last)) ? PLACE_LEAVE : 0;
		} else if (inst_pops_ras(&at->in) || leap_of(p, k, last) == LEAPS_AWAY) {
			*place |= PLACE_LEAVE;
			p->out->places[back_in_frame(p, k)] |= PLACE_LEAVE_EARLY;
		}
		return;
	}
	if ((inst_flags(&at->in) & OPF_BRANCH) && leads_away(p, f, target_of(p, last)))
		*place |= PLACE_LEAVE_TAKEN;
	const uint32_t next = next_of(p, last);
	if (next != EDIT_NONE && leads_away(p, f, next))
		*place |= PLACE_LEAVE_BEHIND;
}

/* Whether a loop has flags in its rounds: one more instruction in each costs a short one much, and
 * where that lies in another, the other's will do. */
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
		if (is_code(p, p->body.first[b + 1] - 1) &&
		    is_call(&p->insts[p->body.first[b + 1] - 1]))
			return true;
	}
	return insts >= p->min_loop;
}

/* The unit of code that block b belongs to: its first instruction. */
static uint32_t unit_of(const struct planner *p, const struct edit_function *f,
                        const struct loops *loops, const uint8_t *has_flag, uint32_t b)
{
	if (p->units == UNITS_BLOCKS)
		return p->body.first[b];
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
		const uint32_t i = b->first[k], unit = unit_of(p, f, loops, has_flag, k);
		if (!is_code(p, i))
			continue;
		if (is_entry(p, i))
			mark(p, i, PLACE_ENTER, i);
		/* Whoever threw or jumped here may have had another flag. */
		if (p->pads[i] || (k > 0 && is_code(p, i - 1) && job_returns_twice(p->j, i - 1)))
			mark(p, i, PLACE_FLAG, unit);
		if (p->units == UNITS_BLOCKS && !is_entry(p, i))
			mark(p, i, PLACE_ROUND | PLACE_CHECK, i);
		if (within && p->entered[i] && !is_entry(p, i))
			mark(p, i, PLACE_ROUND, unit);
	}
	for (uint32_t k = 0; p->units == UNITS_LOOPS && k < loops->count; k++) {
		const uint32_t i = b->first[loops->all[k].head];
		if (has_flag[k] && is_code(p, i))
			mark(p, i, PLACE_ROUND | PLACE_CHECK, i);
	}
	for (uint32_t e = 0; within && e < b->edge_count; e++) {
		const uint32_t from = unit_of(p, f, loops, has_flag, b->edges[e].from),
			       to = unit_of(p, f, loops, has_flag, b->edges[e].to);
		if (from != to)
			mark(p, b->first[b->edges[e].to], PLACE_ROUND, to);
	}
}

static bool plan_function(struct planner *p, uint32_t n)
{
	const struct edit_function *f = &p->functions[n];
	struct loops loops;
	if (!find_edges(p, f) ||
	    !loops_find(p->body.count, p->body.edges, p->body.edge_count, &loops))
		return false;
	uint8_t *has_flag = calloc(loops.count + 1, 1);
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

/* Looks at all functions, and then plans for those that can be had. */
static bool each_function(struct planner *p, bool plans)
{
	for (uint32_t n = 0; n < p->function_count; n++) {
		const struct edit_function *f = &p->functions[n];
		if (!f->count || (plans && (!p->wanted[one_of(p, n)] || p->why[one_of(p, n)])))
			continue;
		bool ok = find_blocks(p, f);
		if (ok) {
			find_depths(p, f);
			if (plans)
				ok = plan_function(p, n);
			else
				look_at(p, f, n);
		}
		body_free(&p->body);
		if (!ok)
			return false;
	}
	return true;
}

static bool say_what_is_left(struct planner *p)
{
	bool ok = true;
	for (uint32_t n = 0; ok && n < p->function_count; n++) {
		const uint32_t one = one_of(p, n);
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
	p->same = malloc(n * sizeof *p->same);
	p->why = calloc(n, 1);
	p->tables = calloc(n, 1);
	p->wanted = calloc(n, 1);
	p->catches = calloc(n, 1);
	p->pads = edit_pads(p->j->e);
	p->entered = calloc(p->j->count + 1, 1);
	p->out->places = calloc(p->j->count + 1, 1);
	p->out->unit = calloc(p->j->count + 1, sizeof *p->out->unit);
	p->out->controlled = calloc(n, 1);
	p->out->catches = calloc(n, 1);
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
		join_functions(&p);
		find_tables(&p);
		for (uint32_t f = 0; f < p.function_count; f++)
			p.wanted[one_of(&p, f)] |= job_wants(j, &p.functions[f]);
		p.leaps_out = edit_leaps_out(p.j->e);
		out->astray = switches_itself(&p);
		ok = each_function(&p, false) && say_what_is_left(&p) && each_function(&p, true);
		for (uint32_t f = 0; f < p.function_count; f++)
			out->catches[f] = p.catches[one_of(&p, f)];
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
