/* Characters and texts in values, one byte each or wide, written as gdb does: UTF-8 unchanged,
 * invalid bytes as escapes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/grid/utf8.h"
#include "scripting/c/value_show.h"

enum { STRING_MAX = 1 << 16 };

/* A character, or a single unit that belongs to no character. */
struct glyph {
	uint32_t code;
	unsigned units; /* units that it takes */
	bool is_char;
};

static uint32_t value_string_unit_at(const struct chars *s, uint64_t i)
{
	uint32_t u = 0;
	memcpy(&u, (const uint8_t *)s->units + i * s->width, s->width);
	return u;
}

static bool is_half(uint32_t u, uint32_t from)
{
	return u >= from && u < from + 0x400;
}

static struct glyph value_string_glyph_at(const struct chars *s, uint64_t i)
{
	const uint32_t u = value_string_unit_at(s, i);
	struct glyph g = {u, 1, u < 0x80};
	if (g.is_char)
		return g;
	if (s->width == 1) {
		const uint64_t left = s->n - i;
		g.units = (unsigned)utf8_decode((const char *)s->units + i, left < 4 ? left : 4,
		                                &g.code);
		g.is_char = g.units > 1;
	} else if (s->width == 2 && is_half(u, 0xd800)) {
		const uint32_t low = i + 1 < s->n ? value_string_unit_at(s, i + 1) : 0;
		if (!is_half(low, 0xdc00))
			return g;
		g = (struct glyph){0x10000 + ((u - 0xd800) << 10) + (low - 0xdc00), 2, true};
	} else {
		g.is_char = u < 0x110000 && !is_half(u, 0xd800) && !is_half(u, 0xdc00);
	}
	g.is_char &= utf8_is_shown(g.code);
	return g;
}

static void add_utf8(struct text *t, uint32_t c)
{
	if (c < 0x800)
		textbuf_add(&t->out, "%c%c", (char)(0xc0 | c >> 6), (char)(0x80 | (c & 0x3f)));
	else if (c < 0x10000)
		textbuf_add(&t->out, "%c%c%c", (char)(0xe0 | c >> 12),
		            (char)(0x80 | (c >> 6 & 0x3f)), (char)(0x80 | (c & 0x3f)));
	else
		textbuf_add(&t->out, "%c%c%c%c", (char)(0xf0 | c >> 18),
		            (char)(0x80 | (c >> 12 & 0x3f)), (char)(0x80 | (c >> 6 & 0x3f)),
		            (char)(0x80 | (c & 0x3f)));
}

static void add_glyph(struct text *t, const struct chars *s, uint64_t i, char quote)
{
	static const char named[] = "\a\b\f\n\r\t\v", letters[] = "abfnrtv";
	const struct glyph g = value_string_glyph_at(s, i);
	const bool is_ascii = g.is_char && g.code < 0x80;
	const char *at = is_ascii && g.code ? strchr(named, (int)g.code) : NULL;
	if (at) {
		textbuf_add(&t->out, "\\%c", letters[at - named]);
	} else if (is_ascii && (g.code == (unsigned char)quote || g.code == '\\')) {
		textbuf_add(&t->out, "\\%c", (char)g.code);
	} else if (is_ascii && g.code >= ' ' && g.code < 0x7f) {
		textbuf_add(&t->out, "%c", (char)g.code);
	} else if (g.is_char && !is_ascii && !t->limits.seven_bits) {
		add_utf8(t, g.code);
	} else {
		for (unsigned k = 0; k < g.units; k++) {
			const uint32_t u = value_string_unit_at(s, i + k);
			textbuf_add(&t->out, u < 01000 ? "\\%03" PRIo32 : "\\x%" PRIx32, u);
		}
	}
}

static void add_prefix(struct text *t, const struct chars *s)
{
	if (s->prefix)
		textbuf_add(&t->out, "%c", s->prefix);
}

void show_char(struct text *t, uint32_t code, unsigned width, char prefix)
{
	const struct chars s = {&code, 1, width, prefix};
	add_prefix(t, &s);
	textbuf_add(&t->out, "'");
	add_glyph(t, &s, 0, '\'');
	textbuf_add(&t->out, "'");
}

