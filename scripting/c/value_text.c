/* Values as gdb shows them. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/textbuf.h"
#include "scripting/c/value.h"

enum { ELEMENTS_MAX = 200, REPEATS = 10, DEPTH_MAX = 20 };

struct text {
	const struct c_calls *calls;
	const struct c_show *show;
	struct textbuf out;
	unsigned left; /* elements that may still be shown */
	struct dwarf_walk walk; /* over members */
};

static void add_value(struct text *t, const struct c_value *v, unsigned depth);

static void add_char(struct text *t, unsigned ch, char quote)
{
	static const char named[] = "\a\b\f\n\r\t\v\033", letters[] = "abfnrtve";
	const char *at = ch ? strchr(named, (int)ch) : NULL;
	if (at)
		textbuf_add(&t->out, "\\%c", letters[at - named]);
	else if (ch == (unsigned char)quote || ch == '\\')
		textbuf_add(&t->out, "\\%c", (char)ch);
	else if (ch < 128 && isprint((int)ch))
		textbuf_add(&t->out, "%c", (char)ch);
	else
		textbuf_add(&t->out, "\\%03o", ch);
}

/* n characters, up to the NULs at the end. */
static void add_string(struct text *t, const unsigned char *s, uint64_t n, bool cut)
{
	textbuf_add(&t->out, "\"");
	for (uint64_t i = 0; i < n; i++)
		add_char(t, s[i], '"');
	textbuf_add(&t->out, cut ? "\"..." : "\"");
}

/* What a char pointer points to. */
static void add_pointed(struct text *t, uint64_t addr)
{
	unsigned char s[ELEMENTS_MAX];
	unsigned n = 0;
	while (n < ELEMENTS_MAX && frame_read(&t->calls->mem, addr + n, &s[n], 1) && s[n])
		n++;
	unsigned char ch;
	if (n || frame_read(&t->calls->mem, addr, &ch, 1)) {
		textbuf_add(&t->out, " ");
		add_string(t, s, n, n == ELEMENTS_MAX);
	}
}

static void add_pointer(struct text *t, const struct c_value *v, uint64_t bits)
{
	const struct ctype target = ctype_target(&v->type);
	const struct symbol *sym = program_symbol_at(t->calls->program, bits);
	textbuf_add(&t->out, "0x%" PRIx64, bits);
	if (!bits)
		return;
	if (target.kind == CTYPE_CHAR) {
		add_pointed(t, bits);
	} else if (sym && bits - sym->addr < (sym->size ? sym->size : 1)) {
		textbuf_add(&t->out, bits == sym->addr ? " <%s>" : " <%s+%" PRIu64 ">", sym->name,
		            bits - sym->addr);
	}
}

static void add_float(struct text *t, double d, unsigned size)
{
	char buf[40];
	if (d != d || d - d != 0) {
		textbuf_add(&t->out, d != d ? "nan" : d > 0 ? "inf" : "-inf");
		return;
	}
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(buf, sizeof buf, "%.*g", digits, d);
		if (size == 4 ? strtof(buf, NULL) == (float)d : strtod(buf, NULL) == d)
			break;
	}
	textbuf_add(&t->out, "%s", buf);
}

static void add_scalar(struct text *t, const struct c_value *v)
{
	char buf[600];
	struct err err;
	uint64_t bits, raw = 0;
	double d;
	const unsigned size = (unsigned)v->type.size;
	if (!c_bits(t->calls, v, &bits, &err)) {
		textbuf_add(&t->out, v->where == C_MEMORY ? "<not mapped>" : "<optimised out>");
		return;
	}
	if (t->show && !(t->show->letter == 'f' && v->type.kind != CTYPE_FLOAT)) {
		raw = bits;
		if (v->type.kind == CTYPE_FLOAT) {
			memcpy(&d, &bits, sizeof d);
			const float f = (float)d;
			if (t->show->letter == 'f' || t->show->letter == 'x' ||
			    t->show->letter == 't') {
				if (size == 4)
					memcpy(&raw, &f, sizeof f);
			} else {
				raw = d > -9.2e18 && d < 9.2e18 ? (uint64_t)(int64_t)d : 0;
			}
		} else if (v->bit_size && v->bit_size < 64) {
			raw &= t->show->letter == 'd' ? UINT64_MAX
			                              : (UINT64_C(1) << v->bit_size) - 1;
		}
		textbuf_add(
			&t->out, "%s",
			t->show->scalar(t->show->ctx, raw, size, t->show->letter, buf, sizeof buf));
		return;
	}
	switch (v->type.kind) {
	case CTYPE_BOOL:
		if (bits <= 1)
			textbuf_add(&t->out, bits ? "true" : "false");
		else
			textbuf_add(&t->out, "%" PRIu64, bits);
		break;
	case CTYPE_CHAR:
		textbuf_add(&t->out, "%" PRId64 " '", (int64_t)bits);
		add_char(t, (unsigned char)bits, '\'');
		textbuf_add(&t->out, "'");
		break;
	case CTYPE_ENUM:
		textbuf_add(&t->out, "%s",
		            ctype_enum_text(&v->type, (int64_t)bits, buf, sizeof buf));
		break;
	case CTYPE_POINTER:
		add_pointer(t, v, bits);
		break;
	case CTYPE_FLOAT:
		memcpy(&d, &bits, sizeof d);
		add_float(t, d, size);
		break;
	default:
		textbuf_add(&t->out, v->type.is_signed ? "%" PRId64 : "%" PRIu64, bits);
	}
}

