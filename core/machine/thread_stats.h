/* What the machine counts, by thread: each count of struct stats belongs to the thread that had the
 * hart in the cycle that counted it, to a switch of threads (os.switch), or to threads that have
 * ended and whose place in the table another has taken. All together are the machine's statistics,
 * exactly.
 *
 * Nothing is counted twice while the machine runs: at the end of a cycle in which the hart changed
 * hands, what has been counted since is credited. */
#ifndef CYCLOPS_CORE_MACHINE_THREAD_STATS_H
#define CYCLOPS_CORE_MACHINE_THREAD_STATS_H

#include <stdbool.h>
#include <stdint.h>

struct machine;
struct stats;

/* Who is asked about, beside numbers of threads as people have them (os_thread_number()). */
enum { COUNTS_OF_ENDED = -1, COUNTS_OF_SWITCHES = -2 };

/* Why counts can't be told. */
enum thread_stats_answer {
	THREAD_STATS_TOLD,
	THREAD_STATS_NONE, /* there has been no such thread yet */
	/* it has ended, and its counts are among COUNTS_OF_ENDED's */
	THREAD_STATS_MERGED
};

enum thread_stats_answer machine_thread_stats(const struct machine *m, int64_t whose,
                                              struct stats *out);

#endif
