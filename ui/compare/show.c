#include "ui/compare/show.h"

#include "ui/render/render_csv.h"
#include "ui/render/render_json.h"
#include "ui/render/render_text.h"
#include "ui/render/safe_print.h"

enum { GAP = 2, BAR_LEAST = 8, BAR_MOST = 32, BAR_USUAL = 24 };

static void compare_show_print_grid(FILE *f, const struct grid *g,
                                    const struct compare_style *style)
{
	render_text(f, g, &(struct text_style){.width = style->width, .ascii = style->ascii});
}

/* Width in cells of the columns that can't be left out. */
static unsigned essential_width(const struct grid *g)
{
	unsigned widths[g->column_count], sum = 0;
	grid_layout(g, 0, GAP, widths);
	for (unsigned i = 0; i < g->essential; i++)
		sum += widths[i] + (i ? GAP : 0);
	return sum;
}

static bool put_statistics(FILE *f, const struct comparison *c, const struct compare_choice *choice,
                           const struct compare_style *style, struct err *err)
{
	struct grid g;
	struct compare_page page = {0, c->count};
	while (page.first < c->count) {
		compare_statistics(c, choice, page, &g);
		if (!grid_complete(&g, err))
			return false;
		if (!style->width || page.count == 1 || essential_width(&g) <= style->width) {
			fputc('\n', f);
			compare_show_print_grid(f, &g, style);
			page = (struct compare_page){page.first + page.count,
			                             c->count - page.first - page.count};
		} else {
			page.count--;
		}
		grid_deinit(&g);
	}
	return true;
}

/* Longest bar with n machines side by side, 0 if there is no room. */
static unsigned bar_for(unsigned width, unsigned n, unsigned cause, unsigned number)
{
	if (!width)
		return BAR_USUAL;
	unsigned fixed = cause + n * (GAP + number);
	unsigned each = width > fixed ? (width - fixed) / n : 0;
	return each < BAR_LEAST ? 0 : each < BAR_MOST ? each : BAR_MOST;
}

static bool compare_show_print_stack(FILE *f, const struct comparison *c, enum compare_stack which,
                                     const struct compare_style *style, struct err *err)
{
	struct grid g;
	unsigned widths[COMPARE_MAX + 1], n = c->count, bar;
	const unsigned number = compare_stack_number(which);
	compare_stack(c, which, (struct compare_page){0, 1}, 0, false, &g);
	if (!grid_complete(&g, err))
		return false;
	grid_layout(&g, 0, GAP, widths);
	grid_deinit(&g);
	while (n > 1 && !bar_for(style->width, n, widths[0], number))
		n--;
	bar = bar_for(style->width, n, widths[0], number);
	for (unsigned first = 0; first < c->count; first += n) {
		unsigned left = c->count - first;
		compare_stack(c, which, (struct compare_page){first, left < n ? left : n}, bar,
		              false, &g);
		if (!grid_complete(&g, err))
			return false;
		fputc('\n', f);
		compare_show_print_grid(f, &g, style);
		grid_deinit(&g);
	}
	return true;
}

/* Prints the letters of the machines in `differs`: "B, C". */
static void compare_show_print_letters(FILE *f, unsigned differs)
{
	bool any = false;
	for (unsigned i = 0; i < COMPARE_MAX; i++) {
		if (!(differs >> i & 1))
			continue;
		fprintf(f, "%s%c", any ? ", " : "", 'A' + (int)i);
		any = true;
	}
}

/* Prints notes. A program whose run is cut short may have written more on one machine than on
 * another. */
static void put_notes(FILE *f, const struct comparison *c)
{
	unsigned output = 0, status = 0;
	const struct compared *base = NULL;
	for (unsigned i = 0; i < c->count; i++) {
		const struct compared *m = &c->machine[i];
		if (*m->why)
			say(f, "%c: %s\n", 'A' + (int)i, m->why);
		if (m->state != COMPARED_ENDED)
			continue;
		if (!base) {
			base = m;
			continue;
		}
		output |= (unsigned)(m->output != base->output || m->errors != base->errors) << i;
		status |= (unsigned)(m->exit_status != base->exit_status) << i;
	}
	if (output) {
		fprintf(f, "The program's output differs from %c's on ",
		        'A' + (int)(base - c->machine));
		compare_show_print_letters(f, output);
		fputc('\n', f);
	}
	if (status) {
		fprintf(f, "Its exit status differs from %c's on ", 'A' + (int)(base - c->machine));
		compare_show_print_letters(f, status);
		fputc('\n', f);
	}
}

/* Prints a hint at `twin`, if at least two machines ran and there is room. */
static void compare_show_print_twin_hint(FILE *f, const struct comparison *c,
                                         const struct compare_style *style)
{
	static const char hint[] =
		"To see where one falls behind: `twin` and `view gap`, in a session on the other.";
	unsigned ran = 0;
	for (unsigned i = 0; i < c->count; i++)
		ran += c->machine[i].state != COMPARED_FAILED;
	if (ran > 1 && (!style->width || style->width >= sizeof hint - 1))
		fprintf(f, "%s\n", hint);
}

bool compare_text(FILE *f, const struct comparison *c, const struct compare_choice *choice,
                  const struct compare_style *style, struct err *err)
{
	struct grid g;
	compare_machines(c, false, &g);
	if (!grid_complete(&g, err))
		return false;
	compare_show_print_grid(f, &g, style);
	grid_deinit(&g);
	put_notes(f, c);
	compare_show_print_twin_hint(f, c, style);
	return !compare_base(c) || (put_statistics(f, c, choice, style, err) &&
	                            compare_show_print_stack(f, c, COMPARE_CPI, style, err) &&
	                            compare_show_print_stack(f, c, COMPARE_SLOTS, style, err));
}

static bool json_grid(FILE *f, const char *name, struct grid *g, struct err *err)
{
	if (!grid_complete(g, err))
		return false;
	fputs(",\n\"", f);
	fputs(name, f);
	fputs("\": ", f);
	render_json(f, g, name, RENDER_NO_CYCLE);
	grid_deinit(g);
	return true;
}

bool compare_json(FILE *f, const struct comparison *c, int argc, char *const *argv, struct err *err)
{
	const struct compare_choice all = {.all = true};
	const struct compare_page everyone = {0, c->count};
	struct grid g;
	fputs("{\"program\": ", f);
	render_json_text(f, argv[0]);
	fputs(", \"arguments\": [", f);
	for (int i = 1; i < argc; i++) {
		fputs(i > 1 ? ", " : "", f);
		render_json_text(f, argv[i]);
	}
	fputc(']', f);
	compare_machines(c, true, &g);
	if (!json_grid(f, "machines", &g, err))
		return false;
	compare_statistics(c, &all, everyone, &g);
	if (!json_grid(f, "statistics", &g, err))
		return false;
	static const char *const names[COMPARE_STACKS] = {
		[COMPARE_CPI] = "cpi", [COMPARE_SLOTS] = "slots"};
	for (enum compare_stack which = 0; which < COMPARE_STACKS; which++) {
		compare_stack(c, which, everyone, 0, true, &g);
		if (!json_grid(f, names[which], &g, err))
			return false;
	}
	fputs("}\n", f);
	return true;
}

bool compare_csv(FILE *f, const struct comparison *c, struct err *err)
{
	struct grid g;
	compare_statistics(c, &(struct compare_choice){.all = true},
	                   (struct compare_page){0, c->count}, &g);
	if (!grid_complete(&g, err))
		return false;
	render_csv(f, &g);
	grid_deinit(&g);
	return true;
}
