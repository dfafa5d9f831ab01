/* Values as gdb shows them. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/dwarf/scoped.h"
#include "scripting/c/value_show.h"

enum { DEPTH_MAX = 20, STRING_MAX = 1 << 16 };

static void add_char(struct text *t, unsigned ch, char quote)
{
	static const char named[] = "\a\b\f\n\r\t\v", letters[] = "abfnrtv";
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

/* How often s[i] follows itself. */
static uint64_t run_of(const unsigned char *s, uint64_t i, uint64_t n)
{
	uint64_t run = 1;
	while (i + run < n && s[i + run] == s[i])
		run++;
	return run;
}

/* Long runs of one character are told as such, and count as so many as would be one. */
void show_string(struct text *t, const unsigned char *s, uint64_t n, bool cut)
{
	const uint64_t most = t->limits.elements ? t->limits.elements : UINT64_MAX,
		       repeats = t->limits.repeats ? t->limits.repeats : UINT64_MAX;
	uint64_t i = 0, shown = 0;
	bool open = false;
	if (!n)
		textbuf_add(&t->out, "\"\"");
	while (i < n && shown < most && t->out.used + 1 < t->out.n) {
		const uint64_t run = run_of(s, i, n);
		if (run > repeats) {
			textbuf_add(&t->out, "%s%s'", open ? "\"" : "", i ? ", " : "");
			add_char(t, s[i], '\'');
			textbuf_add(&t->out, "' <repeats %" PRIu64 " times>", run);
			open = false;
			i += run;
			shown += repeats;
			continue;
		}
		if (!open)
			textbuf_add(&t->out, "%s\"", i ? ", " : "");
		open = true;
		add_char(t, s[i++], '"');
		shown++;
	}
	textbuf_add(&t->out, "%s%s", open ? "\"" : "", cut || i < n ? "..." : "");
}

/* What a char pointer points to. */
static void add_pointed(struct text *t, uint64_t addr)
{
	const uint64_t most = t->limits.elements && t->limits.elements < STRING_MAX
	                              ? t->limits.elements
	                              : STRING_MAX;
	unsigned char ch = 0, *s = malloc(most);
	uint64_t n = 0;
	bool mapped = true;
	while (s && n < most && (mapped = frame_read(&t->calls->mem, addr + n, &s[n], 1)) && s[n])
		n++;
	if (s && (n || mapped)) {
		textbuf_add(&t->out, " ");
		/* Whether it ends just there. */
		const bool ends = n < most || !frame_read(&t->calls->mem, addr + n, &ch, 1) || !ch;
		show_string(t, s, n, !ends);
	}
	if (s && !mapped)
		textbuf_add(&t->out, " <error: Cannot access memory at address 0x%" PRIx64 ">",
		            addr + n);
	free(s);
}

/* What C++ would have called a function that linkers call as C does, "main(int, char**)": its
 * parameters, as its type has them. */
static void add_parameters(struct text *t, const struct ctype *function, const char *name)
{
	char text[256];
	Dwarf_Die die = function->die;
	if (!die.addr || !scoped_is_cplus(&die) || strchr(name, '(') || *name == '0')
		return;
	const char *at = strchr(ctype_text(function, NULL, text, sizeof text), '(');
	if (at && !strcmp(at, "(void)"))
		at = "()";
	for (; at && *at; at++)
		if (*at != ' ' || !strchr("*&", at[1]))
			textbuf_add(&t->out, "%c", *at);
}

static void add_pointer(struct text *t, const struct c_value *v, uint64_t bits)
{
	const struct ctype target = ctype_target(&v->type);
	const struct symbol *sym = program_symbol_at(t->calls->program, bits);
	textbuf_add(&t->out, "0x%" PRIx64, bits);
	if (!bits)
		return;
	if (sym && bits - sym->addr < (sym->size ? sym->size : 1)) {
		textbuf_add(&t->out, " <%s", sym->name);
		if (target.kind == CTYPE_FUNCTION)
			add_parameters(t, &target, sym->name);
		textbuf_add(&t->out, bits == sym->addr ? ">" : "+%" PRIu64 ">", bits - sym->addr);
	}
	if (target.kind == CTYPE_CHAR)
		add_pointed(t, bits);
}

