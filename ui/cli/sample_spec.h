/* What `run --sample` is asked for: U=1000,W=1000,check=30000,n=auto,
 * target=2%,confidence=99.7%,seed=1,parts=1. */
#ifndef CYCLOPS_UI_CLI_SAMPLE_SPEC_H
#define CYCLOPS_UI_CLI_SAMPLE_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"

enum { SAMPLE_PARTS_MAX = 256 };

struct sample_spec {
	uint64_t unit, warm, check; /* instructions, as of struct sample_plan */
	uint64_t n;          /* units; 0: as many as the target takes */
	double target;       /* of the CPI's interval, half its width by the CPI: 0.02 */
	double confidence;   /* 0.997 */
	uint64_t seed;       /* of the first unit's place */
	/* of the program, each warmed by itself; 0: as many as there are jobs */
	unsigned parts;
};

/* Whether a word is one of these, and no program's name. */
bool sample_spec_is(const char *word);
/* NULL: what is meant if nothing is said. False with *err, which names what would be right. */
bool sample_spec_parse(struct sample_spec *s, const char *text, struct err *err);

#endif
