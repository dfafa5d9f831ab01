/* Scores how well a few typed letters match a name: letters in order; beginnings of words and
 * adjacent letters score more. */
#ifndef CYCLOPS_UI_SCREEN_FUZZY_H
#define CYCLOPS_UI_SCREEN_FUZZY_H

#include <stdbool.h>
#include <stddef.h>

enum { FUZZY_NONE = -1, FUZZY_NAME = 160 };

/* Scores `n` letters, n > 0, in the first FUZZY_NAME bytes of a name, ignoring case. FUZZY_NONE:
 * the name lacks the letters in this order. Shorter names score more, the whole name most. */
int fuzzy_word(const char *letters, size_t n, const char *name);

/* A thing that can be found. */
struct fuzzy_item {
	const char *kind, *name, *help;
	/* other names, separated by blanks, that match only as a whole */
	const char *also;
};

/* Scores a query of words separated by blanks: each must match the name or another name, begin the
 * kind, or occur literally in the help, which scores least, and more as a whole word. FUZZY_NONE if
 * a word does not match; 0 for an empty query. */
int fuzzy_item(const char *query, const struct fuzzy_item *item);

/* True if each word of the query occurs in the name, with its letters adjacent. */
bool fuzzy_is_in(const char *query, const char *name);

#endif
