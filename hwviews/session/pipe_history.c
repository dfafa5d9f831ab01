#include "hwviews/session/pipe_history.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/machine/machine.h"
#include "core/pipe/pipe.h"
#include "hwviews/grid/order.h"
#include "hwviews/session/session.h"

/* More than a screen shows; older ones are reached by naming a cycle. */
enum { UOPS_MAX = 80000 };

struct pipe_history {
	struct uop *uops;    /* [count], owned */
	size_t count, room;
	uint64_t from, to;   /* cycles covered; from == to: none */
	uint64_t cuts;       /* history's count of cuts when they were collected */
};

struct pipe_history *pipe_history_new(void)
{
	return alloc_zeroed(1, sizeof(struct pipe_history));
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

static void pipe_history_append_uop(struct pipe_history *h, const struct uop *u)
{
	if (h->count == UOPS_MAX)
		return;
	struct uop *grown = alloc_grow(h->uops, h->count, &h->room, sizeof *grown, 1024);
	if (!grown)
		return;
	h->uops = grown;
	h->uops[h->count++] = *u;
}

/* The slot may already be reused. */
static void pipe_history_on_leave_event(void *ctx, const struct machine *m, const struct event *ev)
{
	if (ev->slot == EVENT_NO_SLOT)
		return;
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	if (u->seq == ev->seq)
		pipe_history_append_uop(ctx, u);
}

ORDER(by_seq, struct uop, UP(seq))

bool pipe_history_cover(struct pipe_history *h, const struct session *s, uint64_t from, uint64_t to,
                        struct err *err)
{
	struct run_history now;
	const struct event_filter filter = {.mask = EVENT_BIT(leave)};
	if (!s->run)
		return err_set(err, "this session keeps no history");
	run_history(s->run, &now);
	if (now.cuts == h->cuts && h->from <= from && to <= h->to)
		return true;
	h->count = 0;
	h->from = h->to = 0;
	h->cuts = now.cuts;
	if (!run_replay(s->run, from, to, &filter, pipe_history_on_leave_event, h, err)) {
		h->count = 0;
		return false;
	}
	h->from = from;
	h->to = to;
	if (h->count)
		sort_stable(h->uops, h->count, sizeof *h->uops, by_seq);
	return true;
}
