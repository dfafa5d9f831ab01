/* `view paths`: paths through procedures, hot ones first. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/defs/stats.h"
#include "hwviews/flow/flow_paths.h"
#include "hwviews/flow/flow_picture.h"
#include "hwviews/flow/flow_text.h"
#include "hwviews/flow/path_rows.h"
#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/program/code_lines.h"

enum { ESSENTIAL = 4, BLOCKS_MAX = 512, TITLE_MAX = 200, KEY_PATHS = 2 };

/* ---- one path, block by block ---- */

static const struct grid_column path_detail_columns[] = {
	{"block", "block", "", AT_RIGHT, .help = "its number in `view cfg`"},
	{"label", "label", "", .help = "of the edge that leads to it"},
	{"sum", "r", "", AT_RIGHT,
         .help = "the sum of the labels so far, and the base of the path's number"},
	{"left", "left", "", AT_RIGHT, .help = AS_BEFORE},
	{"code", "code", "", .min_width = 24, FLEXIBLE, .help = "its code and place"},
	{"lines", "lines", "", .help = AS_BEFORE},
	{"source", "source", "", FLEXIBLE, .help = AS_BEFORE},
	{"address", "address", "", AT_RIGHT, .help = AS_BEFORE},
	{"was", "was at", "", AT_RIGHT, .help = "its address before instrumentation"},
};

enum { WAY_MAX = 4096, DETAIL_ESSENTIAL = 5, TEXT_MAX = 120 };

struct detail {
	const struct path_rows *p;
	const struct path_function *f;
	uint64_t path;
	struct flow_picture flow;
	struct path_edge *labels; /* [graph.count], owned */
	uint32_t *way;            /* [length], owned */
	uint32_t length;
	int64_t sum;
	struct source_line last;
};

static void cells_label(struct grid *g, const struct detail *d, const char *label)
{
	grid_text(g, ROLE_PROFILE, "%s", label);
	grid_int(g, ROLE_NUMBER, d->sum);
	grid_int(g, ROLE_DIM, (int64_t)d->path - d->sum);
}

/* Writes the lines of the code at `now`, and their text where a new line begins. */
static void cells_source(struct grid *g, struct detail *d, uint64_t now)
{
	struct source_line at;
	char text[TEXT_MAX];
	if (!program_line_at(d->p->s->program, now, &at) || !at.line ||
	    (at.line == d->last.line && at.file == d->last.file)) {
		grid_blank(g);
		grid_blank(g);
		return;
	}
	d->last = at;
	const char *slash = strrchr(at.file, '/'),
		   *source = program_source_text(d->p->s->program, at.file, at.line, NULL);
	grid_text(g, ROLE_DIM, "%s:%u", slash ? slash + 1 : at.file, at.line);
	snprintf(text, sizeof text, "%s", source ? source + strspn(source, " \t") : "");
	for (char *c = text; *c; c++)
		*c = *c == '\t' ? ' ' : *c;
	grid_text(g, ROLE_PLAIN, "%s", text);
}

static void cells_places(struct grid *g, const struct detail *d, uint64_t was)
{
	grid_hex(g, ROLE_DIM, flow_picture_now(&d->flow, was));
	grid_hex(g, ROLE_DIM, was);
}

static void inst_rows(struct grid *g, struct detail *d, const struct flow_block *b, uint32_t number)
{
	char text[160];
	struct code c;
	for (uint64_t pc = b->start; pc < b->end && code_at(d->p->s, pc, &c); pc += c.len) {
		const uint64_t now = flow_picture_now(&d->flow, pc);
		const bool here = now == machine_seen_pc(d->p->s->machine),
			   last = pc + c.prefix == b->last && !flow_goes_on(b);
		grid_row(g, (uint64_t)(number + 1) << 40 ^ pc, here ? ROLE_CURRENT : ROLE_PLAIN)
			->pc = now;
		grid_text(g, ROLE_CURRENT, "%s", here ? "▶" : "");
		grid_blank(g);
		grid_blank(g);
		grid_blank(g);
		grid_text(g, ROLE_PLAIN, "%s",
		          last ? flow_end_text(d->p->s, &d->flow, b, text, sizeof text)
		               : flow_code_text(d->p->s, &d->flow, pc, text, sizeof text));
		cells_source(g, d, now);
		cells_places(g, d, pc);
	}
}

