#include "hwviews/why/waits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/base/textbuf.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "hwviews/grid/order.h"
#include "hwviews/why/why_text.h"

enum {
	WAITS_MAX = 1 << 19, /* waits kept */
	NOTABLE = 2          /* least cycles of a step that every instruction takes */
};

struct waits {
	struct wait *all; /* [count], owned; by seq and cycle */
	size_t count, room;
	uint64_t from, to; /* cycles covered; from == to: none */
	uint64_t cuts;     /* history's count of cuts when they were collected */
};

struct waits *waits_new(void)
{
	return alloc_zeroed(1, sizeof(struct waits));
}

void waits_free(struct waits *w)
{
	if (!w)
		return;
	free(w->all);
	free(w);
}

static void waits_append(struct waits *w, const struct wait *one)
{
	if (!one->cycles || w->count == WAITS_MAX)
		return;
	struct wait *grown = alloc_grow(w->all, w->count, &w->room, sizeof *grown, 1024);
	if (!grown)
		return;
	w->all = grown;
	w->all[w->count++] = *one;
}

/* ---- executing again ---- */

struct waits_taking {
	struct waits *w;
	struct wait *last; /* [pool_size], owned: the present wait of each slot */
	/* [pool_size], owned: the reason in each slot at the end of cycle `from`, the last */
	struct wait *before;
	bool began; /* false: in the cycle before the first */
};

/* True if u could have advanced in cycle c, the last, by its own stage's order. */
static bool waits_could_advance(const struct uop *u, uint64_t c)
{
	return u->state == UOP_FETCHED ? u->when.avail < c : u->when.dispatch < c;
}

/* True if `view pipe` draws cycle c as a wait for that reason, or as execution: the cycle of issue
 * is execution only where it is an X. */
static bool waits_is_counted(const struct pipe *p, const struct uop *u, enum why_id id, uint64_t c)
{
	switch (id) {
	case WHY_MOVING:
	case WHY_FETCHING:
	case WHY_WRITTEN:
	case WHY_COMMIT_DELAY:
		return false;
	case WHY_EXECUTING:
	case WHY_AGEN:
		return c > u->when.issue || p->memory_stage;
	default:
		return true;
	}
}

static void waits_observe(struct waits_taking *t, const struct pipe *p, const struct uop *u)
{
	const uint64_t c = p->st->cycle - 1;
	struct wait *last = &t->last[u - p->pool], *before = &t->before[u - p->pool];
	struct why why = uop_why(p, u);
	const struct wait now = {u->seq, why, c, 0};
	/* The rule that kept it from issuing in c ends with c: it is the reason before c. */
	if (why.id == WHY_MOVING && u->state == UOP_READY && before->seq == u->seq &&
	    before->from + 1 == c)
		why = before->why;
	*before = now;
	if (!t->began || !waits_could_advance(u, c) || !waits_is_counted(p, u, why.id, c))
		return;
	if (last->seq == u->seq && last->why.id == why.id && last->why.other == why.other &&
	    last->from + last->cycles == c) {
		last->cycles++;
		return;
	}
	waits_append(t->w, last);
	*last = (struct wait){u->seq, why, c, 1};
}

static void waits_on_cycle(void *ctx, const struct machine *m)
{
	struct waits_taking *t = ctx;
	const struct pipe *p = machine_pipe(m);
	for (uint32_t i = 0; i < p->st->rob_count; i++)
		waits_observe(t, p, pipe_rob_at(p, i));
	for (uint32_t i = 0; i < p->st->fetchq_count; i++)
		waits_observe(t, p, pipe_fetchq_at(p, i));
	t->began = true;
}

static void waits_ignore_event(void *ctx, const struct machine *m, const struct event *ev)
{
	(void)ctx, (void)m, (void)ev;
}

ORDER(by_seq_and_cycle, struct wait, UP(seq) ?: UP(from))

