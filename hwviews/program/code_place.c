#include "hwviews/program/code_place.h"

#include <string.h>

#include "hwviews/program/code_lines.h"
#include "hwviews/session/view_text.h"
#include "loader/dwarf/inlined.h"

struct code_place code_place_of(const struct session *s, uint64_t pc, enum code_by by)
{
	struct source_line at;
	if (by == CODE_BY_INSTRUCTION)
		return (struct code_place){.first = pc};
	if (by == CODE_BY_LINE && program_line_at(s->program, pc, &at) && at.line)
		return (struct code_place){.file = at.file, .line = at.line};
	const struct symbol *sym = program_symbol_at(s->program, pc);
	return (struct code_place){.first = sym ? sym->addr : pc};
}

/* True for a file of the compiler or of a library, not of the program's author. */
static bool code_place_is_library_file(const char *file)
{
	return !strncmp(file, "/usr/", 5) && strncmp(file, "/usr/src/", 9) != 0 &&
	       strncmp(file, "/usr/local/", 11) != 0;
}

struct code_place code_place_own(const struct session *s, uint64_t pc)
{
	struct frame frames[SCOPE_DEPTH_MAX];
	/* Like a return address: pc + 1 selects all blocks around pc, also blocks that begin at pc.
	 */
	const struct frame call = {.pc = pc + 1};
	struct source_line line;
	const size_t n = inlined_frames(s->program, &call, 1, frames, SCOPE_DEPTH_MAX);
	for (size_t i = 0; i < n; i++)
		if ((i ? inlined_line(s->program, &frames[i], &line)
		       : program_line_at(s->program, pc, &line)) &&
		    line.line && !code_place_is_library_file(line.file) &&
		    !inlined_is_generated(s->program, &frames[i]))
			return (struct code_place){.file = line.file, .line = line.line};
	return code_place_of(s, pc, CODE_BY_FUNCTION);
}

int code_place_compare(const struct code_place *a, const struct code_place *b)
{
	const int files = !a->file || !b->file ? (a->file != NULL) - (b->file != NULL)
	                                       : strcmp(a->file, b->file);
	if (files)
		return files;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

void cell_code_place(struct grid *g, const struct session *s, const struct code_place *p,
                     uint64_t pc)
{
	if (p->file)
		grid_text(g, ROLE_ADDRESS, "%s:%u", file_base_name(p->file), p->line);
	else
		cell_addr(g, s, ROLE_ADDRESS, pc);
}

const char *code_place_text(const struct session *s, enum code_by by, const struct code_place *p,
                            uint64_t pc, char *buf, size_t n)
{
	struct code c;
	unsigned count;
	if (by == CODE_BY_INSTRUCTION && code_at(s, pc, &c))
		return code_text(s, &c, buf, n);
	const char *source =
		p->file ? program_source_text(s->program, p->file, p->line, &count) : NULL;
	return source ? source + strspn(source, " \t") : "";
}