static void path_detail_append_block_row(struct grid *g, struct detail *d, uint32_t i,
                                         uint32_t block, const char *label)
{
	const struct flow_block *b = &d->flow.graph.blocks[block];
	grid_row(g, (uint64_t)(i + 1) << 8, ROLE_PLAIN)->pc = flow_picture_now(&d->flow, b->start);
	grid_uint_text(g, ROLE_HEAD, block, "%u", block);
	cells_label(g, d, label);
	grid_text(g, ROLE_ADDRESS, "%s", flow_about_text(d->p->s, &d->flow, b, BUFFER(256)));
	grid_blank(g);
	grid_blank(g);
	cells_places(g, d, b->start);
	inst_rows(g, d, b, i);
}

/* Label at the path's start: an entry, or after a cut edge that ended the previous path. */
static void first_label(struct detail *d, char *text, size_t n)
{
	const struct path_edge *e = &d->labels[d->way[0]];
	d->sum = e->cut ? e->start : e->value;
	snprintf(text, n, "r = %" PRId64, d->sum);
}

static void path_detail_append_end_row(struct grid *g, struct detail *d)
{
	const struct path_edge *e = &d->labels[d->way[d->length - 1]];
	const bool cut = e->cut && d->length > 1;
	const int64_t more = cut ? e->end : e->to == CFG_EXIT ? e->value : 0;
	char text[64];
	const size_t used = (size_t)snprintf(text, sizeof text, "count r%+" PRId64, more);
	if (cut)
		snprintf(text + used, sizeof text - used, ", r = %" PRId64, e->start);
	d->sum += more;
	grid_row(g, 1, ROLE_PLAIN);
	grid_text(g, ROLE_PROFILE, cut ? "↺" : "end");
	cells_label(g, d, text);
	if (cut && !d->f->blocks[e->to - CFG_BLOCKS].end)
		grid_text(g, ROLE_PLAIN, "path %" PRId64 " is counted; ↺ where the jump leads",
		          d->sum);
	else if (cut)
		grid_text(g, ROLE_PLAIN, "path %" PRId64 " is counted; ↺ %u", d->sum,
		          flow_block_at(&d->flow.graph, d->f->blocks[e->to - CFG_BLOCKS].start));
	else
		grid_text(g, ROLE_PLAIN, "path %" PRId64 " is counted", d->sum);
}

static void path_detail_append_rows(struct grid *g, struct detail *d)
{
	/* value of an edge to the meeting point of jumps through registers; added to the next
	 * label */
	int64_t jump = 0;
	for (uint32_t i = 0; i < d->length; i++) {
		const struct path_edge *e = &d->labels[d->way[i]];
		const bool meets = e->to >= CFG_BLOCKS && !d->f->blocks[e->to - CFG_BLOCKS].end;
		char label[64];
		if (meets && !(e->cut && i + 1 == d->length)) {
			const int64_t value = e->cut ? e->start : e->value;
			d->sum += value;
			jump += value;
			continue;
		}
		if (i == 0) {
			first_label(d, label, sizeof label);
		} else if (e->to >= CFG_BLOCKS && !(e->cut && i + 1 == d->length)) {
			d->sum += e->value;
			snprintf(label, sizeof label,
			         i == 1 && d->labels[d->way[0]].cut &&
			                         jump == d->labels[d->way[0]].start
			                 ? "r = %" PRId64 : "r += %" PRId64,
			         jump + e->value);
			jump = 0;
		}
		if (e->to < CFG_BLOCKS || (i > 0 && e->cut))
			continue;
		const uint64_t start = d->f->blocks[e->to - CFG_BLOCKS].start;
		const uint32_t block = flow_block_at(&d->flow.graph, start);
		/* No row for a return from a call: the block continues there. */
		if (block != FLOW_NONE && d->flow.graph.blocks[block].start == start)
			path_detail_append_block_row(g, d, i, block, label);
	}
	path_detail_append_end_row(g, d);
}

