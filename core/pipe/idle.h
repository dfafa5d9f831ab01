/* Idle cycles, in which no instruction moves, are counted, not executed.
 *
 * A cycle is idle if nothing was written back, committed, issued, dispatched or fetched in it. Each
 * stage is then held until a known cycle: that of the next entry of the wheel, a unit or miss
 * register that becomes free, the arrival of the fetch line, the end of a penalty. Until the first
 * of these each cycle repeats the last one. So after two idle cycles in a row the second's changes
 * of the statistics are added for all cycles up to then, at once. State and statistics are exactly
 * those of the cycles executed one by one (tests/unit/pipe/test_idle.c); no event is lost, as idle
 * cycles have none.
 *
 * The same holds with devices: a wfi ends with a timer's interrupt, an access to a device's
 * register after its latency, a phase of the value sampler's handler at a cycle that the handler
 * reports, and the program's turn between two of its interrupts is counted down.
 *
 * Cycles are executed one by one if their effects can't be predicted here: a busy device that can't
 * report its next work (struct device's rests_until), a trap at the head, decode doing Xprof's
 * work. */
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
		fetch_stall_queue) I(fetch_stall_redirect) I(fetch_stall_port)                     \
		I(dispatch_stall_rob)                                                      \
		I(dispatch_stall_lsq) I(dispatch_stall_iq) I(dispatch_stall_serial) I(             \
			issue_fu_busy) I(rob_occupancy) I(lsq_occupancy) I(fetchq_occupancy)       \
			I(mshr_full) I(line_full) I(wbuf_full) I(cpi_frontend)                     \
			I(cpi_icache) I(cpi_badspec)                                               \
				I(cpi_depend) I(cpi_l1d) I(cpi_l2) I(cpi_mem) I(cpi_tlb) I(        \
					cpi_structural) I(cpi_order) I(cpi_serial) I(cpi_firmware) \
					I(cpi_vsample) I(fp_stalls) I(order_slots) I(size_slots)   \
						I(synonym_slots) I(xprof_poppf_stalls)             \
							I(cpi_profile_wait) I(cpi_profile_decode)  \
								I(cpi_profile_fetch)

/* State of one run. All zero: the last cycle was not idle. */
struct idle {
	uint64_t next; /* the cycle after the last idle one; 0: it was not idle */
	uint64_t until; /* the first cycle that may not be idle */
#define I(field) uint64_t field;
	IDLE_COUNTERS(I)
#undef I
#ifdef CYCLOPS_CHECK
	struct stats all;
#endif
};

/* Call after an idle cycle. Skips to the next one that may not be idle, at most to until_cycle. */
void idle_cycle(struct pipe *p, struct idle *idle, uint64_t until_cycle);

#endif
