/* A machine's actions, counted independently: from its events, and from its state at the end of
 * each cycle. Does not read statistics. */
#ifndef CYCLOPS_TESTS_STATS_WATCH_H
#define CYCLOPS_TESTS_STATS_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/defs/events.h"
#include "core/machine/machine.h"
#include "core/pipe/slot_rows.h"
#include "core/prof/values/vsample.h"
#include "tests/predict/model.h"
#include "tests/stats/memory.h"

enum { FLIGHT = 1 << 14, TYPES = 8 };

/* Events of an instruction so far. */
struct flight {
	uint64_t seq, fetched, goes_to; /* goes_to: where fetch went, as decode corrected it */
	/* replayed: fetched again for a trap of its own */
	bool predicted_taken, mispredicted, memory, replayed;
	uint8_t level;
};

/* Rows of the CPI stack that an unused slot goes to. */
enum row {
	FRONTEND,
	ICACHE,
	BADSPEC,
	DEPEND,
	L1D,
	L2,
	MEM,
	TLB,
	STRUCTURAL,
	ORDER,
	SERIAL,
	WAIT,
	DECODE,
	SKIPPED,
	ROWS
};

struct watch {
	struct machine *m;
	const struct pipe *p;
	const struct config *cfg;
	struct memory *memory;
	struct model *predictor; /* NULL: with Xprof or firmware, which it does not model */
	struct flight flight[FLIGHT];
	uint64_t event[EV_COUNT];
	uint64_t cycles;

	/* events by their fields */
	uint64_t committed, machine_committed, plain, interpreted;
	uint64_t loads, stores, branches, jumps, indirect, returns, forwards;
	uint64_t dir_hits, mispredicts, indirect_hits;
	uint64_t wrong_path, squashed, replay[REPLAY_COUNT], again, replay_squashed;
	uint64_t buffered, waits, learnt;
	uint64_t fetched[TYPES], dropped[TYPES], on[TYPES];
	uint64_t misfetch_cycles, flag_cycles, skipped, stale;
	uint64_t tuples_dropped, messages_dropped, late, last_message, model_cycles, compressed;
	uint64_t tagged, samples_dropped, records_dropped, micro, micro_wrong, done, passed_over,
		faults, words;
	uint64_t interpretations, second, stops[VSAMPLE_STOP_COUNT], recorded, lost, page_faults,
		memory_cycles, broken;
	uint64_t tagged_seq, records, retired_records; /* ProfileMe's */
	uint64_t users;                            /* dispatched, the program's */
	uint64_t firmware_cycles, firmware_since;

	/* state at the ends of cycles */
	uint64_t rob, lsq, fetchq;                 /* entries in use, by arrivals and departures */
	uint64_t rob_sum, lsq_sum, fetchq_sum;
	uint64_t lines, stall_icache, stall_queue, stall_redirect;
	uint64_t stall_rob, stall_lsq, stall_iq, stall_serial, poppf_stalls, unreached, fu_busy,
		busy[FU_POOL_COUNT];
	uint64_t mshr_full, line_full, wbuf_full, wbuf_merges;
	uint64_t clocks, held_cycles, refill_cycles;
	uint64_t slots[ROWS], slots_of_replay[REPLAY_COUNT], fp_slots;
	uint64_t row[SLOT_COUNT];                  /* of the slot stack */
	uint64_t users_squashed;

	/* this cycle */
	uint64_t now, commits, fetches, left_decode, skip_seq, next_in_queue;
	bool sent_back, flushed, skips, squashes, interrupted, decoded_right, trap_told;
	bool held, refills, to_firmware, serial_next, engine_works;
	/* at the end of the cycle before: fetch for a line; the program, for firmware to be done */
	bool waited, awaits;
	/* the last squash, until the right path is there; REPLAY_COUNT: none */
	enum replay after;
	uint64_t again_seq, acted[64], acted_n, again_cycle;
	/* decode corrected fetch; decode waits for a profile flag */
	bool misfetch, pops;
	/* at the beginning of the cycle: see slots.c */
	bool line_waits, nowhere, next_is_there;
	uint64_t line_walks_until, line_level, stands_until;
	/* why fetch delivered no more when it last delivered instructions */
	enum slot_row fetch_end;
	/* where fetch continues if that was fetch_width, else UINT64_MAX */
	uint64_t goes_on_at;
	/* slots left empty after a misprediction that has not resolved */
	uint64_t unresolved;
	/* cycles with another number in the machine */
	uint64_t unresolved_differs;
	/* the replayed load that is fetched next; 0: none */
	uint64_t replayed_pc;
	/* at the end of the cycle before, and what has joined since */
	struct wbuf buffer;
};

struct watch *watch_new(struct machine *m, const struct config *cfg);
/* Runs the machine to its end, cycle by cycle; at most so many cycles. */
void watch_run(struct watch *w, uint64_t most);
void watch_free(struct watch *w); /* not the machine */

/* Every unit of the pool is taken in this cycle. */
bool is_taken(const struct watch *w, unsigned pool);
uint64_t commit_from(const struct watch *w, const struct uop *u);

/* Dispatch slots, at both ends of a cycle. */
uint64_t slots_of_cycle(const struct config *c);
void slots_begin(struct watch *w);
void slots_end(struct watch *w, bool running);

#endif
