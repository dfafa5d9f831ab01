/* Estimates the memory for units of debug information: libdw reads a unit's abbreviation table as
 * far as its entries need, and keeps it once per unit, even if units share a table. */
#include <dwarf.h>
#include <gelf.h>
#include <string.h>

#include "loader/dwarf/debug_limit.h"
#include "loader/dwarf/debug_reader.h"

/* Measured with elfutils 0.188 and 64-bit libraries: per unit; per byte of abbreviations. */
enum { UNIT_BYTES = 1024, ABBREVIATION_BYTES = 16, ATTRIBUTES_MAX = 256 };

/* Skips one abbreviation; false at the table's end, or if it is invalid. */
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

/* Takes the memory of a table while scanning it, so that a table too large costs little time.
 * Attributes may take no bytes of an entry, but are visited in each: compilers never use
 * hundreds. */
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

/* Takes one unit's memory and moves r after it. False if there is no room. */
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
