#include "hwviews/twin/pairing.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/session/session.h"

enum {
	PIECE = 1 << 16, /* instructions compared at once */
	WINDOW = 1024,   /* instructions of each machine searched for a match */
	MEETS = 12,      /* equal instructions in a row that make a match */
	SPLITS = 4096    /* programs that differ more often have nothing in common */
};

/* ---- commits ---- */
/* The rest of a cycle with enough commits is kept for the next piece. */
static void pairing_on_commit_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct commits *c = ctx;
	const uint64_t done = ev->cycle + 1, took = done - c->last,
		       was = c->code ? twin_code_was(c->code, ev->pc) : ev->pc;
	c->last = c->from = done;
	if (!was) {
		c->put_in += took;
		c->put_in_insts++;
		return;
	}
	if (c->count < c->wanted + COMMITS_CARRY)
		c->all[c->count++] = (struct committed){was, ev->seq, c->put_in + took, c->put_in,
		                                        c->put_in_insts};
	c->put_in = c->put_in_insts = 0;
	if (c->count >= c->wanted)
		machine_request_stop(m);
}

bool commits_read(struct commits *c, struct run *r, size_t wanted, struct err *err)
{
	const struct event_filter commits = {.mask = EVENT_BIT(commit)};
	c->wanted = wanted;
	if (c->count >= wanted)
		return true;
	if (!run_replay(r, c->from, UINT64_MAX, &commits, pairing_on_commit_event, c, err))
		return false;
	return c->count >= wanted || err_set(err, "interrupted");
}

void commits_drop(struct commits *c, size_t n)
{
	c->count -= n;
	memmove(c->all, c->all + n, c->count * sizeof *c->all);
}

/* ---- the beginning ---- */
static bool pairing_init_streams(struct pairing *l, const struct twin_code *code)
{
	struct pairing_split *first = alloc_bytes(sizeof *first);
	struct committed *buffers =
		alloc_bytes(TWIN_MACHINES * (PIECE + COMMITS_CARRY) * sizeof *buffers);
	free(l->splits);
	free(l->buffers);
	*l = (struct pairing){.splits = first, .buffers = buffers};
	if (!first || !buffers)
		return false;
	*first = (struct pairing_split){1, 1, 0, 0};
	l->count = l->room = 1;
	l->commits[TWIN_A].all = buffers;
	l->commits[TWIN_B] =
		(struct commits){.code = code, .all = buffers + PIECE + COMMITS_CARRY};
	return true;
}

struct pairing *pairing_new(const struct twin_code *code)
{
	struct pairing *l = alloc_zeroed(1, sizeof *l);
	if (l && pairing_init_streams(l, code))
		return l;
	pairing_free(l);
	return NULL;
}

void pairing_free(struct pairing *l)
{
	if (!l)
		return;
	free(l->splits);
	free(l->buffers);
	free(l);
}

/* ---- numbers ---- */
/* The first split after A's number; NULL: none. */
static const struct pairing_split *next_split(const struct pairing *l, uint64_t a)
{
	size_t lo = 0, hi = l->count;
	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;
		if (l->splits[mid].a - l->splits[mid].alone_a <= a)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < l->count ? &l->splits[lo] : NULL;
}

uint64_t pairing_b(const struct pairing *l, uint64_t a, bool *alone)
{
	const struct pairing_split *next = next_split(l, a),
				 *s = (next ? next : l->splits + l->count) - 1;
	const bool unknown = !l->parted && a > l->passed[TWIN_A];
	*alone = a && (a < s->a || unknown);
	if (!a)
		return 0;
	return unknown ? l->passed[TWIN_B] : a < s->a ? s->b - s->alone_b - 1 : s->b + (a - s->a);
}

/* Instructions not yet compared continue the last pairing. */
uint64_t pairing_a(const struct pairing *l, uint64_t b, bool *alone)
{
	const struct pairing_split *s = l->splits;
	size_t lo = 0, hi = l->count;
	*alone = false;
	if (!b)
		return 0;
	while (hi - lo > 1) {
		const size_t mid = lo + (hi - lo) / 2;
		if (s[mid].b - s[mid].alone_b <= b)
			lo = mid;
		else
			hi = mid;
	}
	*alone = b < s[lo].b;
	return *alone ? s[lo].a - s[lo].alone_a - 1 : s[lo].a + (b - s[lo].b);
}

