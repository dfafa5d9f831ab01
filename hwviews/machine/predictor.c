#include "hwviews/machine/predictor.h"

#include "core/defs/config.h"

const char *bpred_kind_name(enum bpred_kind kind)
{
	static const char *const kinds[] = {
		[BPRED_BIMODAL] = "bimodal",    [BPRED_TWOLEVEL] = "two-level",
		[BPRED_GSHARE] = "gshare",      [BPRED_COMBINED] = "combined",
		[BPRED_TAKEN] = "always taken", [BPRED_NOTTAKEN] = "never taken",
		[BPRED_EXTERNAL] = "a plug-in", [BPRED_PERCEPTRON] = "perceptrons",
		[BPRED_PERFECT] = "perfect",
	};
	return kinds[kind];
}

bool bpred_uses_bimodal(const struct bpred *b)
{
	return b->kind == BPRED_BIMODAL || b->kind == BPRED_COMBINED;
}

bool bpred_uses_two_level(const struct bpred *b)
{
	return b->kind == BPRED_TWOLEVEL || b->kind == BPRED_GSHARE || b->kind == BPRED_COMBINED;
}

bool bpred_shows_history(const struct bpred *b)
{
	return bpred_uses_two_level(b) || b->kind == BPRED_PERCEPTRON;
}

char *format_history(const struct bpred *b, uint32_t history, char *buf, size_t n)
{
	size_t bits = (size_t)CONFIG(b->cfg, bpred_history), at = 0;
	for (; at < bits && at + 1 < n; at++)
		buf[at] = history >> (bits - 1 - at) & 1 ? 'T' : 'n';
	buf[at] = '\0';
	return buf;
}