/* Number of repetitions of the `units` units at i, the first included. */
static uint64_t run_of(const struct chars *s, uint64_t i, unsigned units)
{
	const uint8_t *at = (const uint8_t *)s->units + i * s->width;
	const size_t bytes = (size_t)units * s->width;
	uint64_t run = 1;
	while (i + (run + 1) * units <= s->n && !memcmp(at, at + run * bytes, bytes))
		run++;
	return run;
}

/* Folds long runs of one character. As in gdb, no run is cut: it is shown even beyond the limit. */
void show_string(struct text *t, const struct chars *s, bool cut)
{
	const uint64_t most = t->limits.elements ? t->limits.elements : UINT64_MAX,
		       repeats = t->limits.repeats ? t->limits.repeats : UINT64_MAX;
	uint64_t i = 0, shown = 0;
	bool open = false;
	add_prefix(t, s);
	if (!s->n)
		textbuf_add(&t->out, "\"\"");
	while (i < s->n && shown < most && t->out.used + 1 < t->out.n) {
		const unsigned units = value_string_glyph_at(s, i).units;
		const uint64_t run = run_of(s, i, units);
		shown += run;
		if (run > repeats) {
			textbuf_add(&t->out, "%s%s'", open ? "\"" : "", i ? ", " : "");
			add_glyph(t, s, i, '\'');
			textbuf_add(&t->out, "' <repeats %" PRIu64 " times>", run);
			open = false;
			i += run * units;
			continue;
		}
		if (!open)
			textbuf_add(&t->out, "%s\"", i ? ", " : "");
		open = true;
		for (uint64_t k = 0; k < run; k++, i += units)
			add_glyph(t, s, i, '"');
	}
	textbuf_add(&t->out, "%s%s", open ? "\"" : "", cut || i < s->n ? "..." : "");
}

unsigned show_char_width(const struct ctype *t, char *prefix)
{
	*prefix = ctype_wide_prefix(t);
	return t->kind == CTYPE_CHAR ? 1 : *prefix ? (unsigned)t->size : 0;
}

uint64_t show_pointed(struct text *t, uint64_t addr, unsigned width, char prefix)
{
	const uint64_t most = t->limits.elements && t->limits.elements < STRING_MAX
	                              ? t->limits.elements
	                              : STRING_MAX;
	uint32_t unit = 0;
	uint8_t *units = alloc_bytes(most * width);
	uint64_t n = 0;
	bool mapped = true;
	while (units && n < most &&
	       (mapped = frame_read(&t->calls->mem, addr + n * width, &unit, width)) && unit)
		memcpy(&units[n++ * width], &unit, width);
	bool ends = true;
	if (units && (n || mapped)) {
		/* whether the text ends exactly there */
		ends = n < most ||
		                  !frame_read(&t->calls->mem, addr + n * width, &unit, width) ||
		                  !unit;
		show_string(t, &(struct chars){units, n, width, prefix}, !ends);
	}
	if (units && !mapped)
		textbuf_add(&t->out, "%s<error: Cannot access memory at address 0x%" PRIx64 ">",
		            n ? " " : "", addr + n * width);
	free(units);
	return addr + (n + (mapped && ends)) * width;
}

uint64_t c_text_at(const struct c_calls *calls, uint64_t addr, unsigned width,
                   const struct c_limits *limits, char *buf, size_t n)
{
	struct text t = {.calls = calls, .limits = *limits, .out = {buf, n, 0}};
	*buf = '\0';
	return show_pointed(&t, addr, width, width == 1 ? '\0' : width == 2 ? 'u' : 'U');
}

bool show_char_array(struct text *t, const struct c_value *v, unsigned width, char prefix)
{
	const uint64_t all = v->type.count, n = all < STRING_MAX ? all : STRING_MAX;
	struct chars s = {NULL, n, width, prefix};
	uint8_t *units = n ? alloc_bytes(n * width) : NULL;
	if (!units || !c_read(t->calls, v, 0, units, n * width)) {
		free(units);
		return false;
	}
	s.units = units;
	/* don't show the terminating zero */
	s.n = n == all && !value_string_unit_at(&s, n - 1) ? n - 1 : n;
	for (uint64_t i = 0; t->limits.null_stop && i < s.n; i++)
		if (!value_string_unit_at(&s, i))
			s.n = i;
	show_string(t, &s, n < all && s.n == n);
	free(units);
	return true;
}