static const struct path_row *find_row(const struct path_rows *p, const struct path_function *f,
                                       uint64_t path)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (&p->profile->functions[p->rows[i].function] == f && p->rows[i].path == path)
			return &p->rows[i];
	return NULL;
}

static void path_detail_format_summary(struct grid *g, const struct detail *d)
{
	const struct path_row *r = find_row(d->p, d->f, d->path);
	char metrics[128] = "";
	for (unsigned k = PATH_METRIC; r && k < PATH_INSTS; k++) {
		const size_t used = strlen(metrics);
		if (d->p->name[k])
			snprintf(metrics + used, sizeof metrics - used, ", %s %s", d->p->name[k],
			         GROUPED(r->sums.value[k]));
	}
	grid_summary(g, "of %s, %s%s%s%s%s", GROUPED(d->f->graph.paths),
	             r ? GROUPED(r->sums.value[PATH_TIMES]) : "not executed",
	             !r ? "" : r->sums.value[PATH_TIMES] == 1 ? " time" : " times",
	             metrics, r ? ", " : "", r ? path_class(d->p, &r->sums) : "");
}

/* Makes the grid of path number `path` of f. False with *err, *out untouched: f has no such path,
 * or memory is out. */
static bool path_detail(const struct path_rows *p, const struct path_function *f, uint64_t path,
                        struct grid *out, struct err *err)
{
	struct detail d = {.p = p, .f = f, .path = path};
	if (path >= f->graph.paths)
		return err_set(err, "path %" PRIu64 ": it has %s, from 0 on", path,
		               GROUPED(f->graph.paths));
	if (!flow_picture_of(p->s, moved_code_to(&p->moved, f->at), false, &d.flow, err))
		return false;
	d.labels = flow_plain_labels(f);
	d.way = alloc_bytes(WAY_MAX * sizeof *d.way);
	const bool ok = (d.labels && d.way) || err_set(err, "out of memory for a path");
	if (ok) {
		const uint32_t length = paths_decode(&f->graph, path, d.way, WAY_MAX);
		d.length = length < WAY_MAX ? length : WAY_MAX;
		char title[TITLE_MAX];
		snprintf(title, sizeof title, "Path %" PRIu64 " of %s", path, d.flow.symbol->name);
		grid_init(out, title, GRID_TABLE(path_detail_columns));
		out->essential = DETAIL_ESSENTIAL;
		path_detail_format_summary(out, &d);
		path_detail_append_rows(out, &d);
	}
	free(d.labels);
	free(d.way);
	flow_picture_free(&d.flow);
	return ok;
}

/* ---- cells ---- */
/* A procedure, a path, or several paths together. */
struct row {
	const struct path_rows *p;
	const struct path_sums *sums;
	enum role role;          /* of numbers */
	const char *mark, *blocks, *lines, *function;
	enum role mark_role, blocks_role;
	const uint64_t *number;  /* NULL: no single path */
};

FILL(fill_class, struct row, grid_text(g, r->mark_role, "%s", r->mark))
FILL(fill_share, struct row, cell_share(g, r->sums->value[r->p->by], r->p->total.value[r->p->by]))

/* The sum of the value with index `of`. */
FILL(fill_sum, struct row, grid_uint(g, r->role, r->sums->value[grid_of(g)]))
FILL(fill_blocks, struct row, grid_text(g, r->blocks_role, "%s", r->blocks))
FILL(fill_lines, struct row, grid_text(g, ROLE_DIM, "%s", r->lines ? r->lines : ""))
FILL(fill_number, struct row, r->number ? grid_uint(g, ROLE_DIM, *r->number) : grid_blank(g))
FILL(fill_function, struct row, grid_text(g, ROLE_DIM, "%s", r->function ? r->function : ""))

