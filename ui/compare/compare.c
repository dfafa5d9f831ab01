#include "ui/compare/compare.h"

#include <math.h>
#include <string.h>

#include "hwviews/grid/utf8.h"
#include "ui/console/args.h"

/* In cells: longest name as a column's title; least width of a longer one in a machine's row. */
enum { NAME_SHORT = 12, NAME_LEAST = 32 };

static bool compare_machine_ran(const struct compared *m)
{
	return m->state != COMPARED_FAILED;
}

const struct compared *compare_base(const struct comparison *c)
{
	for (unsigned i = 0; i < c->count; i++)
		if (compare_machine_ran(&c->machine[i]))
			return &c->machine[i];
	return NULL;
}

const char *compare_title(const struct comparison *c, unsigned i)
{
	static const char letters[] =
		"A\0B\0C\0D\0E\0F\0G\0H\0I\0J\0K\0L\0M\0N\0O\0P\0Q\0R\0S\0T\0U\0V\0W\0X\0Y\0Z";
	bool all_short = true;
	for (unsigned k = 0; k < c->count; k++)
		all_short &= utf8_width(c->machine[k].name) <= NAME_SHORT;
	return all_short ? c->machine[i].name : &letters[2 * i];
}

static double compare_ipc(const struct stats *s)
{
	return STAT(s, cycles) ? (double)STAT(s, insts) / (double)STAT(s, cycles) : 0;
}

/* "+12.3%", "-4.0%", "×12.3" */
static void cell_change(struct grid *g, double from, double to)
{
	double change = from != 0 ? 100 * (to - from) / fabs(from) : 0;
	if (to == from)
		grid_double_text(g, ROLE_DIM, 0, "=");
	else if (from == 0)
		grid_text(g, ROLE_NUMBER, "from 0");
	else if (change >= 900)
		grid_double_text(g, ROLE_NUMBER, change, "×%.1f", to / from);
	else
		grid_double_text(g, ROLE_NUMBER, change, "%+.1f%%", change);
}

/* ---- machines ---- */
static const struct grid_column machine_columns[] = {
	{"key", "", "", .align = ALIGN_LEFT},
	{"machine", "machine", "", .flexible = true},
	{"cycles", "cycles", "cycles", .align = ALIGN_RIGHT},
	{"change", "change", "percent", .align = ALIGN_RIGHT},
	{"ipc", "IPC", "instructions/cycle", .align = ALIGN_RIGHT},
	{"end", "end", "", .align = ALIGN_LEFT},
	{"seconds", "time", "seconds", .align = ALIGN_RIGHT},
	{"insts", "instructions", "instructions", .align = ALIGN_RIGHT},
	{"state", "state", "", .align = ALIGN_LEFT},
	{"exit_status", "exit status", "", .align = ALIGN_RIGHT},
	{"why", "why", "", .flexible = true},
};
enum {
	MACHINE_COLUMNS = sizeof machine_columns / sizeof *machine_columns,
	MACHINE_FULL = 3,
	ESSENTIAL = 6
};

static void cell_end(struct grid *g, const struct compared *m)
{
	if (m->state == COMPARED_FAILED)
		grid_text(g, ROLE_ERROR, "failed");
	else if (m->state == COMPARED_LIMIT)
		grid_text(g, ROLE_DIM, "limit");
	else
		grid_text(g, m->exit_status ? ROLE_WAITING : ROLE_DIM, "exit %d", m->exit_status);
}

static void machine_row(struct grid *g, const struct comparison *c, unsigned i, bool full)
{
	static const char *const states[] = {"ended", "limit", "failed"};
	const struct compared *m = &c->machine[i], *base = compare_base(c);
	grid_row(g, 1 + i, compare_machine_ran(m) ? ROLE_PLAIN : ROLE_ERROR);
	grid_text(g, ROLE_DIM, "%c", 'A' + (int)i);
	grid_text(g, ROLE_PLAIN, "%s", m->name);
	if (compare_machine_ran(m)) {
		grid_uint(g, ROLE_NUMBER, m->stats.cycles);
		if (m == base)
			grid_blank(g);
		else
			cell_change(g, (double)base->stats.cycles, (double)m->stats.cycles);
		grid_double(g, ROLE_NUMBER, compare_ipc(&m->stats), 3);
	} else {
		for (int k = 0; k < 3; k++)
			grid_blank(g);
	}
	cell_end(g, m);
	grid_double_text(g, ROLE_DIM, m->seconds, "%.1f s", m->seconds);
	if (compare_machine_ran(m))
		grid_uint(g, ROLE_NUMBER, m->stats.insts);
	else
		grid_blank(g);
	if (!full)
		return;
	grid_text(g, ROLE_DIM, "%s", states[m->state]);
	if (compare_machine_ran(m))
		grid_uint(g, ROLE_NUMBER, (uint64_t)m->exit_status);
	else
		grid_blank(g);
	grid_text(g, ROLE_DIM, "%s", m->why);
}