/* Sorts, and joins waits that two calls of waits_cover() have parts of. */
static void waits_join(struct waits *w)
{
	size_t kept = 0;
	if (w->count)
		sort_stable(w->all, w->count, sizeof *w->all, by_seq_and_cycle);
	for (size_t i = 0; i < w->count; i++) {
		struct wait *last = kept ? &w->all[kept - 1] : NULL, *one = &w->all[i];
		if (last && last->seq == one->seq && last->why.id == one->why.id &&
		    last->why.other == one->why.other && last->from + last->cycles == one->from)
			last->cycles += one->cycles;
		else
			w->all[kept++] = *one;
	}
	w->count = kept;
}

static bool waits_take(struct waits *w, const struct session *s, uint64_t from, uint64_t to,
                       struct err *err)
{
	static const struct event_filter none = {.mask = 0};
	const uint32_t slots = machine_pipe(s->machine)->pool_size;
	struct waits_taking t = {.w = w,
	                         .last = alloc_zeroed(slots, sizeof *t.last),
	                         .before = alloc_zeroed(slots, sizeof *t.before)};
	bool ok = (t.last && t.before) || err_set(err, "out of memory for waits");
	ok = ok && run_replay_cycles(s->run, from, to, &none, waits_ignore_event, waits_on_cycle,
	                             &t, err);
	for (uint32_t i = 0; ok && i < slots; i++)
		waits_append(w, &t.last[i]);
	free(t.last);
	free(t.before);
	waits_join(w);
	return ok;
}

bool waits_cover(struct waits *w, const struct session *s, uint64_t from, uint64_t to,
                 struct err *err)
{
	struct run_history h;
	run_history(s->run, &h);
	if (from < h.first_cycle)
		from = h.first_cycle;
	const bool kept =
		h.cuts == w->cuts && w->from < w->to && w->from <= from && w->count < WAITS_MAX / 2;
	if (kept && to <= w->to)
		return true;
	if (!kept || from > w->to) {
		w->count = 0;
		w->from = w->to = from;
		w->cuts = h.cuts;
	}
	if (to > w->to && !waits_take(w, s, w->to, to, err)) {
		w->count = 0;
		w->from = w->to = 0;
		return false;
	}
	w->to = to;
	return true;
}

const struct wait *waits_of(const struct waits *w, uint64_t seq, size_t *count)
{
	size_t lo = 0, hi = w->count;
	while (lo < hi) {
		const size_t middle = (lo + hi) / 2;
		if (w->all[middle].seq < seq)
			lo = middle + 1;
		else
			hi = middle;
	}
	for (*count = 0; lo + *count < w->count && w->all[lo + *count].seq == seq;)
		++*count;
	return w->all + lo;
}

/* ---- words ---- */

/* True if a load's way through memory goes on in `b` after `a`. */
static bool waits_on_the_way(enum why_id id)
{
	return id == WHY_TLB || id == WHY_L1 || id == WHY_L2 || id == WHY_L2_HELD ||
	       id == WHY_MEMORY || id == WHY_BUS;
}

/* Cycles of a wait; 0 if every instruction of its kind waits as long. */
static uint64_t waits_notable(const struct pipe *p, const struct wait *a)
{
	const uint64_t cycles = a->cycles;
	switch (a->why.id) {
	case WHY_EXECUTING:
		return cycles > (p->memory_stage > 0) ? cycles : 0;
	case WHY_AGEN:
		return 0;
	case WHY_L1:
	case WHY_FORWARD:
	case WHY_BUFFERED:
	case WHY_DECODE_TURN:
	case WHY_COMMIT_TURN:
		break;
	default:
		return cycles;
	}
	return cycles >= NOTABLE ? cycles : 0;
}

/* Joins the wait at w[i], of n, with the following parts of the same way through memory: they are
 * one wait, named by its longest part. Returns the index after them. */
static size_t waits_gather(const struct wait *w, size_t n, size_t i, struct wait *out)
{
	*out = w[i];
	uint64_t longest = w[i].cycles;
	size_t next = i + 1;
	while (next < n && waits_on_the_way(w[i].why.id) && waits_on_the_way(w[next].why.id)) {
		if (w[next].cycles > longest) {
			longest = w[next].cycles;
			out->why = w[next].why;
		}
		out->cycles += w[next++].cycles;
	}
	return next;
}

/* The longest wait of instruction seq, named by the last instruction that it waited for; false if
 * it did not wait. */
