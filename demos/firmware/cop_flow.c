/* Edge profiling with the co-processor, without pairs: the handler of demos/microcode/flow.mic. Counts outcomes of branches, and calls.
 *
 *     build/cyclops run --firmware build/demos/firmware/cop_flow.elf -o cop.enable=true --stats - build/demos/lisp
 *
 * `require "cyclops.counts".profile(m)` reads the table: calls are its targets. The latest counts
 * are still in the co-processor's slots. */
#include "cop_counts.h"
#include "microcode/flow.h"

static unsigned slots;

static void handler_init(uint64_t sizes)
{
	slots = entries_of(sizes, 3, 0);
	DEVICE_REGISTER(COP_B(1)) = DEVICE_REGISTER(COP_B(2)) = slots;
	DEVICE_REGISTER(COP_B(3)) = 2 * slots;
}

static void handler_added(struct count_entry *e)
{
	(void)e;
}

/* The record that found no slot. */
static void flow_count_missed(void)
{
	const uint32_t pc = (uint32_t)DEVICE_REGISTER(COP_V(2)), target = (uint32_t)DEVICE_REGISTER(COP_V(4));
	const bool taken = DEVICE_REGISTER(COP_V(3)) & 1;
	if (target)
		count(COUNT_TARGET, pc, target, 1, 0, 0, 0);
	else if (pc)
		count(COUNT_BRANCH, pc, 0, !taken, taken, 0, 0);
}

static void handler_fold(void)
{
	static uint32_t counts[ENTRIES_MAX], places[ENTRIES_MAX], targets[ENTRIES_MAX];
	const unsigned used = valid_entries(slots);
	read_words(counts, COP_DATA, 0, used);
	read_words(places, COP_DATA, slots, used);
	read_words(targets, COP_DATA, 2 * slots, used);
	for (unsigned i = 0; i < used; i++) {
		if (targets[i])
			count(COUNT_TARGET, places[i], targets[i], counts[i], 0, 0, 0);
		else
			count(COUNT_BRANCH, places[i], 0, counts[i] & 0xffff, counts[i] >> 16, 0, 0);
	}
	flow_count_missed();
	DEVICE_REGISTER(COP_INVALIDATE) = 1;
	DEVICE_REGISTER(COP_CLEAR_DATA) = 1;
	DEVICE_REGISTER(COP_V(2)) = DEVICE_REGISTER(COP_V(4)) = 0;
}

void firmware_init(void)
{
	const struct cop_program program = COP_PROGRAM(flow, FLOW);
	start(&program, FLOW_CLASSES);
}
