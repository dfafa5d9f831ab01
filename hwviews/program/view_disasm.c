/* `view disasm`: instructions around a place, with the counts of each. */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/pipe/xprof/xprof.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/program/origin.h"
#include "hwviews/session/view_text.h"
#include "hwviews/why/hot.h"

/* State of the listing shared by its rows. */
struct listing {
	bool laid_out;          /* the program was rewritten by the editor */
	bool counted;           /* a profile is available: */
	struct hot_profile hot;
	struct source_line last; /* of the row above */
	uint64_t skipped_to;     /* end of the skipped block above; 0: none */
};

enum { ROWS_DEFAULT = 20, ROWS_MAX = 4096, SCROLL_MAX = 100000 };

/* Number of instructions to show above pc: a function is shown in overlapping pages, so that the
 * text stands still while the program moves within a page. */
static size_t lines_above(const struct session *s, uint64_t pc, size_t rows)
{
	size_t margin = rows / 6, step = rows - 2 * margin;
	return margin + code_ordinal(s, pc) % (step ? step : 1);
}

/* The fate of a profile instruction with the present flags: fetched and executed, dropped, or
 * skipped by fetch. */
enum fate { FATE_RUNS, FATE_DROPPED, FATE_SKIPPED };

static bool view_disasm_entry_is_skipped(const struct bdt *t, const struct bdt_entry *e)
{
	return e->leader && !e->locked && !e->on && e->count >= t->least;
}

/* End of the skipped block that pc lies inside; 0: none. */
static uint64_t within_skipped(const struct session *s, uint64_t pc)
{
	const struct bdt *t = &machine_pipe(s->machine)->xprof.bdt;
	for (size_t i = 0; i < ((size_t)t->mask + 1) * t->ways; i++)
		if (view_disasm_entry_is_skipped(t, &t->entry[i]) && t->entry[i].leader < pc &&
		    pc < t->entry[i].follow)
			return t->entry[i].follow;
	return 0;
}

/* The fate of c. *skipped_to: end of the skipped block whose leader precedes c; 0: none; updated
 * for the next instruction. */
static enum fate fate_of(const struct session *s, const struct code *c, uint64_t *skipped_to)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct bdt *t = &p->xprof.bdt;
	uint16_t late, known = xprof_known(p, &late);
	if (!c->prefix)
		return FATE_RUNS;
	if (c->pc < *skipped_to)
		return FATE_SKIPPED;
	const struct bdt_entry *e = t->ways ? bdt_find(t, c->pc) : NULL;
	if (e && view_disasm_entry_is_skipped(t, e))
		*skipped_to = e->follow;
	return (known | late) >> c->type & 1 ? FATE_RUNS : FATE_DROPPED;
}

static enum role code_role(const struct code *c, enum fate fate)
{
	if (c->inst.op == OP_ILLEGAL)
		return ROLE_ERROR;
	if (fate != FATE_RUNS)
		return ROLE_DROPPED;
	return c->prefix || inst_is_xprof(&c->inst) ? ROLE_PROFILE : ROLE_PLAIN;
}

struct row {
	const struct session *s;
	struct code c;
	enum fate fate;
	struct origin origin;
	const struct listing *l;
	bool current, fetch; /* current: the program's place; fetch: the place of fetch */
};

static bool is_put_in(const struct row *r)
{
	return r->origin.kind == ORIGIN_PUT_IN && r->fate == FATE_RUNS;
}

static void view_disasm_fill_mark(struct grid *g, const void *row)
{
	static const char *const marks[] = {
		[FATE_RUNS] = "", [FATE_DROPPED] = "-", [FATE_SKIPPED] = "⋯"};
	const struct row *r = row;
	const bool stop = code_breakpoint(r->s, r->c.pc, r->c.pc + 1) != 0;
	grid_text(g, stop ? ROLE_BREAKPOINT : r->current || r->fetch ? ROLE_CURRENT : ROLE_DROPPED,
	          "%s%s", stop ? "●" : "",
	          r->current ? "▶" : r->fetch ? "F" : is_put_in(r) ? "+" : marks[r->fate]);
}

FILL(fill_place, struct row, cell_addr(g, r->s, ROLE_ADDRESS, r->c.pc))
FILL(fill_instruction, struct row, grid_text(g, is_put_in(r) ? ROLE_PROFILE : code_role(&r->c,
	r->fate), "%s", code_text(r->s, &r->c, BUFFER(256))))

static void fill_executed(struct grid *g, const void *row)
{
	const struct row *r = row;
	const struct hot_inst sum = hot_sum(&r->l->hot, r->c.pc, r->c.pc + 1);
	cell_hot_executed(g, &sum);
}

FILL(fill_held, struct row, const struct hot_inst sum = hot_sum(&r->l->hot, r->c.pc, r->c.pc + 1);
	cell_hot_held(g, &r->l->hot, &sum))

static void fill_in_flight(struct grid *g, const void *row)
{
	const struct row *r = row;
	uint64_t seq;
	grid_text(g, ROLE_RUNNING, "%s",
	          code_in_flight(r->s, r->c.pc, r->c.pc + 1, &seq, BUFFER(256)));
}

static bool begins_line(const struct row *r, struct source_line *line)
{
	return program_line_at(r->s->program, r->c.pc, line) && line->line &&
	       (line->line != r->l->last.line || line->file != r->l->last.file);
}

static void view_disasm_fill_source(struct grid *g, const void *row)
{
	struct source_line line;
	if (begins_line(row, &line))
		grid_text(g, ROLE_DIM, "%s:%u", file_base_name(line.file), line.line);
	else
		grid_blank(g);
}

