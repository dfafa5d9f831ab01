/* Charges of a part of the program: its stack summed up, and rows of functions, lines or
 * instructions. */
#include "hwviews/why/stacks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/defs/stats_fields.h"
#include "core/machine/machine.h"
#include "hwviews/grid/order.h"
#include "hwviews/program/code_place.h"
#include "hwviews/session/view_text.h"

enum { LARGEST = 3 };

/* ---- summing ---- */
static bool stack_places_pc_is_selected(const struct session *s, const struct stack_asked *a,
                                        uint64_t pc)
{
	const struct symbol *sym;
	struct source_line at;
	switch (a->of) {
	case STACK_OF_FUNCTION:
		sym = program_symbol_at(s->program, pc);
		return sym && sym->addr == a->addr;
	case STACK_OF_LINE:
		return program_line_at(s->program, pc, &at) && at.line == a->line &&
		       !strcmp(at.file, a->file);
	case STACK_OF_LOOP:
		for (unsigned i = 0; i < a->ranges; i++)
			if (pc >= a->range[i].lo && pc < a->range[i].hi)
				return true;
		return false;
	default:
		return true;
	}
}

/* Index of the first charge after i of another instruction. */
static size_t stack_places_next_pc_index(const struct hot_profile *p, size_t i)
{
	const uint64_t pc = p->charges[i].pc;
	while (i < p->charge_count && p->charges[i].pc == pc)
		i++;
	return i;
}

void stack_sum(const struct session *s, const struct hot_profile *p, const struct stack_asked *a,
               int64_t row[CHARGE_ROWS])
{
	memset(row, 0, CHARGE_ROWS * sizeof *row);
	for (size_t i = 0, next; i < p->charge_count; i = next) {
		next = stack_places_next_pc_index(p, i);
		if (stack_places_pc_is_selected(s, a, p->charges[i].pc))
			for (; i < next; i++)
				row[p->charges[i].row] += p->charges[i].slots;
	}
}

/* ---- places ---- */
struct part {
	struct code_place at;
	uint64_t pc;      /* the lowest address in it */
	int64_t row[CHARGE_ROWS], all;
};

ORDER(by_place, struct part, code_place_compare(&a->at, &b->at))

ORDER(by_slots, struct part, DOWN(all) ?: UP(pc))

static struct part stack_places_init_part(const struct session *s, enum code_by by, uint64_t pc)
{
	struct part part = {.at = code_place_of(s, pc, by), .pc = pc};
	if (by == CODE_BY_FUNCTION)
		part.pc = part.at.first;
	return part;
}

static void stack_places_add_part(struct part *sum, const struct part *more)
{
	sum->pc = more->pc < sum->pc ? more->pc : sum->pc;
	sum->all += more->all;
	for (unsigned i = 0; i < CHARGE_ROWS; i++)
		sum->row[i] += more->row[i];
}

/* Sums of the selected places; owned by the caller. NULL if memory is out. */
static struct part *stack_places_sum_parts(const struct session *s, const struct hot_profile *p,
                                           const struct stack_asked *a, const struct stack_kind *k,
                                           size_t *count)
{
	static const enum code_by by[] = {[STACK_BY_FUNCTION] = CODE_BY_FUNCTION,
	                                  [STACK_BY_LINE] = CODE_BY_LINE,
	                                  [STACK_BY_INSTRUCTION] = CODE_BY_INSTRUCTION};
	size_t places = 0, n = 0, kept = 0;
	for (size_t i = 0; i < p->charge_count; i = stack_places_next_pc_index(p, i))
		places++;
	struct part *parts = alloc_bytes((places + 1) * sizeof *parts);
	for (size_t i = 0, next; parts && i < p->charge_count; i = next) {
		bool any = false;
		next = stack_places_next_pc_index(p, i);
		if (!stack_places_pc_is_selected(s, a, p->charges[i].pc))
			continue;
		parts[n] = stack_places_init_part(s, by[a->by], p->charges[i].pc);
		for (; i < next; i++) {
			const uint32_t row = p->charges[i].row;
			if (row < k->first || row >= k->first + k->count)
				continue;
			parts[n].row[row] = p->charges[i].slots;
			parts[n].all += p->charges[i].slots;
			any = true;
		}
		n += any;
	}
	if (n)
		sort_stable(parts, n, sizeof *parts, by_place);
	for (size_t i = 0; i < n; i++) {
		if (kept && !by_place(&parts[kept - 1], &parts[i]))
			stack_places_add_part(&parts[kept - 1], &parts[i]);
		else
			parts[kept++] = parts[i];
	}
	if (kept)
		sort_stable(parts, kept, sizeof *parts, by_slots);
	*count = kept;
	return parts;
}

