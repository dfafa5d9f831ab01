/* `view source`: source lines, with the cost of each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/pipe/xprof/xprof.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/program/frames.h"
#include "hwviews/session/view_text.h"
#include "hwviews/why/stacks.h"
#include "loader/dwarf/inlined.h"
#include "loader/profile_code.h"

enum { ROWS_DEFAULT = 20, TAB = 4, TEXT_MAX = 400, IN_FLIGHT_MAX = 512 };

/* Instructions in flight by line of one file. */
struct flight {
	const char *file;
	unsigned lines[IN_FLIGHT_MAX];
	const struct uop *uops[IN_FLIGHT_MAX];
	unsigned count;
};

static void find_flight(struct flight *f, const struct session *s, const char *file)
{
	const struct pipe *p = machine_pipe(s->machine);
	uint32_t window = p->st->rob_count, total = window + p->st->fetchq_count;
	f->file = file;
	f->count = 0;
	for (uint32_t i = 0; i < total && f->count < IN_FLIGHT_MAX; i++) {
		const struct uop *u =
			i < window ? pipe_rob_at(p, i) : pipe_fetchq_at(p, i - window);
		struct source_line line;
		if (!program_line_at(s->program, u->pc, &line) || strcmp(line.file, file) != 0)
			continue;
		f->lines[f->count] = line.line;
		f->uops[f->count++] = u;
	}
}

static void view_source_expand_tabs(const char *text, char *out, size_t n)
{
	size_t used = 0, column = 0;
	for (; *text && used + TAB + 1 < n; text++) {
		if (*text == '\r')
			continue;
		if (*text == '\t') {
			do
				out[used++] = ' ';
			while (++column % TAB);
		} else {
			out[used++] = *text;
			column++;
		}
	}
	out[used] = '\0';
}

static bool line_has_stop(const struct session *s, const char *file, unsigned line)
{
	const struct stop_point *sp;
	for (unsigned i = 0; s->run && (sp = run_stop_at(s->run, i)); i++) {
		struct source_line at;
		if (sp->kind == STOP_POINT_PC && sp->enabled &&
		    program_line_at(s->program, sp->addr, &at) && at.line == line &&
		    strcmp(at.file, file) == 0)
			return true;
	}
	return false;
}

/* Profile instructions of lines [first, first + n) of a file. */
struct profiled {
	unsigned first, n;
	/* [n], owned: number of profile instructions, and of those whose flag is off in decode */
	unsigned *count, *off;
};

/* Counts of lines [first, first + n) of a file in the last profile. */
struct counted {
	struct hot_profile hot;
	unsigned first, n;
	struct hot_inst *lines; /* [n], owned; NULL: no profile */
	int64_t *slots;         /* [n], owned: dispatch slots of each, with code that it calls */
	int64_t *rows;          /* [n][CHARGE_CPI], owned: the same by row */
	double all;             /* dispatch slots of the profile */
};

/* Lines [first, first + n) of `file` that receive counts. */
struct view_source_lines {
	struct counted *c;
	const struct session *s;
	const char *file;
};

/* Finds the index of the line that has an instruction's counts; false: the line is in another file,
 * or not among them. */
static bool view_source_find_line(const struct view_source_lines *l, uint64_t pc,
                                  struct code_place at, unsigned *line)
{
	const struct counted *c = l->c;
	/* a library's file shows the time of its own lines */
	if (!at.file || strcmp(at.file, l->file) != 0)
		at = code_place_of(l->s, pc, CODE_BY_LINE);
	*line = at.line - c->first;
	return at.file && at.line >= c->first && at.line - c->first < c->n &&
	       !strcmp(at.file, l->file);
}

static void view_source_count_share(void *ctx, const struct stack_share *one)
{
	const struct view_source_lines *l = ctx;
	unsigned line;
	if (!view_source_find_line(l, one->pc, one->at, &line))
		return;
	l->c->slots[line] += one->slots;
	for (unsigned i = 0; i < CHARGE_CPI; i++)
		l->c->rows[line * CHARGE_CPI + i] += one->row[i];
}

