/* One cycle, from its stages; WATCHED says whether events are built. Included by the cycle_*.c files only. */
#include "core/pipe/check.h"
#include "core/pipe/emit.h"
#include "core/pipe/stage_commit.h"
#include "core/pipe/stage_dispatch.h"
#include "core/pipe/stage_fetch.h"
#include "core/pipe/stage_issue.h"
#include "core/pipe/stage_writeback.h"

static inline bool cycle_step(struct machine *m)
{
	struct pipe_state *st = m->pipe.st;
	struct stats *s = m->stats;
	if (st->status != MACHINE_RUNNING || (st->serial_slot != NO_SLOT && !pipe_serve_syscall(m)))
		return false;
	stage_writeback(m);
	stage_commit(m);
	if (st->status == MACHINE_RUNNING) {
		stage_issue(m);
		stage_dispatch(m);
		stage_fetch(m);
	}
	s->rob_occupancy += st->rob_count;
	s->lsq_occupancy += st->lsq_count;
	s->fetchq_occupancy += st->fetchq_count;
	s->cycles++;
	st->cycle++;
#ifdef CYCLOPS_CHECK
	if (st->cycle % CYCLOPS_CHECK == 0)
		pipe_check(m);
#endif
	return true;
}

#if !WATCHED
static void cycle_run(struct machine *m, uint64_t until_cycle, uint64_t until_insts)
{
	const struct pipe_state *st = m->pipe.st;
	const struct stats *s = m->stats;
	while (st->cycle < until_cycle && s->insts < until_insts && !m->interrupt)
		if (!cycle_step(m))
			return;
}
#endif
