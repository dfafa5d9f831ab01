/* One path, block by block. */
#include "hwviews/flow/path_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/flow/flow_paths.h"
#include "hwviews/flow/flow_picture.h"
#include "hwviews/flow/flow_text.h"
#include "hwviews/program/code_lines.h"

const struct grid_column path_detail_columns[PATH_DETAIL_COLUMNS] = {
	{"block", "block", "", AT_RIGHT, .help = "its number in `view cfg`"},
	{"label", "label", "", .help = "of the edge that leads to it"},
	{"sum", "r", "", AT_RIGHT,
	 .help = "the sum of the labels so far, and what the path's number is beyond"},
	{"left", "left", "", AT_RIGHT, .help = AS_BEFORE},
	{"code", "code", "", .min_width = 24, FLEXIBLE, .help = "what stands in it, and where"},
	{"lines", "lines", "", .help = AS_BEFORE},
	{"source", "source", "", FLEXIBLE, .help = AS_BEFORE},
	{"address", "address", "", AT_RIGHT, .help = AS_BEFORE},
	{"was", "was at", "", AT_RIGHT,
	 .help = "where it was before code was put into the program"},
};

enum { WAY_MAX = 4096, ESSENTIAL = 5, TEXT_MAX = 120, TITLE_MAX = 200 };

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
		const bool here = now == machine_pc(d->p->s->machine),
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
		/* After a call it is the same block. */
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

bool path_detail(const struct path_rows *p, const struct path_function *f, uint64_t path,
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
		out->essential = ESSENTIAL;
		path_detail_format_summary(out, &d);
		path_detail_append_rows(out, &d);
	}
	free(d.labels);
	free(d.way);
	flow_picture_free(&d.flow);
	return ok;
}
