/* Memory dependence profiling with the co-processor: the handler of demos/microcode/memdep.mic. Counts how often a load read a store's value.
 *
 *     build/cyclops run --firmware build/demos/firmware/cop_memdep.elf -o cop.enable=true --stats - build/demos/lisp */
#include "cop_counts.h"
#include "microcode/memdep.h"

static unsigned entries;

static void handler_init(uint64_t sizes)
{
	entries = entries_of(sizes, 3, 0);
	DEVICE_REGISTER(COP_B(1)) = DEVICE_REGISTER(COP_B(3)) = entries;
	DEVICE_REGISTER(COP_B(4)) = 2 * entries;
}

static void handler_fold(void)
{
	static uint32_t cam[ENTRIES_MAX], stores[ENTRIES_MAX], counts[ENTRIES_MAX];
	const unsigned used = (unsigned)DEVICE_REGISTER(COP_X(2)) - RING;
	const uint32_t missed = (uint32_t)DEVICE_REGISTER(COP_V(5));
	read_words(cam, COP_CAM, RING, used);
	read_words(stores, COP_DATA, RING, used);
	read_words(counts, COP_DATA, entries + RING, used);
	for (unsigned i = 0; i < used; i++)
		count(COUNT_DEPENDENCE, stores[i], cam[i] ^ stores[i] << 16, counts[i], 0, 0, 0);
	if (missed)
		count(COUNT_DEPENDENCE, (uint32_t)DEVICE_REGISTER(COP_V(1)), missed, 1, 0, 0, 0);
	DEVICE_REGISTER(COP_V(5)) = 0;
	DEVICE_REGISTER(COP_X(2)) = RING;
	forget_slots(entries);
}

static void handler_added(struct count_entry *e)
{
	(void)e;
}

void firmware_init(void)
{
	const struct cop_program program = COP_PROGRAM(memdep, MEMDEP);
	start(&program, MEMDEP_CLASSES);
}
