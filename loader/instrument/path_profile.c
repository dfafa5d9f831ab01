#include "loader/instrument/path_profile.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/edit/moved_code.h"

struct reader {
	const uint64_t *at, *end;
};

static bool path_profile_read_word(struct reader *r, uint64_t *word)
{
	if (r->at == r->end)
		return false;
	*word = *r->at++;
	return true;
}

static bool path_profile_find_section(const struct program *p, struct reader *r)
{
	uint64_t bytes;
	r->at = program_section(p, PATHS_SECTION, &bytes);
	r->end = r->at ? r->at + bytes / 8 : NULL;
	return r->at;
}

static void function_free(struct path_function *f)
{
	paths_free(&f->graph);
	free(f->edges);
	free(f->blocks);
}

void path_profile_free(struct path_profile *p)
{
	for (uint64_t i = 0; i < p->count; i++)
		function_free(&p->functions[i]);
	free(p->functions);
	*p = (struct path_profile){0};
}

static bool read_shape(struct path_function *f, enum path_where where, uint64_t table)
{
	f->where = where;
	f->table = (struct path_table){f->graph.paths, (uint32_t)table, (uint32_t)(table >> 32)};
	return (f->table.words == 1 || f->table.words == PATH_WORDS_MAX) && f->table.log2 < 32 &&
	       (f->table.log2 || f->table.paths <= PATH_ARRAY_MOST);
}

/* Reads and numbers a function's graph, as it was when the code was inserted: it is cut already. */
static bool path_profile_read_function(struct reader *r, struct path_function *f)
{
	uint64_t vertices, count, where, table, word = 0, weight = 0;
	*f = (struct path_function){0};
	if (!path_profile_read_word(r, &f->at) || !path_profile_read_word(r, &f->first) ||
	    !path_profile_read_word(r, &where) || (where & 0xff) > PATHS_IN_RECORDS ||
	    where >> 8 > 1 || !path_profile_read_word(r, &table) ||
	    !path_profile_read_word(r, &vertices) || !path_profile_read_word(r, &count) ||
	    vertices < CFG_BLOCKS || vertices > (uint64_t)(r->end - r->at) + CFG_BLOCKS ||
	    count > (uint64_t)(r->end - r->at))
		return false;
	f->blocks = alloc_zeroed(vertices, sizeof *f->blocks);
	f->edges = alloc_zeroed(count + 1, sizeof *f->edges);
	bool ok = f->blocks && f->edges;
	for (uint64_t k = 0; ok && k < vertices - CFG_BLOCKS; k++)
		ok = path_profile_read_word(r, &f->blocks[k].start) &&
		     path_profile_read_word(r, &f->blocks[k].end);
	const uint64_t *edges = r->at;
	for (uint64_t k = 0; ok && k < count; k++) {
		ok = path_profile_read_word(r, &word) && path_profile_read_word(r, &weight);
		f->edges[k] = (struct path_edge){
			.from = (uint32_t)word,
			.to = (uint32_t)(word >> 32),
			.weight = weight >> 2,
			.cut = weight & 1,
		};
		ok = ok && f->edges[k].from < vertices && f->edges[k].to < vertices &&
		     f->edges[k].from != CFG_EXIT && f->edges[k].to != CFG_ENTRY;
	}
	f->graph = (struct path_graph){.vertices = (uint32_t)vertices,
	                               .count = (uint32_t)count,
	                               .edges = f->edges,
	                               .apart = where >> 8};
	ok = ok && paths_number(&f->graph, PATHS_MOST, true, NULL) &&
	     read_shape(f, (enum path_where)(where & 0xff), table);
	for (uint64_t k = 0; ok && k < count; k++)
		f->edges[k].forced = edges[2 * k + 1] >> 1 & 1;
	if (!ok)
		function_free(f);
	return ok;
}

bool program_paths(const struct program *p, struct path_profile *out)
{
	struct reader r;
	size_t room = 0;
	*out = (struct path_profile){0};
	if (!path_profile_find_section(p, &r))
		return false;
	while (r.at < r.end) {
		if (out->count == room) {
			room = 2 * room + 64;
			struct path_function *more =
				alloc_resize(out->functions, room * sizeof *more);
			if (!more) {
				path_profile_free(out);
				return false;
			}
			out->functions = more;
		}
		if (!path_profile_read_function(&r, &out->functions[out->count])) {
			path_profile_free(out);
			return false;
		}
		out->count++;
	}
	return true;
}