/* "unit imuldiv" of slots.unit_imuldiv. */
static const char *stack_places_format_row_name(const struct stat_row *row, char *buf, size_t n)
{
	snprintf(buf, n, "%s", strchr(row->name, '.') + 1);
	for (char *at = buf; (at = strchr(at, '_'));)
		*at = ' ';
	return buf;
}

/* The largest row of lost slots, except rows in `but`; k->count if there is none. */
static unsigned stack_places_largest_lost_row(const int64_t row[CHARGE_ROWS],
                                              const struct stack_kind *k, uint64_t but)
{
	unsigned most = k->count;
	for (unsigned i = 0; i < k->count; i++)
		if (!((k->used | but) >> i & 1) && row[k->first + i] > 0 &&
		    (most == k->count || row[k->first + i] > row[k->first + most]))
			most = i;
	return most;
}

/* "latency imuldiv 16.6%, l1d 3.2%": the largest rows, as parts of all slots. */
static void cell_rows(struct grid *g, const int64_t row[CHARGE_ROWS], const struct stack_kind *k,
                      double all)
{
	char text[160] = "";
	uint64_t told = 0;
	for (unsigned i = 0; i < LARGEST; i++) {
		const unsigned at = stack_places_largest_lost_row(row, k, told);
		const double share = at == k->count ? 0 : 100 * (double)row[k->first + at] / all;
		if (share < 0.05)
			break;
		told |= UINT64_C(1) << at;
		const size_t used = strlen(text);
		snprintf(text + used, sizeof text - used, "%s%s %.1f%%", used ? ", " : "",
		         stack_places_format_row_name(charge_stat(k->first + at), BUFFER(48)),
		         share);
	}
	grid_text(g, ROLE_PLAIN, "%s", text);
}

void cell_largest(struct grid *g, const int64_t row[CHARGE_CPI])
{
	const struct stack_cause c = stack_find_cause(row, NULL);
	grid_text(g, ROLE_DIM, "%s",
	          c.slots ? stack_places_format_row_name(charge_stat(c.most), BUFFER(48)) : "");
}

void cell_largest_loss(struct grid *g, const struct stack_loss *loss, double all)
{
	if (loss->row == CHARGE_ROWS || 200 * (double)loss->slots < all)
		grid_text(g, ROLE_DIM, "%s", "");
	else
		grid_text(g, ROLE_DIM, "%2.0f %% %s", 100 * (double)loss->slots / all,
		          stack_places_format_row_name(charge_stat(loss->row), BUFFER(48)));
}

void stack_add(const struct hot_profile *p, uint64_t pc, int64_t row[CHARGE_ROWS])
{
	size_t first = 0, end = p->charge_count;
	while (first < end) {
		const size_t middle = first + (end - first) / 2;
		if (p->charges[middle].pc < pc)
			first = middle + 1;
		else
			end = middle;
	}
	for (size_t i = first; i < p->charge_count && p->charges[i].pc == pc; i++)
		row[p->charges[i].row] += p->charges[i].slots;
}

/* ---- instructions with the code that they call ---- */
/* The slots of an instruction without lines that it used or held for a caller. */
static int64_t stack_places_called(const struct hot_inst *e, int64_t slots)
{
	const uint64_t all = e->executed + e->lost;
	return e->called ? (int64_t)((double)slots * (double)e->called / (double)all) : 0;
}

/* Charges from i on of one instruction; *next: index of the first of another. */
static struct stack_share stack_places_own_share(const struct session *s,
                                                 const struct hot_profile *p, size_t i,
                                                 size_t *next, struct hot_inst *counts)
{
	struct stack_share one = {.pc = p->charges[i].pc};
	*next = stack_places_next_pc_index(p, i);
	*counts = hot_sum(p, one.pc, one.pc + 1);
	one.at = counts->executed ? counts->at : code_place_own(s, one.pc);
	for (; i < *next && p->charges[i].row < CHARGE_CPI; i++) {
		one.row[p->charges[i].row] = p->charges[i].slots;
		one.slots += p->charges[i].slots;
	}
	return one;
}

