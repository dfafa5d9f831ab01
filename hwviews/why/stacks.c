#include "hwviews/why/stacks.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/defs/stats_fields.h"
#include "core/machine/machine.h"
#include "core/run/timeline.h"
#include "hwviews/flow/flow_picture.h"
#include "hwviews/session/address.h"
#include "hwviews/session/view_text.h"
#include "loader/edit/loops.h"

const struct grid_column stack_columns[STACK_COLUMNS] = {
	{"place", "place", "", .flexible = true, .help = "the function, line or instruction"},
	{"share", "share", "percent of slots", .align = ALIGN_RIGHT,
	 .help = "of all slots, of whatever place"},
	{"used", "used", "percent of slots", .align = ALIGN_RIGHT,
	 .help = "the part of the share that was of use"},
	{"lost_to", "lost to", "", .min_width = 28, .flexible = true,
	 .help = "the largest rows of the rest, as parts of all slots, too"},
	{"cycles", "cycles", "cycles", .align = ALIGN_RIGHT,
	 .help = "its slots divided by the slots of a cycle"},
	{"address", "address", "", .align = ALIGN_RIGHT, .help = "where it begins"},
	{"slots", "slots", "slots", .align = ALIGN_RIGHT, .help = "their number"},
};

enum { LARGEST = 3, ROWS = 20, OTHERS = 2 };
#define KEY_TOTAL UINT64_MAX
#define KEY_OTHERS (UINT64_MAX - 1)

/* ---- words ---- */
void stack_asked_deinit(struct stack_asked *a)
{
	free(a->range);
	a->range = NULL;
}

bool stack_is_charged(const struct stack_asked *a)
{
	return a->of != STACK_OF_ALL || a->by != STACK_WHOLE;
}

/* "words.c:41", not "words.c:find". */
static bool is_line(const char *text)
{
	const char *colon = strrchr(text, ':');
	return colon && isdigit((unsigned char)colon[1]);
}

static bool take_line(const struct session *s, struct stack_asked *a, const char *text,
                      struct err *err)
{
	struct source_line at;
	if (!program_line_at(s->program, a->addr, &at) || !at.line)
		return err_set(err, "'%.60s' has no code", text);
	a->of = STACK_OF_LINE;
	a->file = at.file;
	/* it may have code, but no place to stop at: then `at` is another */
	a->line = (unsigned)strtoul(strrchr(text, ':') + 1, NULL, 10);
	return true;
}

static bool take_function(const struct session *s, struct stack_asked *a, const char *text,
                          struct err *err)
{
	const struct symbol *sym = program_symbol_at(s->program, a->addr);
	if (!sym)
		return err_set(err, "'%.60s' lies in no function", text);
	a->of = STACK_OF_FUNCTION;
	a->addr = sym->addr;
	return true;
}

/* Where a block is now. */
static struct stack_range range_of(const struct flow_picture *p, const struct flow_block *b)
{
	return (struct stack_range){flow_picture_now(p, b->start),
	                            flow_picture_now(p, b->last) + b->inst.len};
}

/* The blocks of the innermost loop around a block. */
static bool take_blocks(struct stack_asked *a, const struct flow_picture *p, uint32_t block,
                        struct err *err)
{
	const struct flow *f = &p->graph;
	struct loop_edge *edges = malloc((f->edge_count + 1) * sizeof *edges);
	struct loops l = {0};
	uint32_t n = 0;
	for (uint32_t i = 0; edges && i < f->edge_count; i++)
		if (f->edges[i].to != FLOW_NONE)
			edges[n++] = (struct loop_edge){f->edges[i].from, f->edges[i].to};
	const bool found = edges && loops_find(f->block_count, edges, n, &l);
	const uint32_t loop = found ? l.innermost[block] : LOOP_NONE;
	free(edges);
	a->range = found ? calloc(f->block_count, sizeof *a->range) : NULL;
	for (uint32_t b = 0; a->range && loop != LOOP_NONE && b < f->block_count; b++) {
		uint32_t in = l.innermost[b];
		while (in != LOOP_NONE && in != loop)
			in = l.all[in].outer;
		if (in == loop)
			a->range[a->ranges++] = range_of(p, &f->blocks[b]);
	}
	if (found)
		loops_free(&l);
	if (!found || !a->range)
		return err_set(err, "out of memory for a flow graph");
	return a->ranges || err_set(err, "there is no loop around that in its function");
}

