/* Idle cycles, in which no instruction moves, are counted and not executed.
 *
 * A cycle is idle if nothing was written back, committed, issued, dispatched or fetched in it. What
 * holds each stage then ends at a cycle that is known: the next entry of the wheel, a unit that
 * becomes free, a miss register, the fetch line, the end of a penalty. Until the first of these
 * each cycle is like the last one. So after two idle cycles in a row the difference that the second
 * made to the statistics is added for all cycles up to then, at once. State and statistics are
 * those of the cycles executed one by one, exactly (tests/unit/pipe/test_idle.c); nobody hears of a
 * cycle in which there is no event.
 *
 * A machine with devices is no exception: a wfi ends with a timer's interrupt, an access to a
 * device's register when its time is over, a phase of the value sampler's handler when that knows,
 * and the program's turn between two of its interrupts is counted down.
 *
 * Cycles are executed one by one when something may happen in them that is not known here: a busy
 * device that can't say when it has something to do (struct device's rests_until), a trap at the
 * head, decode doing Xprof's work. */
#ifndef CYCLOPS_CORE_PIPE_IDLE_H
#define CYCLOPS_CORE_PIPE_IDLE_H

#include "core/pipe/pipe.h"
#ifdef CYCLOPS_CHECK
#include "core/defs/stats_fields.h"
#endif

/* Statistics that an idle cycle may change. */
#define IDLE_COUNTERS(I)                                                                           \
	I(cycles)                                                                                  \
	I(firmware_cycles) I(vsample_cycles) I(vsample_refill_cycles) I(fetch_stall_icache) I(     \
		fetch_stall_queue) I(fetch_stall_redirect) I(dispatch_stall_rob)                   \
		I(dispatch_stall_lsq) I(dispatch_stall_iq) I(dispatch_stall_serial) I(             \
			issue_fu_busy) I(rob_occupancy) I(lsq_occupancy) I(fetchq_occupancy)       \
			I(mshr_full) I(wbuf_full) I(cpi_frontend) I(cpi_icache) I(cpi_badspec)     \
				I(cpi_depend) I(cpi_l1d) I(cpi_l2) I(cpi_mem) I(cpi_tlb) I(        \
					cpi_structural) I(cpi_order) I(cpi_serial) I(cpi_firmware) \
					I(cpi_vsample) I(fp_stalls) I(order_slots) I(size_slots)   \
						I(synonym_slots) I(xprof_poppf_stalls)             \
							I(cpi_profile_wait) I(cpi_profile_decode)  \
								I(cpi_profile_fetch)

/* Of one run. All zero: the last cycle was not idle. */
struct idle {
	uint64_t next; /* the cycle behind the last idle one; 0: it was not idle */
	uint64_t until; /* the first cycle in which something may happen */
#define I(field) uint64_t field;
	IDLE_COUNTERS(I)
#undef I
#ifdef CYCLOPS_CHECK
	struct stats all;
#endif
};

/* The cycle that is just over was idle: goes on to the next one that may not be, but not behind
 * until_cycle. */
void idle_cycle(struct pipe *p, struct idle *idle, uint64_t until_cycle);

#endif
