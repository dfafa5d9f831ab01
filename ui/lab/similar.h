/* Hand-ins that resemble each other, for a lecturer to look at.
 *
 * Two are compared by the runs of six words that they share, where names and registers that a
 * student may change count as the same, comments as nothing, and what the lab gave them to begin
 * with is left out. */
#ifndef CYCLOPS_UI_LAB_SIMILAR_H
#define CYCLOPS_UI_LAB_SIMILAR_H

#include <stdbool.h>
#include <stddef.h>

struct similar_pair {
	size_t a, b;      /* of the texts; a < b */
	unsigned percent; /* of the shorter one's runs */
};

/* Pairs of texts[count] (NULL: none) that share `percent` or more, the most similar first, malloc'd
 * in *pairs. How many; -1 if memory is out. `common`: what all began with, or NULL. */
long similar_find(char *const *texts, size_t count, const char *common, unsigned percent,
                  struct similar_pair **pairs);

#endif
