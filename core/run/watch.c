/* Compares the events of a cycle with stop points. Events are delivered after their cycle, when the
 * machine stands still: stop points for events evaluate their condition for each; the other
 * listeners only note what a cycle touched and request a stop, and comparisons and conditions
 * follow then. */
#include "core/defs/event_fields.h"
#include <limits.h>
#include <string.h>

#include "core/machine/machine_priv.h"
#include "core/prof/cop/cop.h"
#include "core/run/run_priv.h"

const struct event_filter run_commits = {.mask = EV_BIT(COMMIT)};

static void watch_request_check(struct run *r)
{
	r->m->request |= REQUEST_LOOK;
}

/* Whether the event belongs to the stop point's thread. */
static bool is_of_thread(const struct run *r, const struct stop_entry *e, const struct event *ev)
{
	const struct pipe *p = &r->m->pipe;
	const uint16_t thread =
		ev->slot == EVENT_NO_SLOT ? p->st->thread : pipe_uop(p, (uint16_t)ev->slot)->thread;
	return !e->sp.thread || e->sp.thread == thread + 1u;
}

/* Notes that the stop point must be compared at the end of the cycle. */
static void watch_note(struct run *r, const struct stop_entry *e)
{
	struct watch *w = &r->watch;
	w->first_id = e->sp.id < w->first_id ? e->sp.id : w->first_id;
	w->last_id = e->sp.id > w->last_id ? e->sp.id : w->last_id;
	w->pending = true;
	watch_request_check(r);
}

static void watch_mark_touched(struct run *r, struct stop_entry *e, const struct event *ev)
{
	if (!is_of_thread(r, e, ev))
		return;
	e->touched = true;
	e->event = *ev;
	watch_note(r, e);
}

static bool is_live(const struct stop_entry *e, enum stop_kind kind)
{
	return e->sp.enabled && !e->deleted && e->sp.kind == kind;
}

static const unsigned stage_event[] = {
	[STAGE_COMMIT] = EV_COMMIT,
	[STAGE_FETCH] = EV_FETCH,
	[STAGE_DISPATCH] = EV_DISPATCH,
};

static void watch_touch_at_pc(struct run *r, struct stop_entry *e, unsigned edge,
                              const struct machine *m, const struct event *ev)
{
	(void)edge;
	(void)m;
	if (is_live(e, STOP_POINT_PC) && stage_event[e->sp.stage] == ev->id)
		watch_mark_touched(r, e, ev);
}

static void on_pc(void *ctx, const struct machine *m, const struct event *ev)
{
	stop_index_each(ctx, STOPS_BY_PC, m, ev, ev->pc, ev->pc, watch_touch_at_pc);
}

static bool watch_pc_may_match(const void *ctx, const struct event *ev)
{
	return stop_index_may_hold(ctx, STOPS_BY_PC, ev->pc, ev->pc);
}

static void watch_cross_edge(struct run *r, struct stop_entry *e, unsigned edge,
                             const struct machine *m, const struct event *ev)
{
	if (!e->sp.enabled || e->deleted || !e->sp.edges(e->sp.ctx, m, ev))
		return;
	e->crossed[edge] = true;
	watch_note(r, e);
}

/* Notes where calls of stop points begin or end. */
static void on_edge(void *ctx, const struct machine *m, const struct event *ev)
{
	stop_index_each(ctx, STOPS_BY_EDGE, m, ev, ev->pc, ev->pc, watch_cross_edge);
}

static bool watch_edge_may_match(const void *ctx, const struct event *ev)
{
	return stop_index_may_hold(ctx, STOPS_BY_EDGE, ev->pc, ev->pc);
}

/* A call also ends by a jump out of its frame, which moves sp, or with its thread. */
static void on_jump(void *ctx, const struct machine *m, const struct event *ev)
{
	struct run *r = ctx;
	for (size_t i = 0; i < r->stop_count; i++) {
		struct stop_entry *e = r->stop[i];
		if (e->sp.edges && ev->pc != e->sp.edge[0] && ev->pc != e->sp.edge[1])
			watch_cross_edge(r, e, 1, m, ev);
	}
}

