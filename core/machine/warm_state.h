/* What a machine without timing is: all that a program and the warming before it have left, and
 * nothing of the pipeline. Its parts have the same sizes in all machines that differ in their core
 * alone, so that what one of them left can be put into another. */
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
	uint64_t *at; /* [words]; what is behind its last byte is zero */
	size_t words;
};

/* Returns how many there are, at most WARM_SPANS. Borrowed from the machine. */
unsigned machine_warm_spans(struct machine *m, struct warm_span *out);
/* Digest of their names and sizes: machines with the same can be given each other's. */
uint64_t machine_warm_layout(struct machine *m);
/* They and memory have been written: the machine, before its first cycle, stands there. False with
 * *err if that is no possible state: then it is good for nothing but machine_free(). */
bool machine_warm_adopt(struct machine *m, struct err *err);
/* Whether a parameter is of the core alone: neither the program nor warming knows of it. */
bool machine_warm_ignores(const struct param *p);

#endif