static enum role class_role(const char *class)
{
	switch (*class) {
	case 'd': return ROLE_MISS; /* dense */
	case 'c': return ROLE_DIM;
	default: return ROLE_HOT;
	}
}

static const char *view_paths_function_name(const struct path_rows *p,
                                            const struct path_function *f)
{
	const struct symbol *symbol =
		program_symbol_at(p->s->program, moved_code_to(&p->moved, f->at));
	return symbol ? symbol->name : "?";
}

static const struct grid_column columns[] = {
	{"class", "", "", fill_class, .min_width = 6, .help = "hot, dense or sparse, see below"},
	{"share", "share", "%", fill_share, AT_RIGHT,
         .help = "of all paths: of the first metric if it counts something, else of instructions, "
                 "else of the metric after `by`"},
	{"times", "times", "", fill_sum, .of = PATH_TIMES, AT_RIGHT,
         .help = "how often it was taken"},
	{"blocks", "blocks", "", fill_blocks, .min_width = 20, FLEXIBLE,
         .help = "by their numbers in `view cfg`. 5↺ before them: block 5 went back to the first, "
                 "so this is a loop's next iteration; ↺ after them: the last one goes back. → "
                 "before them: another entry"},
	{"metric0", "metric 0", "", fill_sum, .of = PATH_METRIC, AT_RIGHT,
         .help = "increments of two statistics on it, under their names (path+hw)"},
	{"metric1", "metric 1", "", fill_sum, .of = PATH_METRIC + 1, AT_RIGHT, .help = AS_BEFORE},
	{"insts", "insts", "instructions", fill_sum, .of = PATH_INSTS, AT_RIGHT,
         .help = "executed on the path, without added code"},
	{"lines", "lines", "", fill_lines, FLEXIBLE, .help = "of the source"},
	{"number", "path", "", fill_number, AT_RIGHT,
         .help = "its number: the sum of the labels on its edges"},
	{"function", "function", "", fill_function, .help = "the procedure"},
};

/* ---- rows ---- */
static struct grid_row *view_paths_begin_row(struct grid *g, const struct path_function *f,
                                             uint64_t number, enum role role)
{
	return grid_row(g, f->at << 24 ^ number, role);
}

static void function_row(struct grid *g, const struct path_rows *p, const struct path_group *group)
{
	const struct path_function *f = &p->profile->functions[group->function];
	const uint64_t now = moved_code_to(&p->moved, f->at), pc = machine_seen_pc(p->s->machine);
	const struct symbol *symbol = program_symbol_at(p->s->program, now);
	const bool here = symbol && pc >= symbol->addr && pc < symbol->addr + symbol->size;
	char text[512], lines[TITLE_MAX] = "";
	struct source_line at;
	snprintf(text, sizeof text, "%s: %u of %s path%s", symbol ? symbol->name : "?",
	         group->count, GROUPED(f->graph.paths), f->graph.paths == 1 ? "" : "s");
	if (program_line_at(p->s->program, now, &at) && at.line)
		snprintf(lines, sizeof lines, "%s:%u", file_base_name(at.file), at.line);
	view_paths_begin_row(g, f, 0, here ? ROLE_CURRENT : ROLE_PLAIN)->pc = now;
	grid_cells(g, &(struct row){.p = p, .sums = &group->sums, .role = ROLE_NUMBER,
	                            .mark = here ? "▶" : "", .mark_role = ROLE_CURRENT,
	                            .blocks = text, .blocks_role = ROLE_HEAD, .lines = lines,
	                            .function = symbol ? symbol->name : "?"});
}

