/* "Did you mean": the known word nearest to a mistyped one. */
#ifndef CYCLOPS_CORE_NEAREST_H
#define CYCLOPS_CORE_NEAREST_H

#include <stddef.h>

#include "core/err.h"

/* Edit distance between two words (insert, delete, replace, swap of neighbours), case ignored. */
unsigned nearest_distance(const char *a, const char *b);

/* Accumulates the best candidate over any number of calls. */
struct nearest {
	const char *word;  /* what was typed; borrowed */
	const char *best;  /* nearest so far, NULL if none is near enough; borrowed */
	unsigned distance; /* of best */
};

void nearest_init(struct nearest *n, const char *word);
void nearest_offer(struct nearest *n, const char *candidate);

/* Index of `word` among names[count]. If it is none of them -1, and which there are: "no WHAT 'word': ...". */
int nearest_choice(const char *word, const char *const *names, unsigned count, const char *what, struct err *err);

#endif
