/* CPI stacks beside each other. */
#include <stdio.h>
#include <string.h>

#include "core/config.h"
#include "ui/compare/compare.h"

enum { BAR_MAX = 64 };

/* What isn't shown as 0.000. */
static const double LEAST_SHOWN = 0.0005;

static bool is_cause(const struct stat_row *row)
{
	return !strncmp(row->name, "cpi.", 4);
}

static uint64_t slots(const struct compared *m, const struct stat_row *row)
{
	uint64_t n;
	if (m->state == COMPARED_FAILED || !stat_exists(&m->cfg, row))
		return 0;
	memcpy(&n, (const char *)&m->stats + row->offset, sizeof n);
	return n;
}

/* Cycles per instruction that so many slots are. */
static double cpi(const struct compared *m, uint64_t n)
{
	return m->stats.insts ? (double)n / (double)CONFIG(&m->cfg, commit_width) / (double)m->stats.insts : 0;
}

/* The largest of all machines: what the longest bar is. */
static double scale(const struct comparison *c)
{
	double largest = 0;
	for (unsigned i = 0; i < c->count; i++)
		for (size_t r = 0; r < stat_row_count; r++) {
			double v = is_cause(&stat_rows[r]) ? cpi(&c->machine[i], slots(&c->machine[i], &stat_rows[r])) : 0;
			if (v > largest)
				largest = v;
		}
	return largest;
}

/* In eighths of a cell. */
static void draw(char *bar, unsigned cells, double part)
{
	static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	unsigned n = (unsigned)(part * cells * 8 + 0.5);
	*bar = '\0';
	for (unsigned i = 0; i < n / 8; i++)
		strcat(bar, "█");
	strcat(bar, eighths[n % 8]);
}

static void cell_stack(struct grid *g, const struct compared *m, uint64_t n, double largest, unsigned cells)
{
	char bar[BAR_MAX * 3 + 4];
	double v = cpi(m, n);
	if (m->state == COMPARED_FAILED) {
		grid_blank(g);
		return;
	}
	draw(bar, cells < BAR_MAX ? cells : BAR_MAX, largest > 0 ? v / largest : 0);
	if (!*bar && cells && v >= LEAST_SHOWN)
		strcpy(bar, "▏");
	if (*bar)
		grid_double_text(g, ROLE_NUMBER, v, "%.3f %s", v, bar);
	else
		grid_double_text(g, n ? ROLE_NUMBER : ROLE_DIM, v, "%.3f", v);
}

/* "cpi.memory_order" -> "memory order", as in the view. */
static void cell_cause(struct grid *g, const char *name)
{
	char text[40];
	snprintf(text, sizeof text, "%s", name + strlen("cpi."));
	for (char *at = text; *at; at++)
		if (*at == '_')
			*at = ' ';
	grid_text(g, ROLE_PLAIN, "%s", text);
}

static bool anything(const struct comparison *c, const struct stat_row *row, bool zeros)
{
	bool any = false;
	for (unsigned i = 0; i < c->count; i++) {
		const struct compared *m = &c->machine[i];
		any |= m->state != COMPARED_FAILED && stat_exists(&m->cfg, row) && (zeros || cpi(m, slots(m, row)) >= LEAST_SHOWN);
	}
	return any;
}

static void total_row(struct grid *g, const struct comparison *c, struct compare_page page)
{
	grid_row(g, UINT64_MAX, ROLE_CURRENT);
	grid_text(g, ROLE_PLAIN, "total");
	for (unsigned i = page.first; i < page.first + page.count; i++) {
		const struct compared *m = &c->machine[i];
		uint64_t all = 0;
		for (size_t r = 0; r < stat_row_count; r++)
			all += is_cause(&stat_rows[r]) ? slots(m, &stat_rows[r]) : 0;
		cell_stack(g, m, all, 0, 0);
	}
}

void compare_cpi(const struct comparison *c, struct compare_page page, unsigned bar, bool zeros, struct grid *out)
{
	struct grid_column columns[COMPARE_MAX + 1] = {{"cause", "cause", "", ALIGN_LEFT, 0, false, false}};
	const double largest = bar ? scale(c) : 0;
	unsigned n = 1;
	for (unsigned i = page.first; i < page.first + page.count; i++)
		columns[n++] = (struct grid_column){c->machine[i].name, compare_title(c, i), "cycles/instruction", ALIGN_LEFT,
		                                    bar ? bar + 6 : 0, false, false};
	grid_init(out, "CPI stack", columns, n);
	grid_summary(out, "cycles per instruction, and what they are spent on");
	out->essential = n;
	for (size_t r = 0; r < stat_row_count; r++) {
		const struct stat_row *row = &stat_rows[r];
		if (!is_cause(row) || !anything(c, row, zeros))
			continue;
		grid_row(out, 1 + row->offset, ROLE_PLAIN);
		cell_cause(out, row->name);
		for (unsigned i = page.first; i < page.first + page.count; i++)
			cell_stack(out, &c->machine[i], slots(&c->machine[i], row), largest, bar);
	}
	total_row(out, c, page);
}
