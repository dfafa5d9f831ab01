/* Call stack monitoring with the co-processor: the handler of demos/microcode/calls.mic. Counts mispredictions by calling context.
 *
 *     build/cyclops run --firmware build/demos/firmware/cop_calls.elf -o cop.enable=true --stats - build/demos/lisp */
#include "cop_counts.h"
#include "microcode/calls.h"

static unsigned slots;

enum { STACK_ARRAYS = 3, STACK_FRAMES = CALLS_FRAMES };
/* For a procedure without a call. */
static uint32_t root_key(uint32_t thread, uint32_t signal, uint32_t pc)
{
	(void)thread;
	(void)signal;
	return pc << 16;
}
#include "cop_stacks.h"

static void handler_init(uint64_t sizes)
{
	slots = entries_of(sizes, 3, 3 * CALLS_FRAMES);
	DEVICE_REGISTER(COP_B(3)) = 3 * CALLS_FRAMES + slots;
	DEVICE_REGISTER(COP_B(5)) = slots;
	DEVICE_REGISTER(COP_B(6)) = 3 * CALLS_FRAMES + 2 * slots;
}

static void count_context(uint32_t key, uint32_t callee, uint32_t n)
{
	count(COUNT_CONTEXT, key ^ callee << 16, callee, n, 0, 0, 0);
}

static void handler_fold(void)
{
	static uint32_t cam[ENTRIES_MAX], callees[ENTRIES_MAX], counts[ENTRIES_MAX];
	if (exchange_stacks())
		return;
	const unsigned used = valid_entries(slots);
	read_words(cam, COP_CAM, 0, used);
	read_words(callees, COP_DATA, 3 * CALLS_FRAMES, used);
	read_words(counts, COP_DATA, 3 * CALLS_FRAMES + slots, used);
	for (unsigned i = 0; i < used; i++)
		count_context(cam[i], callees[i], counts[i]);
	if (DEVICE_REGISTER(COP_V(8)))
		count_context((uint32_t)DEVICE_REGISTER(COP_V(0)), (uint32_t)DEVICE_REGISTER(COP_V(1)), 1);
	DEVICE_REGISTER(COP_V(8)) = 0;
	DEVICE_REGISTER(COP_INVALIDATE) = 1;
}

static void handler_added(struct count_entry *e)
{
	(void)e;
}

void firmware_init(void)
{
	const struct cop_program program = COP_PROGRAM(calls, CALLS);
	start(&program, CALLS_CLASSES);
}
