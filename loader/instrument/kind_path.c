/* Instrumentation of kind path: a counter of each path through each procedure (Ammons, Ball and
 * Larus, section 2).
 *
 * The number of the path so far lies in a register that the procedure doesn't use and nobody
 * expects back from it. Across a call it lies in memory, in a region as large as a stack: at the
 * place that the stack pointer says. So each activation has a place of its own, and it is found
 * again however a call returns: by longjmp, too. Where no register is free it lies in another such
 * region all the time, at the place that the stack pointer at the procedure's entry says; where
 * that isn't known (loader/edit/activation.h), the procedure is left alone, and so is one that
 * calls before it has lowered the stack pointer. Two stacks (signals, coroutines) that lie a
 * multiple of the region's size apart share places: what is counted is wrong then. A path ends
 * before a call that may come back twice, as setjmp does.
 *
 * Jumps through registers that lead to known places (loader/edit/indirect_jumps.h) are edges: what
 * stands on them stands before the jump, and where who comes by a place's address arrives. Should
 * one lead elsewhere all the same, a path has a wrong number, and an array's counter is added to if
 * there is one.
 *
 * Of kind path+hw also what two of the machine's statistics add on each path (section 3): pic0 and
 * pic1 are 0 where a path begins, are read where it ends, and are put by across calls, beside the
 * path's number, so that what is called doesn't count. */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "loader/instrument/kind.h"
#include "loader/instrument/metrics.h"
#include "loader/instrument/path_code.h"

struct planned {
	struct path_plan plan;
	uint64_t table; /* address, of a hash table */
};

/* Arrays are the program's counters (instrument.h). */
static bool kind_path_instrument_function(struct path_counting *c, struct planned *p)
{
	struct path_place place = {.where = PATHS_IN_TABLE, .at = p->table};
	if (!p->plan.table.log2) {
		place.where = PATHS_IN_COUNTERS;
		if (!job_counters(c->j, c->j->insts[p->plan.f->first].addr, 0, p->plan.g.paths,
		                  &place.at))
			return false;
	}
	return path_put(c, &p->plan, &place);
}

static bool kind_path_instrument_all(struct path_counting *c)
{
	uint32_t count, n = 0;
	const struct edit_function *functions = edit_functions(c->j->e, &count);
	struct planned *all = alloc_zeroed(count + 1, sizeof *all);
	bool ok = all || err_set(c->j->err, "out of memory for paths");
	/* Counters come last in memory: there their number need not be known. */
	for (; ok && n < count; n++) {
		ok = path_plan(c, &functions[n], &all[n].plan);
		if (ok && all[n].plan.table.log2)
			all[n].table =
				edit_memory(c->j->e, (size_t)path_table_bytes(&all[n].plan.table));
	}
	c->j->memory = edit_memory_here(c->j->e);
	for (uint32_t f = 0; ok && f < count; f++)
		ok = !all[f].plan.counted || kind_path_instrument_function(c, &all[f]);
	while (n--)
		path_plan_free(&all[n].plan);
	free(all);
	return ok;
}

bool count_paths(struct job *j)
{
	struct path_counting c;
	const bool metrics = j->kind == INSTRUMENT_PATH_HW;
	bool ok = path_counting_init(&c, j, metrics, 0) && (!metrics || metrics_select(j)) &&
	          kind_path_instrument_all(&c) && path_describe_all(&c);
	path_counting_free(&c);
	return ok;
}
