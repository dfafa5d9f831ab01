/* `view hot`: where time goes, by instruction, line or function. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwviews/program/code_lines.h"
#include "hwviews/session/view_text.h"
#include "hwviews/why/stacks.h"

static const struct grid_column columns[] = {
	{"place", "place", "", .flexible = true, .help = "the instruction, line or function"},
	{"executed", "executed", "times", .align = ALIGN_RIGHT, .help = "how often it committed"},
	{"held", "held", "cycles", .align = ALIGN_RIGHT,
	 .help = "cycles that it held up commit: slots that stayed empty while it was the "
	         "next to commit, divided by pipe.commit_width"},
	{"share", "share", "percent of commit slots", .align = ALIGN_RIGHT,
	 .help = "of all commit slots, those that it used and those that it held up"},
	{"text", "", "", .min_width = 16, .flexible = true,
	 .help = "the instruction as assembly, or the source line"},
	{"lost_to", "lost to", "",
	 .help = "the largest row of the slot stack that is charged to it (nothing: all of "
	         "its share are slots in which it committed): more says `view slots "
	         "functions`, `lines` or `instructions`"},
	{"l2", "L2", "loads", .align = ALIGN_RIGHT,
	 .help = "its loads that missed L1D, by who served them"},
	{"memory", "memory", "loads", .align = ALIGN_RIGHT, .help = AS_BEFORE},
	{"forwards", "forwards", "loads", .align = ALIGN_RIGHT,
	 .help = "its loads that took a value from an older store in the queue"},
	{"wrong", "wrong", "mispredictions", .align = ALIGN_RIGHT,
	 .help = "its mispredictions: see `view branches`"},
	{"address", "address", "", .align = ALIGN_RIGHT, .help = "where it is, or begins"},
	{"lost", "lost", "commit slots", .align = ALIGN_RIGHT,
	 .help = "the slots of `held`, undivided"},
};

enum { TEXT = 4, ROWS = 20, OTHERS = 2 };
#define KEY_TOTAL UINT64_MAX
#define KEY_OTHERS (UINT64_MAX - 1)

enum by { BY_INSTRUCTION, BY_LINE, BY_FUNCTION };

/* What is one row. */
struct part {
	const char *file; /* NULL: not by line, or none is known */
	unsigned line;
	uint64_t first;   /* address of its function, or of itself */
	struct hot_inst sum;
	int64_t row[CHARGE_ROWS]; /* of both stacks */
};

struct asked {
	enum by by;
	bool all, off;
};

/* ---- putting together ---- */
static uint64_t function_of(const struct session *s, uint64_t pc)
{
	const struct symbol *sym = program_symbol_at(s->program, pc);
	return sym ? sym->addr : pc;
}

