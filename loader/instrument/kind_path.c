/* Instrumentation of kind path: a counter of each path through each procedure (Ammons, Ball and
 * Larus, section 2).
 *
 * The number of the path so far is in a caller-saved register that the procedure does not use.
 * Across a call it is saved in a region as large as a stack, at the place given by the stack
 * pointer: each activation has its own place, which is found again however a call returns,
 * including longjmp(). If no register is free, the number is always in another such region, at the
 * place given by the stack pointer at the procedure's entry; if that is not known
 * (loader/edit/activation.h), the procedure is left alone, and so is one that calls before it has
 * lowered the stack pointer and goes on after the call. Two stacks (signals, coroutines) that lie a
 * multiple of the region's size apart share places, which makes counts wrong. A path ends before a
 * call that may return twice, such as setjmp.
 *
 * Jumps through registers with known targets (loader/edit/indirect_jumps.h) are edges: code on them
 * is put before the jump, and where control arrives by a place's address. Should such a jump lead
 * elsewhere, the path's number is wrong, and in an array it is counted only if it is in range.
 *
 * Kind path+hw also sums two of the machine's statistics per path (section 3): pic0 and pic1 are 0
 * where a path begins, are read where it ends, and are saved across calls, beside the path's
 * number, so that callees don't count. */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "loader/instrument/kind.h"
#include "loader/instrument/metrics.h"
#include "loader/instrument/path_code.h"

struct planned {
	struct path_plan plan;
	uint64_t table; /* address, of a hash table */
};

/* Counts in an array, the program's counters (instrument.h). */
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
	/* Counters come last in memory: their number is not known yet. */
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