static bool view_source_sum_line_counts(struct counted *c, const struct session *s,
                                        const char *file, unsigned first, unsigned n)
{
	*c = (struct counted){.first = first, .n = n};
	if (!hot_last(s, &c->hot))
		return true;
	c->lines = alloc_zeroed(n, sizeof *c->lines);
	c->rows = alloc_zeroed(n * CHARGE_CPI, sizeof *c->rows);
	c->slots = alloc_zeroed(n, sizeof *c->slots);
	if (!c->lines || !c->rows || !c->slots)
		return false;
	struct view_source_lines l = {c, s, file};
	unsigned line;
	c->all = (double)((c->hot.to - c->hot.from) * stack_kind_of(s, false).width);
	for (size_t i = 0; i < c->hot.count; i++)
		if (view_source_find_line(&l, c->hot.insts[i].pc, c->hot.insts[i].at, &line))
			hot_add(&c->lines[line], &c->hot.insts[i]);
	stack_each_share(s, &c->hot, view_source_count_share, &l);
	return true;
}

static bool find_profiled(struct profiled *f, const struct session *s, const char *file,
                          unsigned first, unsigned n)
{
	const struct profile_code *all = program_profile_code(s->program);
	const struct pipe *p = machine_pipe(s->machine);
	uint16_t late, known = xprof_known(p, &late);
	*f = (struct profiled){first, n, alloc_zeroed(2 * (size_t)n, sizeof *f->count), NULL};
	if (!f->count)
		return false;
	f->off = f->count + n;
	for (size_t i = 0; p->xprof.enabled && i < all->count; i++) {
		struct source_line at;
		struct code c;
		if (!program_line_at(s->program, all->at[i], &at) || at.line < first ||
		    at.line >= first + n || strcmp(at.file, file) != 0 ||
		    !code_at(s, all->at[i], &c) || !c.prefix)
			continue;
		f->count[at.line - first]++;
		f->off[at.line - first] += !((known | late) >> c.type & 1);
	}
	return true;
}

/* Role of a line's text, and its mark: '-' if decode would drop all of its profile instructions. */
static enum role profiled_role(const struct profiled *f, unsigned line)
{
	unsigned n = f->count[line - f->first];
	return !n ? ROLE_PLAIN : n == f->off[line - f->first] ? ROLE_DROPPED : ROLE_PROFILE;
}

struct row {
	const struct session *s;
	const char *file, *text;
	unsigned line;
	bool current;
	bool caller; /* the line from which code without lines, or the next frame, was called */
	const struct profiled *profiled;
	const struct counted *counted;
	unsigned in_flight;       /* instructions of the line */
	const struct uop *oldest; /* among these; NULL: none */
};

static void view_source_fill_mark(struct grid *g, const void *row)
{
	const struct row *r = row;
	const bool stop = line_has_stop(r->s, r->file, r->line);
	grid_text(g, stop ? ROLE_BREAKPOINT : r->current ? ROLE_CURRENT : ROLE_DROPPED,
	          "%s%s", stop ? "●" : "",
	          r->current                                            ? "▶"
	          : r->caller                                           ? "↪"
	          : profiled_role(r->profiled, r->line) == ROLE_DROPPED ? "-" : "");
}

FILL(fill_line, struct row, grid_uint_text(g, ROLE_DIM, r->line, "%u", r->line))
FILL(fill_source, struct row, char text[TEXT_MAX];
     view_source_expand_tabs(r->text, text, sizeof text);
     grid_text(g, profiled_role(r->profiled, r->line), "%s", text))

/* Part of all dispatch slots that a line, and code without lines called there, took. */
static double view_source_share(const struct row *r)
{
	return (double)r->counted->slots[r->line - r->counted->first] / r->counted->all;
}

enum { VIEW_SOURCE_LEAST = 2000 }; /* smaller shares than 1/2000 stay blank */

