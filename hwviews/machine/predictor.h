/* The parts of the direction predictor, for views. */
#ifndef CYCLOPS_HWVIEWS_MACHINE_PREDICTOR_H
#define CYCLOPS_HWVIEWS_MACHINE_PREDICTOR_H

#include <stddef.h>

#include "core/pipe/frontend/bpred.h"
#include "core/pipe/frontend/predictor.h"

/* "nTTnTTnT": T taken, n not, the newest right. Writes at most n bytes to buf and returns it. */
char *format_history(const struct bpred *b, uint32_t history, char *buf, size_t n);
/* Fills in the parts of this mark's prediction, the believed part first; returns their number. */
unsigned predictor_parts(const struct bpred *b, const struct bpred_mark *mark,
                         struct predictor_part out[PREDICTOR_PARTS_MAX]);
/* The part of this name, NULL if there is none. */
const struct predictor_part *predictor_part_named(const struct predictor_part *parts, unsigned n,
                                                  const char *name);

#endif
