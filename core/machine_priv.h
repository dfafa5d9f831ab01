/* struct machine, for core/ only. */
#ifndef CYCLOPS_CORE_MACHINE_PRIV_H
#define CYCLOPS_CORE_MACHINE_PRIV_H

#include <signal.h>

#include "core/arena.h"
#include "core/machine.h"
#include "core/mem/mem.h"
#include "core/os/os.h"
#include "core/pipe/pipe.h"

enum { LISTENERS_MAX = 16, EVENTS_PER_CYCLE_MAX = 8192 };

struct listener {
	int id; /* 0: free */
	bool muted;
	struct event_filter filter;
	event_fn *fn;
	void *ctx;
};

struct machine {
	struct config cfg;
	struct arena arena; /* base owned; used = its size */
	struct pipe pipe;   /* pointers into the arena */
	struct stats *stats;
	struct mem *mem;    /* owned */
	struct os *os;      /* owned */

	volatile sig_atomic_t interrupt;
	bool stop_request; /* by a listener, during this run */

	uint64_t event_mask; /* union of the listeners' */
	uint64_t event_pc, event_span; /* first pc of interest, bytes from there on: what no filter lets through is not built */
	struct listener listeners[LISTENERS_MAX];
	int last_listener;
	struct event *events; /* [EVENTS_PER_CYCLE_MAX], owned; filled during a watched cycle */
	uint32_t event_count;
};

/* Guest time: fast-forwarded instructions count as a cycle each. */
static inline void machine_set_counters(struct machine *m)
{
	struct hart *h = m->pipe.hart;
	h->cycle = m->stats->functional_insts + m->pipe.st->cycle;
	h->instret = m->stats->functional_insts + m->stats->insts;
	uint64_t div = (uint64_t)m->cfg.clock_hz / 10000000;
	h->time = h->cycle / (div ? div : 1);
}

/* The rdtime frequency is 10 MHz. */
static inline uint64_t machine_time_div(const struct machine *m)
{
	uint64_t div = (uint64_t)m->cfg.clock_hz / 10000000;
	return div ? div : 1;
}

/* core/pipe/cycle_*.c: the same cycle without and with event code; small: for rob_words == 1. */
bool cycle_step_quiet(struct machine *m);
bool cycle_step_watched(struct machine *m);
void cycle_run_quiet(struct machine *m, uint64_t until_cycle, uint64_t until_insts);
void cycle_run_small(struct machine *m, uint64_t until_cycle, uint64_t until_insts);

/* core/pipe/squash.c: removes all but the `keep` oldest instructions of the window and everything
 * fetched, taking back what they did; execution and fetch go on at next_pc in cycle fetch_from. Returns the number
 * of dispatched instructions removed. */
uint32_t pipe_squash(struct machine *m, uint32_t keep, uint64_t next_pc, uint64_t fetch_from);
/* Empties the fetch queue only. */
void pipe_flush_fetch(struct machine *m, uint64_t next_pc);
/* Serves the system call at the head of the window if it is due: false if it must be tried again. */
bool pipe_serve_syscall(struct machine *m);

void events_deliver(struct machine *m);

#endif
