/* The parts of the direction predictor, for views. */
#ifndef CYCLOPS_HWVIEWS_MACHINE_PREDICTOR_H
#define CYCLOPS_HWVIEWS_MACHINE_PREDICTOR_H

#include <stddef.h>

#include "core/pipe/frontend/bpred.h"

/* "two-level", "a plug-in". */
const char *bpred_kind_name(enum bpred_kind kind);
bool bpred_uses_bimodal(const struct bpred *b);
bool bpred_uses_two_level(const struct bpred *b);
/* True if tables or perceptrons use the history. */
bool bpred_shows_history(const struct bpred *b);
/* "nTTnTTnT": T taken, n not, the newest right. Writes at most n bytes to buf and returns it. */
char *format_history(const struct bpred *b, uint32_t history, char *buf, size_t n);

#endif
