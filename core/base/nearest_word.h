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
	const char *best;  /* nearest yet, NULL if none is near enough; borrowed */
	unsigned distance; /* of best; only for comparison */
	/* by nearest_offer_dotted(): length of the prefix that best shares with the word, if the
	 * group is the same */
	unsigned alike;
	char said[256]; /* buffer of nearest_said() and nearest_tail() */
};

void nearest_init(struct nearest *n, const char *word);
void nearest_offer(struct nearest *n, const char *candidate);

/* The same for names of two parts, GROUP.NAME. Prefers names of the word's group, among these names
 * that begin with the same words (separated by _), then the nearest NAME, as a whole or word by
 * word, then the nearest full name. */
void nearest_offer_dotted(struct nearest *n, const char *candidate);

/* "did you mean 'rob'?", or the formatted text if nothing is near. Borrowed from n. */
const char *nearest_said(struct nearest *n, const char *otherwise, ...)
	__attribute__((format(printf, 2, 3)));
/* "; did you mean 'rob'?", or nothing. */
const char *nearest_tail(struct nearest *n);

/* Index of `word` among names[count]. If absent -1, and *err lists the names: "no WHAT 'word':
 * ...". */
int nearest_choice(const char *word, const char *const *names, unsigned count, const char *what,
                   struct err *err);

#endif