static struct part part_of(const struct session *s, const struct hot_profile *p,
                           const struct hot_inst *e, enum by by)
{
	struct part part = {.first = e->pc, .sum = *e};
	struct source_line at;
	if (!e->interpreted)
		stack_add(p, e->pc, part.row);
	if (by == BY_INSTRUCTION)
		return part;
	part.sum.interpreted = false;
	if (by == BY_LINE && program_line_at(s->program, e->pc, &at) && at.line) {
		part.file = at.file;
		part.line = at.line;
		part.first = 0;
		return part;
	}
	part.first = function_of(s, e->pc);
	if (by == BY_FUNCTION)
		part.sum.pc = part.first;
	return part;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static void add(struct part *sum, const struct part *more)
{
	hot_add(&sum->sum, &more->sum);
	for (unsigned i = 0; i < CHARGE_ROWS; i++)
		sum->row[i] += more->row[i];
}

/* What is one row is equal but for its sum. */
static int by_place(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	int files = !x->file || !y->file ? (x->file != NULL) - (y->file != NULL)
	                                 : strcmp(x->file, y->file);
	if (files)
		return files;
	if (x->line != y->line)
		return compare(x->line, y->line);
	return x->first != y->first ? compare(x->first, y->first)
	                            : x->sum.interpreted - y->sum.interpreted;
}

static int by_heat(const void *a, const void *b)
{
	const struct hot_inst *x = &((const struct part *)a)->sum,
			      *y = &((const struct part *)b)->sum;
	int heat = compare(y->executed + y->lost, x->executed + x->lost);
	return heat             ? heat
	       : x->pc != y->pc ? compare(x->pc, y->pc)
	                        : x->interpreted - y->interpreted;
}

/* Owned by the caller; NULL if memory is out. */
static struct part *parts_of(const struct session *s, const struct hot_profile *p, enum by by,
                             size_t *count)
{
	struct part *parts = malloc((p->count + 1) * sizeof *parts);
	size_t n = 0;
	for (size_t i = 0; parts && i < p->count; i++)
		parts[i] = part_of(s, p, &p->insts[i], by);
	if (parts && p->count)
		qsort(parts, p->count, sizeof *parts, by_place);
	for (size_t i = 0; parts && i < p->count; i++) {
		if (!n || by_place(&parts[n - 1], &parts[i])) {
			parts[n++] = parts[i];
			continue;
		}
		if (parts[i].sum.pc < parts[n - 1].sum.pc)
			parts[n - 1].sum.pc = parts[i].sum.pc;
		add(&parts[n - 1], &parts[i]);
	}
	if (n)
		qsort(parts, n, sizeof *parts, by_heat);
	*count = n;
	return parts;
}

/* ---- rows ---- */
static void cell_some(struct grid *g, enum role role, uint64_t n)
{
	if (n)
		grid_uint(g, role, n);
	else
		grid_uint_text(g, role, n, "%s", "");
}

/* `sum`: of many, which alarms nobody. */
static void cells_time(struct grid *g, const struct hot_profile *p, const struct hot_inst *e,
                       bool sum)
{
	const double share =
		100 * (double)(e->executed + e->lost) / (double)((p->to - p->from) * p->width);
	grid_uint(g, ROLE_NUMBER, e->executed);
	cell_slots(g, share >= 10 && !sum ? ROLE_HOT : ROLE_NUMBER, e->lost, p->width);
	grid_double_text(g, ROLE_NUMBER, share, "%.1f%%", share);
}

static void cells_events(struct grid *g, const struct session *s, const struct part *part, bool sum)
{
	const struct hot_inst *e = &part->sum;
	const struct stack_kind k = stack_kind_of(s, false);
	const enum role miss = sum ? ROLE_NUMBER : ROLE_MISS;
	int64_t charged = e->interpreted;
	for (unsigned i = 0; i < k.count; i++)
		charged += k.used >> i & 1 ? 0 : part->row[k.first + i];
	/* A share with nothing held is that of its own slots. */
	if (e->executed && !e->lost && !charged)
		grid_text(g, ROLE_DIM, "nothing: it ran");
	else
		cell_largest(g, &k, part->row);
	cell_some(g, miss, e->l2);
	cell_some(g, miss, e->memory);
	cell_some(g, ROLE_NUMBER, e->forwards);
	cell_some(g, miss, e->wrong);
}

static void cell_text(struct grid *g, const struct session *s, const struct part *part, enum by by)
{
	char text[160];
	struct code c;
	unsigned count;
	if (by == BY_INSTRUCTION && code_at(s, part->sum.pc, &c))
		grid_text(g, part->sum.interpreted ? ROLE_PROFILE : ROLE_PLAIN, "%s%s",
		          code_text(s, &c, text, sizeof text),
		          part->sum.interpreted ? " (interpreted)" : "");
	else if (part->file) {
		const char *source =
			program_source_text(s->program, part->file, part->line, &count);
		grid_text(g, ROLE_PLAIN, "%s", source ? source + strspn(source, " \t") : "");
	} else
		grid_blank(g);
}

static void part_row(struct grid *g, const struct session *s, const struct hot_profile *p,
                     const struct part *part, enum by by)
{
	const struct hot_inst *e = &part->sum;
	const char *slash = part->file ? strrchr(part->file, '/') : NULL;
	struct grid_row *row =
		grid_row(g, e->pc | e->interpreted,
	                 e->pc == machine_pc(s->machine) ? ROLE_CURRENT : ROLE_PLAIN);
	row->pc = e->pc;
	if (part->file)
		grid_text(g, ROLE_ADDRESS, "%s:%u", slash ? slash + 1 : part->file, part->line);
	else
		cell_addr(g, s, ROLE_ADDRESS, e->pc);
	cells_time(g, p, e, false);
	cell_text(g, s, part, by);
	cells_events(g, s, part, false);
	grid_hex(g, ROLE_DIM, e->pc);
	grid_uint(g, ROLE_DIM, e->lost);
}

static void sum_row(struct grid *g, const struct session *s, const struct hot_profile *p,
                    const struct part *sum, uint64_t key, const char *what, const char *text)
{
	grid_row(g, key, key == KEY_TOTAL ? ROLE_CURRENT : ROLE_DIM);
	grid_text(g, ROLE_PLAIN, "%s", what);
	cells_time(g, p, &sum->sum, true);
	grid_text(g, ROLE_DIM, "%s", text);
	cells_events(g, s, sum, true);
	grid_blank(g);
	grid_uint(g, ROLE_DIM, sum->sum.lost);
}

static void fill(struct grid *g, const struct session *s, const struct hot_profile *p,
                 const struct part *parts, size_t n, size_t most, enum by by)
{
	struct part others = {0}, total = {0};
	char digits[32], what[48];
	const size_t shown = n <= most + 1 ? n : most; /* a row for one other would be as long */
	for (size_t i = 0; i < n; i++) {
		add(&total, &parts[i]);
		if (i < shown)
			part_row(g, s, p, &parts[i], by);
		else
			add(&others, &parts[i]);
	}
	if (shown < n) {
		snprintf(what, sizeof what, "%s others", group_digits(n - shown, digits));
		sum_row(g, s, p, &others, KEY_OTHERS, what,
		        by == BY_FUNCTION ? "" : "`view hot all` has them");
	}
	sum_row(g, s, p, &total, KEY_TOTAL, "total",
	        by == BY_FUNCTION ? "" : "every commit slot, and none twice");
}

/* ---- words ---- */
static bool take_words(const struct region *r, struct asked *out, struct err *err)
{
	*out = (struct asked){0};
	for (int i = 0; i < r->argc; i++) {
		if (!strcmp(r->argv[i], "lines") && !out->by)
			out->by = BY_LINE;
		else if (!strcmp(r->argv[i], "functions") && !out->by)
			out->by = BY_FUNCTION;
		else if (!strcmp(r->argv[i], "all") && !out->all)
			out->all = true;
		else if (!strcmp(r->argv[i], "off") && r->argc == 1 && !r->given)
			out->off = true;
		else
			return err_set(err,
			               "'%.40s': view hot [lines | functions] [all] " REGION_ARGS
			               " | off",
			               r->argv[i]);
	}
	return true;
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
{
	static const char *const titles[] = {"Hot instructions", "Hot lines", "Hot functions"};
	static const char *const heads[] = {"instruction", "source", ""};
	struct grid_column own[sizeof columns / sizeof *columns];
	struct region region;
	struct asked asked;
	struct hot_profile p;
	struct err why = {.msg = ""};
	char insts[32], cycles[32];
	size_t n = 0;
	if (!region_take(s, args->argc, args->argv, &region, err) ||
	    !take_words(&region, &asked, err))
		return false;
	if (asked.off && s->hot)
		hot_clear(s->hot);
	const bool known = !asked.off && hot_take(s, &region, &p, &why);
	if (!known && region.given)
		return err_set(err, "%s", why.msg);
	struct part *parts = known ? parts_of(s, &p, asked.by, &n) : NULL;
	if (known && !parts)
		return err_set(err, "out of memory for a profile");
	memcpy(own, columns, sizeof own);
	own[TEXT].title = heads[asked.by];
	if (asked.by == BY_FUNCTION) /* which has none */
		own[TEXT].min_width = 0;
	grid_init(out, titles[asked.by], own, sizeof own / sizeof *own);
	out->essential = TEXT + 2;
	grid_empty(out, "%s",
	           asked.off      ? "the profile is forgotten, and its columns in source and disasm"
	           : !known       ? why.msg
	           : region.given ? "no cycle in this region"
	                          : "no cycle has passed yet: `step` lets one pass");
	if (known && p.from < p.to) {
		struct hot_inst total = {0};
		for (size_t i = 0; i < p.count; i++)
			hot_add(&total, &p.insts[i]);
		grid_summary(out, "%s%s%s cycles, %s instructions", region.text,
		             region.given ? ": " : "", group_digits(p.to - p.from, cycles),
		             group_digits(total.executed, insts));
		fill(out, s, &p, parts, n,
		     asked.all             ? n
		     : args->rows > OTHERS ? args->rows - OTHERS
		                           : ROWS,
		     asked.by);
	}
	free(parts);
	return true;
}

const struct view view_hot = {
	.name = "hot",
	.title = "Hot instructions",
	.args = "[lines | functions] [all] " REGION_ARGS " | off",
	.help.about =
		"Which instructions, source lines or functions the time went to: of all that\n"
		"is recorded, or of a region: `view hot since main`, `view hot functions\n"
		"since last`, `view hot lines 1000 2000`. That part of the run is executed once\n"
		"more with somebody who counts, so it is exact, and costs nothing before.\n"
		"\n",
	.help.tables = {{GRID_TABLE(columns), .indent = 12}},
	.help.hints =
		"\n"
		"The rows add up: executed to the instructions committed, executed and held to\n"
		"all slots of all cycles, forwards to lsq.forwards, wrong to\n"
		"bpred.mispredicts. What passed behind the last commit is held by what commits\n"
		"next. An instruction may be held up by the one before it, which fetched its\n"
		"line late or mispredicted: `why` and `view cpi` say what it waited for.\n"
		"Misses, forwards and mispredictions on wrong paths are not counted, nor\n"
		"firmware's. What the value sampler interpreted has rows of its own.\n"
		"\n"
		"`view disasm` and `view source` show the last profile beside the code, until\n"
		"`view hot off` or a restart.",
	.build = build,
};
