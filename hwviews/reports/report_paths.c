/* Reports of the paths executed by an instrumented program, and of their procedures (Ammons, Ball
 * and Larus, section 6.4). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/defs/stats.h"
#include "hwviews/flow/contexts.h"
#include "hwviews/flow/flow_paths.h"
#include "hwviews/flow/flow_picture.h"
#include "hwviews/flow/stack_depth.h"
#include "hwviews/grid/order.h"
#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/reports/report.h"
#include "loader/edit/moved_code.h"
#include "loader/instrument/metrics.h"
#include "loader/instrument/path_code.h"
#include "loader/instrument/path_profile.h"

enum { WAY_MAX = 4096, BLOCKS_MAX = 512 };

struct profile {
	const struct session *s;
	struct counters counters;
	struct moved_code moved;
	struct path_profile paths;
	/* [paths.count], owned: of functions whose blocks were printed */
	struct flow_picture **flow;
	struct path_counts counts;
	uint64_t total[PATH_WORDS_MAX];
	const char *metric[INSTRUMENT_METRICS]; /* NULL: none */
	unsigned order;          /* the word that paths are sorted by */
};

static bool report_paths_init_profile(struct profile *p, const struct session *s, struct err *err)
{
	struct counters any;
	*p = (struct profile){.s = s};
	if (!program_counters(s->program, 0, &any) || !program_moved_code(s->program, &p->moved))
		return err_set(err, "the program counts nothing; use --instrument path, or one "
		                    "that `cyclops instrument --kind path` has made");
	if (!session_counts_paths(s))
		return err_set(err, "the program is instrumented for %s; use `report counters`",
		               instrument_name[any.kind]);
	for (unsigned i = 0; program_counters(s->program, i, &any); i++)
		if (any.kind == INSTRUMENT_PATH || any.kind == INSTRUMENT_PATH_HW ||
		    any.kind == INSTRUMENT_CCT_PATH)
			p->counters = any;
	if (!program_paths(s->program, &p->paths))
		return err_set(err, "the program's description of its paths is damaged");
	p->flow = alloc_zeroed(p->paths.count + 1, sizeof(struct flow_picture *));
	if (!p->flow)
		return err_set(err, "out of memory for paths");
	if (!session_path_counts(s, &p->paths, &p->counts, err))
		return false;
	program_metrics(s->program, p->metric);
	for (uint64_t i = 0; i < p->counts.n; i++)
		for (unsigned k = 0; k < PATH_WORDS_MAX; k++)
			p->total[k] += p->counts.all[i].words[k];
	/* by the first metric, if there is one; without timing most are 0 */
	p->order = p->total[1] > 0;
	return true;
}

static void profile_free(struct profile *p)
{
	for (uint64_t i = 0; p->flow && i < p->paths.count; i++) {
		if (p->flow[i])
			flow_picture_free(p->flow[i]);
		free(p->flow[i]);
	}
	free(p->flow);
	path_profile_free(&p->paths);
	path_counts_free(&p->counts);
}

/* Sorts by the word swapped into words[0], largest first; then as before. */
ORDER(by_words, struct path_count, DOWN(words[0]) ?: UP(function) ?: UP(path))

static void report_paths_rank_paths(const struct profile *p, struct path_count *list, uint64_t n)
{
	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint64_t i = 0; i < n; i++) {
			uint64_t *w = list[i].words, first = w[0];
			w[0] = w[p->order];
			w[p->order] = first;
		}
		if (pass == 0 && n)
			sort_stable(list, n, sizeof *list, by_words);
	}
}

/* A path of a function, or a function by all its paths. */
struct row {
	struct profile *p;
	const struct path_count *c;
	const struct path_function *f;
};