void compare_machines(const struct comparison *c, bool full, struct grid *out)
{
	struct grid_column columns[MACHINE_COLUMNS];
	unsigned failed = 0, widest = 0;
	for (unsigned i = 0; i < c->count; i++) {
		unsigned width = utf8_width(c->machine[i].name);
		failed += !compare_machine_ran(&c->machine[i]);
		widest = width > widest ? width : widest;
	}
	memcpy(columns, machine_columns, sizeof columns);
	columns[1].min_width = widest < NAME_LEAST ? widest : NAME_LEAST;
	grid_init(out, c->program, columns,
	          full ? MACHINE_COLUMNS : MACHINE_COLUMNS - MACHINE_FULL);
	out->essential = ESSENTIAL;
	if (failed)
		grid_summary(out, "on %u machines, %u failed", c->count, failed);
	else
		grid_summary(out, "on %u machine%s", c->count, c->count == 1 ? "" : "s");
	for (unsigned i = 0; i < c->count; i++)
		machine_row(out, c, i, full);
}

/* ---- statistics ---- */
/* Difference, in the row's unit, below which a row is not ranked among the first. */
static double compare_noise_threshold(const struct stat_row *row, const struct stats *base)
{
	if (!row->derived)
		return (double)STAT(base, insts) / 1000 + 1;
	if (!strcmp(row->unit, "ratio"))
		return 0.02;
	return !strncmp(row->name, "sim.", 4) ? 0.05 : 1;
}

static bool compare_row_exists(const struct compared *m, const struct stat_row *row)
{
	return compare_machine_ran(m) && stat_exists(&m->cfg, row);
}

/* Returns the machine that differs most in this row from the first machine that has the row, or
 * NULL; *weight 0..1. */
static const struct compared *compare_most_different(const struct comparison *c,
                                                     const struct stat_row *row, double *from,
                                                     double *weight)
{
	const struct compared *base = NULL, *best = NULL;
	*weight = 0;
	for (unsigned i = 0; i < c->count; i++) {
		const struct compared *m = &c->machine[i];
		if (!compare_row_exists(m, row))
			continue;
		double v = stat_value(&m->stats, row);
		if (!base) {
			base = m;
			*from = v;
			continue;
		}
		double w = fabs(v - *from) / (fmax(fabs(v), fabs(*from)) +
		                              compare_noise_threshold(row, &base->stats));
		if (w > *weight) {
			*weight = w;
			best = m;
		}
	}
	return best;
}

struct ranked {
	const struct stat_row *row;
	double weight;
};

static bool compare_row_matches(const struct compare_choice *choice, const struct stat_row *row)
{
	for (unsigned i = 0; i < choice->pattern_count; i++)
		if (parse_matches(choice->patterns[i], row->name))
			return true;
	return false;
}

/* True for rows of the stacks and main figures, which have their own tables, and for sums, whose
 * means are shown. */
static bool compare_row_is_in_other_table(const struct stat_row *row)
{
	static const char *const names[] = {"sim.cycles", "sim.ipc", "sim.cpi"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(row->name, names[i]))
			return true;
	return !strncmp(row->name, "cpi.", 4) || !strncmp(row->name, "slots.", 6) ||
	       !strcmp(row->unit, "entries*cycles");
}

static bool compare_row_exists_anywhere(const struct comparison *c, const struct stat_row *row)
{
	bool any = false;
	for (unsigned i = 0; i < c->count; i++)
		any |= compare_row_exists(&c->machine[i], row);
	return any;
}

