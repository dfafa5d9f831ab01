#include "loader/instrument/counters.h"

#include <string.h>

#include "loader/edit/moved_code.h"

bool program_counters(const struct program *p, unsigned n, struct counters *out)
{
	struct counters_header h;
	uint64_t bytes, magic;
	const uint8_t *at = program_section(p, COUNTERS_SECTION, &bytes);
	if (!at || bytes < sizeof magic)
		return false;
	const uint8_t *const end = at + bytes;
	memcpy(&magic, at, sizeof magic);
	at += sizeof magic;
	if (magic != COUNTERS_MAGIC)
		return false;
	for (;; n--) {
		if ((size_t)(end - at) < sizeof h)
			return false;
		memcpy(&h, at, sizeof h);
		at += sizeof h;
		if (h.kind >= INSTRUMENT_KIND_COUNT || !h.words ||
		    h.count > (size_t)(end - at) / sizeof(struct counter) || h.type < -1 ||
		    h.type > 7 || h.flags > (COUNTERS_WHOLE | COUNTERS_ATOMIC))
			return false;
		if (!n)
			break;
		at += h.count * sizeof(struct counter);
	}
	*out = (struct counters){
		.kind = (enum instrument_kind)h.kind,
		.type = (int)h.type,
		.whole = h.flags & COUNTERS_WHOLE,
		.atomic = h.flags & COUNTERS_ATOMIC,
		.memory = h.memory,
		.words = h.words,
		.count = h.count,
		.all = (const struct counter *)(const void *)at,
	};
	return true;
}

bool program_counters_of(const struct program *p, enum instrument_kind kind, struct counters *out)
{
	for (unsigned n = 0; program_counters(p, n, out); n++)
		if (out->kind == kind)
			return true;
	return false;
}
