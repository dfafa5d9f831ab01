/* The cycle that nobody watches, for reorder buffers of up to 64 entries: bitmaps are single words. */
#define RING_SMALL 1
#include "core/pipe/window.h"
#include "core/pipe/why.h"

#define WATCHED 0
#include "core/pipe/cycle.h"

void cycle_run_small(struct machine *m, uint64_t until_cycle, uint64_t until_insts)
{
	cycle_run(m, until_cycle, until_insts);
}
