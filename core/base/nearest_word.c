#include "core/base/nearest_word.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/textbuf.h"

enum { WORD_MAX = 63, SAME = WORD_MAX + 2 };

static unsigned nearest_min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;
	return m < c ? m : c;
}

static int nearest_fold_case(char c)
{
	return tolower((unsigned char)c);
}

unsigned nearest_distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b);
	if (la > WORD_MAX || lb > WORD_MAX)
		return UINT_MAX;
	unsigned d[WORD_MAX + 1][WORD_MAX + 1];
	for (size_t i = 0; i <= la; i++)
		d[i][0] = (unsigned)i;
	for (size_t j = 0; j <= lb; j++)
		d[0][j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		for (size_t j = 1; j <= lb; j++) {
			unsigned differ =
				nearest_fold_case(a[i - 1]) != nearest_fold_case(b[j - 1]);
			d[i][j] = nearest_min3(d[i - 1][j] + 1, d[i][j - 1] + 1,
			                       d[i - 1][j - 1] + differ);
			if (i > 1 && j > 1 &&
			    nearest_fold_case(a[i - 1]) == nearest_fold_case(b[j - 2]) &&
			    nearest_fold_case(a[i - 2]) == nearest_fold_case(b[j - 1]) &&
			    d[i - 2][j - 2] + 1 < d[i][j])
				d[i][j] = d[i - 2][j - 2] + 1;
		}
	}
	return d[la][lb];
}

/* The part of the name after its last dot; without a dot the whole name. */
static const char *own_name(const char *name)
{
	const char *dot = strrchr(name, '.');
	return dot ? dot + 1 : name;
}

static bool ends_word(char c)
{
	return !c || c == '_' || c == '.';
}

/* How many typing errors a word of this length may have. */
static unsigned nearest_max_typos(size_t letters)
{
	return letters < 5 ? 1 : letters < 11 ? 2 : ((unsigned)letters + 1) / 4;
}

void nearest_init(struct nearest *n, const char *word)
{
	*n = (struct nearest){.word = word, .distance = UINT_MAX};
}

void nearest_offer(struct nearest *n, const char *candidate)
{
	const size_t lw = strlen(n->word), lc = strlen(candidate),
		     longer = lw > lc ? lw - lc : lc - lw;
	const unsigned limit = nearest_max_typos(lw);
	/* Each character of difference in length costs at least one slip. */
	unsigned dist = longer > limit || longer >= n->distance
	                        ? UINT_MAX
	                        : nearest_distance(n->word, candidate);
	/* A name that begins or ends (at a word) with the typed word counts as one slip; a name
	 * that the typed word begins with, as two. */
	if (lw >= 3 && lc > lw &&
	    (!strncmp(candidate, n->word, lw) ||
	     (!isalnum((unsigned char)candidate[lc - lw - 1]) &&
	      !strcmp(candidate + lc - lw, n->word))))
		dist = dist < 1 ? dist : 1;
	else if (lc >= 3 && lw > lc && !strncmp(candidate, n->word, lc))
		dist = dist < 2 ? dist : 2;
	if (dist <= limit && dist < n->distance) {
		n->best = candidate;
		n->distance = dist;
	}
}

/* Moves *at past the next word of a name. Returns its length; 0: there is none. */
static size_t nearest_next_word(const char **at, char word[WORD_MAX + 1])
{
	while (**at && ends_word(**at))
		++*at;
	size_t n = 0;
	for (; !ends_word((*at)[n]) && n < WORD_MAX; n++)
		word[n] = (*at)[n];
	word[n] = '\0';
	*at += n;
	return n;
}

struct apart {
	unsigned slips; /* typing errors, each word of a against the nearest of b */
	unsigned more;  /* number of b's other words */
	bool some, all; /* whether any word, and whether every word, is like one of b's */
};

static struct apart words_apart(const char *a, const char *b)
{
	enum { PARTICLE = 2 }; /* "of" may be missing */
	char x[WORD_MAX + 1], y[WORD_MAX + 1];
	struct apart out = {.all = *a};
	size_t n;
	for (const char *at = b; nearest_next_word(&at, y);)
		out.more++;
	while ((n = nearest_next_word(&a, x))) {
		unsigned least = (unsigned)n;
		for (const char *at = b; nearest_next_word(&at, y);) {
			const unsigned d = nearest_distance(x, y);
			least = d < least ? d : least;
		}
		out.slips += least;
		out.more -= out.more > 0;
		out.some |= least <= nearest_max_typos(n) && n > PARTICLE;
		out.all &= least <= nearest_max_typos(n) || n <= PARTICLE;
	}
	return out;
}

void nearest_offer_dotted(struct nearest *n, const char *candidate)
{
	const char *word = own_name(n->word), *own = own_name(candidate);
	const size_t group = (size_t)(own - candidate);
	unsigned alike = 0;
	if (own > candidate && !strncmp(n->word, candidate, group)) {
		alike = (unsigned)group;
		/* the whole words at the beginning of both */
		for (size_t i = group; candidate[i - 1]; i++) {
			if (ends_word(candidate[i]) && ends_word(n->word[i]))
				alike = (unsigned)i;
			if (candidate[i] != n->word[i])
				break;
		}
	}
	/* A wrong group ("rob." for "pipe.") counts as two errors. Without an existing group, the
	 * text may be one word of the name. */
	const struct apart by_word = words_apart(alike ? word : n->word, alike ? own : candidate);
	const unsigned typed = nearest_distance(word, own),
		       whole = typed + (word > n->word && !alike ? 2 : 0),
		       apart = by_word.slips + by_word.more,
		       all = nearest_distance(n->word, candidate),
		       distance = (apart < whole ? apart : whole) * SAME +
		                  (all < SAME ? all : SAME - 1);
	if (alike <= group && typed > nearest_max_typos(strlen(word)) &&
	    !(by_word.some && (alike || by_word.all)))
		return; /* far off */
	if (!n->best || alike > n->alike || (alike == n->alike && distance < n->distance)) {
		n->best = candidate;
		n->distance = distance;
		n->alike = alike;
	}
}

const char *nearest_said(struct nearest *n, const char *otherwise, ...)
{
	va_list args;
	va_start(args, otherwise);
	if (n->best)
		snprintf(n->said, sizeof n->said, "did you mean '%s'?", n->best);
	else
		vsnprintf(n->said, sizeof n->said, otherwise, args);
	va_end(args);
	return n->said;
}

const char *nearest_tail(struct nearest *n)
{
	snprintf(n->said, sizeof n->said, n->best ? "; did you mean '%s'?" : "", n->best);
	return n->said;
}

int nearest_choice(const char *word, const char *const *names, unsigned count, const char *what,
                   struct err *err)
{
	struct nearest nearest;
	char all[160] = "";
	struct textbuf list = {all, sizeof all, 0};
	nearest_init(&nearest, word);
	for (unsigned i = 0; i < count; i++) {
		if (!strcmp(word, names[i]))
			return (int)i;
		nearest_offer(&nearest, names[i]);
		textbuf_add(&list, "%s%s", i ? ", " : "", names[i]);
	}
	if (!*word)
		err_set(err, "%s is missing: %s", what, all);
	else if (nearest.best)
		err_set(err, "no %s '%s': did you mean '%s'? (%s)", what, word, nearest.best, all);
	else
		err_set(err, "no %s '%s': there are %s", what, word, all);
	return -1;
}
