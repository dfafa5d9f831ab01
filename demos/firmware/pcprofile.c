/* A profiler that samples the program counter.
 *
 * Every PERIOD instructions of the program, on average, an interrupt finds the program's pc, which
 * is counted in a hash table. The distance between two samples is random, so that no loop can run
 * in step with it. The result is an estimate of how often each instruction is executed:
 * `info profile` prints it.
 *
 *     build/cyclops --firmware build/demos/firmware/pcprofile.elf -e continue -e 'info profile' \
 *         build/demos/hash demos/programs/input/words.txt
 *
 * To see what it costs, compare `view cpi` and `sim.cycles` with a run without it, or make PERIOD smaller. */
#include "firmware.h"

#ifndef PERIOD
#define PERIOD 4001 /* instructions */
#endif

enum { CAPACITY_LOG2 = 12, CAPACITY = 1 << CAPACITY_LOG2, PROBES_MAX = 16 };

static struct pc_count table[CAPACITY];

struct firmware_profile firmware_profile = {
	.magic = PROFILE_MAGIC,
	.kind = PROFILE_PC,
	.capacity = CAPACITY,
	.period = PERIOD,
};

/* A linear feedback shift register: never 0, and every other value once in 2^32 - 1 steps. */
static uint32_t shift = 0x2545f491;

static uint32_t pcprofile_next_random(void)
{
	shift ^= shift << 13;
	shift ^= shift >> 17;
	shift ^= shift << 5;
	return shift;
}

/* From half a period to one and a half; PERIOD on average. */
static uint64_t next_distance(void)
{
	return (PERIOD + 1) / 2 + ((uint64_t)pcprofile_next_random() * PERIOD >> 32);
}

static void count(uint64_t pc)
{
	uint64_t at = pc * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CAPACITY_LOG2);
	for (unsigned probe = 0; probe < PROBES_MAX; probe++, at++) {
		struct pc_count *c = &table[at % CAPACITY];
		if (c->pc == 0) {
			c->pc = pc;
			firmware_profile.entries++;
		}
		if (c->pc == pc) {
			c->count++;
			firmware_profile.samples++;
			return;
		}
	}
	firmware_profile.dropped++;
}

void firmware_init(void)
{
	firmware_profile.table = (uintptr_t)table;
	DEVICE_REGISTER(TIMER_MINSTCMP) = DEVICE_REGISTER(TIMER_MINST) + next_distance();
	csr_write(mie, UINT64_C(1) << IRQ_INSTS);
}

/* The program will continue at mepc: the instruction after the one that the timer was set to. */
void firmware_interrupt(uint64_t cause)
{
	if (cause != IRQ_INSTS)
		return;
	count(csr_read(mepc));
	DEVICE_REGISTER(TIMER_MINSTCMP) += next_distance();
}
