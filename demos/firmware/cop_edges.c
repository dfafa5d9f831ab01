/* Edge profiling with the co-processor: the handler of demos/microcode/edges.mic. Counts outcomes
 * of branches, targets of indirect jumps and pairs of branches.
 *
 *     build/cyclops run --firmware build/demos/firmware/cop_edges.elf -o cop.enable=true --stats - build/demos/lisp
 *
 * If ENOUGH is not 0, a branch with ENOUGH samples is masked: the co-processor then samples the
 * others. */
#include "cop_counts.h"
#include "microcode/edges.h"

#ifndef ENOUGH
#define ENOUGH 0
#endif

enum { NONE = 0x800000, PLACE = NONE - 2 }; /* bits of a pc in an entry */

static unsigned slots;
static uint64_t filter_sizes; /* COP_SIZES */

static void handler_init(uint64_t sizes)
{
	filter_sizes = sizes;
	slots = entries_of(sizes, 4, 0);
	DEVICE_REGISTER(COP_B(1)) = 3 * slots;
	DEVICE_REGISTER(COP_B(2)) = DEVICE_REGISTER(COP_B(4)) = slots;
	DEVICE_REGISTER(COP_B(3)) = 2 * slots;
	DEVICE_REGISTER(COP_TABLES) = ENOUGH ? COP_MASK_HIGH : 0;
}

static void handler_added(struct count_entry *e)
{
	const uint64_t enough = ENOUGH;
	if (!enough || e->kind != COUNT_BRANCH || e->spare || e->n[0] + e->n[1] < enough)
		return;
	e->spare = 1; /* masked */
	cop_mask(COP_HIGH, e->from, filter_sizes);
}

static void count_slot(const uint32_t *cam, uint32_t key, uint32_t low, uint32_t high)
{
	const uint32_t place = key & PLACE;
	if (!(key & 1) && !(key & NONE))
		count(COUNT_BRANCH, place, 0, low & 0xffff, low >> 16, 0, 0);
	else if ((key & 1) && (key & NONE))
		count(COUNT_TARGET, cam[key >> 24], place, low, 0, 0, 0);
	else
		count(COUNT_PAIR, key & 1 ? cam[key >> 24] : 0, place, low & 0xffff, low >> 16, high & 0xffff, high >> 16);
}

/* Counts the record that found no slot. last: the branch before it, 0: none. Returns the new last
 * branch. */
static uint32_t edges_count_missed(uint32_t last)
{
	const uint32_t pc = (uint32_t)DEVICE_REGISTER(COP_V(3)), target = (uint32_t)DEVICE_REGISTER(COP_V(5));
	if (!pc)
		return last;
	if (target) {
		count(COUNT_TARGET, pc, target, 1, 0, 0, 0);
		return last;
	}
	const bool taken = DEVICE_REGISTER(COP_V(4)) & 1, last_taken = DEVICE_REGISTER(COP_X(2));
	count(COUNT_BRANCH, pc, 0, !taken, taken, 0, 0);
	count(COUNT_PAIR, last, pc, !last_taken && !taken, !last_taken && taken, last_taken && !taken, last_taken && taken);
	DEVICE_REGISTER(COP_X(2)) = taken ? slots : 0;
	return pc;
}

static void handler_fold(void)
{
	static uint32_t cam[ENTRIES_MAX], low[ENTRIES_MAX], high[ENTRIES_MAX];
	const unsigned used = valid_entries(slots);
	const uint32_t id = (uint32_t)DEVICE_REGISTER(COP_V(1));
	read_words(cam, COP_CAM, 0, used);
	read_words(low, COP_DATA, 0, used);
	read_words(high, COP_DATA, slots, used);
	for (unsigned i = 0; i < used; i++)
		count_slot(cam, cam[i], low[i], high[i]);
	const uint32_t last = edges_count_missed(id == NONE ? 0 : cam[id >> 24]);
	DEVICE_REGISTER(COP_INVALIDATE) = 1;
	DEVICE_REGISTER(COP_CLEAR_DATA) = 1;
	DEVICE_REGISTER(COP_V(3)) = DEVICE_REGISTER(COP_V(5)) = 0;
	if (!last)
		return;
	DEVICE_REGISTER(COP_CAM) = last; /* slot 0: the pair with the next branch continues from
	                                  * here */
	DEVICE_REGISTER(COP_VALID) = 1;
	DEVICE_REGISTER(COP_DATA + 4 * 3 * slots) = EDGES_PAIR;
	DEVICE_REGISTER(COP_V(1)) = EDGES_PAIR;
}

void firmware_init(void)
{
	const struct cop_program program = COP_PROGRAM(edges, EDGES);
	start(&program, EDGES_CLASSES);
}
