#include "ui/trace/trace_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hwviews/tell.h"

enum { BUFFER = 1 << 18 };

struct trace *trace_open(const struct session *s, enum trace_format format, const char *path, uint64_t from, uint64_t to,
                         struct err *err)
{
	struct trace *t = calloc(1, sizeof *t);
	if (!t || !(t->path = strdup(path))) {
		free(t);
		err_set(err, "out of memory for a trace");
		return NULL;
	}
	t->writer = format == TRACE_KONATA ? &trace_konata : &trace_chrome;
	t->s = s;
	t->from = from;
	t->to = to;
	t->cycle = NO_CYCLE;
	t->f = fopen(path, "w");
	if (!t->f) {
		err_set(err, "%s: %s", path, strerror(errno));
		free(t->path);
		free(t);
		return NULL;
	}
	setvbuf(t->f, NULL, _IOFBF, BUFFER);
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
	bool ok = !t->failed && !ferror(t->f);
	if (fclose(t->f) != 0)
		ok = false;
	if (!ok)
		err_set(err, "%s: not written in full: %s", t->path, strerror(errno));
	free(t->live);
	free(t->path);
	free(t);
	return ok;
}

struct event_filter trace_filter(const struct trace *t)
{
	(void)t;
	return (struct event_filter){.mask = EV_BIT(FETCH) | EV_BIT(DISPATCH) | EV_BIT(ISSUE) | EV_BIT(MEM) | EV_BIT(WRITEBACK) |
	                                     EV_BIT(COMMIT) | EV_BIT(LEAVE)};
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

uint64_t trace_count(const struct trace *t)
{
	return t->next_id;
}

char *trace_label(const struct trace *t, const struct uop *u, char *buf, size_t n)
{
	char place[160], text[256];
	snprintf(buf, n, "%s: %s", program_addr_text(t->s->program, u->pc, place, sizeof place),
	         tell_uop(t->s, u, text, sizeof text));
	return buf;
}

/* ---- instructions in flight ---- */
struct traced *trace_find(struct trace *t, uint64_t seq)
{
	size_t lo = 0, hi = t->live_count;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (t->live[mid].seq < seq)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->live_count && t->live[lo].seq == seq ? &t->live[lo] : NULL;
}

static unsigned take_lane(struct trace *t)
{
	for (unsigned w = 0; w < sizeof t->lanes / sizeof *t->lanes; w++)
		if (~t->lanes[w]) {
			unsigned bit = (unsigned)__builtin_ctzll(~t->lanes[w]);
			t->lanes[w] |= UINT64_C(1) << bit;
			return 64 * w + bit;
		}
	return 0;
}

/* NULL if memory is out. */
static struct traced *add(struct trace *t, const struct uop *u, uint32_t slot)
{
	if (t->live_count == t->live_room) {
		size_t room = t->live_room ? 2 * t->live_room : 256;
		struct traced *grown = realloc(t->live, room * sizeof *grown);
		if (!grown) {
			t->failed = true;
			return NULL;
		}
		t->live = grown;
		t->live_room = room;
	}
	size_t at = t->live_count;
	while (at && t->live[at - 1].seq > u->seq)
		at--;
	memmove(&t->live[at + 1], &t->live[at], (t->live_count - at) * sizeof *t->live);
	t->live_count++;
	t->live[at] = (struct traced){.seq = u->seq, .slot = slot, .id = t->next_id++, .lane = take_lane(t)};
	t->writer->fetched(t, &t->live[at], u);
	return &t->live[at];
}

static void drop(struct trace *t, size_t i)
{
	t->lanes[t->live[i].lane / 64] &= ~(UINT64_C(1) << t->live[i].lane % 64);
	memmove(&t->live[i], &t->live[i + 1], (--t->live_count - i) * sizeof *t->live);
}

/* The uop of a traced instruction, NULL if its slot has another by now. */
static const struct uop *uop_of(const struct machine *m, const struct traced *x)
{
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)x->slot);
	return u->seq == x->seq ? u : NULL;
}

/* What committed in the cycle before leaves in this one: a viewer shows C for a cycle. */
static void retire(struct trace *t, const struct machine *m)
{
	for (size_t i = 0; i < t->live_count;) {
		if (!t->live[i].ends) {
			i++;
			continue;
		}
		t->retired++;
		t->writer->ended(t, &t->live[i], uop_of(m, &t->live[i]), false, t->cycle);
		drop(t, i);
	}
}

