/* What the units of debug information would take: libdw reads a unit's table of abbreviations as
 * far as the unit's entries need it, and keeps what it has read for each unit anew, though all may
 * share one table. */
#include <dwarf.h>
#include <gelf.h>
#include <string.h>

#include "loader/dwarf/debug_limit.h"
#include "loader/dwarf/debug_reader.h"

/* As measured with elfutils 0.188 and libraries of 64 bits: of a unit; of a byte of abbreviations.
 */
enum { UNIT_BYTES = 1024, ABBREVIATION_BYTES = 16, ATTRIBUTES_MAX = 256 };

/* Goes behind one abbreviation; false at the table's end, and where it is none. */
static bool skip_abbreviation(struct debug_reader *r, uint64_t *attributes)
{
	uint64_t name, form;
	*attributes = 0;
	if (!debug_leb(r))
		return false;
	debug_leb(r);
	debug_fixed(r, 1);
	do {
		name = debug_leb(r);
		form = debug_leb(r);
		if (form == DW_FORM_implicit_const)
			debug_leb(r);
		++*attributes;
	} while (!r->bad && (name || form));
	return !r->bad;
}

/* Takes what reading the table takes, as it is read: so little time goes into what there is no room
 * for. Attributes may take no bytes of an entry, but are looked at in each that has them: nobody
 * has hundreds. */
static bool take_abbreviations(struct debug_limit *l, const Elf_Data *d, uint64_t at)
{
	struct debug_reader r = debug_reader_of(d);
	uint64_t attributes;
	if (!r.at || at >= (uint64_t)(r.end - r.at))
		return true; /* libdw finds nothing there, either */
	r.at += at;
	for (const uint8_t *from = r.at; skip_abbreviation(&r, &attributes); from = r.at) {
		l->damaged |= attributes > ATTRIBUTES_MAX;
		if (l->damaged ||
		    !debug_limit_take(l, (uint64_t)(r.at - from) * ABBREVIATION_BYTES))
			return false;
	}
	return true;
}

/* One unit; r is behind it then. False if there is no room for it. */
static bool take_unit(struct debug_limit *l, struct debug_reader *r, const Elf_Data *abbreviations,
                      bool types)
{
	unsigned word = 4;
	uint64_t length = debug_fixed(r, 4), at;
	if (length == UINT32_MAX) {
		word = 8;
		length = debug_fixed(r, 8);
	}
	if (r->bad || length > (uint64_t)(r->end - r->at)) {
		r->bad = true;
		return true;
	}
	struct debug_reader unit = {.at = r->at, .end = r->at + length};
	r->at += length;
	const uint64_t version = debug_fixed(&unit, 2);
	if (version >= 5) {
		const uint64_t kind = debug_fixed(&unit, 1);
		debug_fixed(&unit, 1);
		at = debug_fixed(&unit, word);
		if (kind == DW_UT_type || kind == DW_UT_split_type)
			debug_fixed(&unit, 8), debug_fixed(&unit, word);
		else if (kind == DW_UT_skeleton || kind == DW_UT_split_compile)
			debug_fixed(&unit, 8);
	} else {
		at = debug_fixed(&unit, word);
		debug_fixed(&unit, 1);
		if (types)
			debug_fixed(&unit, 8), debug_fixed(&unit, word);
	}
	return debug_limit_take(l, UNIT_BYTES) &&
	       (unit.bad || take_abbreviations(l, abbreviations, at));
}

bool debug_limit_units(struct debug_limit *l, Elf *elf)
{
	static const char *const names[][2] = {{".debug_info", ".zdebug_info"},
	                                       {".debug_types", ".zdebug_types"}};
	const Elf_Data *abbreviations = debug_section_data(elf, ".debug_abbrev", ".zdebug_abbrev");
	for (unsigned i = 0; i < 2; i++) {
		struct debug_reader r =
			debug_reader_of(debug_section_data(elf, names[i][0], names[i][1]));
		while (!r.bad && r.at < r.end)
			if (!take_unit(l, &r, abbreviations, i == 1))
				return false;
	}
	return true;
}
