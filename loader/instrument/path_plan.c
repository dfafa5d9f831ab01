/* Decides for each procedure how its paths are counted, before code is put in. */
#include "loader/instrument/path_code.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "loader/edit/loops.h"

enum { SP = 2, A0 = 10 };

/* ---- place of the path's number ---- */
/* A caller-saved register that the function does not name and that is live nowhere in it; 0:
 * none. */
static unsigned find_register(const struct path_counting *c, const struct edit_function *f)
{
	uint32_t taken = 0;
	for (uint32_t i = f->first; i < f->first + f->count; i++) {
		const struct inst *in = &c->j->insts[i].in;
		if (c->j->insts[i].flags & EDIT_DATA)
			continue;
		taken |= c->j->live[i];
		for (unsigned k = 0; k < 3; k++) {
			const unsigned reg = k == 0 ? in->rd : k == 1 ? in->rs1 : in->rs2;
			taken |= reg < 32 ? UINT32_C(1) << reg : 0;
		}
		if (inst_flags(in) & OPF_CONTROL)
			taken |= job_live_taken(c->j, i) &
			         ((inst_flags(in) & OPF_INDIRECT) ? 0 : UINT32_MAX);
	}
	return writer_free_register(taken);
}

bool path_is_call(const struct edit_inst *i)
{
	return (inst_flags(&i->in) & OPF_JUMP) && i->in.rd != REG_SINK;
}

/* Why the function may call before it has lowered sp, so that it would share its caller's place;
 * LEFT_WHY_COUNT: it does not, or control never comes back from there, so that neither reads the
 * place again: its caller's next path begins at a landing pad or after setjmp(). Calls through t0
 * in a prologue (-msave-restore) may come before. */
static enum skip_reason path_plan_loses_place(const struct path_counting *c,
                                              const struct edit_function *f)
{
	bool lowered = false, set = false;
	for (uint32_t i = f->first; i < f->first + f->count; i++) {
		const struct edit_inst *at = &c->j->insts[i];
		if (at->flags & EDIT_DATA)
			continue;
		lowered |= at->in.rd == SP && at->in.rs1 == SP && at->in.op == OP_ADDI &&
		           at->in.imm < 0;
		set |= at->in.rd == SP;
		if (path_is_call(at) && !reg_is_link(at->in.rd))
			return LEFT_LINKS_OTHERWISE;
		if (path_is_call(at) && !lowered && !activation_call_is_last(c->j->e, &c->act, i))
			return set ? LEFT_STACK_UNKNOWN : LEFT_CALLS_EARLY;
	}
	return LEFT_WHY_COUNT;
}

uint32_t path_stand(const struct job *j, uint32_t i, bool behind)
{
	return behind && !inst_is_control(&j->insts[i].in) && i + 1 < j->count ? i + 1 : i;
}

bool path_knows_place(const struct path_counting *c, uint32_t i, bool behind)
{
	int32_t more;
	return activation_base(&c->act.at[path_stand(c->j, i, behind)], &more);
}

/* Whether the stack pointer at the entry is known wherever code may be inserted, except in code
 * that seems never executed, such as after calls that don't return. *all: there, too. */
static bool knows_its_place(const struct path_counting *c, const struct cfg *g, bool *all)
{
	*all = true;
	for (uint32_t k = 0; k < g->edge_count; k++) {
		const struct cfg_edge *e = &g->edges[k];
		const uint32_t i = e->kind == CFG_START || e->kind == CFG_ARRIVE
		                           ? e->lead
		                   : e->kind == CFG_TAKEN
		                           ? e->at
		                           : g->blocks[e->from - CFG_BLOCKS].last;
		if (path_knows_place(c, i, e->kind == CFG_NEXT))
			continue;
		if (e->kind == CFG_START || c->act.at[i].reached)
			return false;
		*all = false;
	}
	return true;
}

/* Whether the code at i stores sp into what its argument points to, as setjmp() does. */
static bool keeps_stack_pointer(const struct job *j, uint32_t i)
{
	enum { FAR = 48, JUMPS = 2 };
	for (unsigned steps = 0, jumps = 0; steps < FAR && i < j->count; steps++) {
		const struct edit_inst *at = &j->insts[i];
		if (at->flags & EDIT_DATA)
			return false;
		if ((inst_flags(&at->in) & OPF_STORE) && at->in.rs1 == A0 && at->in.rs2 == SP)
			return true;
		if (!inst_is_control(&at->in)) {
			i++;
			continue;
		}
		if (path_is_call(at) || at->ref != REF_NEAR || (inst_flags(&at->in) & OPF_BRANCH) ||
		    jumps++ == JUMPS)
			return false;
		i = edit_inst_at(j->e, at->target);
	}
	return false;
}

bool path_comes_back_twice(const struct job *j, uint32_t i)
{
	const struct edit_inst *at = &j->insts[i];
	return path_is_call(at) && at->ref == REF_NEAR &&
	       keeps_stack_pointer(j, edit_inst_at(j->e, at->target));
}

/* ---- numbers ---- */
/* Estimates how often an edge is used: back edges and edges inside a loop more than exits. */
static uint64_t path_plan_estimate_edge_weight(const struct cfg_edge *e)
{
	return e->kind == CFG_START  ? 1
	       : e->to == CFG_EXIT   ? 2
	       : e->to <= e->from    ? 16
	       : e->kind == CFG_NEXT ? 8
	                             : 4;
}

/* Makes an edge. A path ends before a call that may return twice: the second time the first's
 * number would be wrong. */
