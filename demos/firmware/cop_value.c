/* Value profiling with the co-processor (Zilles and Sohi, section 4 and appendix): the handler of demos/microcode/value.mic.
 *
 * The co-processor counts how often each load brings its slot's active value. When it interrupts, enough has been learnt or there is no room
 * for more, and the handler
 *   - folds the slots into a table in memory: of each pc all samples, and hits and misses of up to VALUES active values;
 *   - masks pcs that are known: their most frequent value has a share of HIGH percent (table high) or LOW (table low), or they were read TURNS times;
 *   - begins a new turn with empty slots, so that active values are selected anew;
 *   - forgets masks now and then: after RESAMPLE turns of each region all loads are sampled again, since a load's values may change with
 *     the program's phase. An unchanged load is masked again after a slot.
 *
 * If the slots thrash, the handler reads none, and divides the program into regions by pc (a mask and a value to match); the samples until
 * then determine their number. Regions take turns. A turn that ends by the clock and with few loads gives its region to the next larger one.
 *
 *     build/cyclops run --firmware build/demos/firmware/cop_value.elf -o cop.enable=true --stats - build/demos/lisp
 *
 * `require "cyclops.cop".profile(m)` reads the table and estimates invariances; firmware.cycles is
 * its cost. */
#include <stdbool.h>
#include <stddef.h>

#include "cop.h"
#include "cop_profile.h"
#include "microcode/value.h"

#ifndef CAPACITY_LOG2
#define CAPACITY_LOG2 11 /* loads of a profiled program */
#endif
#ifndef PROBES_MAX
#define PROBES_MAX 16
#endif
#ifndef FAILED
#define FAILED 2 /* interrupt when failed replacements exceed successful ones by slots / FAILED */
#endif
#ifndef OFF
#define OFF 8 /* or when slots / OFF slots are off */
#endif
#ifndef HIGH
#define HIGH 95 /* percent: a load with a higher share is invariant */
#endif
#ifndef HIGH_SAMPLES
#define HIGH_SAMPLES 512 /* samples needed for that: of several turns, since a slot has at most 255 hits */
#endif
#ifndef LOW
#define LOW 5 /* percent: a load with a lower share has no value of interest */
#endif
#ifndef LOW_SAMPLES
#define LOW_SAMPLES 1024
#endif
#ifndef LOW_TURNS
#define LOW_TURNS 4 /* slots needed, too: a slot has little information on values before its last one */
#endif
#ifndef TURNS
#define TURNS 32 /* slots of a load between both, until it is masked */
#endif
#ifndef RESAMPLE
#define RESAMPLE 4 /* turns, of each region, until masked loads are sampled again; 0: never */
#endif
#ifndef TURN_CYCLES
#define TURN_CYCLES 100000 /* of a region; IDLE times that for the whole program, doubled after each such turn that the clock ends */
#endif
#ifndef IDLE_MAX
#define IDLE_MAX (UINT64_C(1) << 40) /* limit of doubling */
#endif
#ifndef IDLE
#define IDLE 1
#endif
#ifndef THRASH_SHARE
#define THRASH_SHARE 4 /* slots thrash if more than a 1/THRASH_SHARE of the samples replaced a slot */
#endif
#ifndef REGIONS_LOG2
#define REGIONS_LOG2 6
#endif
#ifndef REGION_SHIFT
#define REGION_SHIFT 5 /* of the region's hash */
#endif
#ifndef QUIET_MAX
#define QUIET_MAX 4000 /* reads of the co-processor's status before giving up */
#endif
#ifndef SLOTS_MAX
#define SLOTS_MAX 1024 /* slots used of larger arrays */
#endif
enum { CAPACITY = 1 << CAPACITY_LOG2, REGIONS = 1 << REGIONS_LOG2 };

static struct value_entry table[CAPACITY] __attribute__((aligned(64)));
struct cop_profile cop_profile = {
	.magic = COP_PROFILE_MAGIC, .kind = COP_PROFILE_VALUES, .capacity = CAPACITY, .entry_bytes = sizeof(struct value_entry), .regions = 1};