/* Adds the slots that the code called at one->pc has of `given`. */
static void stack_places_add_called(struct stack_share *one, const struct caller *c, int64_t given)
{
	double all = (double)(c->executed + c->wrong);
	for (unsigned i = 0; i < SLOT_COUNT; i++)
		all += (double)c->row[i];
	const double part = all > 0 ? (double)given / all : 0;
	one->slots += given;
	one->row[CHARGE_RETIRED] += (int64_t)(part * (double)c->executed);
	one->row[CHARGE_SLOT + SLOT_branch_refill] += (int64_t)(part * (double)c->wrong);
	for (unsigned i = 0; i < SLOT_COUNT; i++)
		one->row[CHARGE_SLOT + i] += (int64_t)(part * (double)c->row[i]);
}

void stack_each_share(const struct session *s, const struct hot_profile *p,
                      void (*put)(void *ctx, const struct stack_share *one), void *ctx)
{
	struct hot_inst counts;
	double weights = 0, weight = 0, called = 0, given = 0;
	for (size_t i = 0, next; i < p->charge_count; i = next) {
		const struct stack_share one = stack_places_own_share(s, p, i, &next, &counts);
		const struct caller *c = hot_caller(p, one.pc);
		called += (double)stack_places_called(&counts, one.slots);
		weights += c ? (double)c->slots : 0;
	}
	for (size_t i = 0, next; i < p->charge_count; i = next) {
		struct stack_share one = stack_places_own_share(s, p, i, &next, &counts);
		const struct caller *c = hot_caller(p, one.pc);
		for (unsigned k = 0; k < CHARGE_CPI && weights > 0; k++)
			one.row[k] -= stack_places_called(&counts, one.row[k]);
		one.slots -= weights > 0 ? stack_places_called(&counts, one.slots) : 0;
		if (c && weights > 0) {
			weight += (double)c->slots;
			const double until = floor(called * (weight / weights));
			stack_places_add_called(&one, c, (int64_t)(until - given));
			given = until;
		}
		put(ctx, &one);
	}
}

struct row {
	const struct session *s;
	const struct part *part;
	const struct stack_kind *k;
	double all;       /* slots of all places */
	const char *what; /* label of a sum of several places; NULL: one place */
};

FILL(fill_place, struct row, r->what ? grid_text(g, ROLE_PLAIN, "%s", r->what)
	: cell_code_place(g, r->s, &r->part->at, r->part->pc))
FILL(fill_share, struct row, const double share = 100 * (double)r->part->all / r->all;
	grid_double_text(g, share >= 10 ? ROLE_HOT : ROLE_NUMBER, share, "%.1f%%", share))

static void fill_used(struct grid *g, const void *row)
{
	const struct row *r = row;
	int64_t used = 0;
	for (unsigned i = 0; i < r->k->count; i++)
		used += r->k->used >> i & 1 ? r->part->row[r->k->first + i] : 0;
	grid_double_text(g, ROLE_NUMBER, 100 * (double)used / r->all, "%.1f%%",
	                 100 * (double)used / r->all);
}

static void stack_places_fill_lost_to(struct grid *g, const void *row)
{
	const struct row *r = row;
	cell_rows(g, r->part->row, r->k, r->all);
}

FILL(fill_cycles, struct row, r->part->all < 0
	? grid_double(g, ROLE_NUMBER, (double)r->part->all / (double)r->k->width, 2)
	: cell_slots(g, ROLE_NUMBER, (uint64_t)r->part->all, r->k->width))
FILL(fill_address, struct row, r->what ? grid_blank(g) : grid_hex(g, ROLE_DIM, r->part->pc))
FILL(fill_slots, struct row, grid_int(g, ROLE_DIM, r->part->all))