static struct path_edge path_plan_make_path_edge(const struct path_counting *c,
                                                 const struct path_plan *p,
                                                 const struct cfg_edge *e)
{
	const bool cut =
		e->cut || (e->kind == CFG_NEXT && e->to != CFG_EXIT &&
	                   path_comes_back_twice(c->j, p->cfg.blocks[e->from - CFG_BLOCKS].last));
	return (struct path_edge){.from = e->from,
	                          .to = e->to,
	                          .weight = path_plan_estimate_edge_weight(e),
	                          .cut = cut};
}

/* Whether a cut edge leads back to a vertex that does not dominate its origin: in such a cycle the
 * cut edge depends on the order of visiting. False with *err if memory is out. */
static bool has_entrances(const struct path_graph *g, bool *out, struct err *err)
{
	struct loop_edge *edges = alloc_zeroed(g->count + 1, sizeof *edges);
	struct loops loops = {0};
	for (uint32_t k = 0; edges && k < g->count; k++)
		edges[k] = (struct loop_edge){g->edges[k].from, g->edges[k].to};
	const bool ok = edges && loops_find(g->vertices, edges, g->count, &loops);
	*out = false;
	for (uint32_t k = 0; ok && k < g->count; k++) {
		if (!g->edges[k].cut || g->edges[k].forced)
			continue;
		uint32_t l = loops.innermost[edges[k].from];
		while (l != LOOP_NONE && loops.all[l].head != edges[k].to)
			l = loops.all[l].outer;
		*out |= l == LOOP_NONE;
	}
	loops_free(&loops);
	free(edges);
	return ok || err_set(err, "out of memory for paths");
}

static bool path_plan_number_paths(struct path_counting *c, struct path_plan *p)
{
	p->g = (struct path_graph){.vertices = CFG_BLOCKS + p->cfg.block_count + p->cfg.way_count,
	                           .count = p->cfg.edge_count,
	                           .apart = c->j->o->latches};
	p->g.edges = alloc_zeroed(p->g.count + 1, sizeof *p->g.edges);
	if (!p->g.edges)
		return err_set(c->j->err, "out of memory for paths");
	for (uint32_t k = 0; k < p->g.count; k++)
		p->g.edges[k] = path_plan_make_path_edge(c, p, &p->cfg.edges[k]);
	if (!paths_number(&p->g, PATHS_MOST, !c->j->o->simple, c->j->err))
		return false;
	p->table = path_table_for(p->g.paths, c->metrics ? PATH_WORDS_MAX : 1, c->log2);
	if (p->hashed)
		p->table.log2 = c->log2;
	c->j->sum->hashed += p->table.log2 != 0;
	p->checked = p->cfg.way_count;
	bool entrances;
	if (!has_entrances(&p->g, &entrances, c->j->err) ||
	    (entrances && !job_leave(c->j, p->f, LEFT_ENTRANCES)))
		return false;
	return (!p->g.cut_for_size || job_leave(c->j, p->f, LEFT_PATHS_CUT)) &&
	       (!c->ways.open[c->j->insts[p->f->first].function] ||
	        job_leave(c->j, p->f, LEFT_JUMPS_CUT));
}

/* ---- interface ---- */
bool path_counting_init(struct path_counting *c, struct job *j, bool metrics, unsigned log2)
{
	*c = (struct path_counting){.j = j,
	                            .metrics = metrics,
	                            .log2 = log2 ? log2 : PATH_SLOTS_LOG2,
	                            .entered = cfg_entered(j->e)};
	c->region = edit_memory(j->e, (size_t)1 << PATH_STACK_LOG2);
	c->homes = edit_memory(j->e, (size_t)1 << PATH_STACK_LOG2);
	/* Paths end and begin where profiling may be switched, and after setjmp(): each is counted
	 * as a whole or not at all. */
	for (uint32_t i = 0; c->entered && job_is_steady(j) && i < j->count; i++)
		c->entered[i] |= job_is_switched(j, i) || (i > 0 && path_comes_back_twice(j, i - 1))
		                         ? CFG_BEGINS
		                         : 0;
	return (c->entered || err_set(j->err, "out of memory for paths")) &&
	       ways_of(j->e, &c->ways, j->err) && activations_of(j->e, &c->act, j->err);
}

void path_counting_free(struct path_counting *c)
{
	activations_free(&c->act);
	ways_free(&c->ways);
	free(c->entered);
	free(c->words);
}

bool path_plan(struct path_counting *c, const struct edit_function *f, struct path_plan *out)
{
	*out = (struct path_plan){.f = f};
	if (!job_wants(c->j, f))
		return true;
	const enum skip_reason why = path_plan_loses_place(c, f);
	if (why != LEFT_WHY_COUNT)
		return job_leave(c->j, f, why);
	if (!cfg_of(c->j->e, f, c->entered, &c->ways, &out->cfg, c->j->err))
		return false;
	bool all = true;
	out->path = find_register(c, f);
	if (!out->path && !knows_its_place(c, &out->cfg, &all))
		return job_leave(c->j, f, LEFT_NO_REGISTER);
	out->counted = out->cfg.block_count;
	/* If code thought unreachable is executed, its number is wrong; a hash table tolerates
	 * that. */
	out->hashed = !all;
	return !out->counted || path_plan_number_paths(c, out);
}

void path_plan_free(struct path_plan *p)
{
	paths_free(&p->g);
	free(p->g.edges);
	cfg_free(&p->cfg);
}