static bool add_char_array(struct text *t, const struct c_value *v)
{
	unsigned char s[ELEMENTS_MAX + 1];
	const uint64_t all = v->type.count, n = all < ELEMENTS_MAX ? all : ELEMENTS_MAX;
	uint64_t end = n;
	if (!c_read(t->calls, v, 0, s, n))
		return false;
	/* To the first NUL, if nothing but NULs follows. */
	while (end && !s[end - 1])
		end--;
	add_string(t, s, end, end == n && all > n);
	return true;
}

static bool same(const struct text *t, const struct c_value *a, const struct c_value *b)
{
	unsigned char x[512], y[512];
	if (a->where == C_OUT ||
	    (a->where == C_BYTES && !(a->known & place_bytes(0, a->type.size))))
		return b->where == C_OUT ||
		       (b->where == C_BYTES && !(b->known & place_bytes(0, b->type.size)));
	return a->type.size && a->type.size <= sizeof x &&
	       c_read(t->calls, a, 0, x, a->type.size) && c_read(t->calls, b, 0, y, a->type.size) &&
	       !memcmp(x, y, a->type.size);
}

static void add_array(struct text *t, const struct c_value *v, unsigned depth)
{
	struct c_value element, next;
	struct err err;
	const struct ctype of = ctype_target(&v->type);
	if (!v->type.count_known) {
		textbuf_add(&t->out,
		            v->where == C_MEMORY ? "0x%" PRIx64 " (of unknown length)"
		                                 : "<optimised out>",
		            v->addr);
		return;
	}
	if (of.kind == CTYPE_CHAR && !t->show && add_char_array(t, v))
		return;
	textbuf_add(&t->out, "{");
	uint64_t i = 0;
	while (i < v->type.count && t->left && t->out.used + 1 < t->out.n) {
		if (!c_element(t->calls, v, (int64_t)i, &element, &err)) {
			textbuf_add(&t->out, "%s<optimised out>", i ? ", " : "");
			break;
		}
		uint64_t run = 1;
		while (run < v->type.count - i && run < 100000 &&
		       c_element(t->calls, v, (int64_t)(i + run), &next, &err) &&
		       same(t, &element, &next))
			run++;
		const bool folded = run >= REPEATS;
		for (uint64_t k = 0; k < (folded ? 1 : run) && t->left; k++, i++) {
			textbuf_add(&t->out, "%s", i ? ", " : "");
			if (ctype_is_scalar(&element.type))
				t->left--;
			add_value(t, &element, depth + 1);
		}
		if (folded) {
			textbuf_add(&t->out, " <repeats %" PRIu64 " times>", run);
			i += run - 1;
		}
	}
	textbuf_add(&t->out, i < v->type.count ? "...}" : "}");
}

static void add_members(struct text *t, const struct c_value *v, unsigned depth)
{
	struct cmembers members = ctype_members(&v->type, &t->walk);
	struct cmember m;
	struct c_value part;
	textbuf_add(&t->out, "{");
	for (unsigned i = 0; t->out.used + 8 < t->out.n && cmember_next(&members, &m); i++) {
		c_part(v, &m, &part);
		textbuf_add(&t->out, "%s", i ? ", " : "");
		if (m.name)
			textbuf_add(&t->out, "%s = ", m.name);
		add_value(t, &part, depth + 1);
	}
	textbuf_add(&t->out, "}");
}

static void add_value(struct text *t, const struct c_value *v, unsigned depth)
{
	char type[256];
	if (depth > DEPTH_MAX) {
		textbuf_add(&t->out, "...");
		return;
	}
	if (v->where == C_TEXT) {
		add_string(t, (const unsigned char *)v->text, strlen(v->text), false);
		return;
	}
	if (v->where == C_OUT) {
		textbuf_add(&t->out, "<%s>", c_out_text(v));
		return;
	}
	switch (v->type.kind) {
	case CTYPE_UNKNOWN:
		textbuf_add(&t->out, "<unknown type>");
		break;
	case CTYPE_VOID:
		textbuf_add(&t->out, "void");
		break;
	case CTYPE_ARRAY:
		add_array(t, v, depth);
		break;
	case CTYPE_STRUCT: case CTYPE_UNION:
		add_members(t, v, depth);
		break;
	case CTYPE_FUNCTION: {
		char place[160];
		textbuf_add(&t->out, "{%s} 0x%" PRIx64 " <%s>",
		            ctype_text(&v->type, NULL, type, sizeof type), v->addr,
		            program_addr_text(t->calls->program, v->addr, place, sizeof place));
		break;
	}
	default:
		add_scalar(t, v);
	}
}

char *c_value_text(const struct c_calls *calls, const struct c_value *v, const struct c_show *show,
                   bool top, char *buf, size_t n)
{
	/* Texts are shown as such anyway. */
	const struct c_show *letters = show && show->letter && show->letter != 's' ? show : NULL;
	struct text t = {calls, letters, {buf, n, 0}, ELEMENTS_MAX, walk_of_type()};
	char type[256];
	buf[0] = '\0';
	if (top && v->where != C_OUT && v->type.kind == CTYPE_POINTER && !letters &&
	    ctype_target(&v->type).kind != CTYPE_CHAR)
		textbuf_add(&t.out, "(%s) ", ctype_text(&v->type, NULL, type, sizeof type));
	add_value(&t, v, 0);
	if (t.out.used + 1 >= n && n > 4)
		strcpy(buf + n - 4, "...");
	return buf;
}