static bool take_loop(const struct session *s, struct stack_asked *a, struct err *err)
{
	struct flow_picture p;
	if (!flow_picture_of(s, a->addr, false, &p, err))
		return false;
	uint32_t block = FLOW_NONE;
	for (uint32_t b = 0; b < p.graph.block_count; b++) {
		const struct stack_range r = range_of(&p, &p.graph.blocks[b]);
		if (a->addr >= r.lo && a->addr < r.hi)
			block = b;
	}
	const bool ok = block != FLOW_NONE ? take_blocks(a, &p, block, err)
	                                   : err_set(err, "no code that is reached stands there");
	flow_picture_free(&p);
	if (!ok)
		stack_asked_deinit(a);
	a->of = STACK_OF_LOOP;
	return ok;
}

/* What stands behind `of`. */
static bool take_of(const struct session *s, const struct region *r, int *i, struct stack_asked *a,
                    struct err *err)
{
	const bool loop = *i + 1 < r->argc && !strcmp(r->argv[*i + 1], "loop");
	*i += loop ? 2 : 1;
	if (*i >= r->argc)
		return err_set(err, "of what? `of FUNCTION`, `of FILE:LINE` or `of loop ADDRESS`");
	const char *text = r->argv[*i];
	if (!address_parse(s, text, NULL, &a->addr, err))
		return false;
	snprintf(a->text, sizeof a->text, "of %s%.70s", loop ? "the loop around " : "", text);
	return loop            ? take_loop(s, a, err)
	       : is_line(text) ? take_line(s, a, text, err)
	                       : take_function(s, a, text, err);
}

bool stack_take(const struct session *s, const struct region *r, const char *view,
                struct stack_asked *out, struct err *err)
{
	static const char *const by[] = {[STACK_BY_FUNCTION] = "functions",
	                                 [STACK_BY_LINE] = "lines",
	                                 [STACK_BY_INSTRUCTION] = "instructions"};
	*out = (struct stack_asked){0};
	for (int i = 0; i < r->argc; i++) {
		enum stack_by is = STACK_BY_FUNCTION;
		while (is <= STACK_BY_INSTRUCTION && strcmp(r->argv[i], by[is]) != 0)
			is++;
		if (is <= STACK_BY_INSTRUCTION && !out->by) {
			out->by = is;
		} else if (!strcmp(r->argv[i], "all") && !out->all) {
			out->all = true;
		} else if (!strcmp(r->argv[i], "of") && !out->of) {
			if (!take_of(s, r, &i, out, err))
				return false;
		} else {
			stack_asked_deinit(out);
			return err_set(err, "'%.40s': view %s " STACK_ARGS, r->argv[i], view);
		}
	}
	if (!r->thread || !stack_is_charged(out))
		return true;
	stack_asked_deinit(out);
	return err_set(err, "a thread's stack is that of the whole program: view %s thread 2",
	               view);
}

/* ---- summing ---- */
static bool is_asked_for(const struct session *s, const struct stack_asked *a, uint64_t pc)
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

/* The first behind i that is another instruction's. */
static size_t behind(const struct hot_profile *p, size_t i)
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
		next = behind(p, i);
		if (is_asked_for(s, a, p->charges[i].pc))
			for (; i < next; i++)
				row[p->charges[i].row] += p->charges[i].slots;
	}
}

struct stack_kind stack_kind_of(const struct session *s, bool cpi)
{
	const struct config *cfg = machine_config(s->machine);
	struct stack_kind k = {.title = cpi ? "CPI stack" : "Slot stack",
	                       .first = cpi ? CHARGE_CPI : 0};
	k.width = cpi ? machine_pipe(s->machine)->commit_width : pipe_slots(cfg);
	while (k.first + k.count < (cpi ? CHARGE_ROWS : CHARGE_CPI) &&
	       charge_stat(k.first + k.count))
		k.count++;
	for (unsigned i = 0; i < k.count; i++) {
		const char *name = charge_stat(k.first + i)->name;
		if (cpi ? !strcmp(name, "cpi.base") || !strcmp(name, "cpi.profile")
		        : i < CHARGE_SLOT)
			k.used |= UINT64_C(1) << i;
	}
	return k;
}

/* ---- places ---- */
struct part {
	const char *file;
	unsigned line;
	uint64_t first, pc; /* what it is by; its lowest address */
	int64_t all;
	int64_t row[CHARGE_ROWS];
};

