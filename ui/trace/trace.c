#include "core/defs/event_fields.h"

#include "ui/trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "hwviews/grid/grid.h"
#include "ui/trace/trace_priv.h"

static void trace_free_state(struct trace *t)
{
	flight_deinit(&t->flight);
	labels_deinit(&t->labels);
	free(t->ending);
	free(t->path);
	free(t);
}

struct trace *trace_open(const struct session *s, enum trace_format format, const char *path,
                         uint64_t from, uint64_t to, struct err *err)
{
	struct trace *t = alloc_zeroed(1, sizeof *t);
	if (!t) {
		err_set(err, "out of memory for a trace");
		return NULL;
	}
	t->writer = format == TRACE_KONATA ? &trace_konata : &trace_chrome;
	t->s = s;
	t->from = from;
	t->to = to;
	t->cycle = NO_CYCLE;
	t->path = alloc_text(path);
	bool ready =
		flight_init(&t->flight) && labels_init(&t->labels, s, t->writer->json) && t->path;
	if (!ready)
		err_set(err, "out of memory for a trace");
	if (!ready || !out_open(&t->out, path, err)) {
		trace_free_state(t);
		return NULL;
	}
	return t;
}

bool trace_close(struct trace *t, struct err *err)
{
	if (!t)
		return true;
	if (t->listener)
		machine_unlisten(t->s->machine, t->listener);
	if (t->cycle == NO_CYCLE)
		t->writer->begin(t, t->from);
	t->writer->finish(t);
	bool ok = out_close(&t->out, t->path, err);
	if (ok && t->no_memory)
		ok = err_set(err, "%s: not written in full: out of memory", t->path);
	trace_free_state(t);
	return ok;
}

struct event_filter trace_filter(const struct trace *t)
{
	(void)t;
	return (struct event_filter){.mask = EV_BIT(FETCH) | EV_BIT(DISPATCH) | EV_BIT(ISSUE) |
	                                     EV_BIT(MEM) | EV_BIT(WRITEBACK) | EV_BIT(COMMIT) |
	                                     EV_BIT(LEAVE)};
}

bool trace_listen(struct trace *t, struct err *err)
{
	struct event_filter filter = trace_filter(t);
	t->listener = machine_listen(t->s->machine, &filter, trace_event, t);
	return t->listener || err_set(err, "out of memory for a trace");
}

void trace_motion(struct trace *t)
{
	t->again = true;
}

const char *trace_path(const struct trace *t)
{
	return t->path;
}

bool trace_is_done(const struct trace *t)
{
	return t->done;
}

bool trace_has_begun(const struct trace *t)
{
	return t->cycle != NO_CYCLE;
}

char *trace_told(const struct trace *t, char *buf, size_t n)
{
	char count[32], from[32], last[32], rest[64] = "";
	/* Konata has a row for each instruction from its fetch on */
	const bool konata = t->writer == &trace_konata;
	const char *whom = konata ? "Konata" : "Perfetto and Chrome";
	const uint64_t left = t->flight.count - t->ending_count,
		       written = konata ? t->next_id : t->next_id - left;
	if (left)
		snprintf(rest, sizeof rest,
		         konata ? "; %s still in flight" : "; %s still in flight have no slice",
		         group_digits(left, count));
	if (t->cycle == NO_CYCLE)
		snprintf(buf, n, "nothing yet, for %s", whom);
	else
		snprintf(buf, n, "%s instruction%s, cycles %s to %s, for %s%s",
		         group_digits(written, count), written == 1 ? "" : "s",
		         group_digits(t->from, from), group_digits(t->cycle, last), whom, rest);
	return buf;
}

/* ---- instructions in flight ---- */
/* Adds an instruction; NULL if memory is out. */
static struct traced *trace_add_inst(struct trace *t, const struct uop *u, uint32_t slot)
{
	struct traced *x = flight_add(&t->flight, u->seq);
	if (!x) {
		t->no_memory = true;
		return NULL;
	}
	x->slot = slot;
	x->id = t->next_id++;
	x->id_digits = (uint8_t)(out_append_number(x->id_text, x->id) - x->id_text);
	t->writer->fetched(t, x, u);
	return x;
}

/* The uop of a traced instruction, NULL if its slot has been reused. */
static const struct uop *trace_find_uop(const struct machine *m, const struct traced *x)
{
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)x->slot);
	return u->seq == x->seq ? u : NULL;
}

/* Retires the instructions that committed in the previous cycle, a cycle late, so that viewers show
 * C for one cycle. */
static void trace_retire_committed(struct trace *t, const struct machine *m)
{
	for (uint32_t i = 0; i < t->ending_count; i++) {
		struct traced *x = flight_find(&t->flight, t->ending[i]);
		t->retired++;
		if (!t->writer->at_commit)
			t->writer->ended(t, x, trace_find_uop(m, x), false, t->cycle);
		flight_drop(&t->flight, x);
	}
	t->ending_count = 0;
}

