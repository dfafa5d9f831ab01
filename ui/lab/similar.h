/* Finds hand-ins that resemble each other, for a lecturer to look at.
 *
 * The measure is the number of shared runs of six words. Names and registers that a student may
 * change count as equal; comments and the lab's own text are ignored. */
#ifndef CYCLOPS_UI_LAB_SIMILAR_H
#define CYCLOPS_UI_LAB_SIMILAR_H

#include <stdbool.h>
#include <stddef.h>

struct similar_pair {
	size_t a, b;      /* indices of the texts; a < b */
	unsigned percent; /* shared part of the shorter text's runs */
};

/* Finds the pairs of texts[count] (NULL: no text) that share `percent` or more, the most similar
 * first, malloc'd in *pairs. Returns their count; -1 if memory is out. common: the lab's text, from
 * which all hand-ins began, or NULL. */
long similar_find(char *const *texts, size_t count, const char *common, unsigned percent,
                  struct similar_pair **pairs);

#endif
