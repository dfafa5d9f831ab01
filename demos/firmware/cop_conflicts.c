/* Cache conflict profiling with the co-processor: the handler of demos/microcode/conflicts.mic. Counts conflicts by set, and
 * each load's accesses and misses in these sets.
 *
 *     build/cyclops run --firmware build/demos/firmware/cop_conflicts.elf -o cop.enable=true --stats - build/demos/fft
 *
 * For another L1D than the default's, define SETS and LINE (in bytes): powers of two. */
#include "cop_counts.h"
#include "microcode/conflicts.h"

#ifndef SETS
#define SETS CONFLICTS_SETS
#endif
#ifndef LINE
#define LINE CONFLICTS_LINE
#endif
enum { IS_LOAD = 0x800000 };

static unsigned entries;

static void handler_init(uint64_t sizes)
{
	entries = entries_of(sizes, 4, 0);
	DEVICE_REGISTER(COP_K(0)) = (SETS - 1) * LINE;
	DEVICE_REGISTER(COP_K(1)) = LINE - 1;
	DEVICE_REGISTER(COP_B(1)) = DEVICE_REGISTER(COP_B(3)) = entries;
	DEVICE_REGISTER(COP_B(4)) = 2 * entries;
	DEVICE_REGISTER(COP_B(5)) = 3 * entries;
}

/* Counts a load that found no slot; only its set can still be new. */
static void count_missed(void)
{
	const uint32_t pc = (uint32_t)DEVICE_REGISTER(COP_V(4)), set = (uint32_t)DEVICE_REGISTER(COP_V(0));
	if (!pc)
		return;
	count(COUNT_ACCESS, set, pc, 1, (uint32_t)DEVICE_REGISTER(COP_V(5)) >> 2 & 1, 0, 0);
	count(COUNT_SET, set, 0, (uint32_t)DEVICE_REGISTER(COP_V(6)), 0, 0, 0);
	DEVICE_REGISTER(COP_V(4)) = DEVICE_REGISTER(COP_V(6)) = 0;
}

static void handler_fold(void)
{
	static uint32_t cam[ENTRIES_MAX], counts[ENTRIES_MAX], misses[ENTRIES_MAX];
	const unsigned used = (unsigned)DEVICE_REGISTER(COP_X(3)) - RING;
	read_words(cam, COP_CAM, RING, used);
	read_words(counts, COP_DATA, RING, used);
	read_words(misses, COP_DATA, entries + RING, used);
	for (unsigned i = 0; i < used; i++)
		if (cam[i] & IS_LOAD)
			count(COUNT_ACCESS, cam[(cam[i] >> 24) - RING], cam[i] & (IS_LOAD - 1), counts[i], misses[i], 0, 0);
		else
			count(COUNT_SET, cam[i], 0, counts[i], 0, 0, 0);
	count_missed();
	DEVICE_REGISTER(COP_X(3)) = RING;
	forget_slots(entries);
}

static void handler_added(struct count_entry *e)
{
	(void)e;
}

void firmware_init(void)
{
	const struct cop_program program = COP_PROGRAM(conflicts, CONFLICTS);
	start(&program, CONFLICTS_CLASSES);
}
