/* Breakpoints and watchpoints that a debugger inserts: each is a stop point of run control; the
 * program's memory is not changed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/defs/event_fields.h"

#include "core/defs/events.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "ui/remote/mover.h"

const struct point *points_by_id(const struct mover *v, int id)
{
	for (unsigned i = 0; i < v->points; i++)
		if (v->point[i].id == id)
			return &v->point[i];
	return NULL;
}

bool points_owns(const struct mover *v, int id)
{
	return points_by_id(v, id) != NULL;
}

const struct point *points_break(const struct mover *v, uint64_t pc, bool arrival)
{
	for (unsigned i = 0; i < v->points; i++)
		if (v->point[i].type <= 1 && v->point[i].addr == pc &&
		    v->point[i].arrival == arrival)
			return &v->point[i];
	return NULL;
}

static bool points_access_overlaps(const struct point *g, const struct uop *u, unsigned bytes)
{
	return u->exec.addr - g->addr < g->size || g->addr - u->exec.addr < bytes;
}

/* True if a store changed any byte of [addr, addr + size). */
static bool points_store_changes_bytes(const struct point *g, const struct uop *u)
{
	for (unsigned k = 0; k < u->exec.size; k++)
		if (u->exec.addr + k - g->addr < g->size &&
		    ((u->exec.store_old ^ u->exec.store_new) >> 8 * k & 0xff))
			return true;
	return false;
}

static bool points_access_triggers(const struct point *g, const struct uop *u)
{
	const struct op_info *op = &op_info[u->inst.op];
	const bool reads = (op->flags & OPF_LOAD) && points_access_overlaps(g, u, op->mem_bytes);
	const bool writes = u->exec.stored && points_access_overlaps(g, u, u->exec.size);
	return g->type == 2   ? writes && points_store_changes_bytes(g, u)
	       : g->type == 3 ? reads
	       : g->type == 4 ? reads || writes
	                      : false;
}

const struct point *points_watch(const struct mover *v, const struct uop *u)
{
	for (unsigned i = 0; i < v->points; i++)
		if (points_access_triggers(&v->point[i], u))
			return &v->point[i];
	return NULL;
}

static uint64_t points_hash_memory(const struct mover *v, const struct point *g)
{
	uint8_t bytes[WATCH_BYTES_MAX];
	return hash_bytes(HASH_START, bytes, spot_read(v->at, g->addr, bytes, (size_t)g->size));
}

void points_look(struct mover *v)
{
	for (unsigned i = 0; i < v->points; i++)
		if (v->point[i].type == 2)
			v->point[i].seen = points_hash_memory(v, &v->point[i]);
}

const struct point *points_changed(const struct mover *v)
{
	for (unsigned i = 0; i < v->points; i++)
		if (v->point[i].type == 2 &&
		    v->point[i].seen != points_hash_memory(v, &v->point[i]))
			return &v->point[i];
	return NULL;
}

/* ---- stop points of points ---- */
static bool event_touches(void *ctx, const struct machine *m, const struct event *ev)
{
	return points_access_triggers(ctx, pipe_uop(machine_pipe(m), (uint16_t)ev->slot));
}

static bool event_arrives(void *ctx, const struct machine *m, const struct event *ev)
{
	const struct point *g = ctx;
	return pipe_uop(machine_pipe(m), (uint16_t)ev->slot)->exec.next_pc == g->addr;
}

/* Context of a conditional point's stop point. */
struct asked {
	struct mover *v;
	struct point p;
};

/* True if the point may stop at an instruction of this cycle. Called during a motion, which
 * continues if the point can't stop. (Steps by lines end before a breakpoint only if it has a
 * condition; others stop by themselves.) */
