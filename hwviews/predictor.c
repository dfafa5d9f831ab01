#include "hwviews/predictor.h"

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

char *tell_history(const struct bpred *b, uint32_t history, char *buf, size_t n)
{
	size_t bits = (size_t)b->cfg->bpred_history, at = 0;
	for (; at < bits && at + 1 < n; at++)
		buf[at] = history >> (bits - 1 - at) & 1 ? 'T' : 'n';
	buf[at] = '\0';
	return buf;
}