FILL(fill_count, struct row, grid_uint(g, ROLE_NUMBER, r->c->words[0]))
FILL(fill_share, struct row, cell_share(g, r->c->words[r->p->order], r->p->total[r->p->order]))
FILL(fill_metric, struct row, grid_uint_if(g, r->p->metric[grid_of(g)], ROLE_NUMBER,
	r->c->words[1 + grid_of(g)]))

static void report_paths_fill_function(struct grid *g, const void *row)
{
	const struct row *r = row;
	const struct symbol *s =
		program_symbol_at(r->p->s->program, moved_code_to(&r->p->moved, r->f->at));
	grid_text(g, ROLE_ADDRESS, "%s", s ? s->name : "?");
}

static void report_paths_init_grid(struct grid *out, const struct profile *p, const char *title,
                                   const struct grid_column *columns, unsigned n)
{
	static const char *const metric[INSTRUMENT_METRICS] = {"metric0", "metric1"};
	grid_init(out, title, columns, n);
	/* Titles of metrics are their statistics' names, which are static. */
	for (unsigned i = 0; i < INSTRUMENT_METRICS; i++) {
		const struct stat_row *row = p->metric[i] ? stat_find(p->metric[i], NULL) : NULL;
		if (row)
			grid_column_named(out, metric[i])->title = row->name;
	}
	grid_empty(out, "nothing was counted");
}

/* The blocks of a path, by their offset in the function: "round +0x12 +0x20 +0x34 back". `round`:
 * it starts after a back edge; `back`: it ends with one. */
static void path_text(FILE *out, const struct path_function *f, uint64_t number)
{
	uint32_t way[WAY_MAX];
	const uint32_t length = paths_decode(&f->graph, number, way, WAY_MAX);
	for (uint32_t i = 0; i < length && i < WAY_MAX; i++) {
		const struct path_edge *e = &f->edges[way[i]];
		if (e->cut && i + 1 == length && i > 0)
			fputs(" back", out);
		else if (e->to >= CFG_BLOCKS && !f->blocks[e->to - CFG_BLOCKS].end)
			fputs(e->cut ? "round" : "", out);
		else if (e->to >= CFG_BLOCKS)
			fprintf(out, "%s%s+0x%" PRIx64, i ? " " : "", e->cut ? "round " : "",
			        f->blocks[e->to - CFG_BLOCKS].start - f->at);
	}
	if (length > WAY_MAX)
		fputs(" ...", out);
}

/* The share of executions that are only parts, because back edges cut them: "" if none is. */
static void report_paths_format_cut_share(const struct profile *p, char *buf, size_t n)
{
	uint64_t all = 0, cut = 0;
	for (uint64_t i = 0; i < p->counts.n; i++) {
		const struct path_count *c = &p->counts.all[i];
		all += c->words[0];
		cut += path_is_part(&p->paths.functions[c->function], c->path) ? c->words[0] : 0;
	}
	buf[0] = '\0';
	if (cut)
		snprintf(buf, n, "; %.1f%% of the executions are parts of paths, which were cut",
		         100 * (double)cut / (double)all);
}

/* The block numbers of `view cfg`; "": the function has no graph. */
static void numbers_text(struct profile *p, const struct path_count *c, char *buf, size_t n)
{
	struct flow_picture **flow = &p->flow[c->function];
	const struct path_function *f = &p->paths.functions[c->function];
	uint32_t blocks[BLOCKS_MAX];
	struct err err;
	buf[0] = '\0';
	if (!*flow && (*flow = alloc_bytes(sizeof **flow)) &&
	    !flow_picture_of(p->s, moved_code_to(&p->moved, f->at), false, *flow, &err)) {
		free(*flow);
		*flow = NULL;
	}
	if (*flow)
		flow_path_text(*flow, f, c->path, blocks, BLOCKS_MAX, buf, n);
}

FILL(fill_blocks, struct row, char text[512]; numbers_text(r->p, r->c, text, sizeof text);
	grid_text(g, ROLE_ADDRESS, "%s", text))