static void view_paths_append_path_row(struct grid *g, const struct path_rows *p,
                                       const struct path_row *r, const struct flow_picture *flow)
{
	const struct path_function *f = &p->profile->functions[r->function];
	const char *class = path_class(p, &r->sums);
	uint32_t blocks[BLOCKS_MAX], count;
	const uint64_t number = r->path;
	char text[512];
	count = flow_path_text(flow, f, r->path, blocks, BLOCKS_MAX, text, sizeof text);
	view_paths_begin_row(g, f, KEY_PATHS + r->path, ROLE_PLAIN)->pc =
		flow_picture_now(flow, count ? flow->graph.blocks[blocks[0]].start : f->at);
	grid_cells(g,
	           &(struct row){.p = p,
	                         .sums = &r->sums,
	                         .role = *class == 'c' ? ROLE_DIM : ROLE_NUMBER,
	                         .mark = class,
	                         .mark_role = class_role(class),
	                         .blocks = text,
	                         .blocks_role = ROLE_ADDRESS,
	                         .lines = flow_lines_text(p->s, flow, blocks, count, BUFFER(512)),
	                         .number = &number,
	                         .function = view_paths_function_name(p, f)});
}

/* Cells of several paths together. */
static void sum_cells(struct grid *g, const struct path_rows *p, const struct path_sums *sums,
                      const char *text, const char *function)
{
	grid_cells(g, &(struct row){.p = p, .sums = sums, .role = ROLE_DIM, .mark = "cold",
	                            .mark_role = ROLE_DIM, .blocks = text, .blocks_role = ROLE_DIM,
	                            .function = function});
}

/* Appends one row for the group's cold paths, from index `from` on. */
static void cold_row(struct grid *g, const struct path_rows *p, const struct path_group *group,
                     uint32_t from)
{
	const struct path_function *f = &p->profile->functions[group->function];
	const uint32_t n = group->count - from;
	struct path_sums sums = {{0}};
	char text[64];
	for (uint32_t i = from; i < group->count; i++)
		for (unsigned k = 0; k < PATH_VALUES; k++)
			sums.value[k] += p->rows[group->first + i].sums.value[k];
	snprintf(text, sizeof text, "%u cold path%s", n, n == 1 ? "" : "s");
	view_paths_begin_row(g, f, 1, ROLE_PLAIN)->pc = moved_code_to(&p->moved, f->at);
	sum_cells(g, p, &sums, text, view_paths_function_name(p, f));
}

/* all: cold paths, too, have a row each. */
static bool group_rows(struct grid *g, const struct path_rows *p, const struct path_group *group,
                       bool all, struct err *err)
{
	const struct path_function *f = &p->profile->functions[group->function];
	uint32_t shown = 0;
	struct flow_picture flow;
	function_row(g, p, group);
	if (!all && !path_is_hot(p, &p->rows[group->first].sums))
		return true;
	if (!flow_picture_of(p->s, moved_code_to(&p->moved, f->at), false, &flow, err))
		return false;
	while (shown < group->count && (all || path_is_hot(p, &p->rows[group->first + shown].sums)))
		view_paths_append_path_row(g, p, &p->rows[group->first + shown++], &flow);
	if (shown < group->count)
		cold_row(g, p, group, shown);
	flow_picture_free(&flow);
	return true;
}

/* A row for the procedures from `from` on, which are cold. */
static void others_row(struct grid *g, const struct path_rows *p, uint32_t from)
{
	struct path_sums sums = {{0}};
	uint32_t paths = 0;
	for (uint32_t i = from; i < p->group_count; i++) {
		paths += p->groups[i].count;
		for (unsigned k = 0; k < PATH_VALUES; k++)
			sums.value[k] += p->groups[i].sums.value[k];
	}
	char text[64];
	snprintf(text, sizeof text, "%u procedure%s, %u path%s", p->group_count - from,
	         p->group_count - from == 1 ? "" : "s", paths, paths == 1 ? "" : "s");
	grid_row(g, 1, ROLE_PLAIN);
	sum_cells(g, p, &sums, text, NULL);
}

