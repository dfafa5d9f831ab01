/* Prints values as gdb does. */
#include <inttypes.h>
#include <string.h>

#include "loader/dwarf/scoped.h"
#include "scripting/c/quad.h"
#include "scripting/c/value_show.h"
#include "scripting/c/vtable.h"

/* ---- numbers ---- */
typedef unsigned __int128 wide;

static void add_digits(struct text *t, wide v, unsigned base, unsigned least)
{
	char digits[130], *at = &digits[sizeof digits - 1];
	*at = '\0';
	do
		*--at = "0123456789abcdef"[(unsigned)(v % base)];
	while ((v /= base));
	for (size_t n = strlen(at); n < least; n++)
		textbuf_add(&t->out, "0");
	textbuf_add(&t->out, "%s", at);
}

static void add_integer(struct text *t, wide v, bool is_signed)
{
	const bool minus = is_signed && v >> 127;
	textbuf_add(&t->out, "%s", minus ? "-" : "");
	add_digits(t, minus ? -v : v, 10, 1);
}

static void add_double(struct text *t, double d, unsigned size)
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

/* size: of the number's type. */
static void add_float(struct text *t, quad q, unsigned size)
{
	char text[64];
	if (size == QUAD_BYTES)
		textbuf_add(&t->out, "%s", quad_text(q, text, sizeof text));
	else
		add_double(t, (double)q, size);
}

/* Interprets the bits as a floating-point number, if there is one of their size. */
static bool add_as_float(struct text *t, const struct c_value *v, wide bits)
{
	uint8_t bytes[QUAD_BYTES];
	float f;
	double d;
	memcpy(bytes, &bits, sizeof bytes);
	memcpy(&f, bytes, sizeof f);
	memcpy(&d, bytes, sizeof d);
	if (v->bit_size)
		return false;
	switch (v->type.size) {
	case 4: add_double(t, (double)f, 4); return true;
	case 8: add_double(t, d, 8); return true;
	case QUAD_BYTES: add_float(t, quad_from_bytes(bytes), QUAD_BYTES); return true;
	default: return false;
	}
}

/* Binary digits in groups of four. */
static void add_nibbles(struct text *t, wide bits)
{
	unsigned n = 1;
	while (n < 32 && bits >> 4 * n)
		n++;
	for (unsigned i = bits ? n : 0; i-- > 0;) {
		const unsigned four = (unsigned)(bits >> 4 * i) & 0xf;
		textbuf_add(&t->out, "%u%u%u%u%s", four >> 3, four >> 2 & 1, four >> 1 & 1,
		            four & 1, i ? " " : "");
	}
	if (!bits)
		textbuf_add(&t->out, "0");
}

static void add_formatted(struct text *t, const struct c_value *v, wide bits)
{
	const unsigned size = v->type.kind == CTYPE_MEMBER ? 8 : (unsigned)v->type.size,
		       away = 128 - 8 * size;
	const wide low = bits << away >> away;
	const __int128 whole = (__int128)(bits << away) >> away;
	char place[160];
	switch (t->show->letter) {
	case 'x': case 'z':
		textbuf_add(&t->out, "0x");
		add_digits(t, low, 16, t->show->letter == 'z' ? 2 * size : 1);
		break;
	case 'u': add_integer(t, low, false); break;
	case 'o':
		textbuf_add(&t->out, "%s", low ? "0" : "");
		add_digits(t, low, 8, 1);
		break;
	case 't':
		if (t->limits.nibbles)
			add_nibbles(t, low);
		else
			add_digits(t, low, 2, 1);
		break;
	case 'c':
		textbuf_add(&t->out, "%d ", v->type.is_signed ? (int8_t)low : (uint8_t)low);
		show_char(t, (uint8_t)low, 1, 0);
		break;
	case 'a':
		program_addr_text(t->calls->program, (uint64_t)low, place, sizeof place);
		textbuf_add(&t->out, "0x");
		add_digits(t, low, 16, 1);
		if (*place != '0' && !(low >> 64))
			textbuf_add(&t->out, " <%s>", place);
		break;
	case 'd': add_integer(t, (wide)whole, true); break;
	case 'f':
		if (add_as_float(t, v, low))
			break;
		__attribute__((fallthrough));
	default: add_integer(t, v->type.is_signed ? (wide)whole : low, v->type.is_signed);
	}
}

