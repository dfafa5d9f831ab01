#include "core/prof/sampler/compress_read.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/nearest_word.h"
#include "core/prof/sampler/compress_hash.h"

static bool compress_read_is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

void compress_skip_blanks(struct compress_reader *r)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
}

bool compress_accept(struct compress_reader *r, char c)
{
	compress_skip_blanks(r);
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

const char *compress_read_place(const struct compress_reader *r, char *buf, size_t n)
{
	size_t length = 0;
	while (compress_read_is_word_char(r->at[length]))
		length++;
	if (!*r->at)
		snprintf(buf, n, "at the end");
	else
		snprintf(buf, n, "at '%.*s', column %zu",
		         (int)(length ? (length < 40 ? length : 40) : 1), r->at,
		         (size_t)(r->at - r->text) + 1);
	return buf;
}

bool compress_read_sign(struct compress_reader *r, char c, const char *what)
{
	char buf[80];
	return compress_accept(r, c) || err_set(r->err, "'%c' is missing %s: %s", c,
	                                        compress_read_place(r, buf, sizeof buf), what);
}

void compress_read_word(struct compress_reader *r, char out[COMPRESS_WORD_MAX])
{
	size_t n = 0;
	compress_skip_blanks(r);
	for (; compress_read_is_word_char(*r->at); r->at++)
		if (n < COMPRESS_WORD_MAX - 1)
			out[n++] = *r->at;
	out[n] = '\0';
}

bool compress_read_number(struct compress_reader *r, const char *what, uint32_t min, uint32_t max,
                          uint32_t *out)
{
	char buf[80], *end = NULL;
	compress_skip_blanks(r);
	errno = 0;
	unsigned long long n = isdigit((unsigned char)*r->at) ? strtoull(r->at, &end, 10) : 0;
	if (!end || compress_read_is_word_char(*end))
		return err_set(r->err, "a number is needed %s: %s",
		               compress_read_place(r, buf, sizeof buf), what);
	if (errno || n < min || n > max)
		return err_set(r->err, "%s is %" PRIu32 " to %" PRIu32 ", not %.*s", what, min, max,
		               (int)(end - r->at < 30 ? end - r->at : 30), r->at);
	r->at = end;
	*out = (uint32_t)n;
	return true;
}

bool compress_read_hash(struct compress_reader *r, struct component *c)
{
	char w[COMPRESS_WORD_MAX];
	compress_read_word(r, w);
	int i = nearest_choice(w, tuple_hash_name, TUPLE_HASHES_COUNT, "hash function", r->err);
	c->hash = i < 0 ? 0 : (uint32_t)i;
	return i >= 0;
}
