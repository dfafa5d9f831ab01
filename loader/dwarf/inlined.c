/* Inlined functions, by their blocks in the debug information. */
#include "loader/dwarf/inlined.h"

#include <dwarf.h>
#include <string.h>

#include "loader/dwarf/inlined_name.h"
#include "loader/dwarf/walk.h"
#include "loader/program_priv.h"

static bool inlined_die_is_inlined(const Dwarf_Die *die)
{
	Dwarf_Die at = *die;
	return dwarf_tag(&at) == DW_TAG_inlined_subroutine;
}

/* Whether the block begins at pc. As in gdb: pc - 1 is not in the block. */
static bool begins_at(const struct program *image, const Dwarf_Die *block, uint64_t pc)
{
	Dwarf_Die at = *block;
	return !walk_holds(walk_of(image), &at, pc - image->bias - 1);
}

static struct source_line inlined_call_line(const struct program *image, const Dwarf_Die *block)
{
	struct source_line at = {0};
	Dwarf_Die die = *block;
	Dwarf_Attribute attr;
	Dwarf_Word line, file;
	if (!dwarf_attr(&die, DW_AT_call_line, &attr) || dwarf_formudata(&attr, &line) != 0 ||
	    !dwarf_attr(&die, DW_AT_call_file, &attr) || dwarf_formudata(&attr, &file) != 0 ||
	    line > INT32_MAX)
		return at;
	at.file = lines_file(image, &die, file);
	at.line = at.file ? (unsigned)line : 0;
	return at;
}

/* The number of the chain's blocks around a stop at pc. Of inlined functions that begin at pc, only
 * those count that inlined_enter() has entered, the outermost. */
static unsigned inlined_count_entered_blocks(const struct program *p,
                                             const struct scope_chain *chain, uint64_t pc)
{
	const unsigned in = pc == p->debug->entered_pc ? p->debug->entered : 0;
	unsigned begin[SCOPE_DEPTH_MAX], n = 0; /* innermost first */
	for (unsigned i = chain->count; i-- > chain->first;) {
		Dwarf_Die block = chain->block[i];
		if (!inlined_die_is_inlined(&block))
			continue;
		if (!begins_at(chain->image, &block, pc))
			break;
		begin[n++] = i;
	}
	return n > in ? begin[n - in - 1] : chain->count;
}

static void inlined_find_blocks_at(const struct program *p, uint64_t pc, bool at_beginning,
                                   struct inlined *out)
{
	struct scope_chain chain;
	*out = (struct inlined){.image = scope_image(p, pc)};
	walk_begin(p);
	if (!scope_chain(out->image, pc, &chain))
		return;
	const unsigned n = at_beginning ? inlined_count_entered_blocks(p, &chain, pc) : chain.count;
	out->begins = n < chain.count;
	if (out->begins)
		out->call = inlined_call_line(out->image, &chain.block[n]);
	for (unsigned i = chain.first; i < n; i++)
		if (inlined_die_is_inlined(&chain.block[i]))
			out->in[out->count++] = chain.block[i];
}

void inlined_at(const struct program *p, uint64_t pc, struct inlined *out)
{
	inlined_find_blocks_at(p, pc, true, out);
}