/* ---- comparing ---- */
static bool add_split(struct pairing *l, struct pairing_split s, struct err *err)
{
	if (l->count == l->room) {
		struct pairing_split *more = alloc_resize(l->splits, 2 * l->room * sizeof *more);
		if (!more)
			return err_set(err, "out of memory for the twin");
		l->splits = more;
		l->room *= 2;
	}
	l->splits[l->count++] = s;
	return true;
}

static void pairing_advance_stream(struct pairing *l, unsigned machine, size_t n)
{
	l->passed[machine] += n;
	commits_drop(&l->commits[machine], n);
}

/* Reads n of A's, which there are, and as many of B's as there are, up to `of_b`. */
static bool pairing_read_both(struct pairing *l, const struct session *s, size_t n, size_t *of_b,
                              struct err *err)
{
	struct session *b = s->twin->session;
	struct twin_code *code = s->twin->code;
	struct run_stop_info info;
	uint64_t own;
	if (!twin_code_count(code, b->run, b->machine, &own, err) ||
	    (own < l->passed[TWIN_B] + *of_b &&
	     !(twin_code_to(code, b->run, b->machine, l->passed[TWIN_B] + *of_b, &info, err) &&
	       twin_code_count(code, b->run, b->machine, &own, err))))
		return false;
	const uint64_t there = own > l->passed[TWIN_B] ? own - l->passed[TWIN_B] : 0;
	if (there < *of_b && !machine_has_ended(b->machine))
		return err_set(err, "interrupted: the next request goes on");
	*of_b = there < *of_b ? (size_t)there : *of_b;
	return commits_read(&l->commits[TWIN_A], s->run, n, err) &&
	       commits_read(&l->commits[TWIN_B], b->run, *of_b, err);
}

static bool pairing_streams_match_at(const struct pairing *l, size_t a, size_t b)
{
	for (size_t i = 0; i < MEETS; i++)
		if (l->commits[TWIN_A].all[a + i].pc != l->commits[TWIN_B].all[b + i].pc)
			return false;
	return true;
}

/* The nearest point where the two meet again. */
static bool pairing_find_nearest_match(const struct pairing *l, size_t of_a, size_t of_b, size_t *a,
                                       size_t *b)
{
	for (size_t d = 1; d + 2 * MEETS <= of_a + of_b; d++)
		for (*a = d + MEETS > of_b ? d + MEETS - of_b : 0; *a <= d && *a + MEETS <= of_a;
		     ++*a) {
			*b = d - *a;
			if (pairing_streams_match_at(l, *a, *b))
				return true;
		}
	return false;
}

/* Handles a difference at the next instruction of each. *wait: more of A must be known first. */
static bool pairing_split_streams(struct pairing *l, const struct session *s, uint64_t number,
                                  bool *wait, struct err *err)
{
	const uint64_t left = number - l->passed[TWIN_A];
	const size_t of_a = left < WINDOW ? (size_t)left : WINDOW;
	size_t of_b = WINDOW, a, b;
	if (!pairing_read_both(l, s, of_a, &of_b, err))
		return false;
	if (l->count < SPLITS && pairing_find_nearest_match(l, of_a, of_b, &a, &b)) {
		const struct pairing_split next = {l->passed[TWIN_A] + a + 1,
		                                 l->passed[TWIN_B] + b + 1, (uint32_t)a,
		                                 (uint32_t)b};
		pairing_advance_stream(l, TWIN_A, a);
		pairing_advance_stream(l, TWIN_B, b);
		return add_split(l, next, err);
	}
	*wait = of_a < WINDOW;
	if (!*wait)
		l->parted = l->passed[TWIN_A] + 1;
	return true;
}

bool pairing_take(struct pairing *l, const struct session *s, uint64_t number, struct err *err)
{
	struct run_history h;
	bool wait = false;
	run_history(s->run, &h);
	if (h.cuts != l->cuts && !pairing_init_streams(l, s->twin->code))
		return err_set(err, "out of memory for the twin");
	l->cuts = h.cuts;
	while (l->passed[TWIN_A] < number && !l->parted && !wait) {
		const uint64_t left = number - l->passed[TWIN_A];
		const size_t n = left < PIECE ? (size_t)left : PIECE;
		size_t of_b = n, same = 0;
		if (!pairing_read_both(l, s, n, &of_b, err))
			return false;
		while (same < of_b && l->commits[TWIN_A].all[same].pc ==
		                              l->commits[TWIN_B].all[same].pc)
			same++;
		pairing_advance_stream(l, TWIN_A, same);
		pairing_advance_stream(l, TWIN_B, same);
		if (same < n && !pairing_split_streams(l, s, number, &wait, err))
			return false;
	}
	return true;
}
