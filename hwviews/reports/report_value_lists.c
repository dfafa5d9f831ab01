/* The report of sampled values, as dcpilist prints it (Burrows et al., 2.4 and figure 1). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/prof/profileme/profileme.h"
#include "core/run/value_daemon.h"
#include "hwviews/grid/order.h"
#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/reports/report.h"
#include "hwviews/session/loss_text.h"
#include "hwviews/values/value_rows.h"

enum { VALUES_SHOWN = 16 };

/* The parsed arguments. */
struct question {
	const struct session *s;
	const struct value_daemon *d;
	const struct hotlists *lists;
	uint64_t kinds;    /* bit for each kind */
	bool one_kind, lines, has_place;
	uint64_t place;
	/* `place` is this function's start: report all of it; NULL: only that instruction */
	const struct symbol *function;
	uint64_t limit;    /* rows */
};

/* A list, or an instruction without one. */
struct listed {
	uint64_t pc;
	uint32_t list; /* UINT32_MAX: none */
	unsigned kind;
	uint64_t seen;
};

ORDER(by_seen, struct listed, DOWN(seen) ?: UP(pc) ?: UP(kind))

/* ---- arguments ---- */
/* Parses a kind's name, or a module's for all of its kinds. */
static bool take_kind(struct question *q, const char *word)
{
	const struct value_source *v = value_daemon_source(q->d);
	uint64_t found = 0;
	for (unsigned i = 0; i < v->kinds; i++)
		if (!strcmp(v->kind[i].name, word) ||
		    !strcmp(v->module[v->kind[i].module].name, word))
			found |= UINT64_C(1) << i;
	q->kinds = found ? found : q->kinds;
	return found;
}

static bool report_value_lists_parse_args(struct question *q, const struct view_args *args,
                                          struct err *err)
{
	struct err why;
	uint64_t rows;
	q->kinds = UINT64_MAX;
	q->limit = args->rows ? args->rows : UINT64_MAX;
	for (int i = 0; i < args->argc; i++) {
		const char *word = args->argv[i];
		const struct view_args one = {.argc = 1, .argv = &args->argv[i]};
		if (take_kind(q, word))
			continue;
		if (!strcmp(word, "lines")) {
			q->lines = true;
		} else if (!strcmp(word, "all") ||
		           (word[0] >= '0' && word[0] <= '9' && word[1] != 'x')) {
			if (!oracle_row_limit(&one, 0, UINT64_MAX, &rows, err))
				return false;
			q->limit = rows;
		} else if (q->has_place) {
			return err_set(err, "'%s' is one place too many", word);
		} else if (!arg_address(q->s, word, &q->place, &why)) {
			return strchr(word, '.') && value_daemon_kind(q->d, word, err) < 0
			               ? false : err_set(err,
			                         "%s; and it is no kind of values, such as '%s'",
			                         why.msg, value_daemon_source(q->d)->kind[0].name);
		} else {
			q->has_place = true;
		}
	}
	const struct symbol *f = q->has_place ? program_symbol_at(q->s->program, q->place) : NULL;
	q->function = f && f->addr == q->place && f->code && f->size ? f : NULL;
	const unsigned kinds = value_daemon_source(q->d)->kinds;
	const uint64_t there = kinds == 64 ? UINT64_MAX : (UINT64_C(1) << kinds) - 1;
	q->kinds &= there;
	q->one_kind = !(q->kinds & (q->kinds - 1));
	return !q->lines || q->function ||
	       err_set(err, "lines goes with a function: report values main lines");
}

/* ---- the rows ---- */
static uint32_t rows_everywhere(const struct question *q, struct listed *r)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < hotlists_count(q->lists); i++) {
		const struct hotlist_info info = hotlists_info(q->lists, i);
		if ((q->kinds >> info.kind & 1) && (!q->has_place || info.pc == q->place))
			r[n++] = (struct listed){info.pc, i, info.kind, info.seen};
	}
	sort_stable(r, n, sizeof *r, by_seen);
	return n;
}

