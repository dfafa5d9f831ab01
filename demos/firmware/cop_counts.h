/* Common parts of the handlers of edges, calls, dependences and conflicts: a table of counts in
 * memory, and the way to it.
 *
 * The including file names its program, and defines the functions that begin with handler_. The
 * co-processor halts when a counter is full or no slot is left; then its slots are added to the
 * table and emptied. Meanwhile the program stands still and nothing is tagged, so no record is
 * lost.
 *
 * `require "cyclops.counts".profile(m)` reads the table; counts still in the co-processor are not
 * in it. firmware.cycles is its cost. */
#ifndef CYCLOPS_FIRMWARE_COP_COUNTS_H
#define CYCLOPS_FIRMWARE_COP_COUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "cop.h"
#include "cop_profile.h"

#ifndef CAPACITY_LOG2
#define CAPACITY_LOG2 12
#endif
#ifndef PROBES_MAX
#define PROBES_MAX 16
#endif
enum { CAPACITY = 1 << CAPACITY_LOG2, ENTRIES_MAX = 256, RING = 64 };

static struct count_entry table[CAPACITY] __attribute__((aligned(64)));
struct cop_profile cop_profile = {
	.magic = COP_PROFILE_MAGIC, .kind = COP_PROFILE_COUNTS, .capacity = CAPACITY, .entry_bytes = sizeof(struct count_entry)};

/* Called when the program is loaded and not running yet: sets values that differ from the program's
 * text. sizes is COP_SIZES. */
static void handler_init(uint64_t sizes);
/* Reads and empties the slots of a halted co-processor. */
static void handler_fold(void);
/* Called when an entry of the table has grown. */
static void handler_added(struct count_entry *e);

/* ---- the table ---- */
static inline struct count_entry *first_of(uint32_t kind, uint32_t from, uint32_t to)
{
	const uint64_t mixed = (from * UINT64_C(0xff51afd7ed558ccd) + to * UINT64_C(0x9e3779b97f4a7c15) + kind) * UINT64_C(0x9e3779b97f4a7c15);
	return &table[mixed >> (64 - CAPACITY_LOG2)];
}

static struct count_entry *entry_of(uint32_t kind, uint32_t from, uint32_t to)
{
	struct count_entry *e = first_of(kind, from, to);
	for (unsigned probe = 0; probe < PROBES_MAX; probe++) {
		if (e->kind == kind && e->from == from && e->to == to)
			return e;
		if (!e->kind) {
			e->kind = kind;
			e->from = from;
			e->to = to;
			cop_profile.entries++;
			return e;
		}
		if (++e == table + CAPACITY)
			e = table;
	}
	return NULL;
}

/* The counts of handler_fold(). */
static struct count_entry counted[ENTRIES_MAX + 4];
static unsigned counted_n;

static inline void count(enum count_kind kind, uint32_t from, uint32_t to, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	if (a | b | c | d)
		counted[counted_n++] = (struct count_entry){.kind = kind, .from = from, .to = to, .n = {a, b, c, d}};
}

/* Adds the slots to the table, after touching their entries, so that the misses overlap. */
static inline void add_counted(void)
{
	for (const struct count_entry *c = counted; c < counted + counted_n; c++)
		(void)*(volatile uint32_t *)&first_of(c->kind, c->from, c->to)->kind;
	for (const struct count_entry *c = counted; c < counted + counted_n; c++) {
		struct count_entry *e = entry_of(c->kind, c->from, c->to);
		uint64_t all = 0;
		for (unsigned i = 0; i < COUNTS; i++) {
			all += c->n[i];
			if (e)
				e->n[i] += c->n[i];
		}
		cop_profile.samples += all;
		cop_profile.dropped += e ? 0 : all;
		if (e)
			handler_added(e);
	}
	counted_n = 0;
}

/* ---- reading ---- */
/* Words from .. from + n - 1 of an array. A register read is alone in the pipeline: all are done before anything is counted. */
static inline void read_words(uint32_t *to, uint64_t array, unsigned from, unsigned n)
{
	for (unsigned i = from & ~1u; i < from + n; i += 2) {
		const uint64_t pair = cop_pair(array, i);
		if (i >= from)
			to[i - from] = (uint32_t)pair;
		if (i + 1 < from + n)
			to[i + 1 - from] = (uint32_t)(pair >> 32);
	}
}

/* Number of valid entries. */
static inline unsigned valid_entries(unsigned entries)
{
	unsigned n = 0;
	for (unsigned i = 0; i < entries; i += 64)
		for (uint64_t valid = DEVICE_REGISTER(COP_VALID + i / 8); valid; valid &= valid - 1)
			n++;
	return n;
}

/* Slots after the ring are not valid any more. */
static inline void forget_slots(unsigned entries)
{
	for (unsigned i = RING; i < entries; i += 64)
		DEVICE_REGISTER(COP_VALID + i / 8) = 0;
}

/* Number of entries for a program with `words` words of the data array for each, and `fixed`
 * others: an even number. */
static inline unsigned entries_of(uint64_t sizes, unsigned words, unsigned fixed)
{
	unsigned n = cop_size_data(sizes) > fixed ? ENTRIES_MAX : 0;
	if (n > cop_size_cam(sizes))
		n = cop_size_cam(sizes);
	if (n > (cop_size_data(sizes) - fixed) / words)
		n = (cop_size_data(sizes) - fixed) / words;
	return n & ~1u;
}

/* ---- the handler ---- */
#ifndef BEFORE
#define BEFORE /* code that a test runs first */
#endif

static inline void start(const struct cop_program *program, uint64_t classes)
{
	cop_load(program);
	handler_init(DEVICE_REGISTER(COP_SIZES));
	cop_profile.table = (uintptr_t)table;
	BEFORE;
	csr_write(mie, UINT64_C(1) << IRQ_COP);
	DEVICE_REGISTER(COP_CLASSES) = classes;
	DEVICE_REGISTER(COP_CONTROL) = COP_RUN | COP_TAG;
}

void firmware_interrupt(uint64_t cause)
{
	const uint64_t status = DEVICE_REGISTER(COP_STATUS);
	if (COP_FAULT(status)) { /* none of these programs faults: keep the state for inspection */
		cop_profile.fault = status;
		csr_write(mie, 0);
		return;
	}
	if (cause != IRQ_COP)
		return;
	cop_profile.interrupts++;
	handler_fold();
	DEVICE_REGISTER(COP_RESUME) = 1;
	add_counted();
}
#endif