void inlined_of(const struct program *p, const struct frame *f, struct inlined *out)
{
	inlined_find_blocks_at(p, frame_look(f), f->kind == FRAME_AT, out);
	if (f->inlined >= out->count)
		return;
	out->begins = true;
	out->call = inlined_call_line(out->image, &out->in[f->inlined]);
	out->count = f->inlined;
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

/* ---- frames ---- */
size_t inlined_frames(const struct program *p, const struct frame *calls, size_t n,
                      struct frame *out, size_t max)
{
	size_t count = 0;
	struct inlined at;
	for (size_t i = 0; i < n; i++) {
		at.count = 0;
		if (calls[i].kind != FRAME_SIGNAL)
			inlined_find_blocks_at(p, frame_look(&calls[i]), calls[i].kind == FRAME_AT,
			                       &at);
		for (unsigned k = at.count + 1; k-- > 0 && count < max; count++) {
			out[count] = calls[i];
			out[count].inlined = k;
		}
	}
	return count;
}

bool inlined_chain(const struct program *p, const struct frame *f, struct scope_chain *out)
{
	const uint64_t look = frame_look(f);
	unsigned k = 0;
	walk_begin(p);
	if (!scope_chain(scope_image(p, look), look, out))
		return false;
	if (f->kind == FRAME_AT)
		out->count = inlined_count_entered_blocks(p, out, look);
	for (unsigned i = out->first; i < out->count; i++) {
		if (!inlined_die_is_inlined(&out->block[i]))
			continue;
		if (k++ == f->inlined)
			out->count = i;
		else
			out->first = i;
	}
	return true;
}

bool inlined_is_generated(const struct program *p, const struct frame *f)
{
	struct scope_chain chain;
	Dwarf_Attribute attr;
	bool generated;
	return inlined_chain(p, f, &chain) && chain.first < chain.count &&
	       dwarf_attr_integrate(&chain.block[chain.first], DW_AT_artificial, &attr) &&
	       dwarf_formflag(&attr, &generated) == 0 && generated;
}

char *inlined_name(const struct program *p, const struct frame *f, char *buf, size_t n)
{
	struct inlined at;
	if (!f->inlined)
		return NULL;
	inlined_of(p, f, &at);
	return at.count == f->inlined ? inlined_function_name(&at.in[at.count - 1], buf, n) : NULL;
}

char *inlined_name_of_line(const struct program *p, uint64_t pc, const char *file, unsigned line,
                           char *buf, size_t n)
{
	const struct program *image = scope_image(p, pc);
	struct scope_chain chain;
	Dwarf_Die owner;
	int from = 0;
	walk_begin(p);
	if (!scope_chain(image, pc, &chain))
		return NULL;
	/* Of functions in one file, the function that begins last before the line contains it. */
	for (unsigned i = chain.first; i < chain.count; i++) {
		Dwarf_Die block = chain.block[i];
		int begins;
		const int tag = dwarf_tag(&block);
		if ((tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) ||
		    !walk_take(walk_of(image), 4) || dwarf_decl_line(&block, &begins) != 0 ||
		    begins > (int)line || begins < from)
			continue;
		const char *in = dwarf_decl_file(&block);
		if (!in || strcmp(in, file) != 0)
			continue;
		owner = block;
		from = begins;
	}
	return from && inlined_die_is_inlined(&owner) ? inlined_function_name(&owner, buf, n)
	                                              : NULL;
}

bool inlined_line(const struct program *p, const struct frame *f, struct source_line *out)
{
	struct inlined at;
	inlined_of(p, f, &at);
	if (!at.begins || !at.call.line)
		return program_stop_line_at(p, frame_look(f), out);
	*out = at.call;
	return true;
}

/* ---- where a function begins ---- */
void inlined_enter(const struct program *p, uint64_t pc, unsigned count)
{
	p->debug->entered_pc = pc;
	p->debug->entered = count;
}

unsigned inlined_entered(const struct program *p, uint64_t pc)
{
	return p->debug->entered_pc == pc ? p->debug->entered : 0;
}

unsigned inlined_begun(const struct program *p, uint64_t pc, const char *name)
{
	struct scope_chain chain;
	const struct program *image = scope_image(p, pc);
	unsigned begin = 0, with = 0;
	walk_begin(p);
	if (!scope_chain(image, pc, &chain))
		return 0;
	for (unsigned i = chain.first; i < chain.count; i++) {
		Dwarf_Die block = chain.block[i];
		if (!inlined_die_is_inlined(&block) || !begins_at(image, &block, pc))
			continue;
		begin++;
		if (!name || inlined_function_meant(&block, name))
			with = begin;
	}
	return with;
}
