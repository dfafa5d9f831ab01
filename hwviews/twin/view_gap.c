/* `view gap`: where one machine fell behind the other, by instruction, line or function. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwviews/program/code_lines.h"
#include "hwviews/session/view_text.h"
#include "hwviews/twin/gap.h"

#define PUT_IN "put_in"

static bool code_was_put_in(const struct session *s)
{
	return s->twin && s->twin->code;
}

static const struct grid_column columns[] = {
	{"place", "place", "", .flexible = true, .help = "the instruction, line or function"},
	{"gap", "gap", "cycles", .align = ALIGN_RIGHT,
	 .help = "cycles of B less those of A: what the place cost the twin more; negative: "
	         "less"},
	{"cycles_a", "A", "cycles", .align = ALIGN_RIGHT,
	 .help = "cycles of each until its instructions had committed"},
	{"cycles_b", "B", "cycles", .align = ALIGN_RIGHT, .help = AS_BEFORE},
	{PUT_IN, "put in", "cycles", .there = code_was_put_in, .align = ALIGN_RIGHT,
	 .help = "of a twin by `twin instrument=KIND`: of B's cycles, those until what was put in "
	         "before the place had committed"},
	{"executed", "executed", "times", .align = ALIGN_RIGHT,
	 .help = "how often it committed in A"},
	{"text", "", "", .min_width = 16, .flexible = true,
	 .help = "the instruction as assembly, or the source line"},
	{"largest", "largest", "cycles", .align = ALIGN_RIGHT,
	 .help = "the instance in which B lost most; where the gap is negative, in which it "
	         "gained most"},
	{"seq", "in", "",
	 .help = "that instance's number in A: `twin go #NUMBER` goes there in both and says "
	         "why of both, on the screen Enter does"},
	{"address", "address", "", .align = ALIGN_RIGHT, .help = "where it is, or begins"},
};

enum { ROWS = 20, OTHERS = 2, WITHOUT = 4 /* columns of a sum that stay empty */ };
#define KEY_TOTAL UINT64_MAX
#define KEY_OTHERS (UINT64_MAX - 1)

enum by { BY_INSTRUCTION, BY_LINE, BY_FUNCTION };

/* What is one row. */
struct part {
	const char *file; /* NULL: not by line, or none is known */
	unsigned line;
	uint64_t first;   /* address of its function, or of itself */
	struct gap_inst sum;
};

static int64_t gap_of(const struct gap_inst *e)
{
	return (int64_t)(e->cycles[TWIN_B] - e->cycles[TWIN_A]);
}