static bool waits_find_longest(const struct waits *w, const struct pipe *p, uint64_t seq,
                               struct wait *out)
{
	size_t n;
	const struct wait *all = waits_of(w, seq, &n);
	uint64_t most = 0;
	for (size_t i = 0; i < n;) {
		struct wait one;
		i = waits_gather(all, n, i, &one);
		while (i < n && all[i].why.id == one.why.id &&
		       one.from + one.cycles == all[i].from) {
			one.why = all[i].why;
			one.cycles += all[i++].cycles;
		}
		const uint64_t notable = waits_notable(p, &one);
		if (notable > most) {
			most = notable;
			*out = one;
		}
	}
	return most > 0;
}

char *waits_longest(const struct waits *w, const struct pipe *p, const struct uop *u, char *buf,
                    size_t n)
{
	struct wait one;
	char cell[128];
	*buf = '\0';
	if (uop_is_interpreted(u))
		snprintf(buf, n, "interpreted, %" PRIu64 " cycles", u->when.end - u->when.fetch);
	else if (waits_find_longest(w, p, u->seq, &one))
		snprintf(buf, n, "%s, %" PRIu64 " cycle%s",
		         why_cell(p, u, &one.why, cell, sizeof cell), one.cycles,
		         one.cycles == 1 ? "" : "s");
	return buf;
}

/* Appends the last wait of the instruction that w[i] names before w[i] ended: its cause. */
static void waits_add_cause(struct textbuf *t, const struct waits *w, const struct pipe *p,
                            const struct uop *u, const struct wait *one)
{
	size_t n;
	const struct wait *all = waits_of(w, one->why.other, &n);
	struct wait last, cause = {.cycles = 0};
	char cell[128];
	for (size_t i = 0; one->why.other && i < n;) {
		i = waits_gather(all, n, i, &last);
		if (last.from < one->from + one->cycles && last.why.id != WHY_COMMIT_TURN)
			cause = last;
	}
	if (cause.cycles)
		textbuf_add(t, " (%s %" PRIu64 ")", why_cell(p, u, &cause.why, cell, sizeof cell),
		            cause.cycles);
}

char *waits_chain(const struct waits *w, const struct pipe *p, const struct uop *u, char *buf,
                  size_t n)
{
	struct textbuf t = {buf, n, 0};
	size_t count;
	const struct wait *all = waits_of(w, u->seq, &count);
	*buf = '\0';
	for (size_t i = 0; i < count;) {
		struct wait one, more;
		char cell[128], other[128];
		i = waits_gather(all, count, i, &one);
		/* It commits as early as it may: in no order could it be sooner. */
		if (one.why.id == WHY_COMMIT_TURN &&
		    one.from + one.cycles <= pipe_commit_from(p, u))
			continue;
		why_cell(p, u, &one.why, cell, sizeof cell);
		/* The next have the same words if these name no instruction. */
		for (size_t next = i; next < count; i = next) {
			next = waits_gather(all, count, i, &more);
			if (strcmp(why_cell(p, u, &more.why, other, sizeof other), cell) != 0)
				break;
			one.cycles = more.from + more.cycles - one.from;
		}
		textbuf_add(&t, "%s%s %" PRIu64, t.used ? ", " : "", cell, one.cycles);
		if (strchr(cell, '#'))
			waits_add_cause(&t, w, p, u, &one);
	}
	return buf;
}

const struct wait *waits_of_left(const struct session *s, const struct uop *u, size_t *count)
{
	enum { BEFORE = 512 };
	const uint64_t first = u->when.fetch > BEFORE ? u->when.fetch - BEFORE : 0;
	struct err none;
	*count = 0;
	return s->waits && waits_cover(s->waits, s, first, u->when.end, &none)
	               ? waits_of(s->waits, u->seq, count)
	               : NULL;
}

char *waits_line(const struct session *s, const struct uop *u, char *buf, size_t n)
{
	char chain[1024];
	size_t count;
	*buf = '\0';
	if (waits_of_left(s, u, &count) &&
	    *waits_chain(s->waits, machine_pipe(s->machine), u, chain, sizeof chain))
		snprintf(buf, n, "waited: %s", chain);
	return buf;
}