static void note_commit(struct trace *t, const struct traced *x)
{
	if (t->ending_count == t->ending_room) {
		uint32_t room = t->ending_room ? 2 * t->ending_room : 64;
		uint64_t *grown = alloc_resize(t->ending, room * sizeof *grown);
		if (!grown) {
			t->no_memory = true;
			return;
		}
		t->ending = grown;
		t->ending_room = room;
	}
	t->ending[t->ending_count++] = x->seq;
}

/* Records the producers of operands; not a load's or store's third source, which is the store that
 * it waits for. */
static void note_sources(const struct trace *t, struct traced *x, const struct uop *u)
{
	const uint8_t reg[3] = {u->inst.rs1, u->inst.rs2, u->inst.rs3};
	for (int i = 0; i < 3; i++) {
		uint64_t seq = reg[i] ? u->src.seq[i] : 0;
		x->source[i] = seq && flight_find(&t->flight, seq) ? seq : 0;
	}
	x->dispatched = t->events;
}

static const uint8_t stage_of[EV_COUNT] = {
	[EV_FETCH] = TRACE_FETCH, [EV_DISPATCH] = TRACE_DISPATCH,   [EV_ISSUE] = TRACE_ISSUE,
	[EV_MEM] = TRACE_MEM,     [EV_WRITEBACK] = TRACE_WRITEBACK, [EV_COMMIT] = TRACE_COMMIT,
};

static void trace_record_event(struct trace *t, const struct machine *m, const struct event *ev)
{
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	struct traced *x = flight_find(&t->flight, ev->seq);
	if (!x)
		x = trace_add_inst(t, u, ev->slot);
	if (!x)
		return;
	t->events++;
	switch (ev->id) {
	case EV_LEAVE:
		if (ev->leave.retired)
			return; /* EV_COMMIT has reported it */
		t->writer->ended(t, x, trace_find_uop(m, x), true, ev->cycle);
		flight_drop(&t->flight, x);
		return;
	case EV_DISPATCH:
		note_sources(t, x, u);
		break;
	case EV_WRITEBACK:
		x->completed = t->events;
		x->done_cycle = ev->cycle;
		break;
	case EV_COMMIT:
		note_commit(t, x);
		if (t->writer->at_commit)
			t->writer->ended(t, x, u, false, ev->cycle + 1);
		break;
	default:
		break;
	}
	t->writer->stage(t, x, stage_of[ev->id]);
	x->stage = stage_of[ev->id];
}

/* The stage of an instruction at the beginning of this cycle. */
static enum trace_stage stage_before(const struct uop *u, uint64_t cycle)
{
	if (!(u->flags & UF_EXECUTED))
		return TRACE_FETCH; /* the slot's other stamps are still stale */
	return u->when.done < cycle     ? TRACE_WRITEBACK :
	       u->when.mem < cycle      ? TRACE_MEM :
	       u->when.issue < cycle    ? TRACE_ISSUE :
	       u->when.dispatch < cycle ? TRACE_DISPATCH :
	                                  TRACE_FETCH;
}

static int trace_compare_by_seq(const void *a, const void *b)
{
	const struct uop *const *x = a, *const *y = b;
	return ((*x)->seq > (*y)->seq) - ((*x)->seq < (*y)->seq);
}

/* Adds the instructions in flight at the beginning of the trace, oldest first. The first cycle has
 * already been simulated: includes instructions that retired in it; their events add those squashed
 * in it. */
static void trace_adopt_in_flight(struct trace *t, const struct machine *m)
{
	const struct pipe *p = machine_pipe(m);
	const struct uop **found = alloc_zeroed(p->pool_size, sizeof *found);
	size_t n = 0;
	for (uint32_t i = 0; found && i < p->pool_size; i++) {
		const struct uop *u = &p->pool[i];
		bool here = uop_in_flight(u) ||
		            (u->state == UOP_RETIRED && u->when.end == t->cycle);
		if (here && u->when.fetch < t->cycle)
			found[n++] = u;
	}
	if (found)
		sort_stable(found, n, sizeof *found, trace_compare_by_seq);
	for (size_t i = 0; i < n; i++) {
		struct traced *x = trace_add_inst(t, found[i], (uint32_t)(found[i] - p->pool));
		if (!x)
			break;
		enum trace_stage stage = stage_before(found[i], t->cycle);
		t->writer->stage(t, x, stage);
		x->stage = (uint8_t)stage;
	}
	free(found);
}

void trace_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct trace *t = ctx;
	if (ev->cycle < t->from || t->done ||
	    (t->again && t->cycle != NO_CYCLE && ev->cycle <= t->cycle))
		return;
	t->again = false;
	if (ev->cycle >= t->to) {
		t->done = true;
		return;
	}
	if (t->cycle == NO_CYCLE) {
		t->writer->begin(t, ev->cycle);
		t->cycle = ev->cycle;
		trace_adopt_in_flight(t, m);
	} else if (ev->cycle > t->cycle) {
		t->writer->advance(t, m, t->cycle + 1);
		t->cycle++;
		trace_retire_committed(t, m);
		if (ev->cycle > t->cycle)
			t->writer->advance(t, m, ev->cycle);
	}
	t->cycle = ev->cycle;
	trace_record_event(t, m, ev);
	if (t->out.error || t->no_memory) {
		t->done = true;
		machine_request_stop(m);
	}
}
