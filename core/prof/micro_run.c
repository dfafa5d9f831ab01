/* The engine's pipeline and what microinstructions do. */
#include "core/prof/micro.h"

#include <stddef.h>

enum micro_outcome micro_cycle(struct micro *m, const struct micro_records *r, struct micro_trace *out)
{
	*out = (struct micro_trace){0};
	if (m->st->halted || !r->count)
		return MICRO_NOTHING;
	/* No class has a routine as long as there is no executor. */
	out->kind = MICRO_SLOT_SKIP;
	out->outcome = MICRO_DONE;
	m->st->last = *out;
	return MICRO_DONE;
}

bool micro_waits(const struct micro *m, const struct micro_records *r)
{
	return m->st->halted || (!r->count && m->st->decode.kind == MICRO_SLOT_EMPTY && m->st->execute.kind == MICRO_SLOT_EMPTY);
}

const char *micro_check(const struct micro *m)
{
	return m->st->lfsr ? NULL : "the co-processor's random number register is 0";
}