FILL(fill_number, struct row, grid_uint(g, ROLE_DIM, r->c->path))
FILL(fill_was, struct row, grid_hex(g, ROLE_DIM, r->f->at))

static void report_paths_fill_offsets(struct grid *g, const void *row)
{
	const struct row *r = row;
	char *text = NULL;
	size_t n;
	FILE *out = alloc_stream(&text, &n);
	if (out)
		path_text(out, r->f, r->c->path);
	grid_text(g, ROLE_DIM, "%s", out && fclose(out) == 0 ? text : "");
	free(text);
}

/* ---- paths ---- */
static const struct grid_column path_columns[] = {
	{"count", "count", "times", fill_count, AT_RIGHT,
	 .help = "executions, and their share of all paths"},
	{"share", "share", "%", fill_share, AT_RIGHT, .help = AS_BEFORE},
	{"metric0", "metric 0", "", fill_metric, AT_RIGHT,
	 .help = "increments of two statistics, under their names: sim.cycles and l1d.misses, or "
                 "those of --metrics"},
	{"metric1", "metric 1", "", fill_metric, .of = 1, AT_RIGHT, .help = AS_BEFORE},
	{"function", "function", "", report_paths_fill_function, FLEXIBLE, .help = "the procedure"},
	{"blocks", "blocks", "", fill_blocks, .min_width = 20, FLEXIBLE,
	 .help = "by their numbers in `view cfg`, as in `view paths`: 5↺ went back to the first of "
		 "them, ↺ goes back"},
	{"number", "path", "", fill_number, AT_RIGHT,
         .help = "its number, of all of the procedure"},
	{"was", "was at", "", fill_was, AT_RIGHT,
	 .help = "the procedure's address in the original program"},
	{"offsets", "after it", "", report_paths_fill_offsets, FLEXIBLE,
	 .help = "the same blocks by their distance from there; round: it begins at a loop's head, "
		 "back: it ends at a back edge"},
};

static void report_paths_append_path_row(struct grid *g, struct profile *p,
                                         const struct path_count *c)
{
	const struct path_function *f = &p->paths.functions[c->function];
	grid_row(g, f->at << 20 ^ c->path, ROLE_PLAIN)->pc = moved_code_to(&p->moved, f->at);
	grid_cells(g, &(struct row){p, c, f});
}

static bool build_paths(const struct session *s, const struct view_args *args, struct grid *out,
                        struct err *err)
{
	struct profile p;
	uint64_t limit;
	bool ok = report_paths_init_profile(&p, s, err) &&
	          oracle_row_limit(args, 0, p.counts.n, &limit, err);
	if (ok) {
		report_paths_rank_paths(&p, p.counts.all, p.counts.n);
		report_paths_init_grid(out, &p, "Paths", GRID_TABLE(path_columns));
		char type[32] = "", lost[64] = "", deep[64] = "", cut[96];
		report_paths_format_cut_share(&p, cut, sizeof cut);
		if (p.counters.type >= 0)
			snprintf(type, sizeof type, ", profile type %d", p.counters.type);
		if (p.counts.lost[0])
			snprintf(lost, sizeof lost, "; %llu times no room was left for one",
			         (unsigned long long)p.counts.lost[0]);
		if (stack_was_deeper(s->machine, UINT64_C(1) << PATH_STACK_LOG2))
			snprintf(deep, sizeof deep,
			         "; STACK DEEPER than %d MB: activations share places",
			         1 << (PATH_STACK_LOG2 - 20));
		grid_summary(out,
		             p.counts.possible < 1e9 ? "%llu of %.0f paths executed%s%s%s%s%s"
		                                     : "%llu of %.3g paths executed%s%s%s%s%s",
		             (unsigned long long)p.counts.n, p.counts.possible, type, cut, lost,
		             deep, contexts_thread_note(s, p.counters.kind));
		for (uint64_t i = 0; i < limit; i++)
			report_paths_append_path_row(out, &p, &p.counts.all[i]);
	}
	profile_free(&p);
	return ok;
}

