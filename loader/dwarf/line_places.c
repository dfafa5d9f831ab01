/* Places for a breakpoint on a line: a line may have code in several functions, as of a template,
 * and in each inlined copy. */
#include <dwarf.h>

#include "loader/dwarf/scope_chain.h"
#include "loader/dwarf/walk.h"
#include "loader/program_priv.h"

static bool line_places_block_declares_variable(const struct program *image, Dwarf_Die *block)
{
	Dwarf_Die child;
	if (!walk_child(walk_of(image), block, &child))
		return false;
	do
		if (dwarf_tag(&child) == DW_TAG_variable)
			return true;
	while (walk_next(walk_of(image), &child));
	return false;
}

/* A block with its entry; if the entry is not known, as of a function in another function's local
 * type, the symbol. */
struct block {
	Dwarf_Off entry;
	const struct symbol *symbol;
};

/* The innermost block around the address; as in gdb, a block without variables is skipped. */
static struct block line_places_innermost_block_at(const struct program *p, uint64_t addr)
{
	struct scope_chain chain;
	if (!scope_chain(scope_image(p, addr), addr, &chain))
		chain.count = 0;
	for (unsigned i = chain.count; i-- > 1;) {
		Dwarf_Die *block = &chain.block[i];
		const int tag = dwarf_tag(block);
		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
		    (tag == DW_TAG_lexical_block &&
		     line_places_block_declares_variable(chain.image, block)))
			return (struct block){.entry = dwarf_dieoffset(block)};
	}
	return (struct block){.symbol = program_symbol_at(p, addr)};
}

size_t program_places_of_line(const struct program *p, const char *file, unsigned line,
                              uint64_t *out, size_t max, struct err *err)
{
	enum { MOST = 512 };
	uint64_t all[MOST];
	struct block block[MOST];
	const size_t n = lines_addrs(p, file, line, all, MOST, err);
	size_t kept = 0;
	walk_begin(p);
	/* Compilers scatter a line's code: keep only its first address in each block. */
	for (size_t i = 0; i < n && kept < max; i++) {
		bool again = false;
		block[i] = line_places_innermost_block_at(p, all[i]);
		for (size_t k = 0; k < i && !again; k++)
			again = all[k] == all[i] || (block[k].entry == block[i].entry &&
			                             block[k].symbol == block[i].symbol);
		if (!again)
			out[kept++] = all[i];
	}
	return kept;
}
