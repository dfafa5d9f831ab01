/* Summaries of what may have happened between two snapshots, so that a search backwards can pass
 * over the interval.
 *
 * A summary tells of the cycles from its snapshot to the next one, or to the newest cycle: which
 * code was fetched, by blocks; which statistics rose; to which pages stores in flight at its
 * beginning had written. What else was written shows in the pages that the two snapshots share. It
 * may tell of more than happened, never of less. Noting costs the pipeline a byte for each line
 * fetched.
 *
 * run.c's `noted` and the pipeline's blocks are of the cycles since interval_begin(): at each
 * snapshot behind the last, and whenever the machine goes elsewhere. Before that, interval_note()
 * adds them to the last summary: no other can lack any of it. */
#ifndef CYCLOPS_CORE_RUN_INTERVAL_SUMMARY_H
#define CYCLOPS_CORE_RUN_INTERVAL_SUMMARY_H

#include "core/pipe/pipe.h"
#include "core/run/run.h"

struct interval_summary {
	uint64_t code[FETCHED_BLOCKS / 64];       /* bit by block, see struct pipe's `fetched` */
	uint64_t rose[STATS_ROOM / 64];           /* bit by word of struct stats */
	uint64_t stores;                          /* bit by the low bits of the page */
};

/* What is in flight now, at the beginning; owned by the caller. NULL if memory is short: anything
 * may happen behind it. */
struct interval_summary *interval_new(const struct machine *m);
/* Adds what happened in the other's interval; NULL either: returns NULL and frees `to`. */
struct interval_summary *interval_join(struct interval_summary *to,
                                       const struct interval_summary *more);

/* Notes what happens from here on. */
void interval_begin(struct run *r);
/* Adds what was noted to the last snapshot's summary, if the machine is behind it. */
void interval_note(struct run *r);

/* Whether a stop point may be hit between the snapshot with this index and `end`, which lies at
 * most where the next one does. */
bool interval_may_hit(const struct run *r, size_t index, const struct snapshot *end);

#endif
