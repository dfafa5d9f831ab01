#include "loader/instrument/skipped_functions.h"

#include <stdlib.h>

#include "loader/edit/moved_code.h"
#include "loader/instrument/kind.h"

const char *const skip_reason_text[LEFT_WHY_COUNT] = {
#define W(id, alone, text) (text),
	LEFT_WHYS(W)
#undef W
};

const bool left_alone[LEFT_WHY_COUNT] = {
#define W(id, alone, text) alone,
	LEFT_WHYS(W)
#undef W
};

bool job_leave(struct job *j, const struct edit_function *f, enum skip_reason why)
{
	if (j->left_count == j->left_room) {
		const size_t room = 2 * j->left_room + 64;
		struct skipped_function *more = realloc(j->left, room * sizeof *more);
		if (!more)
			return err_set(j->err, "out of memory for instrumentation");
		j->left = more;
		j->left_room = room;
	}
	j->left[j->left_count++] = (struct skipped_function){j->insts[f->first].addr, why, j->kind};
	j->sum->left_by[why]++;
	return true;
}

bool program_left(const struct program *p, struct skipped_functions *out)
{
	uint64_t bytes;
	const struct skipped_function *all = program_section(p, LEFT_SECTION, &bytes);
	if (!all || bytes % sizeof *all)
		return false;
	*out = (struct skipped_functions){.count = bytes / sizeof *all, .all = all};
	for (uint64_t i = 0; i < out->count; i++)
		if (all[i].why >= LEFT_WHY_COUNT || all[i].kind >= INSTRUMENT_KIND_COUNT)
			return false;
	return true;
}
