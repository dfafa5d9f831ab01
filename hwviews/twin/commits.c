#include "hwviews/twin/commits.h"

#include <string.h>

/* The rest of a cycle in which enough have committed is kept for the next piece. */
static void hear(void *ctx, const struct machine *m, const struct event *ev)
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
	if (!run_replay(r, c->from, UINT64_MAX, &commits, hear, c, err))
		return false;
	return c->count >= wanted || err_set(err, "interrupted");
}

void commits_drop(struct commits *c, size_t n)
{
	c->count -= n;
	memmove(c->all, c->all + n, c->count * sizeof *c->all);
}