/* Shows the value in the requested format, or by its type; false: not readable. */
static bool show_number(struct text *t, const struct c_value *v, struct err *err)
{
	const char letter = t->show ? t->show->letter : 'f';
	const bool is_float = v->type.kind == CTYPE_FLOAT;
	wide bits = 0;
	quad q = 0;
	if (is_float ? !c_quad(t->calls, v, &q, err) : !c_wide(t->calls, v, &bits, err))
		return false;
	if (is_float && letter == 'f') {
		add_float(t, q, (unsigned)v->type.size);
		return true;
	}
	/* The raw bits; with 'c', the number converted to an integer. */
	if (is_float && letter == 'c')
		bits = q > -9.2e18 && q < 9.2e18 ? (wide)(int64_t)q : 0;
	else if (is_float)
		c_read(t->calls, v, 0, &bits, v->type.size);
	if (t->show)
		add_formatted(t, v, bits);
	else
		add_integer(t, bits, v->type.is_signed);
	return true;
}

static void show_complex(struct text *t, const struct c_value *v, unsigned depth)
{
	struct c_value part[2];
	c_complex_parts(v, part);
	show_value(t, &part[0], depth + 1);
	textbuf_add(&t->out, " + ");
	show_value(t, &part[1], depth + 1);
	textbuf_add(&t->out, "i");
}

/* ---- values ---- */
enum { DEPTH_MAX = 20 };

/* Appends a function's parameters, from its type, to an unmangled name, as C++ writes them:
 * "main(int, char**)". */
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
	char prefix;
	const unsigned width = show_char_width(&target, &prefix);
	const bool code = target.kind == CTYPE_FUNCTION || t->in_table;
	const char *space = t->limits.no_addresses ? "" : " ";
	if (*space)
		textbuf_add(&t->out, "0x%" PRIx64, bits);
	if (!bits)
		return;
	if (sym && bits - sym->addr < (sym->size ? sym->size : 1) &&
	    (code || !t->limits.no_symbols)) {
		textbuf_add(&t->out, "%s<%s", space, sym->name);
		if (target.kind == CTYPE_FUNCTION)
			add_parameters(t, &target, sym->name);
		textbuf_add(&t->out, bits == sym->addr ? ">" : "+%" PRIu64 ">", bits - sym->addr);
	}
	if (width) {
		textbuf_add(&t->out, "%s", space);
		show_pointed(t, bits, width, prefix);
	}
}

static void add_unreadable(struct text *t, const struct c_value *v)
{
	if (v->where == C_MEMORY)
		textbuf_add(&t->out, "<error: Cannot access memory at address 0x%" PRIx64 ">",
		            v->addr);
	else
		textbuf_add(&t->out, "<optimised out>");
}

static void add_scalar(struct text *t, const struct c_value *v)
{
	char buf[600], prefix;
	struct err err;
	uint64_t bits = 0;
	const unsigned width = show_char_width(&v->type, &prefix);
	const bool named = v->type.kind == CTYPE_BOOL || v->type.kind == CTYPE_ENUM ||
	                   v->type.kind == CTYPE_POINTER;
	if (t->show || (!named && !width)) {
		if (!show_number(t, v, &err))
			add_unreadable(t, v);
		return;
	}
	if (!c_bits(t->calls, v, &bits, &err)) {
		add_unreadable(t, v);
		return;
	}
	if (width) {
		textbuf_add(&t->out, "%" PRId64 " ", (int64_t)bits);
		show_char(t, (uint32_t)(width == 1 ? (uint8_t)bits : bits), width, prefix);
	} else if (v->type.kind == CTYPE_ENUM) {
		textbuf_add(&t->out, "%s",
		            ctype_enum_text(&v->type, (int64_t)bits, &t->walk, buf, sizeof buf));
	} else if (v->type.kind == CTYPE_POINTER) {
		add_pointer(t, v, bits);
	} else {
		textbuf_add(&t->out, bits > 1 ? "%" PRIu64 : bits ? "true" : "false", bits);
	}
}

static bool c_value_text_same_bytes(const struct text *t, const struct c_value *a,
                                    const struct c_value *b)
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

/* Writes the separator and index before the i-th element. */
static void begin_element(struct text *t, uint64_t i, unsigned depth)
{
	struct err err;
	if (t->limits.lines)
		textbuf_add(&t->out, "%s\n%*s", i ? "," : "", (int)(2 + 2 * depth), "");
	else
		textbuf_add(&t->out, "%s", i ? ", " : "");
	if (!t->limits.indexes)
		return;
	const struct c_value number = c_integer(i, 4, true);
	textbuf_add(&t->out, "[");
	show_number(t, &number, &err);
	textbuf_add(&t->out, "] = ");
}

