/* `ptype/o`: the layout of a struct or union, in gdb's format. */
#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "loader/dwarf/ctype_write.h"

/* Columns of the comment before each member, and of the outermost closing line. */
enum { COMMENT = 27, CLOSE = 29 };

struct layout {
	struct textbuf *out;
	struct dwarf_walk *walk;
	unsigned lines;
};

static void put_comment(struct layout *l, const struct cmember *m, uint64_t bit, bool in_union)
{
	if (in_union)
		textbuf_add(l->out, "/*%22" PRIu64 " */", m->type.size);
	else if (m->bit_size)
		textbuf_add(l->out, "/*%7" PRIu64 ": %-4u|%8" PRIu64 " */", bit / 8,
		            (unsigned)(bit % 8), m->type.size);
	else
		textbuf_add(l->out, "/*%7" PRIu64 "      |%8" PRIu64 " */", bit / 8,
		            m->type.size);
}

/* Bits that belong to no member. */
static void ctype_layout_append_hole(struct layout *l, uint64_t from, uint64_t to, const char *what)
{
	char text[64];
	if (to <= from)
		return;
	if ((to - from) % 8) {
		snprintf(text, sizeof text, "/* XXX %2u-bit %s", (unsigned)((to - from) % 8), what);
		textbuf_add(l->out, "%-24s */\n", text);
	}
	if (to - from >= 8) {
		snprintf(text, sizeof text, "/* XXX %2" PRIu64 "-byte %s", (to - from) / 8, what);
		textbuf_add(l->out, "%-24s */\n", text);
	}
}

static void put_keyword(struct layout *l, Dwarf_Die *die)
{
	const int tag = dwarf_tag(die);
	char scoped[SCOPED_MAX];
	const char *name = dwarf_diename(die) ? scoped_name(l->walk, die, scoped, sizeof scoped)
	                                      : "";
	textbuf_add(l->out, "%s%s%s {\n",
	            tag == DW_TAG_union_type   ? "union"
	            : tag == DW_TAG_class_type ? "class"
	                                       : "struct",
	            *name ? " " : "", name);
}

/* Writes the members and the closing line; base: bits before them in the outermost type. */
static void put_members(struct layout *l, const struct ctype *t, uint64_t base, unsigned indent,
                        unsigned depth, bool in_union)
{
	struct cmembers all = ctype_members(t, l->walk);
	struct cmember m;
	uint64_t end = base;
	const bool here = t->kind == CTYPE_UNION;
	while (l->lines++ < CTYPE_LINES_MAX && depth < CTYPE_DEPTH_MAX && cmember_next(&all, &m)) {
		const uint64_t bit = base + 8 * m.offset + m.bit_offset;
		Dwarf_Die named = m.type.named;
		const int tag = named.addr ? dwarf_tag(&named) : 0;
		const bool whole = (m.type.kind == CTYPE_STRUCT || m.type.kind == CTYPE_UNION) &&
		                   !m.is_base &&
		                   (tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
		                    tag == DW_TAG_union_type);
		if (!here)
			ctype_layout_append_hole(l, end, bit, "hole");
		put_comment(l, &m, bit, here || in_union);
		textbuf_add(l->out, "%*s", (int)indent + 4, "");
		if (whole) {
			put_keyword(l, &named);
			put_members(l, &m.type, bit, indent + 4, depth + 1, here || in_union);
			textbuf_add(l->out, "%*s}%s%s;\n", (int)(COMMENT + indent + 4), "",
			            m.name ? " " : "", m.name ? m.name : "");
		} else {
			char text[512], name[256] = "";
			if (m.name && m.bit_size)
				snprintf(name, sizeof name, "%s : %u", m.name, m.bit_size);
			else if (m.name)
				snprintf(name, sizeof name, "%s", m.name);
			textbuf_add(l->out, "%s%s;\n", ctype_text(&m.type, name, text, sizeof text),
			            m.is_base ? " (a base)" : "");
		}
		end = bit + (m.bit_size ? m.bit_size : 8 * m.type.size);
	}
	if (!here)
		ctype_layout_append_hole(l, end, base + 8 * t->size, "padding");
	textbuf_add(l->out, "\n%*s/* total size (bytes): %4" PRIu64 " */\n",
	            (int)(COMMENT + indent + 4), "", t->size);
}

char *ctype_layout_text(const struct ctype *t, char *buf, size_t n)
{
	struct textbuf out = {buf, n, 0};
	struct dwarf_walk walk = walk_of_type();
	struct layout l = {.out = &out, .walk = &walk};
	Dwarf_Die die = t->die;
	buf[0] = '\0';
	if ((t->kind != CTYPE_STRUCT && t->kind != CTYPE_UNION) || !die.addr || t->stars)
		return ctype_long_text(t, buf, n);
	put_keyword(&l, &die);
	put_members(&l, t, 0, 0, 0, false);
	textbuf_add(&out, "%*s}", CLOSE, "");
	return buf;
}