/* Regions left to profile, in a ring: pcs whose hash has `match` in the bits of `mask`. The head's region is profiled now. */
struct region {
	uint64_t mask, match;
};
static struct region ring[REGIONS];
static unsigned ring_head;
static uint64_t sizes, idle_cycles = IDLE * TURN_CYCLES;
static unsigned slots;

/* Entries whose loads are masked, and turns read since the masks were last cleared. */
static uint16_t masked[CAPACITY];
static unsigned masked_count, turns_since;

/* ---- the table ---- */
static struct value_entry *first_of(uint32_t pc)
{
	return &table[pc * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CAPACITY_LOG2)];
}

static struct value_entry *entry_of(uint32_t pc)
{
	struct value_entry *e = first_of(pc);
	for (unsigned probe = 0; probe < PROBES_MAX; probe++) {
		if (e->pc == pc)
			return e;
		if (!e->pc) {
			e->pc = pc;
			cop_profile.entries++;
			return e;
		}
		if (++e == table + CAPACITY)
			e = table;
	}
	return NULL;
}

/* The entry's counter of this value. Without room, replaces the value with the fewest hits (of
 * several, the smallest value), whose samples then count in the total only. NULL: no value has
 * fewer hits than the new one. */
static struct value_count *count_of(struct value_entry *e, uint32_t value, uint32_t hits)
{
	struct value_count *least = e->values;
	for (struct value_count *c = e->values; c < e->values + VALUES; c++) {
		if (c->value == value && c->hits)
			return c;
		if (!c->hits) {
			c->value = value;
			return c;
		}
		if (c->hits < least->hits || (c->hits == least->hits && c->value < least->value))
			least = c;
	}
	if (least->hits >= hits)
		return NULL;
	*least = (struct value_count){.value = value};
	return least;
}

/* The most frequent value comes first, where searches begin and judge() reads it. */
static void count(struct value_entry *e, struct value_count *c, uint32_t hits, uint32_t misses)
{
	c->hits += hits;
	c->misses += misses;
	if (c->hits > e->values[0].hits) {
		const struct value_count more = *c;
		*c = e->values[0];
		e->values[0] = more;
	}
}

/* ---- masking ---- */
static void mask(struct value_entry *e, enum value_masked why)
{
	e->masked = (uint16_t)why;
	cop_profile.masked[why]++;
	masked[masked_count++] = (uint16_t)(e - table);
	cop_mask(why == VALUE_HIGH ? COP_HIGH : COP_LOW, e->pc, sizes);
}

/* Samples all loads again, those that were read TURNS times half as often as before. */
static void unmask(void)
{
	DEVICE_REGISTER(COP_CLEAR_HIGH) = 1;
	DEVICE_REGISTER(COP_CLEAR_LOW) = 1;
	for (unsigned i = 0; i < masked_count; i++) {
		struct value_entry *e = &table[masked[i]];
		e->masked = VALUE_UNMASKED;
		if (e->turns >= TURNS)
			e->turns /= 2;
	}
	masked_count = 0;
	cop_profile.resamples++;
}

/* Masks the load if its values are known well enough. */
static void judge(struct value_entry *e)
{
	const uint32_t best = e->values[0].hits;
	if (e->masked)
		return;
	if (e->total >= HIGH_SAMPLES && best * UINT64_C(100) >= e->total * HIGH)
		mask(e, VALUE_HIGH);
	else if (e->total >= LOW_SAMPLES && e->turns >= LOW_TURNS && best * UINT64_C(100) <= e->total * LOW)
		mask(e, VALUE_LOW);
	else if (e->turns >= TURNS)
		mask(e, VALUE_OFTEN);
}

/* ---- reading ---- */
static void fold(uint32_t pc, uint32_t value, uint32_t counts)
{
	const uint32_t hits = counts & 0xff, misses = counts >> 8 & 0xff, total = counts >> 16;
	struct value_entry *e = entry_of(pc);
	cop_profile.slots++;
	cop_profile.samples += total;
	if (!e) {
		cop_profile.dropped += total;
		return;
	}
	e->total += total;
	e->turns++;
	struct value_count *c = count_of(e, value, hits);
	if (c)
		count(e, c, hits, misses);
	judge(e);
}