static int by_place(const void *pa, const void *pb)
{
	const struct part *a = pa, *b = pb;
	const int files = !a->file || !b->file ? (a->file != NULL) - (b->file != NULL)
	                                       : strcmp(a->file, b->file);
	if (files)
		return files;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

static int by_slots(const void *pa, const void *pb)
{
	const struct part *a = pa, *b = pb;
	if (a->all != b->all)
		return a->all < b->all ? 1 : -1;
	return (a->pc > b->pc) - (a->pc < b->pc);
}

static struct part part_of(const struct session *s, enum stack_by by, uint64_t pc)
{
	struct part part = {.first = pc, .pc = pc};
	struct source_line at;
	if (by == STACK_BY_INSTRUCTION)
		return part;
	if (by == STACK_BY_LINE && program_line_at(s->program, pc, &at) && at.line) {
		part.file = at.file;
		part.line = at.line;
		part.first = 0;
		return part;
	}
	const struct symbol *sym = program_symbol_at(s->program, pc);
	part.first = sym ? sym->addr : pc;
	part.pc = by == STACK_BY_FUNCTION ? part.first : pc;
	return part;
}

static void add(struct part *sum, const struct part *more)
{
	sum->pc = more->pc < sum->pc ? more->pc : sum->pc;
	sum->all += more->all;
	for (unsigned i = 0; i < CHARGE_ROWS; i++)
		sum->row[i] += more->row[i];
}

/* Those asked for; owned by the caller. NULL if memory is out. */
static struct part *parts_of(const struct session *s, const struct hot_profile *p,
                             const struct stack_asked *a, const struct stack_kind *k, size_t *count)
{
	size_t places = 0, n = 0, kept = 0;
	for (size_t i = 0; i < p->charge_count; i = behind(p, i))
		places++;
	struct part *parts = malloc((places + 1) * sizeof *parts);
	for (size_t i = 0, next; parts && i < p->charge_count; i = next) {
		bool any = false;
		next = behind(p, i);
		if (!is_asked_for(s, a, p->charges[i].pc))
			continue;
		parts[n] = part_of(s, a->by, p->charges[i].pc);
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
		qsort(parts, n, sizeof *parts, by_place);
	for (size_t i = 0; i < n; i++) {
		if (kept && !by_place(&parts[kept - 1], &parts[i]))
			add(&parts[kept - 1], &parts[i]);
		else
			parts[kept++] = parts[i];
	}
	if (kept)
		qsort(parts, kept, sizeof *parts, by_slots);
	*count = kept;
	return parts;
}

/* "unit imuldiv" of slots.unit_imuldiv. */
static const char *short_name(const struct stat_row *row, char *buf, size_t n)
{
	snprintf(buf, n, "%s", strchr(row->name, '.') + 1);
	for (char *at = buf; (at = strchr(at, '_'));)
		*at = ' ';
	return buf;
}

/* The largest row that is not of use, but for those in `but`; k->count if there is none. */
static unsigned largest(const int64_t row[CHARGE_ROWS], const struct stack_kind *k, uint64_t but)
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
	char text[160] = "", name[48];
	uint64_t told = 0;
	for (unsigned i = 0; i < LARGEST; i++) {
		const unsigned at = largest(row, k, told);
		const double share = at == k->count ? 0 : 100 * (double)row[k->first + at] / all;
		if (share < 0.05)
			break;
		told |= UINT64_C(1) << at;
		const size_t used = strlen(text);
		snprintf(text + used, sizeof text - used, "%s%s %.1f%%", used ? ", " : "",
		         short_name(charge_stat(k->first + at), name, sizeof name), share);
	}
	grid_text(g, ROLE_PLAIN, "%s", text);
}

void cell_largest(struct grid *g, const struct stack_kind *k, const int64_t row[CHARGE_ROWS])
{
	char name[48];
	const unsigned at = largest(row, k, 0);
	grid_text(g, ROLE_DIM, "%s",
	          at < k->count ? short_name(charge_stat(k->first + at), name, sizeof name) : "");
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

static void cells_of(struct grid *g, const struct part *part, const struct stack_kind *k,
                     double all, bool address)
{
	const double share = 100 * (double)part->all / all;
	int64_t used = 0;
	for (unsigned i = 0; i < k->count; i++)
		used += k->used >> i & 1 ? part->row[k->first + i] : 0;
	grid_double_text(g, share >= 10 ? ROLE_HOT : ROLE_NUMBER, share, "%.1f%%", share);
	grid_double_text(g, ROLE_NUMBER, 100 * (double)used / all, "%.1f%%",
	                 100 * (double)used / all);
	cell_rows(g, part->row, k, all);
	if (part->all < 0)
		grid_double(g, ROLE_NUMBER, (double)part->all / (double)k->width, 2);
	else
		cell_slots(g, ROLE_NUMBER, (uint64_t)part->all, k->width);
	if (address)
		grid_hex(g, ROLE_DIM, part->pc);
	else
		grid_blank(g);
	grid_int(g, ROLE_DIM, part->all);
}

static void part_row(struct grid *g, const struct session *s, const struct part *part,
                     const struct stack_kind *k, double all)
{
	const char *slash = part->file ? strrchr(part->file, '/') : NULL;
	struct grid_row *row = grid_row(
		g, part->pc, part->pc == machine_pc(s->machine) ? ROLE_CURRENT : ROLE_PLAIN);
	row->pc = part->pc;
	if (part->file)
		grid_text(g, ROLE_ADDRESS, "%s:%u", slash ? slash + 1 : part->file, part->line);
	else
		cell_addr(g, s, ROLE_ADDRESS, part->pc);
	cells_of(g, part, k, all, true);
}

static void sum_row(struct grid *g, const struct part *sum, const struct stack_kind *k, double all,
                    uint64_t key, const char *what)
{
	grid_row(g, key, key == KEY_TOTAL ? ROLE_CURRENT : ROLE_DIM);
	grid_text(g, ROLE_PLAIN, "%s", what);
	cells_of(g, sum, k, all, false);
}

bool stack_places(const struct session *s, const struct hot_profile *p, const struct stack_asked *a,
                  const struct stack_kind *k, const char *region, size_t most, struct grid *out)
{
	static const char *const by[] = {[STACK_BY_FUNCTION] = "function",
	                                 [STACK_BY_LINE] = "line",
	                                 [STACK_BY_INSTRUCTION] = "instruction"};
	const double all = (double)((p->to - p->from) * k->width);
	struct part total = {.pc = UINT64_MAX}, others = {.pc = UINT64_MAX};
	char title[64], what[48], digits[32], cycles[32];
	size_t n;
	struct part *parts = parts_of(s, p, a, k, &n);
	if (!parts)
		return false;
	snprintf(title, sizeof title, "%s by %s", k->title, by[a->by]);
	grid_init(out, title, GRID_TABLE(stack_columns));
	grid_summary(out, "%s%s%s%s%s cycles of %d slots", region, *region ? ": " : "", a->text,
	             *a->text ? ", " : "", group_digits(p->to - p->from, cycles), (int)k->width);
	grid_empty(out, "no slot in this region");
	const size_t shown = a->all || n <= most + 1 ? n : most;
	for (size_t i = 0; i < n; i++) {
		add(&total, &parts[i]);
		if (i < shown)
			part_row(out, s, &parts[i], k, all);
		else
			add(&others, &parts[i]);
	}
	if (shown < n) {
		snprintf(what, sizeof what, "%s others", group_digits(n - shown, digits));
		sum_row(out, &others, k, all, KEY_OTHERS, what);
	}
	if (n)
		sum_row(out, &total, k, all, KEY_TOTAL, "total");
	free(parts);
	return true;
}

bool stack_show(const struct session *s, const struct view_args *args, const struct region *r,
                const struct stack_asked *a, bool cpi, stack_part_fn *part, struct grid *out,
                struct err *err)
{
	const struct stack_kind k = stack_kind_of(s, cpi);
	struct hot_profile p;
	struct err why;
	if (!hot_take(s, r, &p, &why)) {
		if (r->given)
			return err_set(err, "%s", why.msg);
		grid_init(out, k.title, GRID_TABLE(stack_columns));
		grid_empty(out, "%s", why.msg);
		return true;
	}
	if (a->by == STACK_WHOLE) {
		part(s, &p, a, r->text, out);
		return true;
	}
	return stack_places(s, &p, a, &k, r->text, args->rows > OTHERS ? args->rows - OTHERS : ROWS,
	                    out) ||
	       err_set(err, "out of memory for a profile");
}

char *stack_lately(const struct session *s, char out[96])
{
	enum { PART = 8, LEAST = 4096, DIFFERS = 6 };
	struct timeline_span span;
	struct timeline_point first, then, now;
	char cycles[32];
	out[0] = 0;
	if (!s->run)
		return out;
	run_timeline(s->run, &span);
	timeline_look(s->machine, &now);
	const uint64_t passed = now.cycle - span.first;
	if (now.cycle < span.first || passed < LEAST)
		return out;
	/* a function of the present alone: how far the run once came is not seen */
	uint64_t width = 1;
	while (width * TIMELINE_BINS < passed)
		width *= 2;
	if (!run_timeline_at(s->run, span.first, &first) ||
	    !run_timeline_at(s->run,
	                     span.first + (passed - passed / PART) / width * width, &then))
		return out;
	uint64_t all = 0, last = 0;
	for (unsigned i = TIMELINE_CPI; i < TIMELINE_WORDS; i++) {
		all += now.count[i] - first.count[i];
		last += now.count[i] - then.count[i];
	}
	double moved = 0; /* twice the share of slots that are in other rows */
	for (unsigned i = TIMELINE_CPI; all && last && i < TIMELINE_WORDS; i++)
		moved += fabs((double)(now.count[i] - first.count[i]) / (double)all -
		              (double)(now.count[i] - then.count[i]) / (double)last);
	if (moved * DIFFERS >= 2)
		snprintf(out, 96, "; the last %s cycles differ (since -%" PRIu64 ")",
		         group_digits(now.cycle - then.cycle, cycles), now.cycle - then.cycle);
	return out;
}