static void add_array(struct text *t, const struct c_value *v, unsigned depth)
{
	struct c_value element, next;
	struct err err;
	const struct ctype of = ctype_target(&v->type);
	/* An array of unknown length is shown by its address, like a pointer. */
	if (!v->type.count_known && v->where != C_MEMORY)
		textbuf_add(&t->out, "<optimised out>");
	else if (!v->type.count_known)
		add_pointer(t, v, v->addr);
	if (!v->type.count_known)
		return;
	char prefix;
	const unsigned width = show_char_width(&of, &prefix);
	if (width && !t->show && show_char_array(t, v, width, prefix))
		return;
	textbuf_add(&t->out, "{");
	uint64_t i = 0, left = t->limits.elements ? t->limits.elements : UINT64_MAX;
	while (i < v->type.count && left && t->out.used + 1 < t->out.n) {
		if (!c_element(t->calls, v, (int64_t)i, &element, &err)) {
			begin_element(t, i, depth);
			textbuf_add(&t->out, "<optimised out>");
			break;
		}
		uint64_t run = 1;
		while (run < v->type.count - i && run < 100000 &&
		       c_element(t->calls, v, (int64_t)(i + run), &next, &err) &&
		       c_value_text_same_bytes(t, &element, &next))
			run++;
		const bool folded = t->limits.repeats && run > t->limits.repeats;
		for (uint64_t k = 0; k < (folded ? 1 : run) && left; k++, i++, left--) {
			begin_element(t, i, depth);
			show_value(t, &element, depth + 1);
		}
		if (folded) {
			textbuf_add(&t->out, " <repeats %" PRIu64 " times>", run);
			i += run - 1;
			/* a folded run counts as `repeats` elements */
			left -= left < t->limits.repeats - 1 ? left : t->limits.repeats - 1;
		}
	}
	textbuf_add(&t->out, "%s", i < v->type.count ? "..." : "");
	if (t->limits.lines)
		textbuf_add(&t->out, "\n%*s", (int)(2 * depth), "");
	textbuf_add(&t->out, "}");
}

/* Shows the pointer to a table of virtual functions, always as an address. */
static void add_table(struct text *t, const struct c_value *v, unsigned depth)
{
	const struct c_show *show = t->show;
	t->show = NULL;
	t->in_table = true;
	show_value(t, v, depth);
	t->in_table = false;
	t->show = show;
}

