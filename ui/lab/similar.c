#include "ui/lab/similar.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"

enum { RUN = 6, LEAST = 4 };
#define PRIME UINT64_C(0x100000001b3)

struct runs {
	uint64_t *hash; /* owned; [count], sorted, without duplicates */
	size_t count;
};

static uint64_t hash_of(const char *text, size_t n)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)text[i]) * PRIME;
	return h;
}

/* True for a word that names an operation, not an operand. */
static bool similar_is_keyword(const char *word, size_t n)
{
	static const char *const all[] = {"and",   "break", "do",       "else",   "elseif", "end",
	                                  "false", "for",   "function", "if",     "in",     "local",
	                                  "nil",   "not",   "or",       "repeat", "return", "then",
	                                  "true",  "until", "while"};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strlen(all[i]) == n && !strncmp(word, all[i], n))
			return true;
	return false;
}

/* Hashes the next word after *at; 0 at the end. *first: the word is the first of its line. */
static uint64_t similar_hash_next_word(const char **at, bool *first)
{
	const char *s = *at;
	for (;; s++) {
		if (*s == '\n')
			*first = true;
		else if (*s == '#' || *s == ';' || !strncmp(s, "--", 2) || !strncmp(s, "//", 2))
			s += strcspn(s, "\n") - (s[strcspn(s, "\n")] == '\n');
		else if (!isspace((unsigned char)*s))
			break;
		if (!*s || !s[1])
			break;
	}
	if (!*s || isspace((unsigned char)*s))
		return 0;
	size_t n = 1;
	uint64_t h;
	if (isalpha((unsigned char)*s) || *s == '_' || *s == '.') {
		while (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == '.')
			n++;
		const bool named =
			!(*first && s[n] != ':' && s[n] != '=') && !similar_is_keyword(s, n);
		h = named ? hash_of("name", 4) : hash_of(s, n);
		*first = s[n] == ':';
	} else if (isdigit((unsigned char)*s)) {
		while (isalnum((unsigned char)s[n]))
			n++;
		h = hash_of(s, n);
		*first = false;
	} else {
		h = hash_of(s, 1);
		*first = false;
	}
	*at = s + n;
	return h ? h : 1;
}

static int similar_compare_hashes(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static bool similar_has_hash(const struct runs *r, uint64_t h)
{
	return r->count && bsearch(&h, r->hash, r->count, sizeof h, similar_compare_hashes);
}

static bool similar_collect_hashes(struct runs *r, const char *text, const struct runs *without)
{
	uint64_t last[RUN] = {0}, word;
	size_t room = 0, words = 0;
	bool first = true;
	*r = (struct runs){0};
	for (const char *at = text; (word = similar_hash_next_word(&at, &first)); words++) {
		memmove(last, last + 1, sizeof last - sizeof *last);
		last[RUN - 1] = word;
		if (words + 1 < RUN)
			continue;
		const uint64_t h = hash_of((const char *)last, sizeof last);
		if (without && similar_has_hash(without, h))
			continue;
		if (r->count == room) {
			room = room ? room * 2 : 256;
			uint64_t *more = alloc_resize(r->hash, room * sizeof *more);
			if (!more)
				return false;
			r->hash = more;
		}
		r->hash[r->count++] = h;
	}
	size_t kept = 0;
	if (r->count)
		sort_stable(r->hash, r->count, sizeof *r->hash, similar_compare_hashes);
	for (size_t i = 0; i < r->count; i++)
		if (!kept || r->hash[kept - 1] != r->hash[i])
			r->hash[kept++] = r->hash[i];
	r->count = kept;
	return true;
}

static unsigned similar_shared_percent(const struct runs *a, const struct runs *b)
{
	size_t both = 0;
	const size_t least = a->count < b->count ? a->count : b->count;
	for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
		both += a->hash[i] == b->hash[k];
		const bool on_a = a->hash[i] <= b->hash[k], on_b = b->hash[k] <= a->hash[i];
		i += on_a;
		k += on_b;
	}
	return least < LEAST ? 0 : (unsigned)(both * 100 / least);
}

static int most_first(const void *a, const void *b)
{
	const struct similar_pair *x = a, *y = b;
	if (x->percent != y->percent)
		return (x->percent < y->percent) - (x->percent > y->percent);
	if (x->a != y->a)
		return (x->a > y->a) - (x->a < y->a);
	return (x->b > y->b) - (x->b < y->b);
}

long similar_find(char *const *texts, size_t count, const char *common, unsigned percent,
                  struct similar_pair **pairs)
{
	struct runs begun = {0}, *all = alloc_zeroed(count ? count : 1, sizeof *all);
	size_t found = 0, room = 0;
	bool ok = all && (!common || similar_collect_hashes(&begun, common, NULL));
	*pairs = NULL;
	for (size_t i = 0; i < count && ok; i++)
		ok = !texts[i] || similar_collect_hashes(&all[i], texts[i], &begun);
	for (size_t a = 0; a < count && ok; a++) {
		for (size_t b = a + 1; b < count && ok; b++) {
			const unsigned p = similar_shared_percent(&all[a], &all[b]);
			if (p < percent)
				continue;
			if (found == room) {
				room = room ? room * 2 : 64;
				struct similar_pair *more =
					alloc_resize(*pairs, room * sizeof *more);
				ok = more != NULL;
				*pairs = more ? more : *pairs;
			}
			if (ok)
				(*pairs)[found++] = (struct similar_pair){a, b, p};
		}
	}
	for (size_t i = 0; all && i < count; i++)
		free(all[i].hash);
	free(all);
	free(begun.hash);
	if (!ok) {
		free(*pairs);
		*pairs = NULL;
		return -1;
	}
	if (found)
		sort_stable(*pairs, found, sizeof **pairs, most_first);
	return (long)found;
}
