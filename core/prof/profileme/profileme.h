/* A profiler in hardware that follows one instruction at a time, as ProfileMe does (Dean, Hicks,
 * Waldspurger, Weihl, Chrysos, 1997; Burrows et al. take retire delays and replay traps from it,
 * 3.2 and 3.3).
 *
 * Decode counts dispatched instructions, right path or not. The instruction that completes a random
 * number of them gets the tag. When it has left, retired or not, the device's registers hold its
 * record: pc, fate, cycles between stages, events, and its retire delay. There is one tag and one
 * set of registers: nothing is tagged before the record has been read.
 *
 * Reader. With the value sampler, its handler reads the record at its next interrupt: in DCPI both
 * use the same interrupts. So profiling costs vsample.interrupt_cycles each time, and with
 * vsample.every=0 the interrupts cost nothing else. With profileme.reader=daemon, and in any
 * machine without a value sampler, a daemon on another processor reads the record in the cycle in
 * which it is complete, which costs the program nothing. When the record is read, the next interval
 * is drawn, all lengths from profileme.interval_min to interval_max equally likely.
 *
 * Retire delay: cycles since the last cycle in which an older instruction retired, 0 if one retired
 * in the same cycle; the cycles of the value sampler's handler, whose instructions retire too, are
 * not included. All retire delays of a program sum to its cycles, so a share of one is a share of
 * the other.
 *
 * If it did not retire, its fate is the reason: it was younger than a mispredicted branch or than a
 * replay trap, or it was in the window when an interrupt came. A replay trap is an event of the
 * instruction that is replayed.
 *
 * Records that are read are counted by pc, beside the arena, in a table that is right when the
 * machine goes back and bounded by profileme.memory. An estimate is a count times
 * profileme_scale(). Without timing nothing is decoded, and so nothing tagged. */
#ifndef CYCLOPS_CORE_PROF_PROFILEME_PROFILEME_H
#define CYCLOPS_CORE_PROF_PROFILEME_PROFILEME_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/state_ranges.h"
#include "core/prof/common/squash_cause.h"
#include "core/prof/oracle/oracle_store.h"

struct machine;
struct prof;

/*   id, name, cycles of what */
#define PROFILEME_LATENCIES(L) \
	L(FETCH, fetch, "from fetch until dispatched") \
	L(OPERANDS, operands, "from then until its operands were there") \
	L(ISSUE, issue, "from then until it was issued") \
	L(EXECUTE, execute, "from then until complete") \
	L(RETIRE, retire, "from then until it retired") \
	L(LOAD, load, "of a load, from being sent to memory until its data was there")

enum profileme_latency {
#define L(id, name, help) PROFILEME_LATENCY_##id,
	PROFILEME_LATENCIES(L)
#undef L
	PROFILEME_LATENCY_COUNT
};

extern const char *const profileme_event_name[PROFILEME_EVENT_COUNT];
extern const char *const profileme_fate_name[PROFILEME_FATE_COUNT];
extern const char *const profileme_latency_name[PROFILEME_LATENCY_COUNT];

/* Contents of the registers; words of events that have not happened are 0. */
struct profileme_record {
	uint64_t serial;  /* 1, 2, ...: in the order of tags */
	uint64_t pc;      /* byte address, of its prefix if it has one */
	/* of struct uop; not in hardware: views find the instruction by it */
	uint64_t seq;
	uint64_t cycle;   /* guest cycle in which it left */
	uint64_t fate;    /* enum profileme_fate */
	uint64_t events;  /* 1 << enum profileme_event each */
	uint64_t delay;   /* retire delay, cycles; 0 if it did not retire */
	uint64_t latency[PROFILEME_LATENCY_COUNT]; /* cycles */
};

/* Counts of the records read for one pc. */
struct profileme_counts {
	uint64_t fates[PROFILEME_FATE_COUNT];       /* records */
	uint64_t events[PROFILEME_EVENT_COUNT];     /* records that had it, retired or not */
	/* cycles; this and `latency` are sums over retired instructions */
	uint64_t delay;
	uint64_t latency[PROFILEME_LATENCY_COUNT];
};

/* Records of all fates. */
static inline uint64_t profileme_samples(const struct profileme_counts *c)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < PROFILEME_FATE_COUNT; i++)
		n += c->fates[i];
	return n;
}

enum profileme_phase { PROFILEME_COUNTS, PROFILEME_FOLLOWS, PROFILEME_HOLDS };

/* In the arena. */
struct profileme_state {
#define STATE STATE_FIELD
#include "core/prof/profileme/profileme_state.def"
#undef STATE
};

/* State of the counts beside the table. */
struct profileme_head {
	uint32_t pcs, spare;
	/* records; starved: lost because the host's memory was out */
	uint64_t told, lost, starved;
	uint64_t delay;               /* cycles, of all records told */
};

struct profileme_table {
	struct oracle_store store;
	struct profileme_head head;
	struct oracle_table table; /* by pc; count: records, more: struct profileme_counts */
};

struct profileme {
	struct profileme_state *st;    /* in the arena; NULL: this machine has none */
	struct profileme_table *table; /* owned; NULL likewise */
};

/* ---- looking; d is machine_pipe(m)->prof ---- */
/* Average retire delay of the instruction at pc in cycles, over its records that retired. False: no
 * record retired, or there is no such device. */
bool profileme_delay(const struct prof *d, uint64_t pc, double *cycles);
/* Counts of the instruction at pc; NULL: none. Borrowed until the machine moves. */
const struct profileme_counts *profileme_find(const struct prof *d, uint64_t pc);
/* Number of entries; entry i, in the order in which they were made, with its pc in *pc. */
uint32_t profileme_entries(const struct prof *d);
const struct profileme_counts *profileme_entry(const struct prof *d, uint32_t i, uint64_t *pc);
/* Instructions that each record stands for: dispatched instructions divided by records read; 0 if
 * none was read. */
double profileme_scale(const struct prof *d);
/* Sum of all retire delays read, in cycles: the whole that shares refer to. */
uint64_t profileme_all_delay(const struct prof *d);
/* NULL, or the invariant that the counts break. */
const char *profileme_check(const struct profileme_table *t);

#endif