static void fill_was(struct grid *g, const void *row)
{
	const struct row *r = row;
	if (r->origin.kind == ORIGIN_MOVED)
		grid_hex(g, ROLE_DIM, r->origin.was);
	else if (r->origin.kind == ORIGIN_PUT_IN)
		grid_text(g, ROLE_PROFILE, "+ %s", origin_kinds(r->s, BUFFER(96)));
	else
		grid_blank(g);
}

FILL(fill_address, struct row, grid_hex(g, ROLE_DIM, r->c.pc))
FILL(fill_bytes, struct row, grid_text(g, ROLE_DIM, "%s", code_bytes(r->s, &r->c, BUFFER(256))))

static const struct grid_column columns[] = {
	{"mark", "", "", view_disasm_fill_mark, .min_width = 2},
	{"place", "at", "", fill_place, FLEXIBLE, .help = "symbol and offset"},
	{"instruction", "instruction", "", fill_instruction, FLEXIBLE, .help = "as assembly"},
	HOT_COLUMNS(fill_executed, fill_held),
	{"in_flight", "in flight", "", fill_in_flight, FLEXIBLE,
         .help = "the instances in the machine: number, ? on a wrong path, state"},
	{"source", "source", "", view_disasm_fill_source, FLEXIBLE,
	 .help = "begin of a source line"},
	{"was", "was at", "", fill_was,
	 .help = "in an instrumented program, its address in the original"},
	{"address", "address", "", fill_address, .help = "the same as `at`, as a number"},
	{"bytes", "bytes", "", fill_bytes, .help = "as they are in memory, as a number"},
};

static void code_row(struct grid *g, const struct session *s, uint64_t pc, struct listing *l)
{
	struct row r = {.s = s, .l = l, .current = pc == machine_seen_pc(s->machine),
	                .fetch = pc == machine_pipe(s->machine)->st->fetch_pc};
	struct source_line line;
	char buf[256];
	if (!code_at(s, pc, &r.c))
		return;
	r.fate = fate_of(s, &r.c, &l->skipped_to);
	r.origin = l->laid_out ? origin_of(s, pc) : (struct origin){ORIGIN_ITSELF, pc};
	struct grid_row *row = grid_row(g, pc, r.current ? ROLE_CURRENT : ROLE_PLAIN);
	row->pc = pc;
	code_in_flight(s, pc, pc + 1, &row->seq, buf, sizeof buf);
	grid_cells(g, &r);
	if (begins_line(&r, &line))
		l->last = line;
}

static bool view_disasm_build_grid(const struct session *s, const struct view_args *args,
                                   struct grid *out, struct err *err)
{
	uint64_t pc = machine_seen_pc(s->machine), rows = args->rows ? args->rows : ROWS_DEFAULT;
	char where[96];
	struct code c;
	if (!arg_count(args, 2, "disasm", err) ||
	    (args->argc > 0 && !arg_address(s, args->argv[0], &pc, err)) ||
	    (args->argc > 1 &&
	     !arg_number(args->argv[1], "a number of rows", ROWS_MAX, &rows, err)))
		return false;
	if (args->argc && !code_at(s, pc, &c))
		return err_set(err, "no instruction at %s: nothing is mapped there",
		               format_addr(s, pc & ~UINT64_C(1), where, sizeof where));
	size_t above = args->argc ? 0 : lines_above(s, pc, (size_t)rows), n = (size_t)rows, index,
	       skip = 0;
	if (args->scroll < 0)
		above += args->scroll < -SCROLL_MAX ? SCROLL_MAX : (size_t)-args->scroll;
	else
		skip = args->scroll > SCROLL_MAX ? SCROLL_MAX : (size_t)args->scroll;
	uint64_t *at = alloc_bytes((above + n + skip) * sizeof *at);
	if (!at)
		return err_set(err, "out of memory");
	size_t filled = code_around(s, pc, above, n + skip, at, &index);
	struct moved_code moved;
	struct listing l = {.laid_out = program_moved_code(s->program, &moved),
	                    .skipped_to = filled > skip ? within_skipped(s, at[skip]) : 0};
	l.counted = hot_last(s, &l.hot);
	grid_init(out, "Disassembly", GRID_TABLE(columns));
	if (!l.counted)
		hot_drop_columns(out);
	if (!l.laid_out)
		grid_drop_column(out, "was");
	grid_summary(out, "%s", format_addr(s, pc, where, sizeof where));
	grid_empty(out, "nothing executable at %s", where);
	for (size_t i = skip; i < filled; i++) {
		if (at[i] == pc)
			out->focus_row = out->row_count;
		code_row(out, s, at[i], &l);
	}
	free(at);
	return true;
}

const struct view view_disasm = {
	.name = "disasm",
	.title = "Disassembly",
	.args = "[ADDRESS [ROWS]]",
	.build = view_disasm_build_grid,
	.help.about =
		"The program's instructions around the next one to commit (or from ADDRESS on),\n"
		"and which of them are in flight: out of order, a loop's body can stand in the\n"
		"window many times over.\n"
		"\n"
		"  ▶          the next instruction to commit; everything before it has happened\n"
		"  F          fetch's place, ahead along the predicted path\n"
		"  ●          a breakpoint\n"
		"  - ⋯        a profile instruction (pi.k) that decode would drop, its flag\n"
		"             being off; one that fetch would skip with its block\n"
		"  +          added by instrumentation, or to extend a branch's reach\n",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints = "Compressed instructions (two bytes) print in expanded form. `F` far from\n"
		      "`▶` means a full window; `F` in another function may be a wrong path.",
};