bool program_paths_at(const struct program *p, uint64_t at, struct path_profile *out)
{
	enum { HEAD = 6, VERTICES = 4, EDGES = 5 };
	struct reader r;
	*out = (struct path_profile){0};
	if (!path_profile_find_section(p, &r))
		return false;
	while (r.end - r.at >= HEAD && *r.at != at) {
		const uint64_t left = (uint64_t)(r.end - r.at - HEAD), vertices = r.at[VERTICES],
			       count = r.at[EDGES];
		if (vertices < CFG_BLOCKS || vertices > left || count > left ||
		    2 * (vertices - CFG_BLOCKS + count) > left)
			return false;
		r.at += HEAD + 2 * (vertices - CFG_BLOCKS + count);
	}
	if (r.end - r.at < HEAD || !(out->functions = alloc_zeroed(1, sizeof *out->functions)))
		return false;
	out->count = path_profile_read_function(&r, out->functions);
	if (!out->count)
		path_profile_free(out);
	return out->count;
}

/* ---- counts ---- */
struct gathering {
	struct path_counts *out;
	size_t room;
	uint64_t function;
	bool failed;
};

bool path_counts_add(struct path_counts *c, size_t *room, uint64_t function, uint64_t path,
                     const uint64_t *words)
{
	if (c->n == *room) {
		const size_t more_room = 2 * *room + 1024;
		struct path_count *more = alloc_resize(c->all, more_room * sizeof *more);
		if (!more)
			return false;
		c->all = more;
		*room = more_room;
	}
	struct path_count *last = &c->all[c->n++];
	*last = (struct path_count){.function = function, .path = path};
	memcpy(last->words, words, sizeof last->words);
	return true;
}

static void path_profile_collect_path(void *ctx, uint64_t path, const uint64_t *words)
{
	struct gathering *g = ctx;
	g->failed |= !path_counts_add(g->out, &g->room, g->function, path, words);
}

bool path_counts_read(const struct path_profile *p, const struct counters *c, path_read_fn *read,
                      void *ctx, struct path_counts *out, struct err *err)
{
	struct gathering g = {.out = out};
	bool ok = true;
	*out = (struct path_counts){0};
	for (; ok && g.function < p->count; g.function++) {
		const struct path_function *f = &p->functions[g.function];
		uint64_t lost[PATH_WORDS_MAX];
		out->possible += (double)f->graph.paths;
		if (f->where == PATHS_IN_RECORDS)
			continue;
		const uint64_t at =
			f->where == PATHS_IN_TABLE ? f->first : c->memory + 8 * c->words * f->first;
		ok = path_table_each(&f->table, at, read, ctx, path_profile_collect_path, &g,
		                     lost) ||
		     err_set(err,
		             "the paths of the procedure at 0x%llx can't be read from the "
		             "program's memory",
		             (unsigned long long)f->at);
		for (unsigned i = 0; ok && i < PATH_WORDS_MAX; i++)
			out->lost[i] += lost[i];
	}
	if (g.failed)
		ok = err_set(err, "out of memory for paths");
	if (!ok)
		path_counts_free(out);
	return ok;
}

void path_counts_free(struct path_counts *c)
{
	free(c->all);
	*c = (struct path_counts){0};
}

/* ---- parts ---- */
enum { WAY_MOST = 1 << 12 };

bool path_is_part(const struct path_function *f, uint64_t k)
{
	uint32_t *way = alloc_bytes(WAY_MOST * sizeof *way);
	const uint32_t n = way ? paths_decode(&f->graph, k, way, WAY_MOST) : 0;
	bool part = false;
	if (n && n <= WAY_MOST) {
		const struct path_edge *first = &f->edges[way[0]], *last = &f->edges[way[n - 1]];
		/* It begins in the middle, or ends with a cut that is no back edge. */
		part = (first->from == PATH_ENTRY && first->to >= CFG_BLOCKS &&
		        f->blocks[first->to - CFG_BLOCKS].start != f->at) ||
		       (n > 1 && last->forced);
	}
	free(way);
	return part;
}
