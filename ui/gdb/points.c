/* Breakpoints and watchpoints that gdb inserts: each is a stop point of run control, and the
 * program's memory stays as it is. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/hash.h"
#include "core/defs/event_fields.h"

#include "core/defs/events.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "ui/gdb/server.h"

enum { WATCH_BYTES_MAX = 4096 };

const struct gdb_point *points_by_id(const struct server *v, int id)
{
	for (unsigned i = 0; i < v->points; i++)
		if (v->point[i].id == id)
			return &v->point[i];
	return NULL;
}

bool points_owns(const struct server *v, int id)
{
	return points_by_id(v, id) != NULL;
}

const struct gdb_point *points_break(const struct server *v, uint64_t pc, bool arrival)
{
	for (unsigned i = 0; i < v->points; i++)
		if (v->point[i].type <= 1 && v->point[i].addr == pc &&
		    v->point[i].arrival == arrival)
			return &v->point[i];
	return NULL;
}

static bool overlaps(const struct gdb_point *g, const struct uop *u, unsigned bytes)
{
	return u->exec.addr - g->addr < g->size || g->addr - u->exec.addr < bytes;
}

/* Whether a store changed any byte of [addr, addr + size). */
static bool changes(const struct gdb_point *g, const struct uop *u)
{
	for (unsigned k = 0; k < u->exec.size; k++)
		if (u->exec.addr + k - g->addr < g->size &&
		    ((u->exec.store_old ^ u->exec.store_new) >> 8 * k & 0xff))
			return true;
	return false;
}

static bool touches(const struct gdb_point *g, const struct uop *u)
{
	const struct op_info *op = &op_info[u->inst.op];
	const bool reads = (op->flags & OPF_LOAD) && overlaps(g, u, op->mem_bytes);
	const bool writes = u->exec.stored && overlaps(g, u, u->exec.size);
	return g->type == 2   ? writes && changes(g, u)
	       : g->type == 3 ? reads
	       : g->type == 4 ? reads || writes
	                      : false;
}

const struct gdb_point *points_watch(const struct server *v, const struct uop *u)
{
	for (unsigned i = 0; i < v->points; i++)
		if (touches(&v->point[i], u))
			return &v->point[i];
	return NULL;
}

static uint64_t digest(const struct server *v, const struct gdb_point *g)
{
	uint8_t bytes[WATCH_BYTES_MAX];
	return hash_bytes(HASH_START, bytes, spot_read(&v->at, g->addr, bytes, (size_t)g->size));
}

void points_look(struct server *v)
{
	for (unsigned i = 0; i < v->points; i++)
		if (v->point[i].type == 2)
			v->point[i].seen = digest(v, &v->point[i]);
}

const struct gdb_point *points_changed(const struct server *v)
{
	for (unsigned i = 0; i < v->points; i++)
		if (v->point[i].type == 2 && v->point[i].seen != digest(v, &v->point[i]))
			return &v->point[i];
	return NULL;
}

/* ---- the stop points that stand for them ---- */
static bool event_touches(void *ctx, const struct machine *m, const struct event *ev)
{
	return touches(ctx, pipe_uop(machine_pipe(m), (uint16_t)ev->slot));
}

static bool event_arrives(void *ctx, const struct machine *m, const struct event *ev)
{
	const struct gdb_point *g = ctx;
	return pipe_uop(machine_pipe(m), (uint16_t)ev->slot)->exec.next_pc == g->addr;
}

/* The context is a copy of the point: the table's entries move. */
static bool add(struct server *v, struct gdb_point *g)
{
	static const char *const what[POINT_TYPES] = {"break", "hbreak", "watch", "rwatch",
	                                              "awatch"};
	struct stop_point sp = {.kind = STOP_POINT_PC,
	                        .addr = g->addr,
	                        .size = g->size,
	                        .enabled = true};
	snprintf(sp.text, sizeof sp.text, "gdb's %s *0x%" PRIx64, what[g->type], g->addr);
	if (g->type == 2)
		sp.kind = STOP_POINT_MEMORY;
	if (g->type > 2 || g->arrival) {
		struct gdb_point *copy = malloc(sizeof *copy);
		if (!copy)
			return false;
		*copy = *g;
		sp.kind = STOP_POINT_EVENT;
		sp.filter.mask = EV_BIT(COMMIT);
		sp.filter.kinds = g->arrival     ? 1u << INST_JUMP | 1u << INST_BRANCH
		                  : g->type == 3 ? 1u << INST_LOAD | 1u << INST_ATOMIC
		                                 : 1u << INST_LOAD | 1u << INST_ATOMIC |
		                                           1u << INST_STORE;
		sp.event_condition = g->arrival ? event_arrives : event_touches;
		sp.ctx = copy;
		sp.free_ctx = free;
	}
	g->id = run_add_stop(v->s->run, &sp);
	if (!g->id && sp.ctx)
		free(sp.ctx);
	return g->id != 0;
}

static struct gdb_point *find(struct server *v, const struct gdb_point *like)
{
	for (unsigned i = 0; i < v->points; i++)
		if (v->point[i].type == like->type && v->point[i].addr == like->addr &&
		    v->point[i].size == like->size)
			return &v->point[i];
	return NULL;
}

static void insert(struct server *v, struct gdb_point *g, struct answer *a)
{
	struct gdb_point *old = find(v, g);
	/* A command of ours may have deleted it. */
	if (old && run_stop(v->s->run, old->id)) {
		answer_text(a, "OK");
		return;
	}
	if (!old && v->points == POINTS_MAX) {
		answer_text(a, "E.no room for more than %d breakpoints", POINTS_MAX);
		return;
	}
	g->arrival = g->type <= 1 &&
	             !(mem_prot_at(machine_mem_const(v->s->machine), g->addr) & PROT_X);
	if (!add(v, g)) {
		answer_text(a, "E.out of memory for a breakpoint");
		return;
	}
	if (old)
		*old = *g;
	else
		v->point[v->points++] = *g;
	answer_text(a, "OK");
}

void points_packet(struct server *v, const char *args, bool inserts, struct answer *a)
{
	uint64_t type;
	struct gdb_point g = {0}, *old;
	if (!take_number(&args, &type) || !take_text(&args, ",") ||
	    !take_range(&args, &g.addr, &g.size)) {
		answer_text(a, "E16");
		return;
	}
	if (type >= POINT_TYPES)
		return;
	g.type = (unsigned)type;
	if (g.type >= 2 && (!g.size || g.size > WATCH_BYTES_MAX || g.addr + g.size < g.addr)) {
		answer_text(a, "E.a watchpoint has 1 to %d bytes", WATCH_BYTES_MAX);
		return;
	}
	if (inserts) {
		insert(v, &g, a);
		return;
	}
	old = find(v, &g);
	if (old) {
		run_delete_stop(v->s->run, old->id);
		*old = v->point[--v->points];
	}
	answer_text(a, "OK");
}

void points_clear(struct server *v)
{
	while (v->points)
		run_delete_stop(v->s->run, v->point[--v->points].id);
}