static void add_float(struct text *t, double d, unsigned size)
{
	uint64_t bits;
	memcpy(&bits, &d, sizeof bits);
	if (d != d && size == 4)
		textbuf_add(&t->out, "%snan(0x%" PRIx64 ")", bits >> 63 ? "-" : "",
		            (bits >> 29) & 0x7fffff);
	else if (d != d)
		textbuf_add(&t->out, "%snan(0x%" PRIx64 ")", bits >> 63 ? "-" : "",
		            bits & ((UINT64_C(1) << 52) - 1));
	else
		textbuf_add(&t->out, "%.*g", size == 4 ? 9 : 17, d);
}

static void add_binary(struct text *t, uint64_t v)
{
	unsigned width = v ? 64 - (unsigned)__builtin_clzll(v) : 1;
	while (width--)
		textbuf_add(&t->out, "%c", v >> width & 1 ? '1' : '0');
}

/* In a format of print's; bits: as c_bits() has them. */
static void add_formatted(struct text *t, const struct c_value *v, uint64_t bits)
{
	const char letter = t->show->letter;
	const unsigned size = (unsigned)v->type.size, width = 8 * size;
	const bool is_float = v->type.kind == CTYPE_FLOAT;
	char place[160];
	double d = 0;
	if (is_float) {
		memcpy(&d, &bits, sizeof d);
		if (letter == 'f')
			return add_float(t, d, size);
		/* The bits, as they are; of a character what the number is. */
		if (letter == 'c') {
			bits = d > -9.2e18 && d < 9.2e18 ? (uint64_t)(int64_t)d : 0;
		} else {
			bits = 0;
			c_read(t->calls, v, 0, &bits, size);
		}
	} else if (letter == 'f') {
		/* The bits are a floating-point number's, if there is one of their size. */
		float f;
		memcpy(&f, &bits, sizeof f);
		memcpy(&d, &bits, sizeof d);
		if (!v->bit_size && (size == 4 || size == 8))
			return add_float(t, size == 4 ? (double)f : d, size);
	}
	const uint64_t low = width < 64 ? bits & ((UINT64_C(1) << width) - 1) : bits;
	const int64_t whole = (int64_t)(low << (64 - width)) >> (64 - width);
	switch (letter) {
	case 'x': textbuf_add(&t->out, "0x%" PRIx64, low); break;
	case 'z': textbuf_add(&t->out, "0x%0*" PRIx64, (int)(2 * size), low); break;
	case 'u': textbuf_add(&t->out, "%" PRIu64, low); break;
	case 'o': textbuf_add(&t->out, low ? "0%" PRIo64 : "%" PRIo64, low); break;
	case 't': add_binary(t, low); break;
	case 'c': {
		const int ch = v->type.is_signed ? (int8_t)low : (uint8_t)low;
		textbuf_add(&t->out, "%d '", ch);
		add_char(t, (unsigned char)low, '\'');
		textbuf_add(&t->out, "'");
		break;
	}
	case 'a':
		program_addr_text(t->calls->program, low, place, sizeof place);
		textbuf_add(&t->out, *place == '0' ? "0x%" PRIx64 : "0x%" PRIx64 " <%s>", low,
		            place);
		break;
	case 'd': textbuf_add(&t->out, "%" PRId64, whole); break;
	default:
		textbuf_add(&t->out, v->type.is_signed ? "%" PRId64 : "%" PRIu64,
		            v->type.is_signed ? (uint64_t)whole : low);
	}
}

