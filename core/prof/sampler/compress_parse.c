/* Compressors as text: reading, checking, writing. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/prof/sampler/compressor_priv.h"

enum {
	WORD_MAX = 24,
	RATE_MAX = 1 << 30,
	STRATA_MAX = 1 << 20,
	TAGGED_MAX = 1 << 20,
	WAYS_MAX = 4096,
	ASSOCIATIVE_MAX = 4096,
	BITS_MAX = 31,
	MISS_BITS_MAX = 15,
	REPLACE_MIN = 2 /* the first miss is E4 */
};

static const char *const kind_letters[COMPONENT_KINDS] = {
#define C(id, letters, ...) letters,
	COMPONENTS(C)
#undef C
};

static const char *const hash_name[TUPLE_HASHES_COUNT] = {
#define H(id, name, help) name,
	TUPLE_HASHES(H)
#undef H
};

struct reader {
	const char *text, *at;
	struct err *err;
};

/* ---- words ---- */
static bool compress_parse_is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void compress_parse_skip_blanks(struct reader *r)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
}

static bool compress_parse_accept_char(struct reader *r, char c)
{
	compress_parse_skip_blanks(r);
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

/* Describes the place of an error: "at 'x', column 7", "at the end". */
static const char *compress_parse_describe_place(const struct reader *r, char *buf, size_t n)
{
	size_t length = 0;
	while (compress_parse_is_word_char(r->at[length]))
		length++;
	if (!*r->at)
		snprintf(buf, n, "at the end");
	else
		snprintf(buf, n, "at '%.*s', column %zu",
		         (int)(length ? (length < 40 ? length : 40) : 1), r->at,
		         (size_t)(r->at - r->text) + 1);
	return buf;
}

static bool compress_parse_expect_char(struct reader *r, char c, const char *what)
{
	char buf[80];
	return compress_parse_accept_char(r, c) ||
	       err_set(r->err, "'%c' is missing %s: %s", c,
	               compress_parse_describe_place(r, buf, sizeof buf), what);
}

static void compress_parse_word(struct reader *r, char *out)
{
	size_t n = 0;
	compress_parse_skip_blanks(r);
	for (; compress_parse_is_word_char(*r->at); r->at++)
		if (n < WORD_MAX - 1)
			out[n++] = *r->at;
	out[n] = '\0';
}

static bool compress_parse_number(struct reader *r, const char *what, uint32_t min, uint32_t max,
                                  uint32_t *out)
{
	char buf[80], *end = NULL;
	compress_parse_skip_blanks(r);
	errno = 0;
	unsigned long long n = isdigit((unsigned char)*r->at) ? strtoull(r->at, &end, 10) : 0;
	if (!end || compress_parse_is_word_char(*end))
		return err_set(r->err, "a number is needed %s: %s",
		               compress_parse_describe_place(r, buf, sizeof buf), what);
	if (errno || n < min || n > max)
		return err_set(r->err, "%s is %" PRIu32 " to %" PRIu32 ", not %.*s", what, min, max,
		               (int)(end - r->at < 30 ? end - r->at : 30), r->at);
	r->at = end;
	*out = (uint32_t)n;
	return true;
}

static bool compress_parse_hash(struct reader *r, struct component *c)
{
	char w[WORD_MAX];
	compress_parse_word(r, w);
	int i = nearest_choice(w, hash_name, TUPLE_HASHES_COUNT, "hash function", r->err);
	c->hash = i < 0 ? 0 : (uint32_t)i;
	return i >= 0;
}

/* ---- components ---- */
/* Reads "(r)", after the letters of a sampler. */
static bool compress_parse_rate(struct reader *r, struct component *c)
{
	return compress_parse_expect_char(r, '(', "samplers are written as P(256)") &&
	       compress_parse_number(r, "a sampler's rate", 1, RATE_MAX, &c->rate) &&
	       compress_parse_expect_char(r, ')', "samplers are written as P(256)");
}

/* R(r), Rc(r), P(r), C(one of these). */
static bool compress_parse_sampler(struct reader *r, const char *w, struct component *c,
                                   const char *where)
{
	char inner[WORD_MAX];
	if (!strcmp(w, "C")) {
		if (!compress_parse_expect_char(r, '(', "C counts for a sampler, as in C(R(10))"))
			return false;
		compress_parse_word(r, inner);
		if (!strcmp(inner, "C"))
			return err_set(r->err, "C counts for R, Rc or P, not for another C");
		c->counted = true;
		return compress_parse_sampler(r, inner, c, "C counts for") &&
		       compress_parse_expect_char(r, ')',
		                                  "C counts for one sampler, as in C(R(10))");
	}
	for (unsigned k = 0; k <= COMPONENT_PERIODIC; k++) {
		if (!strcmp(w, kind_letters[k])) {
			c->kind = k;
			return compress_parse_rate(r, c);
		}
	}
	return err_set(r->err, "%s R(r), Rc(r), P(r) or C of one of them, not '%s'", where, w);
}

/* (X, n) or (X, n, HASH) */
static bool compress_parse_splitter(struct reader *r, struct component *c)
{
	static const char how[] = "splitters are written as H(P(256), 2048)";
	char w[WORD_MAX];
	if (!compress_parse_expect_char(r, '(', how))
		return false;
	compress_parse_word(r, w);
	if (!compress_parse_sampler(r, w, c, "H splits for") ||
	    !compress_parse_expect_char(r, ',', how) ||
	    !compress_parse_number(r, "the number of strata", 1, STRATA_MAX, &c->entries))
		return false;
	c->split = true;
	if (compress_parse_accept_char(r, ',') && !compress_parse_hash(r, c))
		return false;
	if (c->hash != HASH_MODULO && !compressor_is_power_of_two(c->entries))
		return err_set(r->err,
		               "%" PRIu32 " strata; expected a power of two, or any number with "
		               "the hash function modulo",
		               c->entries);
	return compress_parse_expect_char(r, ')', how);
}

struct option {
	const char *name;
	uint32_t *value, min, max;
};

static bool compress_parse_option(struct reader *r, struct component *c)
{
	const struct option options[] = {
		{"ways", &c->ways, 1, WAYS_MAX},
		{"tag", &c->tag_bits, 0, BITS_MAX},
		{"hit", &c->hit_bits, 1, BITS_MAX},
		{"miss", &c->miss_bits, 1, MISS_BITS_MAX},
		{"evict", &c->evict, 1, INT32_MAX},
		{"replace", &c->replace, REPLACE_MIN, 1 << MISS_BITS_MAX},
	};
	enum { OPTIONS = sizeof options / sizeof *options };
	const char *names[OPTIONS + 1];
	char w[WORD_MAX];
	for (unsigned i = 0; i < OPTIONS; i++)
		names[i] = options[i].name;
	names[OPTIONS] = "hash";
	compress_parse_word(r, w);
	int i = nearest_choice(w, names, OPTIONS + 1, "option of T", r->err);
	if (i < 0 || !compress_parse_expect_char(r, '=', "options of T are written as ways=2"))
		return false;
	return i == OPTIONS ? compress_parse_hash(r, c)
	                    : compress_parse_number(r, w, options[i].min, options[i].max,
	                                            options[i].value);
}

static bool check_tagged(struct reader *r, const struct component *c)
{
	uint32_t sets = c->entries / c->ways;
	if (c->entries % c->ways || (c->hash != HASH_MODULO && !compressor_is_power_of_two(sets)))
		return err_set(r->err,
		               "T(%" PRIu32 ", ways=%" PRIu32
		               "); expected entries divided by ways to be a power of two, or any "
		               "number with hash=modulo",
		               c->entries, c->ways);
	if (c->evict > UINT32_C(1) << c->hit_bits)
		return err_set(r->err,
		               "evict=%" PRIu32 " is more than a hit counter of %" PRIu32
		               " bits reaches, %" PRIu32,
		               c->evict, c->hit_bits, UINT32_C(1) << c->hit_bits);
	if (c->replace > UINT32_C(1) << c->miss_bits)
		return err_set(r->err,
		               "replace=%" PRIu32 " is more than a miss counter of %" PRIu32
		               " bits reaches, %" PRIu32,
		               c->replace, c->miss_bits, UINT32_C(1) << c->miss_bits);
	if (c->replace > UINT32_C(1) << c->hit_bits) /* E6 turns misses into hits */
		return err_set(r->err,
		               "replace=%" PRIu32
		               ": misses become hits, which a counter of %" PRIu32
		               " bits holds only if replace is at most %" PRIu32,
		               c->replace, c->hit_bits, UINT32_C(1) << c->hit_bits);
	return true;
}

/* (n) or (n, ways=2, ...) */
static bool compress_parse_tagged(struct reader *r, struct component *c)
{
	static const char how[] =
		"tagged counters are written as T(2048) or T(2048, ways=2, tag=2)";
	*c = (struct component){
		.kind = COMPONENT_TAGGED,
		.ways = 2,
		.tag_bits = 2,
		.hit_bits = 8,
		.miss_bits = 3,
		.evict = 32,
		.replace = 8,
	};
	if (!compress_parse_expect_char(r, '(', how) ||
	    !compress_parse_number(r, "the number of tagged counters", 1, TAGGED_MAX, &c->entries))
		return false;
	if (c->entries < c->ways)
		c->ways = c->entries;
	while (compress_parse_accept_char(r, ','))
		if (!compress_parse_option(r, c))
			return false;
	return compress_parse_expect_char(r, ')', how) && check_tagged(r, c);
}

/* (k) or (k, bits) */
static bool compress_parse_associative(struct reader *r, struct component *c)
{
	static const char how[] = "associative counters are written as A(16) or A(16, 8)";
	c->kind = COMPONENT_ASSOCIATIVE;
	if (!compress_parse_expect_char(r, '(', how) ||
	    !compress_parse_number(r, "the number of associative counters", 1, ASSOCIATIVE_MAX,
	                           &c->entries))
		return false;
	if (compress_parse_accept_char(r, ',') &&
	    !compress_parse_number(r, "bits of an associative counter", 1, BITS_MAX,
	                           &c->count_bits))
		return false;
	return compress_parse_expect_char(r, ')', how);
}

static bool compress_parse_component(struct reader *r, struct component *c)
{
	char w[WORD_MAX], buf[80];
	*c = (struct component){.entries = 1, .ways = 1};
	compress_parse_word(r, w);
	if (!*w)
		return err_set(r->err,
		               "a component is missing %s: R(r), Rc(r), P(r), C(X), H(X, n), T(n), "
		               "A(k) or external",
		               compress_parse_describe_place(r, buf, sizeof buf));
	if (!strcmp(w, "H"))
		return compress_parse_splitter(r, c);
	if (!strcmp(w, "T"))
		return compress_parse_tagged(r, c);
	if (!strcmp(w, "A"))
		return compress_parse_associative(r, c);
	if (!strcmp(w, "C") || !strcmp(w, "P") || !strcmp(w, "R") || !strcmp(w, "Rc"))
		return compress_parse_sampler(r, w, c, "C counts for");
	if (!strcmp(w, COMPRESSOR_EXTERNAL)) {
		c->kind = COMPONENT_EXTERNAL;
		return true;
	}
	return err_set(r->err,
	               "no component '%s': there are R(r), Rc(r), P(r), C(X), H(X, n), T(n), A(k) "
	               "and external",
	               w);
}

/* ---- the chain ---- */
/* Tuples that a message of this component stands for; 0: it has a count. */
static uint32_t unit_behind(const struct component *c)
{
	return component_ops(c)->counts || c->counted ? 0 : c->rate * c->unit;
}

static bool link_stages(struct reader *r, struct compressor_spec *s)
{
	uint32_t unit = 1;
	unsigned external = 0;
	for (unsigned i = 0; i < s->count; i++) {
		struct component *c = &s->stage[i];
		char before[80], now[80];
		if (c->kind == COMPONENT_EXTERNAL)
			c->plugin = external++;
		if (i && !unit && !component_ops(c)->takes_any)
			return err_set(r->err,
			               "%s can't follow %s, whose messages stand for different "
			               "numbers of tuples; expected A or external",
			               component_format(c, now, sizeof now),
			               component_format(c - 1, before, sizeof before));
		c->unit = unit;
		if (c->kind == COMPONENT_ASSOCIATIVE && !c->count_bits)
			c->count_bits = unit ? 8 : 16;
		if (!component_ops(c)->takes_any && (uint64_t)unit * c->rate > RATE_MAX)
			return err_set(r->err, "the rates multiply to more than %d", RATE_MAX);
		unit = unit_behind(c);
	}
	return true;
}

bool compressor_parse(const char *text, struct compressor_spec *out, struct err *err)
{
	struct reader r = {text, text, err};
	struct compressor_spec s = {0};
	char buf[80];
	do {
		if (s.count == COMPRESSOR_STAGES_MAX)
			return err_set(err, "a compressor has at most %d components",
			               COMPRESSOR_STAGES_MAX);
		if (!compress_parse_component(&r, &s.stage[s.count++]))
			return false;
	} while (compress_parse_accept_char(&r, ','));
	compress_parse_skip_blanks(&r);
	if (*r.at)
		return err_set(err, "a comma or nothing belongs %s",
		               compress_parse_describe_place(&r, buf, sizeof buf));
	if (!link_stages(&r, &s))
		return false;
	*out = s;
	return true;
}

unsigned compressor_externals(const char *text)
{
	struct compressor_spec s;
	struct err err;
	unsigned n = 0;
	if (!compressor_parse(text, &s, &err))
		return 0;
	for (unsigned i = 0; i < s.count; i++)
		n += s.stage[i].kind == COMPONENT_EXTERNAL;
	return n;
}

/* ---- writing ---- */
static void format_sampler(const struct component *c, char *buf, size_t n)
{
	snprintf(buf, n, c->counted ? "C(%s(%" PRIu32 "))" : "%s(%" PRIu32 ")",
	         kind_letters[c->kind], c->rate);
}

static void format_tagged(const struct component *c, char *buf, size_t n)
{
	snprintf(buf, n,
	         "T(%" PRIu32 ", ways=%" PRIu32 ", tag=%" PRIu32 ", hit=%" PRIu32 ", miss=%" PRIu32
	         ", evict=%" PRIu32 ", replace=%" PRIu32 "%s%s)",
	         c->entries, c->ways, c->tag_bits, c->hit_bits, c->miss_bits, c->evict, c->replace,
	         c->hash ? ", hash=" : "", c->hash ? hash_name[c->hash] : "");
}

char *component_format(const struct component *c, char *buf, size_t n)
{
	char inner[48];
	if (c->kind == COMPONENT_EXTERNAL) {
		snprintf(buf, n, "%s", COMPRESSOR_EXTERNAL);
	} else if (c->kind == COMPONENT_TAGGED) {
		format_tagged(c, buf, n);
	} else if (c->kind == COMPONENT_ASSOCIATIVE) {
		snprintf(buf, n,
		         c->count_bits == (c->unit ? 8 : 16) ? "A(%" PRIu32 ")"
		                                             : "A(%" PRIu32 ", %" PRIu32 ")",
		         c->entries, c->count_bits);
	} else if (c->split) {
		format_sampler(c, inner, sizeof inner);
		snprintf(buf, n, "H(%s, %" PRIu32 "%s%s)", inner, c->entries, c->hash ? ", " : "",
		         c->hash ? hash_name[c->hash] : "");
	} else {
		format_sampler(c, buf, n);
	}
	return buf;
}

char *compressor_format(const struct compressor_spec *s, char *buf, size_t n)
{
	*buf = '\0';
	for (unsigned i = 0; i < s->count; i++) {
		char one[96];
		size_t at = strlen(buf);
		snprintf(buf + at, n - at, "%s%s", i ? ", " : "",
		         component_format(&s->stage[i], one, sizeof one));
	}
	return buf;
}
