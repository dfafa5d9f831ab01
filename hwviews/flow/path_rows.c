#include "hwviews/flow/path_rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "core/base/sort.h"
#include "hwviews/flow/flow_paths.h"
#include "loader/instrument/metrics.h"

enum { WAY_MAX = 4096 };

/* Number of original instructions between two addresses. */
static uint32_t path_rows_count_insts_between(const struct path_rows *p, const struct path_block *b)
{
	return (uint32_t)(moved_was_index(&p->moved, b->end) -
	                  moved_was_index(&p->moved, b->start));
}

/* Instructions of a function's blocks, by vertex: malloc'd; NULL: memory is out. */
static uint32_t *block_insts(const struct path_rows *p, const struct path_function *f)
{
	uint32_t *insts = alloc_zeroed(f->graph.vertices + (size_t)1, sizeof *insts);
	for (uint32_t v = CFG_BLOCKS; insts && v < f->graph.vertices; v++)
		insts[v] = path_rows_count_insts_between(p, &f->blocks[v - CFG_BLOCKS]);
	return insts;
}

/* Instructions on a path. The block that a final cut edge leads to belongs to the next path. */
static uint64_t path_insts(const struct path_function *f, const uint32_t *insts, uint64_t path,
                           uint32_t *way)
{
	const uint32_t length = paths_decode(&f->graph, path, way, WAY_MAX);
	uint64_t n = 0;
	for (uint32_t i = 0; i < length && i < WAY_MAX; i++)
		if (i == 0 || i + 1 < length || !f->edges[way[i]].cut)
			n += insts[f->edges[way[i]].to];
	return n;
}

static struct path_sums path_rows_add_sums(struct path_sums a, const struct path_sums *b)
{
	for (unsigned k = 0; k < PATH_VALUES; k++)
		a.value[k] += b->value[k];
	return a;
}

/* Makes a group of the counts [first, end), all of one function. */
static bool make_group(struct path_rows *p, const struct path_count *first,
                       const struct path_count *end, uint32_t *way)
{
	const struct path_function *f = &p->profile->functions[first->function];
	struct path_group *g = &p->groups[p->group_count++];
	struct path_sums sums = {{0}};
	uint32_t *insts = block_insts(p, f);
	*g = (struct path_group){.function = (uint32_t)first->function, .first = p->count,
	                         .count = (uint32_t)(end - first)};
	if (!insts)
		return false;
	for (const struct path_count *c = first; c < end; c++) {
		struct path_row *row = &p->rows[p->count++];
		*row = (struct path_row){.function = (uint32_t)c->function, .path = c->path};
		for (unsigned k = 0; k < PATH_WORDS_MAX; k++)
			row->sums.value[k] = c->words[k];
		row->sums.value[PATH_INSTS] = c->words[0] * path_insts(f, insts, c->path, way);
		sums = path_rows_add_sums(sums, &row->sums);
	}
	g->sums = sums;
	p->total = path_rows_add_sums(p->total, &sums);
	free(insts);
	return true;
}

/* Fills p->rows and p->groups, which have room. */
static bool make_rows(struct path_rows *p, const struct path_count *at, uint64_t n)
{
	uint32_t *way = alloc_bytes(WAY_MAX * sizeof *way);
	bool ok = way;
	for (uint64_t first = 0, i = 0; ok && i < n; first = i) {
		while (i < n && at[i].function == at[first].function)
			i++;
		ok = make_group(p, at + first, at + i, way);
	}
	free(way);
	return ok;
}

/* ---- order ---- */
static int path_rows_compare_by_weight(const struct path_sums *a, const struct path_sums *b,
                                       const enum path_value by)
{
	return a->value[by] != b->value[by] ? (a->value[by] > b->value[by] ? -1 : 1) : 0;
}

static int order_rows(const void *a, const void *b, void *by)
{
	const struct path_row *x = a, *y = b;
	const int n = path_rows_compare_by_weight(&x->sums, &y->sums, *(const enum path_value *)by);
	return n ? n : x->path < y->path ? -1 : x->path > y->path;
}