static bool watch_jump_may_match(const void *ctx, const struct event *ev)
{
	const struct run *r = ctx;
	const struct uop *u = &r->m->pipe.pool[ev->slot];
	return u->inst.rd == REG_SP || u->trap == TRAP_ECALL;
}

static bool watch_passes_filter(const struct stop_entry *e, const struct event *ev)
{
	return is_live(e, STOP_POINT_EVENT) && event_passes(&e->sp.filter, ev);
}

static void watch_touch_by_event(struct run *r, struct stop_entry *e, unsigned edge,
                                 const struct machine *m, const struct event *ev)
{
	(void)edge;
	if (watch_passes_filter(e, ev) && !e->touched &&
	    (!e->sp.event_condition || e->sp.event_condition(e->sp.ctx, m, ev)))
		watch_mark_touched(r, e, ev);
}

static void on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	stop_index_each(ctx, STOPS_BY_EVENT, m, ev, 0, 0, watch_touch_by_event);
}

/* Whether the event passes the filter of any stop point. */
static bool passes_any(const void *ctx, const struct event *ev)
{
	const struct run *r = ctx;
	const struct stop_index *x = &r->index[STOPS_BY_EVENT];
	for (size_t i = 0; i < x->count; i++)
		if (watch_passes_filter(r->stop[x->all[i].entry], ev))
			return true;
	for (size_t i = r->loose_stops ? 0 : r->indexed_stops; i < r->stop_count; i++)
		if (watch_passes_filter(r->stop[i], ev))
			return true;
	return false;
}

static void watch_touch_memory(struct run *r, struct stop_entry *e, unsigned edge,
                               const struct machine *m, const struct event *ev)
{
	(void)edge;
	(void)m;
	if (is_live(e, STOP_POINT_MEMORY))
		watch_mark_touched(r, e, ev);
}

/* The bytes that the event may write: a system call may write anywhere. */
static void watch_written_bytes(const struct event *ev, uint64_t *lo, uint64_t *last)
{
	const bool all = ev->id == EV_SYSCALL;
	*lo = all ? 0 : ev->store.addr;
	*last = all ? UINT64_MAX : ev->store.addr + ev->store.bytes - 1;
}

/* Notes stores to watched memory. */
static void on_write(void *ctx, const struct machine *m, const struct event *ev)
{
	uint64_t lo, last;
	watch_written_bytes(ev, &lo, &last);
	stop_index_each(ctx, STOPS_BY_MEMORY, m, ev, lo, last, watch_touch_memory);
}

static bool watch_write_may_match(const void *ctx, const struct event *ev)
{
	uint64_t lo, last;
	watch_written_bytes(ev, &lo, &last);
	return ev->id == EV_SYSCALL || stop_index_may_hold(ctx, STOPS_BY_MEMORY, lo, last);
}

/* Whether a committed instruction writes a watched register. */
static bool writes_watched(const void *ctx, const struct event *ev)
{
	const struct run *r = ctx;
	const unsigned rd = ev->id == EV_SYSCALL ? REG_A0 : r->m->pipe.pool[ev->slot].inst.rd;
	return rd < REG_SINK && r->watch.registers >> rd & 1;
}

static void on_register(void *ctx, const struct machine *m, const struct event *ev)
{
	struct run *r = ctx;
	unsigned rd = ev->id == EV_SYSCALL ? REG_A0 : machine_pipe(m)->pool[ev->slot].inst.rd;
	for (size_t i = 0; i < r->stop_count; i++) {
		struct stop_entry *e = r->stop[i];
		if (is_live(e, STOP_POINT_REG) && e->sp.reg == rd)
			watch_mark_touched(r, e, ev);
	}
}

static void on_goal(void *ctx, const struct machine *m, const struct event *ev)
{
	struct run *r = ctx;
	struct watch *w = &r->watch;
	if (w->goal_met || !w->goal(w->goal_ctx, m, ev))
		return;
	w->goal_met = true;
	w->goal_pc = ev->pc;
	w->goal_seq = ev->seq;
	watch_request_check(r);
}