static void add_scalar(struct text *t, const struct c_value *v)
{
	char buf[600];
	struct err err;
	uint64_t bits;
	double d;
	const unsigned size = (unsigned)v->type.size;
	if (!c_bits(t->calls, v, &bits, &err)) {
		if (v->where == C_MEMORY)
			textbuf_add(&t->out, "<error: Cannot access memory at address 0x%" PRIx64
			                     ">",
			            v->addr);
		else
			textbuf_add(&t->out, "<optimised out>");
		return;
	}
	if (t->show) {
		add_formatted(t, v, bits);
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
		            ctype_enum_text(&v->type, (int64_t)bits, &t->walk, buf, sizeof buf));
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
	const uint64_t all = v->type.count, n = all < STRING_MAX ? all : STRING_MAX;
	unsigned char *s = n ? malloc(n) : NULL;
	if (!s || !c_read(t->calls, v, 0, s, n)) {
		free(s);
		return false;
	}
	/* What ends it is not told. */
	const uint64_t most = t->limits.elements;
	const bool whole = n == all && (!most || n <= most);
	show_string(t, s, whole && !s[n - 1] ? n - 1 : n, n < all);
	free(s);
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
		const bool folded = t->limits.repeats && run > t->limits.repeats;
		for (uint64_t k = 0; k < (folded ? 1 : run) && t->left; k++, i++) {
			textbuf_add(&t->out, "%s", i ? ", " : "");
			if (ctype_is_scalar(&element.type))
				t->left--;
			show_value(t, &element, depth + 1);
		}
		if (folded) {
			textbuf_add(&t->out, " <repeats %" PRIu64 " times>", run);
			i += run - 1;
			/* As many as would be told of in one. */
			if (ctype_is_scalar(&element.type))
				t->left -= t->left < t->limits.repeats - 1 ? t->left
				                                           : t->limits.repeats - 1;
		}
	}
	textbuf_add(&t->out, i < v->type.count ? "...}" : "}");
}

/* A table of methods is never but an address. */
static void add_table(struct text *t, const struct c_value *v, unsigned depth)
{
	const struct c_show *show = t->show;
	t->show = NULL;
	show_value(t, v, depth);
	t->show = show;
}

/* A virtual base is told once, as there is one in an object. */
static bool is_told(struct text *t, const struct cmember *m)
{
	for (unsigned i = t->first; i < t->bases; i++)
		if (t->base[i] == m->type.die.addr)
			return true;
	if (t->bases == BASES_MAX)
		return true;
	t->base[t->bases++] = m->type.die.addr;
	return false;
}

static void add_members(struct text *t, const struct c_value *v, unsigned depth)
{
	struct cmembers members = ctype_members(&v->type, &t->walk);
	struct cmember m;
	struct c_value part;
	char type[256];
	const bool pretty = t->limits.pretty, inner = t->in_base;
	const unsigned first = t->first, bases = t->bases;
	unsigned i = 0;
	bool own = false;
	if (!inner)
		t->first = t->bases;
	textbuf_add(&t->out, "{");
	members.statics = members.virtuals = true;
	while (t->out.used + 8 < t->out.n && cmember_next(&members, &m)) {
		if (m.is_virtual && (is_told(t, &m) || !c_virtual_base(t->calls, v, &m, &part)))
			continue;
		if (m.is_virtual)
			; /* it is there */
		else if (m.is_static)
			c_static(t->calls, &m, &part);
		else
			c_part(v, &m, &part);
		textbuf_add(&t->out, "%s", !i++ ? "" : pretty ? "," : ", ");
		t->in_base = m.is_base;
		own |= !m.is_base;
		if (pretty)
			textbuf_add(&t->out, "\n%*s", (int)(2 + 2 * depth), "");
		if (m.name)
			textbuf_add(&t->out, "%s%s = ", m.is_static ? "static " : "", m.name);
		else if (m.is_base)
			textbuf_add(&t->out, "<%s> = ",
			            ctype_text(&m.type, NULL, type, sizeof type));
		if (m.is_static && part.type.die.addr && part.type.die.addr == v->type.die.addr)
			textbuf_add(&t->out, "<same as static member of an already seen type>");
		else if (t->limits.hide_unions && part.type.kind == CTYPE_UNION)
			textbuf_add(&t->out, "{...}");
		else if (m.name && !strncmp(m.name, "_vptr.", 6))
			add_table(t, &part, depth + 1);
		else
			show_value(t, &part, depth + 1);
	}
	t->in_base = false;
	if (!inner) {
		t->first = first;
		t->bases = bases;
	}
	if (!own)
		textbuf_add(&t->out, "%s<No data fields>", i ? ", " : "");
	if (pretty && own)
		textbuf_add(&t->out, "\n%*s", (int)(2 * depth), "");
	textbuf_add(&t->out, "}");
}