/* Ranks rows: the most different first, equal ones in the table's order. */
static unsigned compare_rank_rows(const struct comparison *c, const struct compare_choice *choice,
                                  struct ranked *out)
{
	unsigned n = 0;
	for (size_t i = 0; i < stat_row_count; i++) {
		const struct stat_row *row = &stat_rows[i];
		struct ranked r = {.row = row};
		double from;
		bool wanted = choice->pattern_count
		                      ? compare_row_matches(choice, row)
		                      : choice->all || !compare_row_is_in_other_table(row);
		if (!wanted || !compare_row_exists_anywhere(c, row))
			continue;
		compare_most_different(c, row, &from, &r.weight);
		if (r.weight == 0 && !choice->all && !choice->equal)
			continue;
		unsigned at = n++;
		for (; at && out[at - 1].weight < r.weight; at--)
			out[at] = out[at - 1];
		out[at] = r;
	}
	return n;
}

static void compare_append_value_cell(struct grid *g, const struct compared *m,
                                      const struct stat_row *row)
{
	uint64_t count;
	if (!compare_row_exists(m, row)) {
		grid_blank(g);
		return;
	}
	if (row->derived) {
		grid_double(g, ROLE_NUMBER, stat_value(&m->stats, row), 4);
		return;
	}
	memcpy(&count, (const char *)&m->stats + row->offset, sizeof count);
	grid_uint(g, ROLE_NUMBER, count);
}

static void statistic_row(struct grid *g, const struct comparison *c, struct compare_page page,
                          const struct ranked *r)
{
	double from = 0, weight;
	const struct compared *m = compare_most_different(c, r->row, &from, &weight);
	grid_row(g, 1 + (uint64_t)(r->row - stat_rows), m ? ROLE_PLAIN : ROLE_DIM);
	grid_text(g, ROLE_PLAIN, "%s", r->row->name);
	for (unsigned i = page.first; i < page.first + page.count; i++)
		compare_append_value_cell(g, &c->machine[i], r->row);
	cell_change(g, from, m ? stat_value(&m->stats, r->row) : from);
	grid_text(g, ROLE_DIM, "%s", r->row->unit);
	grid_text(g, ROLE_DIM, "%s", r->row->help);
}

void compare_statistics(const struct comparison *c, const struct compare_choice *choice,
                        struct compare_page page, struct grid *out)
{
	struct grid_column columns[COMPARE_MAX + 4] = {
		{"name", "statistic", "", .align = ALIGN_LEFT}};
	unsigned n = 1;
	for (unsigned i = page.first; i < page.first + page.count; i++)
		columns[n++] = (struct grid_column){
			c->machine[i].name, compare_title(c, i), "", .align = ALIGN_RIGHT};
	columns[n++] = (struct grid_column){
		"change", c->count > 2 ? "at most" : "change", "percent",
		.align = ALIGN_RIGHT};
	const unsigned essential = n;
	columns[n++] = (struct grid_column){"unit", "unit", "", .align = ALIGN_LEFT};
	columns[n++] = (struct grid_column){"meaning", "meaning", "", .flexible = true};
	struct ranked ranked[stat_row_count];
	unsigned found = compare_rank_rows(c, choice, ranked);
	unsigned shown = choice->top && choice->top < found ? choice->top : found;
	grid_init(out, "Statistics", columns, n);
	out->essential = essential;
	if (shown < found)
		grid_summary(out, "%u of the %u that differ", shown, found);
	else if (found && !choice->all && !choice->equal)
		grid_summary(out, "all that differ");
	grid_empty(out, "none differs");
	for (unsigned i = 0; i < shown; i++)
		statistic_row(out, c, page, &ranked[i]);
}

bool compare_patterns_ok(const char *const *patterns, unsigned n, struct err *err)
{
	for (unsigned i = 0; i < n; i++) {
		bool any = false;
		for (size_t r = 0; r < stat_row_count; r++)
			any |= parse_matches(patterns[i], stat_rows[r].name);
		if (!any) {
			struct err why;
			stat_find(patterns[i], &why);
			return err_set(err, "--stat %s: %s", patterns[i], why.msg);
		}
	}
	return true;
}
