/* The specification of `run --sample`: U=1000,W=1000,check=30000,n=auto,
 * target=2%,confidence=99.7%,seed=1,parts=1. */
#ifndef CYCLOPS_UI_CLI_SAMPLE_SPEC_H
#define CYCLOPS_UI_CLI_SAMPLE_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"

enum { SAMPLE_PARTS_MAX = 256 };

struct sample_spec {
	uint64_t unit, warm, check; /* instructions, as of struct sample_plan */
	uint64_t n;          /* units; 0: as many as the target needs */
	double target;       /* half the width of the CPI's interval, relative to the CPI: 0.02 */
	double confidence;   /* 0.997 */
	uint64_t seed;       /* of the units' places */
	/* parts of the program, each warmed by itself; 0: one per job */
	unsigned parts;
};

/* True if the word is a specification, not a program's name. */
bool sample_spec_is(const char *word);
/* Parses the text; NULL: the defaults. False with *err, which describes valid texts. */
bool sample_spec_parse(struct sample_spec *s, const char *text, struct err *err);

#endif
