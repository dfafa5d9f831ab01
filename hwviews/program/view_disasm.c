/* `view disasm`: instructions around a place, with what each did. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/pipe/xprof/xprof.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/program/origin.h"
#include "hwviews/session/view_text.h"
#include "hwviews/why/hot.h"

static const struct grid_column columns[] = {
	{"mark", "", "", .min_width = 2},
	{"place", "at", "", .flexible = true, .help = "symbol and offset"},
	{"instruction", "instruction", "", .flexible = true, .help = "as assembly"},
	{"in_flight", "in flight", "", .flexible = true,
	 .help = "the instances in the machine: number, ? on a wrong path, state"},
	{"source", "source", "", .flexible = true, .help = "where a source line begins"},
	{"address", "address", "", .help = "the same as `at`, as a number"},
	{"bytes", "bytes", "", .help = "as they are in memory, as a number"},
	/* Of programs that were laid out again. */
	{"was", "was at", "", .help = "in an instrumented program, its address in the one before"},
};

enum { COLUMNS = sizeof columns / sizeof *columns, HOT_COLUMN = 3, ADDRESS_COLUMN = 5 };

/* What of the whole listing rows need. */
struct listing {
	bool laid_out;          /* the program was laid out again */
	bool counted;           /* there is a profile: */
	struct hot_profile hot;
	struct source_line last; /* of the row above */
	uint64_t skipped_to;     /* behind the block above that fetch skips; 0: there is none */
};

static void begin(struct grid *g, const struct listing *l)
{
	struct grid_column own[COLUMNS + HOT_COLUMNS];
	unsigned n = 0;
	for (unsigned c = 0; c < COLUMNS - 1; c++) {
		for (unsigned h = 0; l->counted && c == HOT_COLUMN && h < HOT_COLUMNS; h++)
			own[n++] = hot_columns[h];
		if (l->laid_out && c == ADDRESS_COLUMN)
			own[n++] = columns[COLUMNS - 1];
		own[n++] = columns[c];
	}
	grid_init(g, "Disassembly", own, n);
}

enum { ROWS_DEFAULT = 20, ROWS_MAX = 4096, SCROLL_MAX = 100000 };

/* How many instructions stand above pc: a function is shown in pages that overlap, so that the text
 * stands still while the program moves within a page. */
static size_t lines_above(const struct session *s, uint64_t pc, size_t rows)
{
	size_t margin = rows / 6, step = rows - 2 * margin;
	return margin + code_ordinal(s, pc) % (step ? step : 1);
}

static void cell_source(struct grid *g, const struct session *s, uint64_t pc,
                        struct source_line *last)
{
	struct source_line line;
	if (!program_line_at(s->program, pc, &line) || !line.line ||
	    (line.line == last->line && line.file == last->file)) {
		grid_blank(g);
		return;
	}
	const char *base = line.file;
	for (const char *c = line.file; *c; c++)
		if (*c == '/')
			base = c + 1;
	grid_text(g, ROLE_DIM, "%s:%u", base, line.line);
	*last = line;
}

/* What becomes of a profile instruction as things stand: it is fetched and executed, dropped, or
 * not even fetched. */
enum fate { FATE_RUNS, FATE_DROPPED, FATE_SKIPPED };

static bool skips(const struct bdt *t, const struct bdt_entry *e)
{
	return e->leader && !e->locked && !e->on && e->count >= t->least;
}

/* Behind the skipped block in whose middle pc lies; 0: in none. */
static uint64_t within_skipped(const struct session *s, uint64_t pc)
{
	const struct bdt *t = &machine_pipe(s->machine)->xprof.bdt;
	for (size_t i = 0; i < ((size_t)t->mask + 1) * t->ways; i++)
		if (skips(t, &t->entry[i]) && t->entry[i].leader < pc && pc < t->entry[i].follow)
			return t->entry[i].follow;
	return 0;
}

/* Of c, with `skipped_to` behind the block whose leader stands above it and that fetch skips; 0:
 * there is none. Brings that up to date for what follows. */
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
	if (e && skips(t, e))
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