/* True if a virtual base was shown before: an object has one instance of each. */
static bool c_value_text_base_was_shown(struct text *t, const struct cmember *m)
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
	members.statics = !t->limits.no_statics;
	members.virtuals = true;
	while (t->out.used + 8 < t->out.n && cmember_next(&members, &m)) {
		if (m.is_virtual &&
		    (c_value_text_base_was_shown(t, &m) || !c_virtual_base(t->calls, v, &m, &part)))
			continue;
		if (m.is_virtual)
			; /* already found */
		else if (m.is_static)
			c_static(t->calls, &m, &part);
		else
			c_part(v, &m, &part);
		textbuf_add(&t->out, "%s", !i++ ? "" : pretty && own ? "," : ", ");
		t->in_base = m.is_base;
		if (pretty)
			textbuf_add(&t->out, "\n%*s", (int)(2 + 2 * depth), "");
		/* as gdb prints it */
		if (pretty && !own && !m.is_base && i > 1)
			textbuf_add(&t->out, "members of %s:\n%*s",
			            ctype_text(&v->type, NULL, type, sizeof type),
			            (int)(2 + 2 * depth), "");
		own |= !m.is_base;
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

/* Shows "@0x3ffffff0: 5"; for a member only the address. */
static void add_reference(struct text *t, const struct c_value *v, unsigned depth)
{
	struct c_value of;
	struct err err;
	uint64_t addr;
	if (!c_bits(t->calls, v, &addr, &err)) {
		add_scalar(t, v);
		return;
	}
	/* as gdb's printers do */
	if (c_referent(t->calls, v, &of, &err) && show_container(t, &of, depth))
		return;
	const bool whole = !depth && c_referent(t->calls, v, &of, &err);
	if (!t->limits.no_addresses)
		textbuf_add(&t->out, whole ? "@0x%" PRIx64 ": " : "@0x%" PRIx64, addr);
	if (!whole)
		return;
	show_value(t, &of, depth);
}

/* Whether an array is shown as a text in quotes. */
static bool c_value_text_is_char_array(const struct text *t, const struct ctype *array)
{
	const struct ctype of = ctype_target(array);
	char prefix;
	return !t->show && show_char_width(&of, &prefix);
}

void show_value(struct text *t, const struct c_value *v, unsigned depth)
{
	char type[256];
	if (depth > DEPTH_MAX) {
		textbuf_add(&t->out, "...");
		return;
	}
	if (v->where == C_TEXT) {
		/* a literal may have zeros */
		const uint64_t n = v->type.kind == CTYPE_ARRAY ? v->type.count - 1
		                                               : strlen(v->text);
		show_string(t, &(struct chars){v->text, n, 1, 0}, false);
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
	const bool parts =
		v->type.kind == CTYPE_STRUCT || v->type.kind == CTYPE_UNION ||
		(v->type.kind == CTYPE_ARRAY && !c_value_text_is_char_array(t, &v->type));
	if (t->limits.depth && depth + 1 >= t->limits.depth && parts) {
		textbuf_add(&t->out, "{...}");
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
	case CTYPE_COMPLEX:
		show_complex(t, v, depth);
		break;
	case CTYPE_MEMBER:
		if (!t->show && show_member_pointer(t, v))
			break;
		add_scalar(t, v);
		break;
	case CTYPE_STRUCT: case CTYPE_UNION:
		if (!show_container(t, v, depth))
			add_members(t, v, depth);
		break;
	case CTYPE_FUNCTION: {
		char place[160];
		program_addr_text(t->calls->program, v->addr, place, sizeof place);
		textbuf_add(&t->out, "{%s} ", ctype_text(&v->type, NULL, type, sizeof type));
		if (!t->limits.no_addresses)
			textbuf_add(&t->out, "0x%" PRIx64 " ", v->addr);
		textbuf_add(&t->out, "<%s", place);
		add_parameters(t, &v->type, place);
		textbuf_add(&t->out, ">");
		break;
	}
	default:
		add_scalar(t, v);
	}
}

/* Whether a pointer's text makes its type superfluous. */
static bool points_to_char(const struct ctype *t)
{
	const struct ctype target = ctype_target(t), behind = ctype_behind_typedef(t);
	char text[128], *name = ctype_text(&target, NULL, text, sizeof text);
	if (behind.named.addr != t->named.addr) /* a typedef's name is shown */
		return false;
	if (ctype_wide_prefix(&target))
		return true;
	while (!strncmp(name, "const ", 6) || !strncmp(name, "volatile ", 9))
		name = strchr(name, ' ') + 1;
	return target.kind == CTYPE_CHAR && !strcmp(name, "char");
}

/* Shows a part of an object, or a pointer to one, as the complete object; false if that is not
 * possible. */
static bool as_object(struct text *t, const struct c_value *v)
{
	struct c_value of = *v, whole;
	struct err err;
	char type[256];
	const bool pointer = v->type.kind == CTYPE_POINTER;
	if (v->where == C_OUT || v->where == C_TEXT ||
	    (pointer && !v->type.is_reference && t->show) ||
	    (pointer && !c_pointed(t->calls, v, &of, &err)) ||
	    !c_real_object(t->calls, &of, &whole))
		return false;
	textbuf_add(&t->out, "(%s%s) ", ctype_text(&whole.type, NULL, type, sizeof type),
	            v->type.is_reference ? " &" : pointer ? " *" : "");
	if (pointer && !t->limits.no_addresses)
		textbuf_add(&t->out, v->type.is_reference ? "@0x%" PRIx64 ": " : "0x%" PRIx64,
		            whole.addr);
	if (!pointer || v->type.is_reference)
		show_value(t, &whole, 0);
	return true;
}

char *c_value_text(const struct c_calls *calls, const struct c_value *v, const struct c_show *show,
                   bool top, char *buf, size_t n)
{
	/* Texts are shown without a format. */
	const struct c_show *letters = show && show->letter && show->letter != 's' ? show : NULL;
	const struct c_limits limits = show ? show->limits : C_LIMITS;
	struct text t = {.calls = calls,
	                 .show = letters,
	                 .limits = limits,
	                 .out = {buf, n, 0},
	                 .walk = walk_of_type()};
	char type[256];
	struct c_value of;
	struct err err;
	buf[0] = '\0';
	if (top && limits.objects && as_object(&t, v))
		return buf;
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
