/* What the units of debug information would take: libdw reads a unit's table of abbreviations up to that of its first entry as soon as it
 * meets the unit, and keeps what it has read for each unit anew, though all may share one table. */
#include <dwarf.h>
#include <gelf.h>
#include <string.h>

#include "loader/debug_limit.h"

/* As measured with elfutils 0.188 and libraries of 64 bits: of a unit; of a byte of abbreviations. */
enum { UNIT_BYTES = 1024, ABBREVIATION_BYTES = 16 };

struct reader {
	const uint8_t *at, *end;
	bool bad;
};

static struct reader reader_of(const Elf_Data *d)
{
	return d && d->d_buf ? (struct reader){.at = d->d_buf, .end = (const uint8_t *)d->d_buf + d->d_size} : (struct reader){0};
}

static uint64_t fixed(struct reader *r, unsigned bytes)
{
	uint64_t v = 0;
	if (r->bad || (size_t)(r->end - r->at) < bytes) {
		r->bad = true;
		return 0;
	}
	memcpy(&v, r->at, bytes);
	r->at += bytes;
	return v;
}

/* LEB128; bits beyond 64 are lost. */
static uint64_t leb(struct reader *r)
{
	uint64_t v = 0, byte = 0x80;
	for (unsigned shift = 0; !r->bad && (byte & 0x80); shift += 7) {
		byte = fixed(r, 1);
		v |= shift < 64 ? (byte & 0x7f) << shift : 0;
	}
	return v;
}

/* Goes behind one abbreviation; false at the table's end, and where it is none. */
static bool skip_abbreviation(struct reader *r, uint64_t *code)
{
	uint64_t name, form;
	*code = leb(r);
	if (r->bad || !*code)
		return false;
	leb(r);
	fixed(r, 1);
	do {
		name = leb(r);
		form = leb(r);
		if (form == DW_FORM_implicit_const)
			leb(r);
	} while (!r->bad && (name || form));
	return !r->bad;
}

/* Takes what reading the table takes up to this code, as it is read: so little time goes into what there is no room for. */
static bool take_abbreviations(struct debug_limit *l, const Elf_Data *d, uint64_t at, uint64_t wanted)
{
	struct reader r = reader_of(d);
	uint64_t code;
	if (!r.at || at >= (uint64_t)(r.end - r.at))
		return true; /* libdw finds nothing there, either */
	r.at += at;
	for (const uint8_t *from = r.at; skip_abbreviation(&r, &code) && code != wanted; from = r.at)
		if (!debug_limit_take(l, (uint64_t)(r.at - from) * ABBREVIATION_BYTES))
			return false;
	return true;
}

/* One unit; r is behind it then. False if there is no room for it. */
static bool take_unit(struct debug_limit *l, struct reader *r, const Elf_Data *abbreviations, bool types)
{
	unsigned word = 4;
	uint64_t length = fixed(r, 4), at;
	if (length == UINT32_MAX) {
		word = 8;
		length = fixed(r, 8);
	}
	if (r->bad || length > (uint64_t)(r->end - r->at)) {
		r->bad = true;
		return true;
	}
	struct reader unit = {.at = r->at, .end = r->at + length};
	r->at += length;
	const uint64_t version = fixed(&unit, 2);
	if (version >= 5) {
		const uint64_t kind = fixed(&unit, 1);
		fixed(&unit, 1);
		at = fixed(&unit, word);
		if (kind == DW_UT_type || kind == DW_UT_split_type)
			fixed(&unit, 8), fixed(&unit, word);
		else if (kind == DW_UT_skeleton || kind == DW_UT_split_compile)
			fixed(&unit, 8);
	} else {
		at = fixed(&unit, word);
		fixed(&unit, 1);
		if (types)
			fixed(&unit, 8), fixed(&unit, word);
	}
	const uint64_t code = leb(&unit);
	return debug_limit_take(l, UNIT_BYTES) && (unit.bad || take_abbreviations(l, abbreviations, at, code));
}

bool debug_limit_units(struct debug_limit *l, Elf *elf)
{
	static const char *const names[][2] = {{".debug_info", ".zdebug_info"}, {".debug_types", ".zdebug_types"}};
	const Elf_Data *abbreviations = debug_section_data(elf, ".debug_abbrev", ".zdebug_abbrev");
	for (unsigned i = 0; i < 2; i++) {
		struct reader r = reader_of(debug_section_data(elf, names[i][0], names[i][1]));
		while (!r.bad && r.at < r.end)
			if (!take_unit(l, &r, abbreviations, i == 1))
				return false;
	}
	return true;
}