/* Lists every instruction of the function, with its lists. */
static uint32_t rows_of_function(const struct question *q, struct listed *r, uint32_t room)
{
	struct code c;
	uint32_t n = 0;
	for (uint64_t pc = q->function->addr;
	     pc < q->function->addr + q->function->size && code_at(q->s, pc, &c); pc += c.len) {
		const uint32_t before = n;
		for (unsigned k = 0; k < VALUE_KINDS && n < room; k++) {
			const uint32_t i =
				q->kinds >> k & 1
					? hotlists_find(q->lists, value_place(q->s, pc), k)
					: UINT32_MAX;
			if (i != UINT32_MAX)
				r[n++] = (struct listed){pc, i, k, hotlists_info(q->lists, i).seen};
		}
		if (n == before && n < room)
			r[n++] = (struct listed){.pc = pc, .list = UINT32_MAX};
	}
	return n;
}

struct row {
	struct code_row at;
	const struct question *q;
	unsigned kind;
	uint32_t list;            /* UINT32_MAX: no value was sampled, and info is empty */
	struct hotlist_info info;
};

static bool report_value_lists_row_is_empty(const void *row)
{
	return ((const struct row *)row)->list == UINT32_MAX;
}

static void fill_retdelay(struct grid *g, const void *row)
{
	const struct row *r = row;
	double cycles;
	if (profileme_delay(machine_pipe(r->at.s->machine)->prof, r->at.pc, &cycles))
		grid_double(g, cycles >= 1 ? ROLE_HOT : ROLE_NUMBER, cycles, 4);
	else
		grid_blank(g);
}

FILL(fill_kind, struct row,
     grid_text(g, ROLE_DIM, "%s",
               report_value_lists_row_is_empty(r)
                       ? ""
                       : value_daemon_source(r->q->d)->kind[r->kind].name))
FILL(fill_vtot, struct row,
     grid_uint(g, report_value_lists_row_is_empty(r) ? ROLE_DIM : ROLE_NUMBER, r->info.seen))
FILL(fill_thld, struct row,
     report_value_lists_row_is_empty(r)
             ? grid_double(g, ROLE_DIM, 0, 1)
             : grid_double(g, ROLE_NUMBER, r->info.probability, r->info.probability == 1 ? 1 : 4))
FILL(fill_nv, struct row,
     grid_uint(g, report_value_lists_row_is_empty(r) ? ROLE_DIM : ROLE_NUMBER, r->info.used))

static bool report_value_lists_row_is_present(const struct row *r)
{
	return report_value_lists_row_is_empty(r) || value_list_is_present(r->at.s, &r->info);
}

static void report_value_lists_fill_place(struct grid *g, const void *row)
{
	const struct row *r = row;
	if (report_value_lists_row_is_present(r))
		fill_code_place(g, &r->at);
	else
		grid_text(g, ROLE_DIM, "%s", value_place_text(r->at.s, &r->info, BUFFER(96)));
}

static void report_value_lists_fill_inst(struct grid *g, const void *row)
{
	const struct row *r = row;
	if (report_value_lists_row_is_present(r))
		fill_code_inst(g, &r->at);
	else
		grid_blank(g);
}

static void fill_values(struct grid *g, const void *row)
{
	const struct row *r = row;
	if (report_value_lists_row_is_empty(r)) {
		grid_blank(g);
		return;
	}
	grid_text(g, value_top_share(r->q->lists, r->list) >= 0.5 ? ROLE_HOT : ROLE_PLAIN, "%s",
	          value_list_text(r->q->d, r->q->lists, r->list, VALUES_SHOWN, BUFFER(2048)));
}

static const struct grid_column columns[] = {
	{"retdelay", "retdelay", "cycles", fill_retdelay, AT_RIGHT,
	 .help = "cycles that retirement waited for it on average; needs profileme.enable=true"},
	{"pc", "pc", "", fill_code_address, AT_RIGHT, .help = "where the instruction is"},
	{"place", "place", "", report_value_lists_fill_place,
	 .help = "where the instruction is; replaced: its code is no longer there"},
	{"instruction", "instruction", "", report_value_lists_fill_inst, .help = "as assembly"},
	{"kind", "kind", "", fill_kind, .help = "of values, as the module names it"},
	{"vtot", "vtot", "values", fill_vtot, AT_RIGHT, .help = "values seen there"},
	{"thld", "thld", "", fill_thld, AT_RIGHT,
	 .help = "probability with which a value is counted now: 1 until the list was full of "
		 "different values"},
	{"nv", "nv", "values", fill_nv, AT_RIGHT, .help = "values that the list holds"},
	{"values", "values", "", fill_values, FLEXIBLE,
	 .help = "the most frequent ones, in the module's format, each with its share of all; an "
		 "estimate where thld is below 1"},
};