static void on_seq(void *ctx, const struct machine *m, const struct event *ev)
{
	struct run *r = ctx;
	(void)m;
	if (ev->seq != r->watch.seq)
		return;
	r->watch.goal_met = true;
	r->watch.goal_pc = ev->pc;
	r->watch.goal_seq = ev->seq;
	watch_request_check(r);
}

static void on_micro(void *ctx, const struct machine *m, const struct event *ev)
{
	struct run *r = ctx;
	(void)m;
	for (size_t i = 0; i < r->stop_count; i++) {
		struct stop_entry *e = r->stop[i];
		if (ev->micro.at == e->sp.addr && ev->micro.step != COP_STEP_SKIPPED &&
		    is_live(e, STOP_POINT_MICRO))
			watch_mark_touched(r, e, ev);
	}
}

static bool watch_add_listener(struct run *r, const struct event_filter *f, event_fn *fn,
                               struct err *err)
{
	int id = machine_listen(r->m, f, fn, r);
	if (!id)
		return err_set(err, "out of memory for stop points");
	r->watch.listener[r->watch.listeners++] = id;
	return true;
}

/* Finds the word of a source; false: it can't be probed. */
static bool probe_at(const struct pipe *p, const struct stop_source *s, struct probed_word *out)
{
	const struct pipe_state *st = p->st;
	*out = (struct probed_word){0};
	switch (s->kind) {
	case SOURCE_REG:
		out->wide = &st->creg[s->n];
		return s->n < REG_SINK;
	case SOURCE_PC:
		out->wide = &st->commit_pc;
		return true;
	case SOURCE_ROB:
		out->narrow = &st->rob_count;
		return true;
	case SOURCE_LSQ:
		out->narrow = &st->lsq_count;
		return true;
	case SOURCE_FETCHQ:
		out->narrow = &st->fetchq_count;
		return true;
	case SOURCE_COUNTER:
		out->wide = (const uint64_t *)(const void *)((const char *)p->stats + s->n);
		return true;
	}
	return false;
}

/* Compares the value's sources each cycle; if they can't be probed, the value itself. */
static void watch_add_probes(struct run *r, const struct stop_point *sp)
{
	struct probes *all = &r->m->pipe.probes;
	r->watch.each_cycle |= !sp->sources || all->count + sp->sources > PROBES_MAX;
	for (unsigned i = 0; i < sp->sources && !r->watch.each_cycle; i++)
		if (!probe_at(&r->m->pipe, &sp->source[i], &all->probe[all->count++]))
			r->watch.each_cycle = true;
}

static void watch_widen_pc_range(struct event_filter *f, uint64_t pc)
{
	if (!f->mask || pc < f->pc_lo)
		f->pc_lo = pc;
	if (!f->mask || pc >= f->pc_hi)
		f->pc_hi = pc + 1;
}

/* Adds one listener for all stop points of a kind, with the narrowest filter that passes all of
 * theirs. */
