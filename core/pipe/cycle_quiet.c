/* The cycle that nobody watches: no event code at all. */
#include "core/pipe/window.h"
#include "core/pipe/why.h"

#define WATCHED 0
#include "core/pipe/cycle.h"

bool cycle_step_quiet(struct machine *m)
{
	return cycle_step(m);
}

void cycle_run_quiet(struct machine *m, uint64_t until_cycle, uint64_t until_insts)
{
	const struct pipe_state *st = m->pipe.st;
	const struct stats *s = m->stats;
	while (st->cycle < until_cycle && s->insts < until_insts && !m->interrupt)
		if (!cycle_step(m))
			return;
}
