/* State of a machine without timing: results of the program and of warming, without the pipeline.
 * Machines that differ in their core alone have parts of the same sizes, so one machine can adopt
 * another's state. */
#ifndef CYCLOPS_CORE_MACHINE_WARM_STATE_H
#define CYCLOPS_CORE_MACHINE_WARM_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

struct config;
struct machine;
struct param;

enum { WARM_SPANS = 32 };

/* A part of the arena. */
struct warm_span {
	const char *name;
	uint64_t *at; /* [words]; padded with zeros */
	size_t words;
};

/* Fills out[] and returns the number of spans, at most WARM_SPANS. Borrowed from the machine. */
unsigned machine_warm_spans(struct machine *m, struct warm_span *out);
/* Digest of the spans' names and sizes: machines with the same digest can exchange state. */
uint64_t machine_warm_layout(struct machine *m);
/* Adopts spans and memory that the caller has written: the machine, before its first cycle, is then
 * in that state. False with *err if it is invalid: then the machine can only be freed. */
bool machine_warm_adopt(struct machine *m, struct err *err);
/* Whether a parameter concerns the core alone: it changes neither program nor warming. */
bool machine_warm_ignores(const struct param *p);

#endif
