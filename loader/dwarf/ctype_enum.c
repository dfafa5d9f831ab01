/* Enumerations: their enumerators, and the text of a value. */
#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "loader/dwarf/ctype_write.h"
#include "loader/dwarf/walk.h"

/* The scope before an enumerator's name: "geo::Colour::"; "" in C. */
static char *before_enumerators(struct dwarf_walk *walk, Dwarf_Die *type, char *buf, size_t n)
{
	Dwarf_Attribute attr;
	buf[0] = '\0';
	if (!scoped_is_cplus(type))
		return buf;
	scoped_name(walk, type, buf, n);
	if (dwarf_attr(type, DW_AT_enum_class, &attr))
		snprintf(buf + strlen(buf), n - strlen(buf), "::");
	else
		snprintf(buf, n, "%s", walk->scope);
	return buf;
}

void ctype_write_enum(struct textbuf *out, Dwarf_Die *die, struct dwarf_walk *walk)
{
	char before[SCOPED_MAX], under[64];
	const struct ctype of = ctype_of(die);
	before_enumerators(walk, die, before, sizeof before);
	if (scoped_is_cplus(die) && of.kind != CTYPE_VOID)
		textbuf_add(out, " : %s", ctype_text(&of, NULL, under, sizeof under));
	Dwarf_Die child;
	int64_t next = 0;
	unsigned count = 0;
	textbuf_add(out, " {");
	if (walk_child(walk, die, &child))
		do {
			Dwarf_Attribute attr;
			Dwarf_Word v;
			const char *name = dwarf_diename(&child);
			if (dwarf_tag(&child) != DW_TAG_enumerator || !name ||
			    !dwarf_attr(&child, DW_AT_const_value, &attr) ||
			    dwarf_formudata(&attr, &v) != 0)
				continue;
			if (count == CTYPE_LINES_MAX) {
				textbuf_add(out, ", ...");
				break;
			}
			textbuf_add(out, "%s%s%s", count++ ? ", " : "", before, name);
			if ((int64_t)v != next)
				textbuf_add(out, " = %" PRId64, (int64_t)v);
			next = (int64_t)(v + 1);
		} while (walk_next(walk, &child));
	textbuf_add(out, "}");
}

/* Iterates over the enumerators of a type. */
struct enumerators {
	Dwarf_Die next; /* addr NULL: there is none */
	struct dwarf_walk walk;
	unsigned left;
};

static struct enumerators enumerators_of(const struct ctype *t)
{
	struct enumerators e = {.walk = walk_of_type(), .left = CTYPE_LINES_MAX};
	Dwarf_Die die = t->die;
	if (!walk_child(&e.walk, &die, &e.next))
		e.next.addr = NULL;
	return e;
}

/* The next enumerator's name; NULL after the last. */
static const char *enumerator_next(struct enumerators *e, int64_t *value)
{
	while (e->next.addr && e->left) {
		Dwarf_Die die = e->next;
		Dwarf_Attribute attr;
		Dwarf_Word v;
		if (!walk_next(&e->walk, &e->next))
			e->next.addr = NULL;
		if (dwarf_tag(&die) != DW_TAG_enumerator ||
		    !dwarf_attr(&die, DW_AT_const_value, &attr) || dwarf_formudata(&attr, &v) != 0)
			continue;
		e->left--;
		*value = (int64_t)v;
		return dwarf_diename(&die);
	}
	return NULL;
}

/* Formats a value as flags: enumerators of one bit each; of two with the same bit, the first. */
static bool flags_text(const struct ctype *t, uint64_t value, const char *before, char *buf,
                       size_t n)
{
	struct textbuf out = {buf, n, 0};
	const char *name;
	int64_t one;
	uint64_t seen = 0;
	struct enumerators all = enumerators_of(t);
	*buf = '\0';
	textbuf_add(&out, "(");
	while ((name = enumerator_next(&all, &one))) {
		const uint64_t bit = (uint64_t)one;
		if (bit & (bit - 1))
			return false;
		if (value & bit & ~seen)
			textbuf_add(&out, "%s%s%s", out.used > 1 ? " | " : "", before, name);
		seen |= bit;
	}
	if (!value)
		return false;
	if (value & ~seen)
		textbuf_add(&out, "%sunknown: 0x%" PRIx64, out.used > 1 ? " | " : "",
		            value & ~seen);
	textbuf_add(&out, ")");
	return true;
}

char *ctype_enum_text(const struct ctype *t, int64_t value, struct dwarf_walk *walk, char *buf,
                      size_t n)
{
	const char *name;
	int64_t one;
	char before[SCOPED_MAX];
	Dwarf_Die die = t->die;
	struct enumerators all = enumerators_of(t);
	const uint64_t mask = t->size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * t->size) - 1;
	while ((name = enumerator_next(&all, &one))) {
		if (((uint64_t)one & mask) == ((uint64_t)value & mask)) {
			before_enumerators(walk, &die, before, sizeof before);
			snprintf(buf, n, "%s%s", before, name);
			return buf;
		}
	}
	before_enumerators(walk, &die, before, sizeof before);
	if (!flags_text(t, (uint64_t)value & mask, before, buf, n))
		snprintf(buf, n, "%" PRId64, value);
	return buf;
}