/* ---- all of it ---- */
static void view_paths_init_grid(struct grid *out, const struct path_rows *p, const char *of)
{
	char text[TITLE_MAX];
	snprintf(text, sizeof text, "Paths%s%s", of ? " of " : "", of ? of : "");
	grid_init(out, text, GRID_TABLE(columns));
	for (unsigned m = 0; m < INSTRUMENT_METRICS; m++) {
		static const char *const column[INSTRUMENT_METRICS] = {"metric0", "metric1"};
		const char *name = p->name[PATH_METRIC + m];
		const struct stat_row *row = name ? stat_find(name, NULL) : NULL;
		/* Titles of metrics are their statistics' names, which are static. */
		if (row)
			grid_column_named(out, column[m])->title = row->name;
		else if (!name)
			grid_drop_column(out, column[m]);
	}
	out->essential = ESSENTIAL;
}

static void view_paths_format_summary(struct grid *g, const struct path_rows *p)
{
	uint32_t hot = 0, dense = 0;
	struct path_sums sums = {{0}};
	char lost[64] = "";
	for (uint32_t i = 0; i < p->count; i++) {
		const struct path_row *r = &p->rows[i];
		if (!path_is_hot(p, &r->sums))
			continue;
		hot++;
		dense += strcmp(path_class(p, &r->sums), "dense") == 0;
		sums.value[p->by] += r->sums.value[p->by];
	}
	const uint64_t total = p->total.value[p->by];
	if (p->lost)
		snprintf(lost, sizeof lost, "; %" PRIu64 " times no room was left", p->lost);
	if (p->by == PATH_TIMES || p->by == PATH_INSTS)
		grid_summary(g, "%u executed, %u hot from %g%% on, with %.1f%% of %s%s", p->count,
		             hot, 100 * p->threshold,
		             total ? 100 * (double)sums.value[p->by] / (double)total : 0,
		             p->name[p->by], lost);
	else
		grid_summary(
			g,
			"%u executed, %u hot from %g%% on, %u of them dense, with %.1f%% of %s%s",
			p->count, hot, 100 * p->threshold, dense,
			total ? 100 * (double)sums.value[p->by] / (double)total : 0, p->name[p->by],
			lost);
}

struct asked {
	const char *function, *by;
	bool one;
	uint64_t path;
	double threshold;
};

static bool view_paths_parse_args(const struct view_args *args, struct asked *w, struct err *err)
{
	*w = (struct asked){.threshold = 0.01};
	for (int i = 0; i < args->argc; i++) {
		const char *word = args->argv[i];
		char *end;
		const double percent = strtod(word, &end);
		if (end != word && !strcmp(end, "%")) {
			if (!(percent >= 0 && percent <= 100))
				return err_set(err,
				               "%s: expected 0%% to 100%%, the share from which a "
				               "path is hot",
				               word);
			w->threshold = percent / 100;
		} else if (!strcmp(word, "by")) {
			if (++i == args->argc)
				return err_set(
					err,
					"no metric after by; expected by times, by insts, or by a "
					"metric such as sim.cycles");
			w->by = args->argv[i];
		} else if (!w->function) {
			w->function = word;
		} else if (!w->one) {
			if (!arg_number(word, "a path's number", UINT64_MAX, &w->path, err))
				return false;
			w->one = true;
		} else {
			return err_set(err,
			               "'%s' is one word too many; expected view paths [FUNCTION "
			               "[PATH]] [by METRIC] [PERCENT%%]",
			               word);
		}
	}
	return true;
}

/* Finds the function that `where` names: *found is its index in the profile. False with *err if its
 * paths are not counted. */
