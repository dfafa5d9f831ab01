/* "Did you mean": the known word nearest to a mistyped one. */
#ifndef CYCLOPS_CORE_BASE_NEAREST_WORD_H
#define CYCLOPS_CORE_BASE_NEAREST_WORD_H

#include <stddef.h>

#include "core/base/err.h"

/* Edit distance between two words (insert, delete, replace, swap of neighbours), case ignored. */
unsigned nearest_distance(const char *a, const char *b);

/* Accumulates the best candidate over any number of calls. */
struct nearest {
	const char *word;  /* what was typed; borrowed */
	const char *best;  /* nearest so far, NULL if none is near enough; borrowed */
	unsigned distance; /* of best; only to be compared */
	/* of best, by nearest_offer_dotted(): letters that it begins with as the word does, if the
	 * group is the same */
	unsigned alike;
	char said[256]; /* by nearest_said() and nearest_tail() */
};

void nearest_init(struct nearest *n, const char *word);
void nearest_offer(struct nearest *n, const char *candidate);

/* The same of names of two parts, GROUP.NAME. Names of the word's group go before others, of these
 * those that begin with the same words between _; of several the one whose NAME is nearest, as a
 * whole or word by word, then the one that is nearest as it is. */
void nearest_offer_dotted(struct nearest *n, const char *candidate);

/* "did you mean 'rob'?", or the text of this format if nothing is near. Borrowed from n. */
const char *nearest_said(struct nearest *n, const char *otherwise, ...)
	__attribute__((format(printf, 2, 3)));
/* "; did you mean 'rob'?", or nothing. */
const char *nearest_tail(struct nearest *n);

/* Index of `word` among names[count]. If it is none of them -1, and which there are: "no WHAT
 * 'word': ...". */
int nearest_choice(const char *word, const char *const *names, unsigned count, const char *what,
                   struct err *err);

#endif
