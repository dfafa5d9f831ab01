/* Compressors as text: reading, checking, writing. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/defs/kinds.h"
#include "core/prof/sampler/compress_hash.h"
#include "core/prof/sampler/compress_read.h"
#include "core/prof/sampler/compressor.h"

enum { STRATA_MAX = 1 << 20 };

#define C(id, name, ...) extern const struct component_ops component_##name;
COMPONENT_ROWS(C, C)
#undef C

/* By enum component_kind. */
static const struct component_ops *const component_kinds[COMPONENT_KINDS] = {
#define C(id, name, ...) &component_##name,
	COMPONENT_ROWS(C, C)
#undef C
};

/* ---- components ---- */
/* Lists components as they are written: samplers ("P(r)"), which C and H take; then, if `all`,
 * C(X), H(X, n) and the others. */
static const char *compress_parse_list_components(bool all, char *buf, size_t n)
{
	struct textbuf t = {buf, n, 0};
	*buf = '\0';
	for (unsigned pass = 0; pass < (all ? 2 : 1); pass++) {
		for (unsigned k = 0; k < COMPONENT_KINDS; k++) {
			if ((component_kinds[k]->rule ? 0 : 1) != pass)
				continue;
			textbuf_add(&t, "%s%s%.*s", t.used ? ", " : "", component_letters[k],
			            (int)strcspn(component_help[k], " "), component_help[k]);
		}
		textbuf_add(&t, "%s", pass ? "" : all ? ", C(X), H(X, n)" : " or C of one of them");
	}
	return buf;
}

/* The number of the component with these letters; COMPONENT_KINDS: none. */
static unsigned compress_parse_find_kind(const char *letters)
{
	unsigned k = 0;
	while (k < COMPONENT_KINDS && strcmp(letters, component_letters[k]) != 0)
		k++;
	return k;
}

/* A sampler, or C of one; `where`: "C counts for". */
static bool compress_parse_sampler(struct compress_reader *r, const char *w, struct component *c,
                                   const char *where)
{
	char inner[COMPRESS_WORD_MAX], list[128];
	const unsigned k = compress_parse_find_kind(w);
	if (!strcmp(w, "C")) {
		if (!compress_read_sign(r, '(', "C counts for a sampler, as in C(R(10))"))
			return false;
		compress_read_word(r, inner);
		if (!strcmp(inner, "C"))
			return err_set(r->err, "C counts for a sampler, not for another C");
		c->counted = true;
		return compress_parse_sampler(r, inner, c, "C counts for") &&
		       compress_read_sign(r, ')', "C counts for one sampler, as in C(R(10))");
	}
	if (k == COMPONENT_KINDS || !component_kinds[k]->rule)
		return err_set(r->err, "%s %s, not '%s'", where,
		               compress_parse_list_components(false, list, sizeof list), w);
	c->kind = k;
	c->ops = component_kinds[k];
	return c->ops->parse(r, c);
}

/* (X, n) or (X, n, HASH) */
static bool compress_parse_splitter(struct compress_reader *r, struct component *c)
{
	static const char how[] = "splitters are written as H(P(256), 2048)";
	char w[COMPRESS_WORD_MAX];
	if (!compress_read_sign(r, '(', how))
		return false;
	compress_read_word(r, w);
	if (!compress_parse_sampler(r, w, c, "H splits for") || !compress_read_sign(r, ',', how) ||
	    !compress_read_number(r, "the number of strata", 1, STRATA_MAX, &c->entries))
		return false;
	c->split = true;
	if (compress_accept(r, ',') && !compress_read_hash(r, c))
		return false;
	if (c->hash != HASH_MODULO && !compressor_is_power_of_two(c->entries))
		return err_set(r->err,
		               "%" PRIu32 " strata; expected a power of two, or any number with "
		               "the hash function modulo",
		               c->entries);
	return compress_read_sign(r, ')', how);
}

static bool compress_parse_component(struct compress_reader *r, struct component *c)
{
	char w[COMPRESS_WORD_MAX], buf[80], list[160];
	*c = (struct component){.entries = 1, .ways = 1};
	compress_read_word(r, w);
	const unsigned k = compress_parse_find_kind(w);
	if (!*w)
		return err_set(r->err, "a component is missing %s: %s",
		               compress_read_place(r, buf, sizeof buf),
		               compress_parse_list_components(true, list, sizeof list));
	if (!strcmp(w, "H"))
		return compress_parse_splitter(r, c);
	if (!strcmp(w, "C"))
		return compress_parse_sampler(r, w, c, "C counts for");
	if (k == COMPONENT_KINDS)
		return err_set(r->err, "no component '%s': there are %s", w,
		               compress_parse_list_components(true, list, sizeof list));
	c->kind = k;
	c->ops = component_kinds[k];
	return !c->ops->parse || c->ops->parse(r, c);
}

/* ---- the chain ---- */
/* Tuples that a message of this component stands for; 0: it has a count. */
static uint32_t unit_behind(const struct component *c)
{
	return c->ops->counts || c->counted ? 0 : c->rate * c->unit;
}

/* "A or external": components whose inputs may stand for different numbers of tuples. */
static const char *compress_parse_list_merging(struct textbuf t)
{
	for (unsigned k = 0; k < COMPONENT_KINDS; k++)
		if (component_kinds[k]->takes_any)
			textbuf_add(&t, "%s%s", t.used ? " or " : "", component_letters[k]);
	return t.buf;
}

static bool link_stages(struct compress_reader *r, struct compressor_spec *s)
{
	uint32_t unit = 1;
	unsigned external = 0;
	for (unsigned i = 0; i < s->count; i++) {
		struct component *c = &s->stage[i];
		char before[80], now[80], takers[40];
		if (c->ops->plugin)
			c->plugin = external++;
		if (i && !unit && !c->ops->takes_any)
			return err_set(r->err,
			               "%s can't follow %s, whose messages stand for different "
			               "numbers of tuples; expected %s",
			               component_format(c, now, sizeof now),
			               component_format(c - 1, before, sizeof before),
			               compress_parse_list_merging(
					       (struct textbuf){takers, sizeof takers, 0}));
		c->unit = unit;
		if (c->ops->link)
			c->ops->link(c);
		if (!c->ops->takes_any && (uint64_t)unit * c->rate > COMPRESS_RATE_MAX)
			return err_set(r->err, "the rates multiply to more than %d",
			               COMPRESS_RATE_MAX);
		unit = unit_behind(c);
	}
	return true;
}

bool compressor_parse(const char *text, struct compressor_spec *out, struct err *err)
{
	struct compress_reader r = {text, text, err};
	struct compressor_spec s = {0};
	char buf[80];
	do {
		if (s.count == COMPRESSOR_STAGES_MAX)
			return err_set(err, "a compressor has at most %d components",
			               COMPRESSOR_STAGES_MAX);
		if (!compress_parse_component(&r, &s.stage[s.count++]))
			return false;
	} while (compress_accept(&r, ','));
	compress_skip_blanks(&r);
	if (*r.at)
		return err_set(err, "a comma or nothing belongs %s",
		               compress_read_place(&r, buf, sizeof buf));
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
		n += s.stage[i].ops->plugin;
	return n;
}

/* ---- writing ---- */
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