static bool find_function(const struct path_rows *p, const char *where, uint64_t *found,
                          struct err *err)
{
	uint64_t addr;
	if (!arg_address(p->s, where, &addr, err))
		return false;
	const struct symbol *symbol = program_symbol_at(p->s->program, addr);
	for (uint64_t i = 0; symbol && i < p->profile->count; i++)
		if (program_symbol_at(p->s->program,
		                      moved_code_to(&p->moved, p->profile->functions[i].at)) ==
		    symbol) {
			*found = i;
			return true;
		}
	return err_set(err, "the paths of %s are not counted; `report untouched` has the reason",
	               symbol ? symbol->name : where);
}

static bool build_function(const struct path_rows *p, const struct asked *w, struct grid *out,
                           struct err *err)
{
	uint64_t found;
	if (!find_function(p, w->function, &found, err))
		return false;
	if (w->one)
		return path_detail(p, &p->profile->functions[found], w->path, out, err);
	view_paths_init_grid(out, p, view_paths_function_name(p, &p->profile->functions[found]));
	view_paths_format_summary(out, p);
	grid_empty(out, "no path of %s was executed; it may have %" PRIu64,
	           view_paths_function_name(p, &p->profile->functions[found]),
	           p->profile->functions[found].graph.paths);
	for (uint32_t i = 0; i < p->group_count; i++)
		if (p->groups[i].function == found &&
		    !group_rows(out, p, &p->groups[i], true, err)) {
			grid_deinit(out);
			return false;
		}
	return true;
}

static bool build_all(const struct path_rows *p, struct grid *out, struct err *err)
{
	view_paths_init_grid(out, p, NULL);
	view_paths_format_summary(out, p);
	grid_empty(out, "no path was executed yet");
	uint32_t i = 0;
	for (; i < p->group_count && path_is_hot(p, &p->groups[i].sums); i++)
		if (!group_rows(out, p, &p->groups[i], false, err)) {
			grid_deinit(out);
			return false;
		}
	if (i < p->group_count)
		others_row(out, p, i);
	return true;
}

static bool view_paths_build_grid(const struct session *s, const struct view_args *args,
                                  struct grid *out, struct err *err)
{
	static const struct grid_column nothing[] = {
		{"nothing", "", "", FLEXIBLE}};
	struct asked w;
	struct path_rows p;
	if (!view_paths_parse_args(args, &w, err))
		return false;
	if (!session_counts_paths(s) && !args->argc) {
		grid_init(out, "Paths", nothing, 1);
		grid_empty(out, "the program counts no paths: start it with --instrument path, "
		                "path+hw or cct+path");
		return true;
	}
	if (!path_rows_read(s, w.by, w.threshold, &p, err))
		return false;
	const bool ok = w.function ? build_function(&p, &w, out, err) : build_all(&p, out, err);
	path_rows_free(&p);
	return ok;
}

const struct view view_paths = {
	.name = "paths",
	.title = "Paths",
	.args = "[FUNCTION [PATH]] [by METRIC] [PERCENT%]",
	.build = view_paths_build_grid,
	.help.about =
		"Executed paths through procedures, in a program that counts them: one\n"
		"started with --instrument path, path+hw for metrics as well, or cct+path, or\n"
		"made by `cyclops instrument`. Live, from the program's memory. The procedures\n"
		"with the highest cost come first, each with its hot paths (0% shows all);\n"
		"with FUNCTION all paths of one, with PATH one of them block by block, and the\n"
		"composition of its number.",
	.help.tables = {{GRID_TABLE(columns), .indent = 12},
                        {GRID_TABLE(path_detail_columns), .indent = 12,
                         .before = "\nWith PATH, a row a block of it:\n\n"}},
	.help.hints =
		"\n"
		"  dense     a hot path, with at least 1% (or PERCENT) of the whole, that has\n"
		"            more of the metric per instruction than the program: its code\n"
		"            is expensive. sparse: a hot one that is merely often executed\n"
		"\n"
		"A path is counted when it ends. Look for a few paths with most of the misses,\n"
		"and for dense ones: a change pays most there. Ammons, Ball and Larus,\n"
		"sections 2 and 6.4; tour demos/tours/paths.cyc.",
};
