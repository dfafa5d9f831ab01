/* How well a few letters that were typed name a thing: letters in order, those that begin words and
 * those that follow each other first. */
#ifndef CYCLOPS_UI_SCREEN_FUZZY_H
#define CYCLOPS_UI_SCREEN_FUZZY_H

#include <stddef.h>

enum { FUZZY_NONE = -1, FUZZY_NAME = 160 };

/* Points for `n` letters, n > 0, in a name, whose first FUZZY_NAME bytes count; the case of letters
 * doesn't. FUZZY_NONE: they are not in it in this order. The same letters in a shorter name get
 * more; the whole name gets most. */
int fuzzy_word(const char *letters, size_t n, const char *name);

/* What can be found. */
struct fuzzy_item {
	const char *kind, *name, *help;
	/* other names, separated by blanks, that count if they are typed as a whole */
	const char *also;
};

/* Points of all words of a query, separated by blanks: each is in the name, another name, begins
 * the kind, or stands in the help as it is, which counts least. FUZZY_NONE if one of them is
 * nowhere; 0 for an empty query. */
int fuzzy_item(const char *query, const struct fuzzy_item *item);

#endif
