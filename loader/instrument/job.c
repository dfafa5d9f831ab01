/* Shared by the kinds of instrumentation: counters, live registers, functions left alone. */
#include "core/base/alloc.h"
#include "loader/instrument/kind.h"
#include "loader/instrument/skipped_functions.h"

bool job_counters(struct job *j, uint64_t at, uint64_t to, uint64_t n, uint64_t *first)
{
	if (n > j->counter_room - j->counter_count) {
		size_t room = 2 * (j->counter_room + n) + 1024;
		struct counter *more = alloc_resize(j->counters, room * sizeof *more);
		if (!more)
			return err_set(j->err, "out of memory for instrumentation");
		j->counters = more;
		j->counter_room = room;
	}
	*first = j->counter_count;
	for (uint64_t k = 0; k < n; k++)
		j->counters[j->counter_count++] = (struct counter){at, to};
	j->sum->counters += n;
	return true;
}

enum skip_reason job_untouched(const struct edit_function *f)
{
	return f->denied    ? LEFT_DENIED
	       : f->fixed   ? LEFT_FIXED
	       : f->entered ? LEFT_ENTERED
	                    : LEFT_WHY_COUNT;
}

bool job_leave(struct job *j, const struct edit_function *f, enum skip_reason why)
{
	if (j->left_count == j->left_room) {
		const size_t room = 2 * j->left_room + 64;
		struct skipped_function *more = alloc_resize(j->left, room * sizeof *more);
		if (!more)
			return err_set(j->err, "out of memory for instrumentation");
		j->left = more;
		j->left_room = room;
	}
	j->left[j->left_count++] = (struct skipped_function){j->insts[f->first].addr, why, j->kind};
	j->sum->left_by[why]++;
	return true;
}

uint32_t job_live_at(const struct job *j, uint32_t i)
{
	return i < j->count && !(j->insts[i].flags & EDIT_DATA) ? j->live[i] : UINT32_MAX;
}

uint32_t job_live_behind(const struct job *j, uint32_t i)
{
	return job_live_at(j, i + 1);
}

uint32_t job_live_taken(const struct job *j, uint32_t i)
{
	return job_live_at(j, edit_inst_at(j->e, j->insts[i].target));
}

void job_reserve(struct job *j, const struct edit_function *f, unsigned reg)
{
	j->reserved[j->insts[f->first].function] |= UINT32_C(1) << reg;
}

bool job_wants(const struct job *j, const struct edit_function *f)
{
	return j->wanted[j->insts[f->first].function];
}