static bool listen_for_stops(struct run *r, struct err *err)
{
	struct event_filter pc = {.where = watch_pc_may_match, .where_ctx = r},
			    edge = {.where = watch_edge_may_match, .where_ctx = r},
			    jump = {.where = watch_jump_may_match, .where_ctx = r},
			    event = {.where = passes_any, .where_ctx = r},
			    write = {.where = watch_write_may_match, .where_ctx = r},
			    reg = {.where = writes_watched, .where_ctx = r}, micro = {0};
	for (size_t i = 0; i < r->stop_count; i++) {
		const struct stop_point *sp = &r->stop[i]->sp;
		if (!sp->enabled || r->stop[i]->deleted)
			continue;
		for (unsigned k = 0; k < 2 && sp->edges; k++) {
			watch_widen_pc_range(&edge, sp->edge[k]);
			edge.mask = jump.mask = EV_BIT(COMMIT);
		}
		switch (sp->kind) {
		case STOP_POINT_PC:
			if (sp->pending) { /* anywhere */
				pc.pc_lo = 0;
				pc.pc_hi = UINT64_MAX;
			} else {
				watch_widen_pc_range(&pc, sp->addr);
			}
			pc.mask |= UINT64_C(1) << stage_event[sp->stage];
			break;
		case STOP_POINT_EVENT:
			event_filter_widen(&event, &sp->filter);
			break;
		case STOP_POINT_MEMORY:
			write.mask = EV_BIT(STORE) | EV_BIT(SYSCALL);
			break;
		case STOP_POINT_REG:
			reg.mask = EV_BIT(COMMIT) | EV_BIT(SYSCALL);
			r->watch.registers |= UINT64_C(1) << sp->reg;
			break;
		case STOP_POINT_VALUE:
			r->watch.values = true;
			watch_add_probes(r, sp);
			break;
		case STOP_POINT_MICRO:
			micro.mask = EV_BIT(MICRO);
			break;
		}
	}
	return (!pc.mask || watch_add_listener(r, &pc, on_pc, err)) &&
	       (!edge.mask || watch_add_listener(r, &edge, on_edge, err)) &&
	       (!jump.mask || watch_add_listener(r, &jump, on_jump, err)) &&
	       (!event.mask || watch_add_listener(r, &event, on_event, err)) &&
	       (!write.mask || watch_add_listener(r, &write, on_write, err)) &&
	       (!reg.mask || watch_add_listener(r, &reg, on_register, err)) &&
	       (!micro.mask || watch_add_listener(r, &micro, on_micro, err));
}

bool watch_arm(struct run *r, struct err *err)
{
	struct watch *w = &r->watch;
	/* interpreted instructions commit without a fetch */
	struct event_filter fetches = {.mask = EV_BIT(FETCH) | EV_BIT(COMMIT)};
	w->listeners = 0;
	w->each_cycle = false;
	w->registers = 0;
	r->m->pipe.probes.count = 0;
	for (size_t i = 0; i < r->stop_count; i++)
		r->stop[i]->hit_cycle = UINT64_MAX;
	if (w->heed && !stop_index_build(r))
		return err_set(err, "out of memory for stop points");
	if ((!w->heed || listen_for_stops(r, err)) &&
	    (!w->goal || watch_add_listener(r, w->goal_of, on_goal, err)) &&
	    (!w->seq || watch_add_listener(r, &fetches, on_seq, err))) {
		watch_rebase(r);
		return true;
	}
	watch_disarm(r);
	return false;
}

void watch_disarm(struct run *r)
{
	struct watch *w = &r->watch;
	while (w->listeners)
		machine_unlisten(r->m, w->listener[--w->listeners]);
	r->m->pipe.probes.count = 0;
	*w = (struct watch){0};
}

void watch_new_cycle(struct watch *w)
{
	w->pending = w->goal_met = false;
}

/* The bytes as a little-endian number, at most eight of them. */
static uint64_t watch_read_little_endian(const uint8_t *bytes, uint64_t n)
{
	uint64_t v = 0;
	memcpy(&v, bytes, n < sizeof v ? n : sizeof v);
	return v;
}

/* Compares in pieces, so that nothing is allocated; reports the first changed piece. */
static bool memory_changed(struct stop_entry *e, const struct machine *m, uint64_t *old,
                           uint64_t *now, uint64_t *part)
{
	enum { PIECE = 64 };
	bool changed = false, was = e->readable, is = true;
	for (uint64_t at = 0; at < e->sp.size; at += PIECE) {
		uint8_t piece[PIECE] = {0};
		uint64_t n = e->sp.size - at < PIECE ? e->sp.size - at : PIECE;
		is &= machine_peek(m, e->sp.addr + at, piece, n);
		for (uint64_t i = 0; i < n && !changed; i += sizeof *old)
			if (memcmp(piece + i, e->bytes + at + i,
			           n - i < sizeof *old ? n - i : sizeof *old) != 0) {
				changed = true;
				*part = at + i;
				*old = watch_read_little_endian(e->bytes + at + i, n - i);
				*now = watch_read_little_endian(piece + i, n - i);
			}
		memcpy(e->bytes + at, piece, n);
	}
	e->readable = is;
	return changed || is != was;
}

