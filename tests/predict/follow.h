/* The model of a machine's predictor, driven by the machine's events. */
#ifndef TESTS_PREDICT_FOLLOW_H
#define TESTS_PREDICT_FOLLOW_H

#include "core/defs/config.h"
#include "core/defs/events.h"
#include "core/pipe/pipe.h"
#include "tests/predict/model.h"

/* NULL: the predictor stands apart (core/defs/kinds.h). */
struct model *model_of(const struct config *c);

/* The instruction as a branch; calls and returns by the hints of the ISA manual. */
struct branch branch_of(const struct uop *u);

/* A branch's events after its prediction. */
void follow(struct model *m, const struct uop *u, const struct event *ev);

#endif