static void cell_was(struct grid *g, const struct session *s, const struct origin *o)
{
	char kinds[96];
	if (o->kind == ORIGIN_MOVED)
		grid_hex(g, ROLE_DIM, o->was);
	else if (o->kind == ORIGIN_PUT_IN)
		grid_text(g, ROLE_PROFILE, "+ %s", origin_kinds(s, kinds, sizeof kinds));
	else
		grid_blank(g);
}

static void code_row(struct grid *g, const struct session *s, uint64_t pc, struct listing *l)
{
	static const char *const marks[] = {
		[FATE_RUNS] = "", [FATE_DROPPED] = "-", [FATE_SKIPPED] = "⋯"};
	struct code c;
	char buf[256];
	uint64_t seq;
	bool current = pc == machine_seen_pc(s->machine);
	bool fetch = pc == machine_pipe(s->machine)->st->fetch_pc;
	if (!code_at(s, pc, &c))
		return;
	enum fate fate = fate_of(s, &c, &l->skipped_to);
	const struct origin origin =
		l->laid_out ? origin_of(s, pc) : (struct origin){ORIGIN_ITSELF, pc};
	struct grid_row *row = grid_row(g, pc, current ? ROLE_CURRENT : ROLE_PLAIN);
	row->pc = pc;
	bool stop = code_breakpoint(s, pc, pc + 1) != 0;
	grid_text(g,
	          stop               ? ROLE_BREAKPOINT
	          : current || fetch ? ROLE_CURRENT
	                             : ROLE_DROPPED,
	          "%s%s", stop ? "●" : "",
	          current                                             ? "▶"
	          : fetch                                             ? "F"
	          : fate == FATE_RUNS && origin.kind == ORIGIN_PUT_IN ? "+"
	                                                              : marks[fate]);
	cell_addr(g, s, ROLE_ADDRESS, pc);
	grid_text(g,
	          origin.kind == ORIGIN_PUT_IN && fate == FATE_RUNS ? ROLE_PROFILE
	                                                            : code_role(&c, fate),
	          "%s", code_text(s, &c, buf, sizeof buf));
	if (l->counted) {
		const struct hot_inst sum = hot_sum(&l->hot, pc, pc + 1);
		hot_cells(g, &l->hot, &sum);
	}
	grid_text(g, ROLE_RUNNING, "%s", code_in_flight(s, pc, pc + 1, &seq, buf, sizeof buf));
	row->seq = seq;
	cell_source(g, s, pc, &l->last);
	if (l->laid_out)
		cell_was(g, s, &origin);
	grid_hex(g, ROLE_DIM, pc);
	grid_text(g, ROLE_DIM, "%s", code_bytes(s, &c, buf, sizeof buf));
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
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
	uint64_t *at = malloc((above + n + skip) * sizeof *at);
	if (!at)
		return err_set(err, "out of memory");
	size_t filled = code_around(s, pc, above, n + skip, at, &index);
	struct moved_code moved;
	struct listing l = {.laid_out = program_moved_code(s->program, &moved),
	                    .skipped_to = filled > skip ? within_skipped(s, at[skip]) : 0};
	l.counted = hot_last(s, &l.hot);
	begin(out, &l);
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
	.help.about =
		"The program's instructions around the next one to commit (or from ADDRESS on),\n"
		"and which of them are in flight: out of order, a loop's body can stand in the\n"
		"window many times over.\n"
		"\n"
		"  ▶          the next instruction to commit; everything before it has happened\n"
		"  F          where fetch is, ahead along the predicted path\n"
		"  ●          a breakpoint\n"
		"  - ⋯        a profile instruction (pi.k) that decode would drop, its flag\n"
		"             being off; one that fetch would skip with its block\n"
		"  +          put in by instrumentation, or so that a branch reaches\n",
	.help.tables = {{GRID_TABLE(columns)}, {GRID_TABLE(hot_columns)}},
	.help.hints =
		"\n"
		"Compressed instructions (two bytes) print as what they expand to. `F` far from\n"
		"`▶` means a full window; `F` in another function may be a wrong path.",
	.build = build,
};
