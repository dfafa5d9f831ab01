/* Inlined functions by their blocks. */
#include "loader/dwarf/inlined.h"

#include <dwarf.h>

#include "loader/dwarf/walk.h"
#include "loader/program_priv.h"

static bool is_inlined(const Dwarf_Die *die)
{
	Dwarf_Die at = *die;
	return dwarf_tag(&at) == DW_TAG_inlined_subroutine;
}

/* As gdb says it: what is before pc is not in the block. */
static bool begins_at(const struct program *image, const Dwarf_Die *block, uint64_t pc)
{
	Dwarf_Die at = *block;
	return !walk_holds(walk_of(image), &at, pc - image->bias - 1);
}

static struct source_line call_of(const Dwarf_Die *block)
{
	struct source_line at = {0};
	Dwarf_Die die = *block, unit;
	Dwarf_Attribute attr;
	Dwarf_Word line, file;
	Dwarf_Files *files;
	size_t count;
	if (!dwarf_attr(&die, DW_AT_call_line, &attr) || dwarf_formudata(&attr, &line) != 0 ||
	    !dwarf_attr(&die, DW_AT_call_file, &attr) || dwarf_formudata(&attr, &file) != 0 ||
	    !dwarf_cu_die(die.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
	    dwarf_getsrcfiles(&unit, &files, &count) != 0 || file >= count || line > INT32_MAX)
		return at;
	at.file = dwarf_filesrc(files, file, NULL, NULL);
	at.line = at.file ? (unsigned)line : 0;
	return at;
}

/* How many blocks of the chain one is in who stands at pc. */
static unsigned entered(const struct scope_chain *chain, uint64_t pc)
{
	unsigned n = chain->count;
	for (unsigned i = chain->count; i-- > 1;) {
		Dwarf_Die block = chain->block[i];
		if (is_inlined(&block) && begins_at(chain->image, &block, pc))
			n = i;
		else if (is_inlined(&block) || dwarf_tag(&block) == DW_TAG_subprogram)
			break;
	}
	return n;
}

void inlined_cut(struct scope_chain *chain, uint64_t pc)
{
	chain->count = entered(chain, pc);
}

void inlined_at(const struct program *p, uint64_t pc, struct inlined *out)
{
	struct scope_chain chain;
	*out = (struct inlined){.image = scope_image(p, pc)};
	walk_begin(p);
	if (!scope_chain(out->image, pc, &chain))
		return;
	const unsigned n = entered(&chain, pc);
	out->begins = n < chain.count;
	if (out->begins)
		out->call = call_of(&chain.block[n]);
	for (unsigned i = 1; i < n; i++)
		if (is_inlined(&chain.block[i]))
			out->in[out->count++] = chain.block[i];
}

bool inlined_within(const struct inlined *inner, const struct inlined *outer)
{
	if (inner->count <= outer->count)
		return false;
	for (unsigned i = 0; i < outer->count; i++)
		if (inner->in[i].addr != outer->in[i].addr)
			return false;
	return true;
}

bool inlined_same(const struct inlined *a, const struct inlined *b)
{
	if (a->count != b->count)
		return false;
	for (unsigned i = 0; i < a->count; i++)
		if (a->in[i].addr != b->in[i].addr)
			return false;
	return true;
}

bool inlined_extent(const struct inlined *at, unsigned i, uint64_t pc, uint64_t *lo, uint64_t *hi)
{
	Dwarf_Addr base, start, end;
	Dwarf_Die die = at->in[i];
	pc -= at->image->bias;
	for (ptrdiff_t next = 0; (next = dwarf_ranges(&die, next, &base, &start, &end)) > 0;) {
		if (!walk_take(walk_of(at->image), 8))
			return false;
		if (pc < start || pc >= end)
			continue;
		*lo = start + at->image->bias;
		*hi = end + at->image->bias;
		return true;
	}
	return false;
}

bool program_visible_line(const struct program *p, uint64_t pc, struct source_line *out)
{
	struct inlined at;
	inlined_at(p, pc, &at);
	if (!at.begins || !at.call.line)
		return program_stop_line_at(p, pc, out);
	*out = at.call;
	return true;
}
