#include "loader/dwarf/entry.h"

#include <dwarf.h>
#include <string.h>

#include "loader/dwarf/code_index.h"
#include "loader/dwarf/scope.h"
#include "loader/dwarf/walk.h"
#include "loader/program_priv.h"

static bool is_assembler(Dwarf_Die *unit)
{
	const int language = dwarf_srclang(unit);
	return language == DW_LANG_Mips_Assembler;
}

/* Whether GCC compiled the unit. GCC's location lists are right from a function's first instruction
 * on, as gdb assumes; other compilers' (Clang, rustc) may begin after the prologue. */
static bool is_gcc(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *by = dwarf_attr(unit, DW_AT_producer, &attr) ? dwarf_formstring(&attr) : NULL;
	return by && !strncmp(by, "GNU ", 4);
}

/* Whether the address is in a function that was inlined. */
static bool entry_address_is_inlined(const struct program *image, uint64_t addr)
{
	struct scope_chain chain;
	if (!scope_chain(image, addr, &chain))
		return false;
	for (unsigned i = 0; i < chain.count; i++)
		if (dwarf_tag(&chain.block[i]) == DW_TAG_inlined_subroutine)
			return true;
	return false;
}

/* The first address from `at` on with a line: compiler-generated code has line 0. */
static uint64_t next_with_line(const struct program *p, uint64_t at, uint64_t hi)
{
	struct program_stretch s;
	while (at < hi && !program_stretch_at(p, at, &s))
		at += 2;
	return at;
}

/* The end of the first line's code, where the body begins; 0 if there are no lines. */
static uint64_t entry_prologue_end_by_lines(const struct program *p, const struct program *image,
                                            uint64_t lo, uint64_t hi)
{
	struct program_stretch first, next;
	if (!program_stretch_at(p, lo, &first))
		return 0;
	/* Two rows at one address: there is no prologue. */
	if (first.rows > 1 && first.pc == lo)
		return lo;
	first.end = next_with_line(p, first.end, hi);
	if (first.end >= hi)
		return 0;
	/* Code that the compiler moved into the prologue has earlier lines than the function's. */
	while (first.end < hi && program_stretch_at(p, first.end, &next) &&
	       next.at.line < first.at.line && next.at.file == first.at.file &&
	       !entry_address_is_inlined(image, first.end)) {
		first = next;
		first.end = next_with_line(p, first.end, hi);
	}
	return first.end < hi ? first.end : first.pc;
}

static bool by_function(const struct program *p, uint64_t addr, bool by_lists, uint64_t *behind)
{
	const struct program *image = scope_image(p, addr);
	struct scope_chain chain;
	Dwarf_Die function;
	Dwarf_Addr entry;
	uint64_t lo, hi;
	struct program_stretch at;
	walk_begin(image);
	if (!scope_chain(image, addr, &chain) || !scope_function(&chain, &function) ||
	    dwarf_entrypc(&function, &entry) != 0 || entry + image->bias != addr ||
	    is_assembler(&chain.block[0]) || !symbols_function(image, addr, &lo, &hi) || lo != addr)
		return false;
	if (by_lists && is_gcc(&chain.block[0]) &&
	    code_index_unit_has_lists(image, &chain.block[0]))
		return false;
	uint64_t pc = entry_prologue_end_by_lines(p, image, lo, hi);
	if (pc <= lo)
		return false;
	/* Never stop in the middle of a line. */
	if (program_stretch_at(p, pc, &at) && at.pc != pc && at.end < hi)
		pc = at.end;
	*behind = pc;
	return true;
}

bool entry_behind_prologue(const struct program *p, uint64_t addr, uint64_t *behind)
{
	return by_function(p, addr, true, behind);
}

bool entry_of_step(const struct program *p, uint64_t addr, uint64_t *behind)
{
	return by_function(p, addr, false, behind);
}
