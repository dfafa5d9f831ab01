/* The cycle that nobody watches, for windows of any size: no event code at all. */
#include "core/pipe/window.h"
#include "core/pipe/why.h"

#define WATCHED 0
#include "core/pipe/cycle.h"

bool cycle_step_quiet(struct machine *m)
{
	return cycle_step(m);
}

void cycle_run_quiet(struct machine *m, uint64_t until_cycle, uint64_t until_insts)
{
	cycle_run(m, until_cycle, until_insts);
}