/* Operands only: the third of a load or store is the store for which it waits. */
static void note_sources(struct trace *t, struct traced *x, const struct uop *u)
{
	const uint8_t reg[3] = {u->inst.rs1, u->inst.rs2, u->inst.rs3};
	for (int i = 0; i < 3; i++) {
		const struct traced *from = reg[i] && u->src.seq[i] ? trace_find(t, u->src.seq[i]) : NULL;
		x->src_seq[i] = from ? from->seq : 0;
		x->src_lane[i] = from ? from->lane : 0;
		x->src_cycle[i] = NO_CYCLE;
	}
}

static void note_result(struct trace *t, uint64_t seq, uint64_t cycle)
{
	for (size_t i = 0; i < t->live_count; i++)
		for (int k = 0; k < 3; k++)
			if (t->live[i].src_seq[k] == seq)
				t->live[i].src_cycle[k] = cycle;
}

static const char *stage_of(uint32_t id)
{
	switch (id) {
	case EV_FETCH:
		return "F";
	case EV_DISPATCH:
		return "D";
	case EV_ISSUE:
		return "X";
	case EV_MEM:
		return "M";
	case EV_WRITEBACK:
		return "W";
	case EV_COMMIT:
		return "C";
	default:
		return NULL;
	}
}

static void take(struct trace *t, const struct machine *m, const struct event *ev)
{
	const char *stage = stage_of(ev->id);
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	struct traced *x = trace_find(t, ev->seq);
	if (!x)
		x = add(t, u, ev->slot);
	if (!x)
		return;
	if (ev->id == EV_LEAVE) {
		if (ev->leave.retired)
			return; /* COMMIT has said so */
		t->writer->ended(t, x, uop_of(m, x), true, ev->cycle);
		drop(t, (size_t)(x - t->live));
		return;
	}
	if (ev->id == EV_DISPATCH)
		note_sources(t, x, u);
	else if (ev->id == EV_WRITEBACK)
		note_result(t, ev->seq, ev->cycle);
	t->writer->stage(t, x, u, stage, ev->cycle);
	x->stage = stage;
	x->ends = ev->id == EV_COMMIT;
}

/* The stage that an instruction was in when this cycle began. */
static const char *stage_before(const struct uop *u, uint64_t cycle)
{
	if (!(u->flags & UF_EXECUTED))
		return "F"; /* the other stamps are still its slot's last tenant's */
	return u->when.done < cycle ? "W" : u->when.mem < cycle ? "M" : u->when.issue < cycle ? "X" :
	       u->when.dispatch < cycle ? "D" : "F";
}

static int by_seq(const void *a, const void *b)
{
	const struct uop *const *x = a, *const *y = b;
	return ((*x)->seq > (*y)->seq) - ((*x)->seq < (*y)->seq);
}

/* A trace begins among instructions in flight: those come first, oldest first. The first cycle has been simulated
 * already, so that some may have left in it. */
static void adopt(struct trace *t, const struct machine *m)
{
	const struct pipe *p = machine_pipe(m);
	const struct uop **found = calloc(p->pool_size, sizeof *found);
	size_t n = 0;
	for (uint32_t i = 0; found && i < p->pool_size; i++) {
		const struct uop *u = &p->pool[i];
		bool here = uop_in_flight(u) || (u->state != UOP_FREE && u->when.end == t->cycle);
		if (here && u->when.fetch < t->cycle)
			found[n++] = u;
	}
	if (found)
		qsort(found, n, sizeof *found, by_seq);
	for (size_t i = 0; i < n; i++) {
		struct traced *x = add(t, found[i], (uint32_t)(found[i] - p->pool));
		if (!x)
			break;
		const char *stage = stage_before(found[i], t->cycle);
		t->writer->stage(t, x, found[i], stage, t->cycle);
		x->stage = stage;
	}
	free(found);
}

void trace_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct trace *t = ctx;
	if (ev->cycle < t->from || t->done || (t->again && t->cycle != NO_CYCLE && ev->cycle <= t->cycle))
		return;
	t->again = false;
	if (ev->cycle >= t->to) {
		t->done = true;
		return;
	}
	if (t->cycle == NO_CYCLE) {
		t->writer->begin(t, ev->cycle);
		t->cycle = ev->cycle;
		adopt(t, m);
	} else if (ev->cycle > t->cycle) {
		t->writer->advance(t, m, t->cycle + 1);
		t->cycle++;
		retire(t, m);
		if (ev->cycle > t->cycle)
			t->writer->advance(t, m, ev->cycle);
	}
	t->cycle = ev->cycle;
	take(t, m, ev);
}