/* Bar and per cent of the time in a line: "██████  38.0 %". */
static void view_source_fill_share(struct grid *g, const void *row)
{
	enum { BAR = 8 };
	const double share = view_source_share(row);
	char bar[BAR * 3 + 1] = "";
	const int n = (int)(share * BAR + 0.5);
	if (share * VIEW_SOURCE_LEAST < 1) {
		grid_blank(g);
		return;
	}
	for (int i = 0; i < BAR; i++)
		strcat(bar, i < n ? "█" : "");
	grid_double_text(g, share >= 0.1 ? ROLE_HOT : ROLE_NUMBER, 100 * share, "%s %4.1f %%", bar,
	                 100 * share);
}

static void view_source_fill_lost_to(struct grid *g, const void *row)
{
	const struct row *r = row;
	const struct counted *c = r->counted;
	const unsigned line = r->line - c->first;
	if (view_source_share(r) * VIEW_SOURCE_LEAST < 1) {
		grid_blank(g);
		return;
	}
	const struct stack_loss loss =
		stack_largest_loss(c->rows + line * CHARGE_CPI, c->slots[line],
		                   machine_config(r->s->machine));
	cell_largest_loss(g, &loss, c->all);
}

FILL(fill_executed, struct row, cell_hot_executed(g,
	&r->counted->lines[r->line - r->counted->first]))
FILL(fill_held, struct row, cell_hot_held(g, &r->counted->hot,
	&r->counted->lines[r->line - r->counted->first]))
FILL(fill_in_flight, struct row, grid_uint_if(g, r->in_flight, ROLE_RUNNING, r->in_flight))

static void fill_oldest(struct grid *g, const void *row)
{
	const struct row *r = row;
	char seq[32];
	if (r->oldest)
		grid_text(g, ROLE_DIM, "%s %s",
		          format_seq(machine_pipe(r->s->machine), r->oldest, seq, sizeof seq),
		          format_state(r->oldest));
	else
		grid_blank(g);
}

static void fill_profile(struct grid *g, const void *row)
{
	const struct row *r = row;
	const unsigned i = r->line - r->profiled->first, n = r->profiled->count[i];
	const bool off = n == r->profiled->off[i];
	if (n)
		grid_uint_text(g, off ? ROLE_DROPPED : ROLE_PROFILE, n, off ? "- %u" : "%u", n);
	else
		grid_blank(g);
}

static const struct grid_column columns[] = {
	{"mark", "", "", view_source_fill_mark, .min_width = 2},
	{"line", "line", "", fill_line, AT_RIGHT, .help = "its number"},
	{"text", "source", "", fill_source, .min_width = 32, FLEXIBLE, .greedy = true,
	  .help = "its text"},
	{"share", "time", "percent of slots", view_source_fill_share, AT_RIGHT,
	 .help = "after `view hot`: of all dispatch slots, those that the line, and code without "
         "lines that it calls, used or held up"},
	{"lost_to", "lost to", "", view_source_fill_lost_to,
	 .help = "after `view hot`: of all dispatch slots, those of its largest loss, and that "
		 "loss, as in `view spent`"},
	HOT_COLUMNS(fill_executed, fill_held),
	{"in_flight", "in flight", "instructions", fill_in_flight, AT_RIGHT,
	 .help = "instructions of the line in the machine: fetched, executing or "
                 "waiting to commit"},
	{"oldest", "oldest", "", fill_oldest, .help = "the oldest of them and its state"},
	{"profile", "profile", "profile instructions", fill_profile, AT_RIGHT,
	 .help = "the line's profile instructions; with -, here and in front, decode would drop "
		 "all of them: their flags are off"},
};

/* pc: the program's place if in this line. */
static void line_row(struct grid *g, const struct flight *f, struct row *r, uint64_t pc)
{
	for (unsigned i = 0; i < f->count; i++) {
		if (f->lines[i] != r->line)
			continue;
		r->in_flight++;
		r->oldest = r->oldest ? r->oldest : f->uops[i];
	}
	struct grid_row *row = grid_row(
		g, r->line, r->current || r->caller ? ROLE_CURRENT : ROLE_PLAIN);
	if (r->current)
		row->pc = pc;
	else if (r->oldest)
		row->pc = r->oldest->pc;
	if (r->oldest)
		row->seq = r->oldest->seq;
	grid_cells(g, r);
}

