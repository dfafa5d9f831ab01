/* `view backtrace`: the calls that led here. */
#include <inttypes.h>

#include "hwviews/program/frames.h"
#include "loader/demangle.h"
#include "loader/dwarf/inlined.h"
#include "hwviews/session/view_text.h"

struct row {
	const struct session *s;
	const struct frame *f;
	uint64_t below; /* lowest address of this call's stack */
	size_t i;       /* frame; 0: the innermost */
};

FILL(fill_mark, struct row, grid_text(g, ROLE_CURRENT, "%s",
	!r->i ? "▶" : r->i == frames_selected(r->s) ? "↪" : ""))
FILL(fill_frame, struct row, grid_uint_text(g, ROLE_DIM, r->i, "#%zu", r->i))

static void view_backtrace_fill_place(struct grid *g, const void *row)
{
	const struct row *r = row;
	const uint64_t pc = r->f->pc;
	char name[DEMANGLED_MAX];
	const struct symbol *sym = program_symbol_at(r->s->program, frame_look(r->f));
	if (r->f->kind == FRAME_SIGNAL)
		grid_hex_text(g, ROLE_DIM, pc, "%s", FRAME_SIGNAL_TEXT);
	else if (inlined_name(r->s->program, r->f, name, sizeof name))
		grid_hex_text(g, ROLE_ADDRESS, pc, "%s, inlined", name);
	else if (sym && r->i)
		grid_hex_text(g, ROLE_ADDRESS, pc, "%s+0x%" PRIx64, sym->name, pc - sym->addr);
	else
		cell_addr(g, r->s, ROLE_ADDRESS, pc);
}

static void view_backtrace_fill_source(struct grid *g, const void *row)
{
	const struct row *r = row;
	struct source_line line;
	if (inlined_line(r->s->program, r->f, &line) && line.line)
		grid_text(g, ROLE_PLAIN, "%s:%u", file_base_name(line.file), line.line);
	else
		grid_blank(g);
}

FILL(fill_bytes, struct row, grid_uint_if(g, !r->f->inlined && r->f->cfa >= r->below, ROLE_NUMBER,
	r->f->cfa - r->below))
FILL(fill_cfa, struct row, grid_hex(g, ROLE_DIM, r->f->cfa))
FILL(fill_address, struct row, grid_hex(g, ROLE_DIM, r->f->pc))

static const struct grid_column columns[] = {
	{"mark", "", "", fill_mark, .min_width = 1,
	 .help = "▶ the innermost call; ↪ another that `up` or `frame` selected"},
	{"frame", "frame", "", fill_frame,
         .help = "the innermost call; the number of a call, from 0 on"},
	{"place", "at", "", view_backtrace_fill_place, FLEXIBLE,
         .help = "#0: the next instruction to commit; others: where they go on when the call "
		 "returns; " FRAME_SIGNAL_TEXT
		 ": above it a signal's handler runs, below it the interrupted code; inlined: the "
		 "function's code is part of the next frame's, without a call"},
	{"source", "source", "", view_backtrace_fill_source, FLEXIBLE,
         .help = "the line of the call"},
	{"bytes", "frame size", "bytes", fill_bytes, AT_RIGHT,
         .help = "stack bytes of the call; an inlined function has none"},
	{"cfa", "frame ends", "", fill_cfa,
         .help = "the stack pointer before the call (canonical frame address)"},
	{"pc", "address", "", fill_address, .help = "the same as `at`, as a number"},
};

/* The lowest address of frame i's stack: the CFA of its callee. */
static uint64_t ends_below(const struct session *s, const struct frame *frames, size_t i)
{
	const unsigned call = frames[i].call;
	while (i && frames[i - 1].call == call)
		i--;
	return i ? frames[i - 1].cfa : machine_seen_reg(s->machine, REG_SP);
}

static bool view_backtrace_build_grid(const struct session *s, const struct view_args *args,
                                      struct grid *out, struct err *err)
{
	struct frame frames[FRAMES_MAX];
	if (!arg_count(args, 0, "backtrace", err))
		return false;
	size_t n = frames_of(s, frames, FRAMES_MAX);
	grid_init(out, "Call stack", GRID_TABLE(columns));
	grid_summary(out, "%zu frame%s%s", n, n == 1 ? "" : "s",
	             n == FRAMES_MAX ? ", and more" : "");
	for (size_t i = 0; i < n; i++) {
		const struct frame *f = &frames[i];
		const bool here = i == frames_selected(s);
		if (i && here)
			out->focus_row = out->row_count;
		grid_row(out, 1 + i, here ? ROLE_CURRENT : ROLE_PLAIN)->pc = f->pc;
		grid_cells(out, &(struct row){s, f, ends_below(s, frames, i), i});
	}
	return true;
}

const struct view view_backtrace = {
	.name = "backtrace",
	.title = "Call stack",
	.args = "",
	.build = view_backtrace_build_grid,
	.help.about =
		"The function calls that the committed program is in, innermost first. It works\n"
		"at any cycle: the machine may be far ahead in other functions, or on a wrong\n"
		"path, but what has committed is in these.",
	.help.tables = {{GRID_TABLE(columns), .indent = 15}},
	.help.hints = "Found through the program's call frame information, or by reading the\n"
		      "function's code where there is none. `stack` shows the bytes.",
};
