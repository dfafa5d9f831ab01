#include "hwviews/flow/stack_depth.h"

#include <string.h>

#include "core/mem/mem.h"

enum { LOOK_BYTES = 1 << 16, AT_ONCE = 1 << 12 };

static bool stack_depth_has_nonzero_word(const struct machine *m, uint64_t at)
{
	uint64_t words[AT_ONCE / 8], any = 0;
	if (!machine_peek(m, at, words, sizeof words))
		return false;
	for (size_t i = 0; i < AT_ONCE / 8; i++)
		any |= words[i];
	return any;
}

bool stack_was_deeper(const struct machine *m, uint64_t bytes)
{
	for (struct mem_region r = {0}; mem_next_region(machine_mem_const(m), r.end, &r);) {
		if (strcmp(r.name, "stack") != 0 || r.end - r.start < bytes + LOOK_BYTES)
			continue;
		for (uint64_t at = r.end - bytes - LOOK_BYTES; at < r.end - bytes;
		     at += AT_ONCE)
			if (stack_depth_has_nonzero_word(m, at))
				return true;
	}
	return false;
}