/* Whether the watched value changed; updates e to the present value. *part: that of memory. */
static bool watch_value_changed(struct stop_entry *e, const struct machine *m, uint64_t *old,
                                uint64_t *now, uint64_t *part)
{
	*old = e->value;
	switch (e->sp.kind) {
	case STOP_POINT_MEMORY:
		return memory_changed(e, m, old, now, part);
	case STOP_POINT_REG:
		*now = e->value = machine_reg(m, e->sp.reg);
		return *now != *old;
	case STOP_POINT_VALUE:
		*now = e->value = e->sp.value(e->sp.ctx, m);
		return *now != *old;
	case STOP_POINT_PC:
	case STOP_POINT_EVENT:
	case STOP_POINT_MICRO:
		break;
	}
	return true;
}

static void watch_forget_notes(struct watch *w)
{
	w->first_id = w->values ? INT_MIN : INT_MAX;
	w->last_id = w->values ? INT_MAX : 0;
}

void watch_rebase(struct run *r)
{
	uint64_t old, now, part;
	for (size_t i = 0; i < r->stop_count && r->watch.heed; i++) {
		struct stop_entry *e = r->stop[i];
		e->touched = e->crossed[0] = e->crossed[1] = false;
		if (e->sp.enabled)
			watch_value_changed(e, r->m, &old, &now, &part);
	}
	if (r->watch.each_cycle)
		r->m->pipe.probes.count = 0;
	probes_rebase(&r->m->pipe.probes);
	watch_forget_notes(&r->watch);
	watch_new_cycle(&r->watch);
}

/* The first stop point with this number, or a larger one. */
static size_t watch_find_id(const struct run *r, int id)
{
	size_t lo = 0, hi = r->stop_count;
	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;
		if (r->stop[mid]->sp.id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool watch_hit(struct run *r, bool counting, struct run_stop_info *out)
{
	bool hit = false;
	unsigned also = 0;
	probes_rebase(&r->m->pipe.probes);
	const int last = r->watch.last_id;
	for (size_t i = watch_find_id(r, r->watch.first_id);
	     i < r->stop_count && r->stop[i]->sp.id <= last; i++) {
		struct stop_entry *e = r->stop[i];
		struct stop_point *sp = &e->sp;
		uint64_t old = 0, now = 0, part = 0;
		bool touched = e->touched || sp->kind == STOP_POINT_VALUE;
		const bool left = e->crossed[counting];
		e->touched = e->crossed[0] = e->crossed[1] = false;
		if (!(touched || left) || !sp->enabled || e->deleted)
			continue;
		const bool found = touched &&
		                   watch_value_changed(e, r->m, &old, &now, &part) &&
		                   (!sp->condition || sp->condition(sp->ctx, r->m));
		if (!found && !left)
			continue;
		if (counting && found) {
			sp->hits++;
			if (sp->ignore) {
				sp->ignore--;
				if (!left)
					continue;
			}
		}
		e->hit_cycle = machine_cycle(r->m);
		e->left = left;
		struct run_stop_info info = {.reason = STOPPED_BREAK,
		                             .stop_id = sp->id,
		                             .old_value = old,
		                             .new_value = now,
		                             .part = part,
		                             .left = !left      ? LEFT_NOTHING
		                                     : counting ? LEFT_END
		                                                : LEFT_BEGIN,
		                             .only_left = !found};
		if (found && sp->kind != STOP_POINT_VALUE) {
			info.pc = e->event.pc;
			info.seq = e->event.seq;
			info.event = e->event;
			info.by_event = sp->kind == STOP_POINT_EVENT;
		}
		if (!hit)
			*out = info;
		else if (also++ < RUN_ALSO_MAX)
			r->also[also - 1] = info;
		hit = true;
	}
	watch_forget_notes(&r->watch);
	if (hit) /* else keep: backwards the last hit counts */
		r->also_count = also;
	return hit;
}
