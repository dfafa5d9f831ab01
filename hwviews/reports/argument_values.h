/* Arguments of functions over all places that call them, put together from what was sampled at
 * these (--values args). */
#ifndef CYCLOPS_HWVIEWS_REPORTS_ARGUMENT_VALUES_H
#define CYCLOPS_HWVIEWS_REPORTS_ARGUMENT_VALUES_H

#include "hwviews/reports/value_hints.h"

/* An argument that is nearly always the same, whoever calls. */
struct argument {
	/* its code is the function's first instruction, its kind that of the calls' lists; time: of
	 * the function, with that value */
	struct finding f;
	unsigned sites;     /* direct calls that were sampled, two at least */
	unsigned reg;
};

struct arguments {
	struct argument *at; /* [count], owned */
	size_t count;
};

/* Those with a share of values.invariant percent at least, in values.least samples at least, where
 * not each call has it fixed by its own code. False with *err if memory is out, or there is no
 * daemon. */
bool arguments_collect(const struct session *s, struct arguments *out, struct err *err);
void arguments_deinit(struct arguments *a);

/* Where a direct call leads, if a function begins there; NULL: it is none. */
const struct symbol *called_function(const struct session *s, const struct code *c);

#endif
