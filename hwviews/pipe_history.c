#include "hwviews/pipe_history.h"

#include <stdlib.h>

#include "core/isa/inst.h"
#include "core/machine.h"
#include "core/pipe/pipe.h"
#include "hwviews/session.h"

/* More than a screen can want; what is older is reached by naming a cycle. */
enum { UOPS_MAX = 80000 };

struct pipe_history {
	struct uop *uops;    /* [count], owned */
	size_t count, room;
	uint64_t from, to;   /* cycles covered; from == to: none */
	uint64_t cuts;       /* of history, when they were collected */
	uint64_t last_squash; /* cycle of the last squash collected */
};

struct pipe_history *pipe_history_new(void)
{
	return calloc(1, sizeof(struct pipe_history));
}

void pipe_history_free(struct pipe_history *h)
{
	if (!h)
		return;
	free(h->uops);
	free(h);
}

const struct uop *pipe_history_uops(const struct pipe_history *h, size_t *count)
{
	*count = h->count;
	return h->uops;
}

static void keep(struct pipe_history *h, const struct uop *u)
{
	if (h->count == UOPS_MAX)
		return;
	if (h->count == h->room) {
		size_t room = h->room ? 2 * h->room : 1024;
		struct uop *grown = realloc(h->uops, room * sizeof *grown);
		if (!grown)
			return;
		h->uops = grown;
		h->room = room;
	}
	h->uops[h->count++] = *u;
}

/* Squashed instructions have no event of their own, but they stand in the pool with the cycle as their end. */
static void keep_squashed(struct pipe_history *h, const struct pipe *p, uint64_t cycle)
{
	if (h->last_squash == cycle)
		return;
	h->last_squash = cycle;
	for (uint32_t i = 0; i < p->pool_size; i++)
		if (p->pool[i].state == UOP_SQUASHED && p->pool[i].when.end == cycle)
			keep(h, &p->pool[i]);
}

static void collect(void *ctx, const struct machine *m, const struct event *ev)
{
	struct pipe_history *h = ctx;
	const struct pipe *p = machine_pipe(m);
	if (ev->id != EV_COMMIT) {
		keep_squashed(h, p, ev->cycle);
		return;
	}
	const struct uop *u = &p->pool[ev->slot];
	if (u->seq != ev->seq)
		return;
	keep(h, u);
	if (u->inst.op == OP_FENCE_I)
		keep_squashed(h, p, ev->cycle);
}

static int by_seq(const void *a, const void *b)
{
	uint64_t x = ((const struct uop *)a)->seq, y = ((const struct uop *)b)->seq;
	return (x > y) - (x < y);
}

bool pipe_history_cover(struct pipe_history *h, const struct session *s, uint64_t from, uint64_t to,
                        struct err *err)
{
	struct run_history now;
	const struct event_filter filter = {.mask = EV_BIT(COMMIT) | EV_BIT(SQUASH) | EV_BIT(MISFETCH)};
	if (!s->run)
		return err_set(err, "this session keeps no history");
	run_history(s->run, &now);
	if (now.cuts == h->cuts && h->from <= from && to <= h->to)
		return true;
	h->count = 0;
	h->from = h->to = 0;
	h->cuts = now.cuts;
	h->last_squash = UINT64_MAX;
	if (!run_replay(s->run, from, to, &filter, collect, h, err)) {
		h->count = 0;
		return false;
	}
	h->from = from;
	h->to = to;
	if (h->count)
		qsort(h->uops, h->count, sizeof *h->uops, by_seq);
	return true;
}