/* First line of overlapping pages, as in the disassembly: the text stands still while the program
 * moves within a page. */
static unsigned view_source_first_visible_line(unsigned line, unsigned rows)
{
	unsigned margin = rows / 6, step = rows > 2 * margin ? rows - 2 * margin : 1;
	unsigned page = (line - 1) / step * step;
	return page > margin ? page - margin + 1 : 1;
}

/* Names the grid, with the selected frame if that is a caller. */
static bool view_source_name_grid(struct grid *g, const struct session *s, struct err *err)
{
	const size_t level = frames_selected(s);
	char *title = level ? alloc_format("Source, frame #%zu", level) : alloc_text("Source");
	if (!title) {
		grid_deinit(g);
		return err_set(err, "out of memory");
	}
	free(g->title);
	g->title = title;
	return true;
}

/* The line of main, which is shown while no frame has a line: before main, above all. */
static bool view_source_main_line(const struct session *s, struct source_line *at)
{
	const struct symbol *main_symbol = program_symbol_by_name(s->program, "main");
	return main_symbol && main_symbol->code &&
	       program_line_at(s->program, main_symbol->addr, at) && at->line;
}

/* The line of the selected frame, if that is a caller: its level; 0: it is the innermost. *known:
 * the frame has a line. */
static size_t view_source_selected(const struct session *s, struct frame *out,
                                   struct source_line *at, bool *known)
{
	const size_t level = frames_selected(s);
	if (!level || !frames_level(s, level, out))
		return 0;
	*known = inlined_line(s->program, out, at) && at->line;
	return level;
}