/* Reads slots from the first to the last valid one. A register read is alone in the pipeline: reads
 * all registers before folding. Touches the table entries in between, so that their misses overlap.
 */
static void read_slots(unsigned off)
{
	static struct {
		uint64_t pcs, values, counts;
	} pairs[SLOTS_MAX / 2];
	unsigned left = off, n = 0;
	for (unsigned i = 0; i < slots; i += 64)
		for (uint64_t valid = DEVICE_REGISTER(COP_VALID + i / 8); valid; valid &= valid - 1)
			left++;
	for (unsigned i = 0; i < slots && left; i += 2) {
		const uint64_t counts = cop_pair(COP_DATA, slots + i);
		if (!counts)
			continue;
		pairs[n].pcs = cop_pair(COP_CAM, i);
		pairs[n].values = cop_pair(COP_DATA, i);
		pairs[n++].counts = counts;
		left -= (uint32_t)counts && counts >> 32 ? 2 : 1;
	}
	for (unsigned i = 0; i < n; i++) {
		(void)*(volatile uint32_t *)&first_of((uint32_t)pairs[i].pcs)->pc;
		(void)*(volatile uint32_t *)&first_of((uint32_t)(pairs[i].pcs >> 32))->pc;
	}
	for (unsigned i = 0; i < n; i++)
		for (unsigned shift = 0; shift < 64; shift += 32)
			if ((uint32_t)(pairs[i].counts >> shift))
				fold((uint32_t)(pairs[i].pcs >> shift), (uint32_t)(pairs[i].values >> shift), (uint32_t)(pairs[i].counts >> shift));
}

/* ---- regions ---- */
static void push(struct region r)
{
	ring[(ring_head + cop_profile.regions++) % REGIONS] = r;
}

static struct region pop(void)
{
	const struct region r = ring[ring_head];
	ring_head = (ring_head + 1) % REGIONS;
	cop_profile.regions--;
	return r;
}

/* The region at the head in 2, 4 or 8: the sooner the slots thrashed, the more. */
static void split(uint64_t samples, uint64_t replaced)
{
	const unsigned bits = 2 * samples < 3 * replaced ? 3 : samples < 2 * replaced ? 2 : 1;
	if (cop_profile.regions + (1u << bits) > REGIONS) {
		push(pop());
		return;
	}
	const struct region r = pop();
	for (uint64_t i = 0; i < 1u << bits; i++)
		push((struct region){(r.mask + 1) * (1u << bits) - 1, r.match | i * (r.mask + 1)});
	cop_profile.splits++;
}

/* The region at the head becomes one with its neighbours. */
static void merge(void)
{
	const struct region r = ring[ring_head], larger = {r.mask >> 1, r.match & r.mask >> 1};
	for (uint64_t n = cop_profile.regions; n; n--) {
		const struct region other = pop();
		if (other.mask < r.mask || (other.match & larger.mask) != larger.match)
			push(other);
	}
	push(larger);
	cop_profile.merges++;
}

static void enter_region(void)
{
	DEVICE_REGISTER(COP_MASK) = ring[ring_head].mask;
	DEVICE_REGISTER(COP_MATCH) = ring[ring_head].match;
}

/* ---- turns ---- */
static void set_clock(bool again)
{
	if (!again)
		idle_cycles = IDLE * TURN_CYCLES;
	else if (cop_profile.regions == 1 && idle_cycles < IDLE_MAX)
		idle_cycles *= 2;
	DEVICE_REGISTER(TIMER_MTIMECMP) = DEVICE_REGISTER(TIMER_MTIME) + (cop_profile.regions > 1 ? TURN_CYCLES : idle_cycles);
}

/* Resets the program's registers for the cause of the interrupt and the next slot. */
static void begin_turn(void)
{
	DEVICE_REGISTER(COP_INVALIDATE) = 1;
	DEVICE_REGISTER(COP_CLEAR_DATA) = 1;
	for (unsigned i = 4; i <= 7; i++)
		DEVICE_REGISTER(COP_V(i)) = 0;
	DEVICE_REGISTER(COP_X(1)) = 0;
}

