/* Statistics by thread: each count of struct stats belongs to the thread that had the hart in the
 * cycle that counted it, to a switch of threads (os.switch), or to ended threads whose table entry
 * another thread has taken. Their sum is exactly the machine's statistics. The counters pic0 and
 * pic1 are each thread's own: they count only while it has the hart.
 *
 * Counting costs nothing while the machine runs: at the end of a cycle in which the hart was
 * switched, the counts since the last switch are credited. */
#ifndef CYCLOPS_CORE_MACHINE_THREAD_STATS_H
#define CYCLOPS_CORE_MACHINE_THREAD_STATS_H

#include <stdbool.h>
#include <stdint.h>

struct machine;
struct stats;

/* Values of `whose` besides numbers of threads as users see them (os_thread_number()). */
enum { COUNTS_OF_ENDED = -1, COUNTS_OF_SWITCHES = -2 };

/* Why there are no counts. */
enum thread_stats_answer {
	THREAD_STATS_TOLD,
	THREAD_STATS_NONE, /* no such thread so far */
	/* the thread has ended, and its counts are in COUNTS_OF_ENDED */
	THREAD_STATS_MERGED
};

enum thread_stats_answer machine_thread_stats(const struct machine *m, int64_t whose,
                                              struct stats *out);

#endif