static bool points_may_stop_in_cycle(void *ctx, const struct machine *m)
{
	const struct asked *a = ctx;
	struct mover *v = a->v;
	const struct group g = spot_group(v->at);
	const unsigned back = v->at->back;
	bool yes = !v->holds || m != v->s->machine, there = false;
	for (unsigned i = 0; i < g.n && !yes; i++) {
		if (g.u[i]->pc != a->p.addr)
			continue;
		there = true;
		v->at->back = g.n - i;
		yes = v->holds(v->ctx, &a->p);
	}
	v->at->back = back;
	return yes || !there;
}

/* Adds the stop point, with a copy of the point as context: the table's entries move. */
static bool points_add_stop(struct mover *v, struct point *g)
{
	static const char *const what[POINT_TYPES] = {"break", "hbreak", "watch", "rwatch",
	                                              "awatch"};
	struct stop_point sp = {
		.kind = STOP_POINT_PC, .addr = g->addr, .size = g->size, .enabled = true,
		.internal = g->internal};
	snprintf(sp.text, sizeof sp.text, "a debugger's %s *0x%" PRIx64, what[g->type], g->addr);
	if (g->type == 2)
		sp.kind = STOP_POINT_MEMORY;
	if (g->type > 2 || g->arrival) {
		struct point *copy = alloc_bytes(sizeof *copy);
		if (!copy)
			return false;
		*copy = *g;
		sp.kind = STOP_POINT_EVENT;
		sp.filter.mask = EV_BIT(COMMIT);
		sp.filter.kinds = g->arrival ? 1u << INST_JUMP | 1u << INST_BRANCH
		                  : g->type == 3
		                          ? 1u << INST_LOAD | 1u << INST_ATOMIC
		                          : 1u << INST_LOAD | 1u << INST_ATOMIC | 1u << INST_STORE;
		sp.event_condition = g->arrival ? event_arrives : event_touches;
		sp.ctx = copy;
		sp.free_ctx = free;
	}
	if (g->conditional && sp.kind == STOP_POINT_PC) {
		struct asked *a = alloc_bytes(sizeof *a);
		if (!a)
			return false;
		*a = (struct asked){v, *g};
		sp.condition = points_may_stop_in_cycle;
		sp.ctx = a;
		sp.free_ctx = free;
	}
	g->id = run_add_stop(v->s->run, &sp);
	if (!g->id && sp.ctx)
		free(sp.ctx);
	return g->id != 0;
}

static struct point *points_find_point(struct mover *v, const struct point *like)
{
	for (unsigned i = 0; i < v->points; i++)
		if (v->point[i].type == like->type && v->point[i].addr == like->addr &&
		    v->point[i].size == like->size)
			return &v->point[i];
	return NULL;
}

bool points_insert(struct mover *v, struct point *g, struct err *err)
{
	struct point *old = points_find_point(v, g);
	/* A cyclops command may have deleted it. */
	if (old && run_stop(v->s->run, old->id) && old->conditional == g->conditional) {
		*g = *old;
		return true;
	}
	if (!old && v->points == POINTS_MAX)
		return err_set(err, "no room for more than %d breakpoints", POINTS_MAX);
	if (g->type >= 2 && (!g->size || g->size > WATCH_BYTES_MAX || g->addr + g->size < g->addr))
		return err_set(err, "a watchpoint has 1 to %d bytes", WATCH_BYTES_MAX);
	g->arrival =
		g->type <= 1 && !(mem_prot_at(machine_mem_const(v->s->machine), g->addr) & PROT_X);
	if (!points_add_stop(v, g))
		return err_set(err, "out of memory for a breakpoint");
	if (old) {
		run_delete_stop(v->s->run, old->id);
		*old = *g;
	} else {
		v->point[v->points++] = *g;
	}
	return true;
}

void points_remove(struct mover *v, const struct point *like)
{
	struct point *old = points_find_point(v, like);
	if (!old)
		return;
	run_delete_stop(v->s->run, old->id);
	*old = v->point[--v->points];
}

void points_clear(struct mover *v)
{
	while (v->points)
		run_delete_stop(v->s->run, v->point[--v->points].id);
}