static int order_groups(const void *a, const void *b, void *by)
{
	const struct path_group *x = a, *y = b;
	const int n = path_rows_compare_by_weight(&x->sums, &y->sums, *(const enum path_value *)by);
	return n ? n : x->function < y->function ? -1 : x->function > y->function;
}

static void path_rows_sort_rows(struct path_rows *p)
{
	for (uint32_t i = 0; i < p->group_count; i++)
		sort_stable_with(p->rows + p->groups[i].first, p->groups[i].count, sizeof *p->rows,
		                 order_rows, &p->by);
	sort_stable_with(p->groups, p->group_count, sizeof *p->groups, order_groups, &p->by);
}

static bool path_rows_select_order(struct path_rows *p, const char *by, struct err *err)
{
	struct nearest near;
	p->name[PATH_TIMES] = "times";
	p->name[PATH_INSTS] = "insts";
	program_metrics(p->s->program, p->name + PATH_METRIC);
	p->by = p->name[PATH_METRIC] && p->total.value[PATH_METRIC] ? PATH_METRIC : PATH_INSTS;
	if (!by)
		return true;
	nearest_init(&near, by);
	for (unsigned k = 0; k < PATH_VALUES; k++) {
		if (!p->name[k])
			continue;
		if (!strcmp(p->name[k], by)) {
			p->by = (enum path_value)k;
			return true;
		}
		nearest_offer(&near, p->name[k]);
	}
	return err_set(err, "paths have no '%s'; %s", by,
	               nearest_said(&near, "expected times, insts%s%s",
	                            p->name[PATH_METRIC] ? ", " : "",
	                            p->name[PATH_METRIC] ? p->name[PATH_METRIC] : ""));
}

void path_rows_free(struct path_rows *p)
{
	free(p->rows);
	free(p->groups);
	*p = (struct path_rows){0};
}

bool path_rows_read(const struct session *s, const char *by, double threshold,
                    struct path_rows *out, struct err *err)
{
	struct path_rows p = {.s = s, .threshold = threshold};
	struct path_counts counts;
	if (!program_moved_code(s->program, &p.moved) || !session_counts_paths(s))
		return err_set(err, "the program counts no paths; use --instrument path, or one "
		                    "that `cyclops instrument --kind path` has made");
	if (!(p.profile = session_paths(s)))
		return err_set(err, "the program's description of its paths is damaged");
	bool ok = session_path_counts(s, p.profile, &counts, err);
	if (ok) {
		p.lost = counts.lost[0];
		p.rows = alloc_zeroed(counts.n + 1, sizeof *p.rows);
		p.groups = alloc_zeroed(p.profile->count + 1, sizeof *p.groups);
		ok = (p.rows && p.groups && make_rows(&p, counts.all, counts.n)) ||
		     err_set(err, "out of memory for paths");
		path_counts_free(&counts);
	}
	ok = ok && path_rows_select_order(&p, by, err);
	if (!ok) {
		path_rows_free(&p);
		return false;
	}
	path_rows_sort_rows(&p);
	*out = p;
	return true;
}

/* ---- hot, cold, dense, sparse ---- */
bool path_is_hot(const struct path_rows *p, const struct path_sums *sums)
{
	const uint64_t n = sums->value[p->by];
	return n && (double)n >= p->threshold * (double)p->total.value[p->by];
}

const char *path_class(const struct path_rows *p, const struct path_sums *sums)
{
	if (!path_is_hot(p, sums))
		return "cold";
	if (p->by == PATH_TIMES || p->by == PATH_INSTS)
		return "hot";
	const double own = (double)sums->value[p->by] / (double)sums->value[PATH_INSTS];
	return own > (double)p->total.value[p->by] / (double)p->total.value[PATH_INSTS] ? "dense"
	                                                                                : "sparse";
}
