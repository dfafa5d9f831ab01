/* The specification of `run --simpoint`: K,interval=1M,seed=1. */
#ifndef CYCLOPS_UI_CLI_SIMPOINT_SPEC_H
#define CYCLOPS_UI_CLI_SIMPOINT_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"

struct simpoint_spec {
	unsigned k;        /* phases */
	uint64_t interval; /* instructions */
	uint64_t seed;
};

/* Parses the text. False with *err, which describes valid texts. */
bool simpoint_spec_parse(struct simpoint_spec *s, const char *text, struct err *err);

#endif