/* Folds the slots, or splits the region if they thrashed; chooses the next region. */
static void end_turn(bool by_clock)
{
	const uint64_t off = DEVICE_REGISTER(COP_V(5)), replaced = DEVICE_REGISTER(COP_V(6)), samples = DEVICE_REGISTER(COP_V(7));
	const bool thrashes = replaced >= 2 * slots && samples < THRASH_SHARE * replaced, split_before = cop_profile.regions > 1;
	if (thrashes) {
		cop_profile.thrashes++;
		split(samples, replaced);
	} else {
		if (samples)
			read_slots((unsigned)off);
		if (split_before && by_clock && replaced < slots / 4)
			merge();
		else if (split_before)
			push(pop());
	}
	cop_profile.seen += samples;
	if (RESAMPLE && !thrashes && ++turns_since >= RESAMPLE * cop_profile.regions) {
		turns_since = 0;
		unmask();
	}
	set_clock(by_clock);
	if (thrashes || split_before) {
		enter_region();
		DEVICE_REGISTER(COP_FLUSH) = 1; /* waiting samples are of the previous region */
	}
}

#ifndef BEFORE
#define BEFORE /* code that a test runs first */
#endif

void firmware_init(void)
{
	const struct cop_program program = COP_PROGRAM(value_profile, VALUE_PROFILE);
	sizes = DEVICE_REGISTER(COP_SIZES);
	slots = cop_size_data(sizes) / 2 < cop_size_cam(sizes) ? cop_size_data(sizes) / 2 : cop_size_cam(sizes);
	slots = (slots < SLOTS_MAX ? slots : SLOTS_MAX) & ~1u;
	if (!slots) /* arrays too small for a slot: tag nothing */
		return;
	cop_load(&program);
	DEVICE_REGISTER(COP_B(1)) = DEVICE_REGISTER(COP_B(2)) = slots;
	DEVICE_REGISTER(COP_K(4)) = slots / FAILED;
	DEVICE_REGISTER(COP_K(5)) = slots / OFF;
	DEVICE_REGISTER(COP_K(6)) = 4 * slots;
	DEVICE_REGISTER(COP_SHIFT) = REGION_SHIFT;
	DEVICE_REGISTER(COP_TABLES) = COP_MASK_HIGH | COP_MASK_LOW;
	cop_profile.table = (uintptr_t)table;
	cop_profile.slots_in_array = slots;
	BEFORE;
	set_clock(false);
	csr_write(mie, UINT64_C(1) << IRQ_COP | UINT64_C(1) << IRQ_TIMER);
	DEVICE_REGISTER(COP_CLASSES) = VALUE_PROFILE_CLASSES;
	DEVICE_REGISTER(COP_CONTROL) = COP_RUN | COP_TAG;
}

/* Stops tagging, and waits until the engine has processed the tagged samples, or halts; returns its
 * status. Without timing the engine's clock does not run: drops the waiting samples. */
static uint64_t quiet(void)
{
	uint64_t status;
	DEVICE_REGISTER(COP_CONTROL) = COP_RUN;
	for (unsigned i = 0; i < QUIET_MAX; i++) {
		status = DEVICE_REGISTER(COP_STATUS);
		if (status & (COP_IDLE | COP_HALTED))
			return status;
	}
	DEVICE_REGISTER(COP_FLUSH) = 1;
	return DEVICE_REGISTER(COP_STATUS);
}

void firmware_interrupt(uint64_t cause)
{
	(void)cause; /* both causes may be pending */
	const uint64_t status = quiet();
	const bool by_clock = !(status & COP_HALTED);
	if (COP_FAULT(status)) { /* none of these programs faults: keep the state for inspection */
		cop_profile.fault = status;
		csr_write(mie, 0);
		return;
	}
	if (by_clock)
		cop_profile.clocks++;
	else
		cop_profile.interrupts++;
	end_turn(by_clock);
	begin_turn();
	DEVICE_REGISTER(COP_CONTROL) = COP_RUN | COP_TAG;
	DEVICE_REGISTER(COP_RESUME) = 1;
}
