/* Simple sampling with the co-processor, the baseline of value profiling: the handler of demos/microcode/sample.mic.
 *
 * Every N-th load, chosen when it commits, goes into a buffer; when it is full, the handler counts each pair of pc and value in a table.
 *
 *     build/cyclops run --firmware build/demos/firmware/cop_sample.elf -o cop.enable=true --stats - build/demos/lisp
 *
 * `require "cyclops.values".profile(m)` reads the table; firmware.cycles is its cost. */
#include <stdbool.h>

#include "cop.h"
#include "cop_profile.h"
#include "microcode/sample.h"

#ifndef N
#define N SAMPLE_N
#endif
#ifndef CAPACITY_LOG2
#define CAPACITY_LOG2 14 /* pairs */
#endif
#ifndef PROBES_MAX
#define PROBES_MAX 16
#endif
enum { CAPACITY = 1 << CAPACITY_LOG2 };

static struct value_sample table[CAPACITY] __attribute__((aligned(64)));
struct cop_profile cop_profile = {
	.magic = COP_PROFILE_MAGIC, .kind = COP_PROFILE_SAMPLES, .capacity = CAPACITY, .entry_bytes = sizeof(struct value_sample)};
static unsigned room; /* samples that the buffer holds */

static void count(uint32_t pc, uint32_t value)
{
	struct value_sample *s = &table[(pc * UINT64_C(0xff51afd7ed558ccd) + value * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - CAPACITY_LOG2)];
	for (unsigned probe = 0; probe < PROBES_MAX; probe++) {
		if (s->pc == pc && s->value == value) {
			s->count++;
			return;
		}
		if (!s->pc) {
			*s = (struct value_sample){pc, value, 1};
			cop_profile.entries++;
			return;
		}
		if (++s == table + CAPACITY)
			s = table;
	}
	cop_profile.dropped++;
}

#ifndef BEFORE
#define BEFORE /* first action of a test */
#endif

void firmware_init(void)
{
	const struct cop_program program = COP_PROGRAM(sample, SAMPLE);
	room = cop_size_data(DEVICE_REGISTER(COP_SIZES)) / 4 * 2;
	if (!room) /* too small an array: nothing is tagged */
		return;
	cop_load(&program);
	DEVICE_REGISTER(COP_B(1)) = DEVICE_REGISTER(COP_B(2)) = room;
#ifdef AFTER_BUS /* the microprogram chooses among all loads, as far as they find room on the bus */
	DEVICE_REGISTER(COP_B(3)) = N;
#else
	DEVICE_REGISTER(COP_B(3)) = 1;
	DEVICE_REGISTER(COP_EVERY) = N;
#endif
	cop_profile.table = (uintptr_t)table;
	BEFORE;
	csr_write(mie, UINT64_C(1) << IRQ_COP);
	DEVICE_REGISTER(COP_CLASSES) = SAMPLE_CLASSES;
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
	for (unsigned i = 0; i < room; i += 2) {
		const uint64_t pcs = cop_pair(COP_DATA, i), values = cop_pair(COP_DATA, room + i);
		count((uint32_t)pcs, (uint32_t)values);
		count((uint32_t)(pcs >> 32), (uint32_t)(values >> 32));
	}
	cop_profile.interrupts++;
	cop_profile.samples += room;
	DEVICE_REGISTER(COP_RESUME) = 1;
}
