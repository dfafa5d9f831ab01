/* Scores how well typed letters match a name. */
#include "ui/screen/fuzzy.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Skipping costs less than the beginning of a word gains: `rs` finds reverse-step. */
enum {
	LETTER = 16,
	FOLLOWS = 18,
	WORD = 12,
	NAME = 6,
	WHOLE = 40,
	SKIPPED = 5,
	BEFORE_MOST = 4,
	LONGER_MOST = 20,
	NOWHERE = INT_MIN / 2
};
/* A kind's name matches from KIND_LETTERS letters on: a single letter would match all items of a
 * kind as well as names that begin with it. A whole word of the help scores more than scattered
 * letters of a name. */
enum { KIND = 40, KIND_LETTERS = 3, HELP = 1, HELP_WORD = KIND - HELP - 1 };

static int fuzzy_lower_char(char c)
{
	return tolower((unsigned char)c);
}

static bool begins_word(const char *name, size_t i)
{
	return !i || (!isalnum((unsigned char)name[i - 1]) && isalnum((unsigned char)name[i])) ||
	       (isdigit((unsigned char)name[i]) && isalpha((unsigned char)name[i - 1])) ||
	       (isupper((unsigned char)name[i]) && islower((unsigned char)name[i - 1]));
}

static int at_most(int most, size_t n)
{
	return n < (size_t)most ? (int)n : most;
}

int fuzzy_word(const char *letters, size_t n, const char *name)
{
	const size_t length = strnlen(name, FUZZY_NAME);
	int points[FUZZY_NAME + 1], best = NOWHERE;
	if (!n || n > length)
		return FUZZY_NONE;
	/* points[j + 1]: score of the letters so far if the last of them is name[j]. */
	for (size_t i = 0; i < n; i++) {
		/* points[j] for the previous letter; the best with characters skipped since */
		int before = NOWHERE, passed = NOWHERE;
		best = NOWHERE;
		for (size_t j = 0; j < length; j++) {
			int here = NOWHERE;
			if (fuzzy_lower_char(name[j]) == fuzzy_lower_char(letters[i])) {
				const int from = !i ? -at_most(BEFORE_MOST, j)
				                 : before + FOLLOWS > passed ? before + FOLLOWS
				                                             : passed;
				here = from + LETTER + (begins_word(name, j) ? WORD : 0) +
				       (j ? 0 : NAME);
			}
			passed = passed > before - SKIPPED ? passed : before - SKIPPED;
			before = i ? points[j + 1] : NOWHERE;
			points[j + 1] = here > NOWHERE / 2 ? here : NOWHERE;
			best = here > best ? here : best;
		}
	}
	if (best < NOWHERE / 2)
		return FUZZY_NONE;
	best += n == length ? WHOLE : -at_most(LONGER_MOST, length - n);
	return best > HELP ? best : HELP + 1;
}

static bool is_one_of(const char *letters, size_t n, const char *names)
{
	for (; *names; names += strspn(names, " ")) {
		const size_t length = strcspn(names, " ");
		if (length == n && !strncasecmp(names, letters, n))
			return true;
		names += length;
	}
	return false;
}

/* Scores a typed word in the help: a whole word, a whole word after the one found before, which
 * ends at *from, or any letters. FUZZY_NONE: they do not occur. */
static int fuzzy_help(const char *letters, size_t n, const char *help, const char **from)
{
	int best = FUZZY_NONE;
	const char *end = *from;
	for (const char *at = help; *at && best <= HELP_WORD; at++) {
		if (strncasecmp(at, letters, n) != 0)
			continue;
		const bool whole = (at == help || !isalnum((unsigned char)at[-1])) &&
		                   !isalnum((unsigned char)at[n]);
		const int points = !whole ? HELP : HELP_WORD + (at >= *from ? HELP : 0);
		if (points > best && whole)
			end = at + n;
		best = points > best ? points : best;
	}
	*from = end;
	return best;
}

static bool fuzzy_is_adjacent(const char *letters, size_t n, const char *name)
{
	while (*name && strncasecmp(name, letters, n) != 0)
		name++;
	return *name;
}

int fuzzy_item(const char *query, const struct fuzzy_item *item)
{
	int sum = 0;
	const char *from = item->help, *first = query + strspn(query, " ");
	/* Several words are a question, no abbreviations. */
	const bool several = first[strcspn(first, " ")] && strrchr(first, ' ')[1];
	for (const char *at = query + strspn(query, " "); *at; at += strspn(at, " ")) {
		const size_t n = strcspn(at, " ");
		int points = is_one_of(at, n, item->also) ? fuzzy_word(at, n, at)
		                                          : fuzzy_word(at, n, item->name);
		if (several && points > HELP && !fuzzy_is_adjacent(at, n, item->name))
			points = HELP;
		if (points < KIND && n >= KIND_LETTERS && !strncasecmp(item->kind, at, n))
			points = KIND;
		const int in_help =
			points < KIND ? fuzzy_help(at, n, item->help, &from) : FUZZY_NONE;
		points = in_help > points ? in_help : points;
		if (points == FUZZY_NONE)
			return FUZZY_NONE;
		sum += points;
		at += n;
	}
	return sum;
}

bool fuzzy_is_in(const char *query, const char *name)
{
	for (const char *at = query + strspn(query, " "); *at; at += strspn(at, " ")) {
		const size_t n = strcspn(at, " ");
		if (!fuzzy_is_adjacent(at, n, name))
			return false;
		at += n;
	}
	return true;
}
