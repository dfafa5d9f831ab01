/* `view backtrace`: the calls that led here. */
#include <inttypes.h>

#include "hwviews/program/frames.h"
#include "loader/demangle.h"
#include "loader/dwarf/inlined.h"
#include "hwviews/session/view_text.h"

static const struct grid_column columns[] = {
	{"mark", "", "", .min_width = 1},
	{"frame", "frame", "", .help = "the innermost call; the number of a call, from 0 on"},
	{"place", "at", "", .flexible = true,
	 .help = "#0: the next instruction to commit; others: where they go on when the call "
	         "returns; " FRAME_SIGNAL_TEXT ": above it a signal's handler runs, below it is "
	         "what that interrupted; inlined: the function's code is part of the next frame's, "
	         "where nothing was called"},
	{"source", "source", "", .flexible = true, .help = "the line of the call"},
	{"bytes", "frame size", "bytes", .align = ALIGN_RIGHT, 
	 .help = "stack bytes of the call; an inlined function has none"},
	{"cfa", "frame ends", "",
	 .help = "the stack pointer before the call (canonical frame address)"},
	{"pc", "address", "", .help = "the same as `at`, as a number"},
};

static void frame_row(struct grid *g, const struct session *s, const struct frame *f, size_t i)
{
	uint64_t below = f->call ? f[-1].cfa : machine_seen_reg(s->machine, REG_SP);
	struct source_line line;
	char name[DEMANGLED_MAX];
	uint64_t look = frame_look(f);
	struct grid_row *row = grid_row(g, 1 + i, i ? ROLE_PLAIN : ROLE_CURRENT);
	row->pc = f->pc;
	grid_text(g, ROLE_CURRENT, "%s", i ? "" : "▶");
	grid_uint_text(g, ROLE_DIM, i, "#%zu", i);
	const struct symbol *sym = program_symbol_at(s->program, look);
	if (f->kind == FRAME_SIGNAL)
		grid_hex_text(g, ROLE_DIM, f->pc, "%s", FRAME_SIGNAL_TEXT);
	else if (inlined_name(s->program, f, name, sizeof name))
		grid_hex_text(g, ROLE_ADDRESS, f->pc, "%s, inlined", name);
	else if (sym && i)
		grid_hex_text(g, ROLE_ADDRESS, f->pc, "%s+0x%" PRIx64, sym->name,
		              f->pc - sym->addr);
	else
		cell_addr(g, s, ROLE_ADDRESS, f->pc);
	if (inlined_line(s->program, f, &line) && line.line) {
		const char *base = line.file;
		for (const char *c = line.file; *c; c++)
			if (*c == '/')
				base = c + 1;
		grid_text(g, ROLE_PLAIN, "%s:%u", base, line.line);
	} else {
		grid_blank(g);
	}
	if (!f->inlined && f->cfa >= below)
		grid_uint(g, ROLE_NUMBER, f->cfa - below);
	else
		grid_blank(g);
	grid_hex(g, ROLE_DIM, f->cfa);
	grid_hex(g, ROLE_DIM, f->pc);
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
{
	struct frame frames[FRAMES_MAX];
	if (!arg_count(args, 0, "backtrace", err))
		return false;
	size_t n = frames_of(s, frames, FRAMES_MAX);
	grid_init(out, "Call stack", columns, sizeof columns / sizeof *columns);
	grid_summary(out, "%zu frame%s%s", n, n == 1 ? "" : "s",
	             n == FRAMES_MAX ? ", and more" : "");
	for (size_t i = 0; i < n; i++)
		frame_row(out, s, &frames[i], i);
	return true;
}

const struct view view_backtrace = {
	.name = "backtrace",
	.title = "Call stack",
	.args = "",
	.help.about =
		"The function calls that the committed program is in, innermost first. It works\n"
		"at any cycle: the machine may be far ahead in other functions, or on a wrong\n"
		"path, but what has committed is in these.\n"
		"\n",
	.help.tables = {{GRID_TABLE(columns), .indent = 15}},
	.help.hints =
		"\n"
		"Found through the program's call frame information, or by reading the\n"
		"function's code where there is none. `stack` shows the bytes.",
	.build = build,
};
