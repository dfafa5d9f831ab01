#include "loader/instrument/skipped_functions.h"

#include "loader/edit/moved_code.h"
#include "loader/instrument/kinds.h"

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