static struct part part_of(const struct session *s, const struct gap_inst *e, enum by by)
{
	struct part part = {.first = e->pc, .sum = *e};
	struct source_line at;
	if (by == BY_LINE && program_line_at(s->program, e->pc, &at) && at.line) {
		part.file = at.file;
		part.line = at.line;
		part.first = 0;
	} else if (by != BY_INSTRUCTION) {
		const struct symbol *sym = program_symbol_at(s->program, e->pc);
		part.first = sym ? sym->addr : e->pc;
		part.sum.pc = by == BY_FUNCTION ? part.first : e->pc;
	}
	return part;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_place(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	const int files = !x->file || !y->file ? (x->file != NULL) - (y->file != NULL)
	                                       : strcmp(x->file, y->file);
	if (files)
		return files;
	return x->line != y->line ? compare(x->line, y->line) : compare(x->first, y->first);
}

static int by_size(const void *a, const void *b)
{
	const struct gap_inst *x = &((const struct part *)a)->sum,
			      *y = &((const struct part *)b)->sum;
	const int size = compare((uint64_t)llabs(gap_of(y)), (uint64_t)llabs(gap_of(x)));
	return size ? size : compare(x->pc, y->pc);
}

static void add(struct gap_inst *sum, const struct gap_inst *more)
{
	for (unsigned i = 0; i < TWIN_MACHINES; i++) {
		sum->times[i] += more->times[i];
		sum->cycles[i] += more->cycles[i];
	}
	sum->put_in += more->put_in;
	if (more->most_seq && (!sum->most_seq || more->most > sum->most)) {
		sum->most = more->most;
		sum->most_seq = more->most_seq;
	}
	if (more->least_seq && (!sum->least_seq || more->least < sum->least)) {
		sum->least = more->least;
		sum->least_seq = more->least_seq;
	}
}

/* Owned by the caller; NULL if memory is out. */
static struct part *parts_of(const struct session *s, const struct gap_sums *p, enum by by,
                             size_t *count)
{
	struct part *parts = malloc((p->count + 1) * sizeof *parts);
	size_t n = 0;
	for (size_t i = 0; parts && i < p->count; i++)
		parts[i] = part_of(s, &p->insts[i], by);
	if (parts && p->count)
		qsort(parts, p->count, sizeof *parts, by_place);
	for (size_t i = 0; parts && i < p->count; i++) {
		if (!n || by_place(&parts[n - 1], &parts[i])) {
			parts[n++] = parts[i];
			continue;
		}
		if (parts[i].sum.pc < parts[n - 1].sum.pc)
			parts[n - 1].sum.pc = parts[i].sum.pc;
		add(&parts[n - 1].sum, &parts[i].sum);
	}
	if (n)
		qsort(parts, n, sizeof *parts, by_size);
	*count = n;
	return parts;
}

/* ---- rows ---- */
static void cells_cycles(struct grid *g, const struct gap_inst *e)
{
	const int64_t gap = gap_of(e);
	grid_int(g, gap > 0 ? ROLE_MISS : ROLE_NUMBER, gap);
	grid_uint(g, ROLE_NUMBER, e->cycles[TWIN_A]);
	grid_uint(g, ROLE_NUMBER, e->cycles[TWIN_B]);
	if (!strcmp(g->columns[g->fill].name, PUT_IN))
		grid_uint(g, ROLE_PROFILE, e->put_in);
	grid_uint(g, ROLE_NUMBER, e->times[TWIN_A]);
}

static void cell_text(struct grid *g, const struct session *s, const struct part *part, enum by by)
{
	char text[160];
	struct code c;
	unsigned count;
	const char *source =
		part->file ? program_source_text(s->program, part->file, part->line, &count) : NULL;
	if (by == BY_INSTRUCTION && code_at(s, part->sum.pc, &c))
		grid_text(g, ROLE_PLAIN, "%s", code_text(s, &c, text, sizeof text));
	else
		grid_text(g, ROLE_PLAIN, "%s", source ? source + strspn(source, " \t") : "");
}

static void part_row(struct grid *g, const struct session *s, const struct part *part, enum by by)
{
	const struct gap_inst *e = &part->sum;
	const bool ahead = gap_of(e) < 0;
	const uint64_t seq = ahead ? e->least_seq : e->most_seq;
	const char *slash = part->file ? strrchr(part->file, '/') : NULL;
	struct grid_row *row = grid_row(g, e->pc, ROLE_PLAIN);
	row->pc = e->pc;
	row->seq = seq;
	if (part->file)
		grid_text(g, ROLE_ADDRESS, "%s:%u", slash ? slash + 1 : part->file, part->line);
	else
		cell_addr(g, s, ROLE_ADDRESS, e->pc);
	cells_cycles(g, e);
	cell_text(g, s, part, by);
	if (seq) {
		grid_int(g, ROLE_NUMBER, ahead ? e->least : e->most);
		grid_uint_text(g, ROLE_DIM, seq, "#%llu", (unsigned long long)seq);
	} else {
		grid_blank(g);
		grid_blank(g);
	}
	grid_hex(g, ROLE_DIM, e->pc);
}

static void sum_row(struct grid *g, const struct gap_inst *sum, uint64_t key, const char *what)
{
	grid_row(g, key, key == KEY_TOTAL ? ROLE_CURRENT : ROLE_DIM);
	grid_text(g, ROLE_PLAIN, "%s", what);
	cells_cycles(g, sum);
	for (unsigned i = 0; i < WITHOUT; i++)
		grid_blank(g);
}

static void fill(struct grid *g, const struct session *s, const struct part *parts, size_t n,
                 size_t most, enum by by)
{
	struct gap_inst others = {0}, total = {0};
	char digits[32], what[48];
	const size_t shown = n <= most + 1 ? n : most; /* a row for one other would be as long */
	for (size_t i = 0; i < n; i++) {
		add(&total, &parts[i].sum);
		if (i < shown)
			part_row(g, s, &parts[i], by);
		else
			add(&others, &parts[i].sum);
	}
	if (shown < n) {
		snprintf(what, sizeof what, "%s others", group_digits(n - shown, digits));
		sum_row(g, &others, KEY_OTHERS, what);
	}
	sum_row(g, &total, KEY_TOTAL, "total");
}

static bool take_words(const struct view_args *args, enum by *by, bool *all, bool *run,
                       struct err *err)
{
	*by = BY_INSTRUCTION;
	*all = *run = false;
	for (int i = 0; i < args->argc; i++) {
		if (!strcmp(args->argv[i], "lines") && !*by)
			*by = BY_LINE;
		else if (!strcmp(args->argv[i], "functions") && !*by)
			*by = BY_FUNCTION;
		else if (!strcmp(args->argv[i], "all") && !*all)
			*all = true;
		else if (!strcmp(args->argv[i], "run") && !*run)
			*run = true;
		else
			return err_set(err,
			               "'%.40s'? right: view gap [lines | functions] [all] [run]",
			               args->argv[i]);
	}
	return true;
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
{
	static const char *const titles[] = {"Gap", "Gap by line", "Gap by function"};
	struct twin_place place;
	struct gap_sums sums;
	struct err why;
	char cycles[33], insts[32], parted[32], put_in[64] = "";
	enum by by;
	bool all, run;
	size_t n = 0;
	if (!take_words(args, &by, &all, &run, err))
		return false;
	const bool known = gap_take(s, run, &place, &sums, &why);
	struct part *parts = known ? parts_of(s, &sums, by, &n) : NULL;
	if (known && !parts)
		return err_set(err, "out of memory for the gap");
	grid_init_for(out, titles[by], GRID_TABLE(columns), s);
	grid_empty(out, "%s", known ? "nothing has committed in both yet" : why.msg);
	if (n) {
		const int64_t gap = (int64_t)(sums.cycles[TWIN_B] - sums.cycles[TWIN_A]);
		if (s->twin->code)
			snprintf(put_in, sizeof put_in, " and %s put in",
			         group_digits(sums.put_in, insts));
		grid_summary(out, "B %s%s cycles in %s instructions%s%s%s; B: %s",
		             gap > 0 ? "+" : "", group_digits_signed(gap, cycles),
		             group_digits(sums.number, insts), put_in,
		             sums.parted ? "; the two part at instruction " : "",
		             sums.parted ? group_digits(sums.parted, parted) : "", s->twin->what);
		fill(out, s, parts, n,
		     all                   ? n
		     : args->rows > OTHERS ? args->rows - OTHERS
		                           : ROWS,
		     by);
	}
	free(parts);
	return true;
}

const struct view view_gap = {
	.name = "gap",
	.title = "Gap",
	.args = "[lines | functions] [all] [run]",
	.help.about =
		"Where the gap between the session's machine, A, and its twin, B, grew: by\n"
		"instruction, source line or function, the largest first. `twin` opens one.\n"
		"The cycles from one commit to the next belong to the instruction that commits\n"
		"then, in both machines. Both runs are gone through once more, so it is exact,\n"
		"and costs nothing before. Going back in the run takes away what came later;\n"
		"with `run` it stays: all that was gone through is listed.\n"
		"\n",
	.help.tables = {{GRID_TABLE(columns), .indent = 12}},
	.help.hints =
		"\n"
		"The rows add up to the total, which is the cycles by which B is behind at the\n"
		"last instruction that both have committed, exactly. Where programs ask for the\n"
		"time the two may do different things: they part at the instruction that is\n"
		"named then, and rows behind it compare what is no longer the same.\n"
		"\n"
		"An instruction that waits for an older one's miss commits right behind it: the\n"
		"cycles are with the miss. With commit by several a cycle the first of them has\n"
		"them all.",
	.build = build,
};
