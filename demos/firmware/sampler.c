/* Software behind the stream sampler (Sastry, Bodik and Smith, 5.3.2): an interrupt handler that reads messages and folds
 * them into a profile in memory.
 *
 * When sampler.threshold messages wait, interrupt 17 asks for it. A register read waits until it is the oldest instruction, so they
 * are what a message costs: pc, value and count are read, the tag only if there is a stream that has one.
 *
 *     build/cyclops run --firmware build/demos/firmware/sampler.elf -o sampler.enable=true -o sampler.reader=interrupt \
 *         --stats - build/demos/hash demos/programs/input/words.txt
 *
 * sampler.model_overhead is what the paper's model says of the cost, 214 cycles an interrupt and 30 a message; firmware.share what
 * it did cost. */
#include <stdbool.h>

#include "firmware.h"

#ifndef CAPACITY_LOG2
#define CAPACITY_LOG2 12
#endif
#ifndef PROBES_MAX
#define PROBES_MAX 16
#endif
enum { CAPACITY = 1 << CAPACITY_LOG2, STREAMS = 8, TAG_SHIFT = 56 };

static struct tuple_count table[CAPACITY] __attribute__((aligned(32)));

struct sampler_profile sampler_profile = {.magic = SAMPLER_PROFILE_MAGIC, .capacity = CAPACITY};

static bool tagged;

static void count(uint64_t pc, uint64_t value, uint64_t n)
{
	uint64_t at = (pc ^ value * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd) >> (64 - CAPACITY_LOG2);
	for (unsigned probe = 0; probe < PROBES_MAX; probe++, at++) {
		struct tuple_count *c = &table[at % CAPACITY];
		if (c->pc == pc && c->value == value) {
			c->count += n;
			return;
		}
		if (!c->pc) {
			*c = (struct tuple_count){pc, value, n, 0};
			sampler_profile.entries++;
			return;
		}
	}
	sampler_profile.dropped_messages++;
	sampler_profile.dropped_tuples += n;
}

#ifndef BEFORE
#define BEFORE /* what a test does first */
#endif

void firmware_init(void)
{
	BEFORE;
	for (unsigned i = 0; i < STREAMS; i++)
		tagged |= DEVICE_REGISTER(SAMPLER_STREAM(i) + STREAM_KIND) && DEVICE_REGISTER(SAMPLER_STREAM(i) + STREAM_TAG);
	sampler_profile.table = (uintptr_t)table;
	csr_write(mie, UINT64_C(1) << IRQ_SAMPLER);
}

void firmware_interrupt(uint64_t cause)
{
	if (cause != IRQ_SAMPLER)
		return;
	const uint64_t n = DEVICE_REGISTER(SAMPLER_WAITING);
	uint64_t tuples = 0;
	for (uint64_t left = n; left; left--) {
		uint64_t pc = DEVICE_REGISTER(SAMPLER_PC), value = DEVICE_REGISTER(SAMPLER_VALUE);
		if (tagged)
			pc |= DEVICE_REGISTER(SAMPLER_TAG) << TAG_SHIFT;
		uint64_t taken = DEVICE_REGISTER(SAMPLER_TAKE);
		tuples += taken;
		count(pc, value, taken);
	}
	sampler_profile.interrupts++;
	sampler_profile.messages += n;
	sampler_profile.tuples += tuples;
}