/* "@0x3ffffff0: 5"; of a member its address alone. */
static void add_reference(struct text *t, const struct c_value *v, unsigned depth)
{
	struct c_value of;
	struct err err;
	uint64_t addr;
	if (!c_bits(t->calls, v, &addr, &err)) {
		add_scalar(t, v);
		return;
	}
	/* As gdb's printers do. */
	if (c_referent(t->calls, v, &of, &err) && show_container(t, &of, depth))
		return;
	textbuf_add(&t->out, "@0x%" PRIx64, addr);
	if (depth || !c_referent(t->calls, v, &of, &err))
		return;
	textbuf_add(&t->out, ": ");
	show_value(t, &of, depth);
}

void show_value(struct text *t, const struct c_value *v, unsigned depth)
{
	char type[256];
	if (depth > DEPTH_MAX) {
		textbuf_add(&t->out, "...");
		return;
	}
	if (v->where == C_TEXT) {
		show_string(t, (const unsigned char *)v->text, strlen(v->text), false);
		return;
	}
	if (v->where == C_OUT) {
		textbuf_add(&t->out, "<%s>", c_out_text(v));
		return;
	}
	if (v->type.is_reference) {
		add_reference(t, v, depth);
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
		if (!show_container(t, v, depth))
			add_members(t, v, depth);
		break;
	case CTYPE_FUNCTION: {
		char place[160];
		program_addr_text(t->calls->program, v->addr, place, sizeof place);
		textbuf_add(&t->out, "{%s} 0x%" PRIx64 " <%s",
		            ctype_text(&v->type, NULL, type, sizeof type), v->addr, place);
		add_parameters(t, &v->type, place);
		textbuf_add(&t->out, ">");
		break;
	}
	default:
		add_scalar(t, v);
	}
}

/* Of such pointers the string says enough. */
static bool points_to_char(const struct ctype *t)
{
	const struct ctype target = ctype_target(t);
	char text[128], *name = ctype_text(&target, NULL, text, sizeof text);
	while (!strncmp(name, "const ", 6) || !strncmp(name, "volatile ", 9))
		name = strchr(name, ' ') + 1;
	return target.kind == CTYPE_CHAR && !strcmp(name, "char");
}

char *c_value_text(const struct c_calls *calls, const struct c_value *v, const struct c_show *show,
                   bool top, char *buf, size_t n)
{
	/* Texts are shown as such anyway. */
	const struct c_show *letters = show && show->letter && show->letter != 's' ? show : NULL;
	const struct c_limits limits = show ? show->limits : C_LIMITS;
	struct text t = {.calls = calls,
	                 .show = letters,
	                 .limits = limits,
	                 .out = {buf, n, 0},
	                 .left = limits.elements ? limits.elements : UINT64_MAX,
	                 .walk = walk_of_type()};
	char type[256];
	struct c_value of;
	struct err err;
	buf[0] = '\0';
	if (v->where != C_OUT && v->where != C_TEXT && v->type.is_reference &&
	    c_referent(calls, v, &of, &err) && show_is_container(&t, &of))
		v = &of;
	if (top && v->where != C_OUT && v->type.kind == CTYPE_POINTER &&
	    (v->type.is_reference ? show != NULL : !letters && !points_to_char(&v->type)))
		textbuf_add(&t.out, "(%s) ", ctype_text(&v->type, NULL, type, sizeof type));
	show_value(&t, v, 0);
	if (t.out.used + 1 >= n && n > 4)
		strcpy(buf + n - 4, "...");
	return buf;
}