static void report_value_lists_append_row(const struct question *q, struct grid *g,
                                          const struct listed *r)
{
	struct row row = {.at = {q->s, r->pc}, .q = q, .kind = r->kind, .list = r->list};
	if (!report_value_lists_row_is_empty(&row))
		row.info = hotlists_info(q->lists, r->list);
	grid_row(g, r->pc ^ (uint64_t)r->kind << 56 ^ (uint64_t)row.info.version << 44,
	         ROLE_PLAIN)
		->pc = r->pc;
	grid_cells(g, &row);
}

/* Appends "41: x = y;" before the first instruction of each line. */
static void report_value_lists_append_source_row(const struct question *q, struct grid *g,
                                                 uint64_t pc, struct source_line *last)
{
	struct source_line at;
	if (!q->lines || !program_line_at(q->s->program, pc, &at) || !at.line ||
	    (at.line == last->line && at.file == last->file))
		return;
	*last = at;
	const char *text = program_source_text(q->s->program, at.file, at.line, NULL);
	grid_row(g, 0, ROLE_DIM);
	grid_skip_to(g, "place");
	grid_text(g, ROLE_DIM, "%s:%u", file_base_name(at.file), at.line);
	grid_text(g, ROLE_DIM, "%s", text ? text + strspn(text, " \t") : "");
}

static void report_value_lists_init_grid(const struct question *q, struct grid *g)
{
	const struct value_source *v = value_daemon_source(q->d);
	char title[160];
	if (q->function)
		snprintf(title, sizeof title, "Values in %.120s", q->function->name);
	else
		snprintf(title, sizeof title, q->one_kind ? "Values: %.120s" : "Values",
		         v->kind[__builtin_ctzll(q->kinds)].name);
	grid_init(g, title, GRID_TABLE(columns));
	if (q->one_kind) {
		grid_drop_column(g, "kind");
		grid_column_named(g, "values")->title = v->kind[__builtin_ctzll(q->kinds)].column;
	}
	g->essential = g->column_count;
	grid_empty(g, "no value was sampled");
}

static bool report_value_lists_build_grid(const struct session *s, const struct view_args *args,
                                          struct grid *out, struct err *err)
{
	struct question q = {.s = s, .d = session_values(s, err)};
	struct source_line last = {0};
	if (!q.d)
		return false;
	q.lists = value_daemon_main(q.d);
	if (!report_value_lists_parse_args(&q, args, err))
		return false;
	const uint64_t insts = q.function ? q.function->size / 2 : 0;
	const uint32_t room = hotlists_count(q.lists) + (uint32_t)insts;
	struct listed *r = alloc_bytes((room + (size_t)1) * sizeof *r);
	if (!r)
		return err_set(err, "out of memory for the report");
	const uint32_t n = q.function ? rows_of_function(&q, r, room) : rows_everywhere(&q, r);
	/* A function is never truncated. */
	const uint32_t shown = q.function || n < q.limit ? n : (uint32_t)q.limit;
	report_value_lists_init_grid(&q, out);
	const struct value_totals t = value_daemon_totals(q.d);
	grid_summary(out, "%s values of %s sequences, %s tuples%s%s", GROUPED(t.pairs),
	             GROUPED(t.sequences), GROUPED(t.through),
	             q.lists->head.lost ? "; LOST: values.memory is full" : "",
	             format_loss(s, LOSS_OF_VALUES, BUFFER(200)));
	for (uint32_t i = 0; i < shown; i++) {
		report_value_lists_append_source_row(&q, out, r[i].pc, &last);
		report_value_lists_append_row(&q, out, &r[i]);
	}
	free(r);
	return true;
}

const struct report report_values = {
	.name = "values",
	.title = "Which values were sampled",
	.args = "[PLACE [lines]] [KIND] [ROWS|all]",
	.device = "vsample",
	.build = report_value_lists_build_grid,
	.help.about =
		"Values that modules computed from the value sampler's tuples (--values, `help\n"
		"values`): the instructions with most samples, all instructions of a function,\n"
		"with its source if `lines` is given, or one instruction. KIND is a kind of\n"
		"values, or a module.",
	.help.tables = {{GRID_TABLE(columns), .indent = 12}},
};
