#include "loader/instrument/switches.h"

#include "loader/profile_code.h"

const char *const units_name[UNITS_COUNT] = {
	[UNITS_UNSAID] = "unsaid",
#define U(id, name, help) [UNITS_##id] = name,
	SWITCH_UNITS(U)
#undef U
};

static uint16_t flag_reset(unsigned k)
{
	return flag_hint(HINT_RESETPF + k);
}

uint16_t flag_set(unsigned k)
{
	return flag_hint(HINT_SETPF + k);
}

bool program_flags(const struct program *p, struct flags *out)
{
	uint64_t bytes;
	const struct flag_place *all = program_section(p, FLAGS_SECTION, &bytes);
	if (!all || bytes % sizeof *all)
		return false;
	*out = (struct flags){.count = bytes / sizeof *all, .all = all};
	for (uint64_t i = 0; i < out->count; i++)
		if (all[i].units >= UNITS_COUNT || !all[i].types || all[i].types >> PROFILE_TYPES)
			return false;
	return true;
}

/* Searches the code inserted before p's instruction. */
uint64_t flag_address(const struct moved_code *m, const struct flag_place *p, unsigned k,
                      bool other, flag_read_fn *read, const void *ctx)
{
	const uint64_t end = moved_code_to(m, p->at), index = moved_index(m, end);
	uint64_t at = index ? m->text + m->pairs[2 * index - 2] : m->text;
	uint32_t raw = 0;
	for (unsigned pair = other; at < end; at += (raw & 3) == 3 ? 4 : 2) {
		if (!read(ctx, at, &raw, at + 4 <= end ? 4 : 2))
			return 0;
		const uint16_t low = (uint16_t)raw;
		/* A check has both. */
		if ((low == flag_reset(k) || (low == flag_set(k) && !p->check)) && !pair--)
			return at;
	}
	return 0;
}
