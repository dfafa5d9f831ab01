#include "core/prof/sampler/component.h"

#include <inttypes.h>
#include <string.h>

#include "core/defs/kinds.h"

const char *const tuple_hash_name[TUPLE_HASHES_COUNT] = {
#define H(id, name, help) name,
	TUPLE_HASHES(H)
#undef H
};

const char *const component_letters[COMPONENT_KINDS] = {
#define C(id, name, letters, ...) letters,
	COMPONENT_ROWS(C, C)
#undef C
};
const char *const component_help[COMPONENT_KINDS] = {
#define C(id, name, letters, help, ...) [COMPONENT_##id] = (help),
	COMPONENT_ROWS(C, C)
#undef C
};

const char *const component_act_name[ACT_COUNT] = {
#define T(id, name, help) name,
	COMPONENT_ACTS(T)
#undef T
};
const char *const component_act_help[ACT_COUNT] = {
#define T(id, name, help) help,
	COMPONENT_ACTS(T)
#undef T
};

char *component_format_short(const struct component *c, char *buf, size_t n)
{
	struct textbuf t = {buf, n, 0};
	textbuf_add(&t, "%s%s%s", c->split ? "H(" : "", c->counted ? "C(" : "",
	            component_letters[c->kind]);
	if (c->ops->format)
		c->ops->format(c, &t);
	textbuf_add(&t, "%s", c->counted ? ")" : "");
	if (c->split)
		textbuf_add(&t, ", %" PRIu32 "%s%s)", c->entries, c->hash ? ", " : "",
		            c->hash ? tuple_hash_name[c->hash] : "");
	return buf;
}

char *component_format(const struct component *c, char *buf, size_t n)
{
	component_format_short(c, buf, n);
	if (!c->ops->options)
		return buf;
	struct textbuf t = {buf, n, strlen(buf) - 1}; /* before the last parenthesis */
	textbuf_add(&t, ", ");
	c->ops->options(c, &t);
	textbuf_add(&t, ")");
	return buf;
}

uint64_t component_bits(const struct component *c)
{
	return c->ops->bits(c);
}

uint32_t component_buckets(const struct component *c)
{
	return c->split || c->ops->tagged ? c->entries / c->ways : 0;
}

bool component_lossless(const struct component *c)
{
	return c->ops->lossless || c->counted;
}

void component_say_counter(const struct component *c, const struct component_counter *n,
                           struct textbuf *t)
{
	if (!n->known)
		textbuf_add(t, "no counter");
	else if (c->ops->say_counter)
		c->ops->say_counter(n, t);
	else
		textbuf_add(t, "%s of %s", GROUPED(n->at), GROUPED(n->of));
}
