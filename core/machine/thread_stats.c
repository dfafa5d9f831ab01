#include "core/machine/thread_stats.h"

#include <assert.h>
#include <string.h>

#include "core/defs/stats_fields.h"
#include "core/base/state_ranges.h"
#include "core/isa/csr.h"
#include "core/machine/machine_priv.h"
#include "core/os/linux.h"
#include "core/os/thread.h"

enum { ROW_ENDED = OS_THREADS, ROW_SWITCHES, ROWS, COUNTS = sizeof(struct stats) / 8 };

struct thread_stats {
	uint64_t at[COUNTS];         /* the machine's counts when last credited */
	uint64_t of[ROWS][COUNTS];   /* by index in os_threads() */
	/* owners of of[i]: the last thread with the hart; entry 0 stays the first thread's */
	uint32_t tid[OS_THREADS];
	/* values of pic0 and pic1 when the thread last gave up the hart */
	uint64_t pic[OS_THREADS][2];
	uint64_t until;              /* cycle of the pipeline in which the switch ends */
	uint16_t row;                /* row to credit counts since `at` to */
	uint16_t next;               /* row to credit after the end of a switch */
	uint16_t turns;              /* 1: the hart was switched in this cycle */
	uint16_t unused;
};

void thread_stats_place(struct machine *m, struct arena *a)
{
	m->thread_stats = arena_take(a, "statistics of threads", 1, sizeof *m->thread_stats);
}

void thread_stats_ranges(const struct machine *m, struct ranges *rs)
{
	static const char name[] = "statistics of threads";
	RANGE(rs, name, m->thread_stats, 1, row, RANGE_MOST, ROW_SWITCHES);
	RANGE(rs, name, m->thread_stats, 1, next, RANGE_MOST, OS_THREADS - 1);
	RANGE(rs, name, m->thread_stats, 1, turns, RANGE_MOST, 0);
}

static const uint64_t *thread_stats_counters(const struct machine *m)
{
	static_assert(COUNTS * sizeof(uint64_t) == sizeof *m->stats, "nothing but counters");
	return (const uint64_t *)(const void *)m->stats;
}

static void thread_stats_add_deltas(struct machine *m)
{
	struct thread_stats *t = m->thread_stats;
	const uint64_t *now = thread_stats_counters(m);
	for (unsigned i = 0; i < COUNTS; i++) {
		t->of[t->row][i] += now[i] - t->at[i];
		t->at[i] = now[i];
	}
}

/* Takes the entry for a thread; an ended thread's counts go to ROW_ENDED. */
static void take_entry(struct thread_stats *t, unsigned entry, uint32_t tid)
{
	if (entry && t->tid[entry] && t->tid[entry] != tid)
		for (unsigned i = 0; i < COUNTS; i++) {
			t->of[ROW_ENDED][i] += t->of[entry][i];
			t->of[entry][i] = 0;
		}
	if (t->tid[entry] != tid)
		t->pic[entry][0] = t->pic[entry][1] = 0;
	t->tid[entry] = tid;
}

/* pic counts only while its thread has the hart: saves the counters when the thread leaves it, and
 * else restores them. */
static void thread_stats_switch_pic(struct machine *m, bool leaves)
{
	struct thread_stats *t = m->thread_stats;
	struct hart *h = m->pipe.hart;
	if (t->row >= OS_THREADS)
		return;
	stat_fill_counter(m->stats, h, CSR_PIC, &m->pipe.memo);
	for (unsigned i = 0; i < 2; i++)
		if (leaves)
			t->pic[t->row][i] = h->pic_now[i] - h->pic_base[i];
		else
			h->pic_base[i] = h->pic_now[i] - t->pic[t->row][i];
}

void thread_stats_switched(struct machine *m, uint64_t until)
{
	struct thread_stats *t = m->thread_stats;
	t->turns = 1;
	t->until = until;
	m->interrupt = 1; /* ends the run after this cycle, to credit */
}

void thread_stats_credit(struct machine *m, uint64_t cycle)
{
	struct thread_stats *t = m->thread_stats;
	if (!t->turns && !(t->until && cycle >= t->until))
		return;
	thread_stats_add_deltas(m);
	if (t->turns) {
		thread_stats_switch_pic(m, true);
		t->next = (uint16_t)os_running(m->os);
		take_entry(t, t->next, os_threads(m->os)[t->next].tid);
	}
	t->turns = 0;
	t->row = cycle < t->until ? ROW_SWITCHES : t->next;
	t->until = cycle < t->until ? t->until : 0;
	thread_stats_switch_pic(m, false);
}

uint64_t thread_stats_due(const struct machine *m)
{
	return m->thread_stats->until ? m->thread_stats->until : UINT64_MAX;
}

static int thread_stats_entry_index(const struct machine *m, int64_t number)
{
	const struct thread_stats *t = m->thread_stats;
	const struct os_thread *all = os_threads(m->os);
	for (unsigned i = 0; i < OS_THREADS; i++)
		if (t->tid[i] && t->tid[i] - (uint32_t)GUEST_PID + 1 == number)
			return (int)i;
	/* a thread that has never given the hart away, or never had it */
	for (unsigned i = 0; i < OS_THREADS; i++)
		if (all[i].state != THREAD_FREE && os_thread_number(&all[i]) == number)
			return i && t->tid[i] ? ROWS : (int)i;
	return -1;
}

enum thread_stats_answer machine_thread_stats(const struct machine *m, int64_t whose,
                                              struct stats *out)
{
	const struct thread_stats *t = m->thread_stats;
	const int row = whose == COUNTS_OF_ENDED      ? ROW_ENDED
	                : whose == COUNTS_OF_SWITCHES ? ROW_SWITCHES
	                                              : thread_stats_entry_index(m, whose);
	uint64_t sum[COUNTS] = {0};
	const bool given = whose > 0 && whose < os_state_const(m->os)->next_tid - GUEST_PID + 1;
	if (row < 0)
		return given ? THREAD_STATS_MERGED : THREAD_STATS_NONE;
	for (unsigned i = 0; row < ROWS && i < COUNTS; i++)
		sum[i] = t->of[row][i] +
		         (row == t->row ? thread_stats_counters(m)[i] - t->at[i] : 0);
	memcpy(out, sum, sizeof *out);
	return THREAD_STATS_TOLD;
}