const struct grid_column stack_columns[STACK_COLUMNS] = {
	{"place", "place", "", fill_place, FLEXIBLE, .help = "the function, line or instruction"},
	{"share", "share", "percent of slots", fill_share, AT_RIGHT,
	 .help = "of all slots, whatever the place"},
	{"used", "used", "percent of slots", fill_used, AT_RIGHT,
	 .help = "the useful part of the share"},
	{"lost_to", "lost to", "", stack_places_fill_lost_to, .min_width = 28, FLEXIBLE,
         .help = "the largest rows of the rest, as parts of all slots, too"},
	{"cycles", "cycles", "cycles", fill_cycles, AT_RIGHT,
         .help = "its slots divided by the slots of a cycle"},
	{"address", "address", "", fill_address, AT_RIGHT, .help = "where it begins"},
	{"slots", "slots", "slots", fill_slots, AT_RIGHT, .help = "their number"},
};

static void stack_places_append_part_row(struct grid *g, const struct session *s,
                                         const struct part *part, const struct stack_kind *k,
                                         double all)
{
	grid_row(g, part->pc, part->pc == machine_seen_pc(s->machine) ? ROLE_CURRENT : ROLE_PLAIN)
		->pc = part->pc;
	grid_cells(g, &(struct row){s, part, k, all, NULL});
}

/* Rows for the selected functions, lines or instructions, those with most slots first. False:
 * memory is out. */
static bool build_places(const struct session *s, const struct hot_profile *p,
                         const struct stack_asked *a, const struct stack_kind *k,
                         const char *region, const struct view_args *args, struct grid *out)
{
	static const char *const by[] = {[STACK_BY_FUNCTION] = "function",
	                                 [STACK_BY_LINE] = "line",
	                                 [STACK_BY_INSTRUCTION] = "instruction"};
	const double all = (double)((p->to - p->from) * k->width);
	struct part total = {.pc = UINT64_MAX}, others = {.pc = UINT64_MAX};
	char title[64];
	size_t n;
	struct part *parts = stack_places_sum_parts(s, p, a, k, &n);
	if (!parts)
		return false;
	snprintf(title, sizeof title, "%s by %s", k->title, by[a->by]);
	grid_init(out, title, GRID_TABLE(stack_columns));
	grid_summary(out, "%s%s%s%s%s cycles of %d slots", region, *region ? ": " : "", a->text,
	             *a->text ? ", " : "", GROUPED(p->to - p->from), (int)k->width);
	grid_empty(out, "no slot in this region");
	const size_t shown = parts_shown(n, args, a->all);
	for (size_t i = 0; i < n; i++) {
		stack_places_add_part(&total, &parts[i]);
		if (i < shown)
			stack_places_append_part_row(out, s, &parts[i], k, all);
		else
			stack_places_add_part(&others, &parts[i]);
	}
	if (shown < n) {
		const char *what = parts_sum_row(out, n - shown, BUFFER(48));
		grid_cells(out, &(struct row){NULL, &others, k, all, what});
	}
	if (n) {
		const char *what = parts_sum_row(out, 0, BUFFER(48));
		grid_cells(out, &(struct row){NULL, &total, k, all, what});
	}
	free(parts);
	return true;
}

/* Builds a view from charges, for which hot_take() executes the region again. */
static bool build_charged(const struct session *s, const struct view_args *args,
                          const struct region *r, const struct stack_asked *a, bool cpi,
                          stack_part_fn *part, struct grid *out, struct err *err)
{
	const struct stack_kind k = stack_kind_of(s, cpi);
	struct hot_profile p;
	struct err why;
	if (!hot_take(s, r, &p, &why)) {
		if (r->given)
			return err_set(err, "%s", why.msg);
		grid_init(out, k.title, GRID_TABLE(stack_columns));
		grid_empty(out, "%s", why.msg);
	} else if (a->by == STACK_WHOLE) {
		part(s, &p, a, r->text, out);
	} else if (!build_places(s, &p, a, &k, r->text, args, out)) {
		return err_set(err, "out of memory for a profile");
	}
	return true;
}

bool stack_view_build(const struct session *s, const struct view_args *args, bool cpi,
                      stack_whole_fn *whole, stack_part_fn *part, struct grid *out,
                      struct err *err)
{
	struct region r;
	struct stack_asked a;
	if (!region_take_thread(s, args->argc, args->argv, &r, err) ||
	    !stack_take(s, &r, cpi ? "cpi" : "slots", &a, err))
		return false;
	if (!stack_is_charged(&a))
		return whole(s, &r, out, err);
	const bool ok = build_charged(s, args, &r, &a, cpi, part, out, err);
	stack_asked_deinit(&a);
	return ok;
}