/* ---- procedures ---- */
FILL(fill_paths, struct row, grid_uint(g, ROLE_NUMBER, r->c->path))
FILL(fill_possible, struct row, grid_uint(g, ROLE_DIM, r->f->graph.paths))

static const struct grid_column procedure_columns[] = {
	{"count", "count", "paths", fill_count, AT_RIGHT,
	 .help = "paths executed, iterations of loops among them"},
	{"share", "share", "%", fill_share, AT_RIGHT,
         .help = "of all paths, or of all of the first metric"},
	{"metric0", "metric 0", "", fill_metric, AT_RIGHT,
         .help = "what two statistics grew by on them (path+hw)"},
	{"metric1", "metric 1", "", fill_metric, .of = 1, AT_RIGHT, .help = AS_BEFORE},
	{"paths", "different", "paths", fill_paths, AT_RIGHT,
	 .help = "executed paths of it, of the possible ones"},
	{"possible", "possible", "paths", fill_possible, AT_RIGHT,
	 .help = "number of different paths in its graph"},
	{"function", "function", "", report_paths_fill_function, FLEXIBLE, .help = "the procedure"},
};

/* Sums paths by function, in place: paths of a function must be adjacent. Afterwards `path` is
 * their number; returns the number of functions. */
static uint64_t sum_functions(struct path_count *list, uint64_t count)
{
	uint64_t n = 0;
	for (uint64_t i = 0; i < count; i++) {
		const struct path_count c = list[i];
		if (!n || list[n - 1].function != c.function)
			list[n++] = (struct path_count){.function = c.function};
		list[n - 1].path++;
		for (unsigned k = 0; k < PATH_WORDS_MAX; k++)
			list[n - 1].words[k] += c.words[k];
	}
	return n;
}

static bool build_procedures(const struct session *s, const struct view_args *args,
                             struct grid *out, struct err *err)
{
	struct profile p;
	uint64_t limit, n = 0;
	bool ok = report_paths_init_profile(&p, s, err);
	if (ok) {
		n = sum_functions(p.counts.all, p.counts.n);
		ok = oracle_row_limit(args, 0, n, &limit, err);
	}
	if (ok) {
		report_paths_rank_paths(&p, p.counts.all, n);
		report_paths_init_grid(out, &p, "Procedures", GRID_TABLE(procedure_columns));
		for (uint64_t i = 0; i < limit; i++) {
			const struct path_count *c = &p.counts.all[i];
			const struct path_function *f = &p.paths.functions[c->function];
			grid_row(out, f->at, ROLE_PLAIN)->pc = moved_code_to(&p.moved, f->at);
			grid_cells(out, &(struct row){&p, c, f});
		}
	}
	profile_free(&p);
	return ok;
}

const struct report report_hot_paths = {
	.name = "hot-paths",
	.title = "Executed paths through procedures in an instrumented program",
	.args = "[ROWS|all]",
	.build = build_paths,
	.help.about = "Paths of a program that was started with --instrument path, path+hw or\n"
		      "cct+path, most executed first; with path+hw those first on which metric 0\n"
		      "grew most.",
	.help.tables = {{GRID_TABLE(path_columns), .indent = 14}},
	.help.hints =
		"The summary has the share of executions that are parts: cut where the target\n"
		"of a jump through a register is unknown, at landing pads, before calls like\n"
		"setjmp, or because there were too many paths.\n"
		"\n"
		"Ammons, Ball and Larus, section 2 and 3.",
};

const struct report report_hot_procedures = {
	.name = "hot-procedures",
	.title = "Paths of an instrumented program by procedure",
	.args = "[ROWS|all]",
	.build = build_procedures,
	.help.about = "The same by procedure (`report hot-paths`).",
	.help.tables = {{GRID_TABLE(procedure_columns), .indent = 14}},
};
