#include "hwviews/machine/predictor.h"

#include <string.h>

#include "core/defs/config.h"

char *format_history(const struct bpred *b, uint32_t history, char *buf, size_t n)
{
	size_t bits = (size_t)CONFIG(b->cfg, bpred_history), at = 0;
	for (; at < bits && at + 1 < n; at++)
		buf[at] = history >> (bits - 1 - at) & 1 ? 'T' : 'n';
	buf[at] = '\0';
	return buf;
}

unsigned predictor_parts(const struct bpred *b, const struct bpred_mark *mark,
                         struct predictor_part out[PREDICTOR_PARTS_MAX])
{
	return b->by->parts ? b->by->parts(b, mark, out) : 0;
}

const struct predictor_part *predictor_part_named(const struct predictor_part *parts, unsigned n,
                                                  const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(parts[i].name, name))
			return &parts[i];
	return NULL;
}
