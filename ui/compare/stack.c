/* CPI stacks and slot stacks side by side. */
#include <stdio.h>
#include <string.h>

#include "core/defs/config.h"
#include "core/pipe/pipe.h"
#include "ui/compare/compare.h"

enum { BAR_MAX = 64 };

/* Stacks: the statistics that are rows, and the scale of their values. */
static const struct stack {
	const char *prefix, *title, *summary, *unit;
	double least;       /* smaller values are shown as 0 */
	/* slot stack: least value on some machine for a row of its own; others are merged */
	double matters;
	unsigned width;     /* width of a number in cells */
} stacks[] = {
	[COMPARE_CPI] = {"cpi.", "CPI stack", "cycles per instruction, by cause",
                         "cycles/instruction", 0.0005, 0, 6},
	[COMPARE_SLOTS] = {"slots.", "Slot stack",
			   "percent of dispatch slots, by use or cause of being empty",
                           "percent of slots", 0.05, 1, 7},
};

static bool is_cause(const struct stack *k, const struct stat_row *row)
{
	return !strncmp(row->name, k->prefix, strlen(k->prefix));
}

/* Cycles per instruction, or percent of all slots. */
static double compare_stack_row_value(const struct compared *m, const struct stack *k,
                                      const struct stat_row *row)
{
	if (m->state == COMPARED_FAILED || !stat_exists(&m->cfg, row))
		return 0;
	const double slots = stat_value(&m->stats, row);
	if (k == &stacks[COMPARE_SLOTS])
		return m->stats.cycles
		               ? 100 * slots / (double)pipe_slots(&m->cfg) / (double)m->stats.cycles
		               : 0;
	return m->stats.insts
	               ? slots / (double)CONFIG(&m->cfg, commit_width) / (double)m->stats.insts
	               : 0;
}

/* The largest value of all machines: the length of the longest bar. */
static double compare_stack_largest_value(const struct comparison *c, const struct stack *k)
{
	double largest = 0;
	for (unsigned i = 0; i < c->count; i++)
		for (size_t r = 0; r < stat_row_count; r++) {
			double v =
				is_cause(k, &stat_rows[r])
					? compare_stack_row_value(&c->machine[i], k, &stat_rows[r])
					: 0;
			if (v > largest)
				largest = v;
		}
	return largest;
}

/* Draws a bar in eighths of a cell. */
static void compare_stack_draw_bar(char *bar, unsigned cells, double part)
{
	static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	unsigned n = (unsigned)(part * cells * 8 + 0.5);
	*bar = '\0';
	for (unsigned i = 0; i < n / 8; i++)
		strcat(bar, "█");
	strcat(bar, eighths[n % 8]);
}

static void cell_stack(struct grid *g, const struct compared *m, const struct stack *k, double v,
                       double largest, unsigned cells)
{
	char bar[BAR_MAX * 3 + 4], number[32];
	if (m->state == COMPARED_FAILED) {
		grid_blank(g);
		return;
	}
	compare_stack_draw_bar(bar, cells < BAR_MAX ? cells : BAR_MAX,
	                       largest > 0 && v > 0 ? v / largest : 0);
	if (!*bar && cells && v >= k->least)
		strcpy(bar, "▏");
	if (k == &stacks[COMPARE_SLOTS])
		snprintf(number, sizeof number, "%5.1f%%", v);
	else
		snprintf(number, sizeof number, "%.3f", v);
	grid_double_text(g, v != 0 ? ROLE_NUMBER : ROLE_DIM, v, *bar ? "%s %s" : "%s%s", number,
	                 bar);
}

/* "cpi.memory_order" -> "memory order", as in the view. */
static void cell_cause(struct grid *g, const struct stack *k, const char *name)
{
	char text[40];
	snprintf(text, sizeof text, "%s", name + strlen(k->prefix));
	for (char *at = text; *at; at++)
		if (*at == '_')
			*at = ' ';
	grid_text(g, ROLE_PLAIN, "%s", text);
}

/* True if a machine's value reaches the least value for a row; zeros: if any machine has the row.
 */
static bool compare_stack_row_matters(const struct comparison *c, const struct stack *k,
                                      const struct stat_row *row, double least, bool zeros)
{
	bool any = false;
	for (unsigned i = 0; i < c->count; i++) {
		const struct compared *m = &c->machine[i];
		any |= m->state != COMPARED_FAILED && stat_exists(&m->cfg, row) &&
		       (zeros || compare_stack_row_value(m, k, row) >= least);
	}
	return any;
}

/* The sum of all rows, or of those not shown. */
static double compare_stack_sum_rows(const struct comparison *c, const struct stack *k,
                                     const struct compared *m, bool total)
{
	double all = 0;
	for (size_t r = 0; r < stat_row_count; r++)
		if (is_cause(k, &stat_rows[r]) &&
		    (total || !compare_stack_row_matters(c, k, &stat_rows[r], k->matters, false)))
			all += compare_stack_row_value(m, k, &stat_rows[r]);
	return all;
}

static void compare_stack_append_sum_row(struct grid *g, const struct comparison *c,
                                         const struct stack *k, struct compare_page page,
                                         double largest, unsigned bar, bool total)
{
	grid_row(g, UINT64_MAX - !total, total ? ROLE_CURRENT : ROLE_DIM);
	grid_text(g, ROLE_PLAIN, total ? "total" : "others");
	for (unsigned i = page.first; i < page.first + page.count; i++)
		cell_stack(g, &c->machine[i], k,
		           compare_stack_sum_rows(c, k, &c->machine[i], total), total ? 0 : largest,
		           total ? 0 : bar);
}

unsigned compare_stack_number(enum compare_stack which)
{
	return stacks[which].width;
}

void compare_stack(const struct comparison *c, enum compare_stack which, struct compare_page page,
                   unsigned bar, bool zeros, struct grid *out)
{
	const struct stack *k = &stacks[which];
	struct grid_column columns[COMPARE_MAX + 1] = {
		{"cause", "cause", "", .align = ALIGN_LEFT}};
	const double largest = bar ? compare_stack_largest_value(c, k) : 0,
		     least = k->matters > 0 ? k->matters : k->least;
	unsigned n = 1;
	bool others = false; /* merged rows are worth a row */
	for (unsigned i = page.first; i < page.first + page.count; i++)
		columns[n++] =
			(struct grid_column){c->machine[i].name, compare_title(c, i), k->unit,
		                             .min_width = bar ? bar + k->width : 0};
	grid_init(out, k->title, columns, n);
	grid_summary(out, "%s", k->summary);
	out->essential = n;
	for (size_t r = 0; r < stat_row_count; r++) {
		const struct stat_row *row = &stat_rows[r];
		if (!is_cause(k, row))
			continue;
		if (!compare_stack_row_matters(c, k, row, least, zeros))
			continue;
		grid_row(out, 1 + r, ROLE_PLAIN);
		cell_cause(out, k, row->name);
		for (unsigned i = page.first; i < page.first + page.count; i++)
			cell_stack(out, &c->machine[i], k,
			           compare_stack_row_value(&c->machine[i], k, row), largest, bar);
	}
	for (unsigned i = 0; i < c->count && k->matters > 0 && !zeros; i++)
		others |= compare_stack_sum_rows(c, k, &c->machine[i], false) >= k->least ||
		          compare_stack_sum_rows(c, k, &c->machine[i], false) <= -k->least;
	if (others)
		compare_stack_append_sum_row(out, c, k, page, largest, bar, false);
	compare_stack_append_sum_row(out, c, k, page, largest, bar, true);
}