static bool view_source_build_grid(const struct session *s, const struct view_args *args,
                                   struct grid *out, struct err *err)
{
	uint64_t pc = machine_seen_pc(s->machine), here = pc;
	struct source_line at, current = {0};
	struct flight f;
	unsigned count = 0, rows = args->rows ? args->rows : ROWS_DEFAULT;
	char where[96];
	if (!arg_count(args, 1, "source", err) ||
	    (args->argc && !arg_address(s, args->argv[0], &pc, err)))
		return false;
	struct hot_profile hot;
	grid_init(out, "Source", GRID_TABLE(columns));
	if (!hot_last(s, &hot)) {
		hot_drop_columns(out);
		grid_drop_column(out, "share");
		grid_drop_column(out, "lost_to");
	}
	struct frame caller;
	bool selected_known = true;
	const size_t chosen =
		args->argc ? 0 : view_source_selected(s, &caller, &at, &selected_known);
	const size_t up = args->argc ? 0 : chosen ? chosen : frames_nearest_line(s, &caller, &at);
	if (chosen && !view_source_name_grid(out, s, err))
		return false;
	if (!selected_known) {
		grid_empty(out, "no source line is known for frame #%zu, %s: %s", chosen,
		           format_addr(s, caller.pc, where, sizeof where),
		           program_no_lines(s->program));
		return true;
	}
	const bool known = up || ((args->argc ? program_line_at(s->program, pc, &at)
	                                      : session_line_here(s, &at)) &&
	                          at.line);
	const bool at_main = !known && !args->argc && view_source_main_line(s, &at);
	if (!known && !at_main) {
		/* a pane shows the code instead */
		if (args->rows && !args->argc) {
			grid_deinit(out);
			if (!view_disasm.build(s, args, out, err) ||
			    !view_source_name_grid(out, s, err))
				return false;
			grid_summary(out, "no source line is known; %s",
			             program_no_lines(s->program));
			return true;
		}
		grid_empty(out, "no source line is known for %s: %s",
		           format_addr(s, pc, where, sizeof where), program_no_lines(s->program));
		return true;
	}
	struct source_line hidden;
	if (chosen)
		grid_summary(out, "%s:%u  frame #%zu, %s", at.file, at.line, chosen,
		             format_addr(s, caller.pc, where, sizeof where));
	else if (up && session_line_here(s, &hidden) && hidden.line)
		grid_summary(out, "%s:%u  calls %s:%u, which can't be read: %zu frame%s up",
		             file_base_name(at.file), at.line, file_base_name(hidden.file),
		             hidden.line, up, up == 1 ? "" : "s");
	else if (up && !caller.pc)
		grid_summary(out, "%s:%u  the program has ended", file_base_name(at.file), at.line);
	else if (at_main)
		grid_summary(out, "%s:%u  main; %s has no lines", file_base_name(at.file), at.line,
		             format_addr(s, pc, where, sizeof where));
	else if (up)
		grid_summary(out, "%s:%u  called %s, which has no lines: %zu frame%s up",
		             file_base_name(at.file), at.line,
		             format_addr(s, pc, where, sizeof where), up, up == 1 ? "" : "s");
	else
		grid_summary(out, "%s:%u  %s", at.file, at.line,
		             format_addr(s, pc, where, sizeof where));
	if (!program_source_text(s->program, at.file, 1, &count)) {
		grid_empty(out, "%s:%u: %s", at.file, at.line,
		           program_source_missing(s->program, at.file));
		return true;
	}
	session_line_here(s, &current);
	find_flight(&f, s, at.file);
	int64_t first = (int64_t)view_source_first_visible_line(at.line, rows) + args->scroll;
	if (first > (int64_t)count - (int64_t)rows + 1)
		first = (int64_t)count - (int64_t)rows + 1;
	if (first < 1)
		first = 1;
	/* In a pane the text takes the room that the time beside it leaves. */
	enum { BESIDE_TEXT = 48, TEXT_LEAST = 32 };
	if (hot_last(s, &hot)) {
		struct grid_column *text = grid_column_named(out, "text");
		text->greedy = false;
		if (args->columns > BESIDE_TEXT + TEXT_LEAST)
			text->min_width = args->columns - BESIDE_TEXT;
	}
	struct profiled profiled;
	struct counted counted = {.lines = NULL};
	if (!find_profiled(&profiled, s, at.file, (unsigned)first, rows) ||
	    !view_source_sum_line_counts(&counted, s, at.file, (unsigned)first, rows)) {
		free(profiled.count);
		free(counted.lines);
		free(counted.rows);
		free(counted.slots);
		grid_deinit(out);
		return err_set(err, "out of memory");
	}
	for (unsigned line = (unsigned)first; line < (unsigned)first + rows && line <= count;
	     line++) {
		const char *text = program_source_text(s->program, at.file, line, NULL);
		bool is_current =
			current.line == line && current.file && strcmp(current.file, at.file) == 0;
		if (line == at.line)
			out->focus_row = out->row_count;
		line_row(out, &f,
		         &(struct row){.s = s, .file = at.file, .text = text ? text : "",
		                       .line = line, .current = is_current,
		                       .caller = up && line == at.line, .profiled = &profiled,
		                       .counted = &counted},
		         here);
	}
	free(profiled.count);
	free(counted.lines);
	free(counted.rows);
	free(counted.slots);
	return true;
}

const struct view view_source = {
	.name = "source",
	.title = "Source",
	.args = "[LOCATION]",
	.build = view_source_build_grid,
	.help.about = "The source around the line of the next instruction to commit, or around\n"
		      "LOCATION (a symbol, FILE:LINE or an address).\n"
		      "\n"
		      "  ▶          the line of the next instruction to commit\n"
		      "  ↪          after `up`: the line of the selected frame; in code without\n"
		      "             lines: that of the nearest caller that has one; before main,\n"
		      "             main without a mark\n"
		      "  ●          a breakpoint\n",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints =
		"The window spans many lines, in any order, and lines far ahead may be on a\n"
		"wrong path. Optimised code jumps between lines: one line's instructions are\n"
		"mixed with its neighbours'. Needs a program compiled with -g, and its source\n"
		"files at the place where they were compiled, or beside the program.",
};
