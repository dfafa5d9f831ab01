#include "loader/instrument/cct_paths.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/base/alloc.h"

enum { WAY_MOST = 1 << 14 };

bool cct_paths_of(const struct program *p, struct cct_paths *out)
{
	if (!program_cct(p, &out->cct) || !program_paths(p, &out->profile))
		return false;
	for (uint64_t i = 0; i < out->profile.count; i++)
		if (out->profile.functions[i].where == PATHS_IN_RECORDS)
			return true;
	path_profile_free(&out->profile);
	return false;
}

void cct_paths_free(struct cct_paths *p)
{
	path_profile_free(&p->profile);
}

static const struct cct_procedure *cct_paths_find_procedure(const struct cct_paths *p,
                                                            uint64_t callee)
{
	for (uint64_t i = 0; i < p->cct.head.procedures; i++)
		if (p->cct.procedures[i].at == callee)
			return &p->cct.procedures[i];
	return NULL;
}

/* ---- one record ---- */
struct each {
	cct_path_fn *each;
	void *ctx;
	const struct path_function *f;
};

static void cct_paths_forward_path_cb(void *ctx, uint64_t path, const uint64_t *words)
{
	const struct each *e = ctx;
	e->each(e->ctx, e->f, path, words);
}

static bool read_source(void *ctx, uint64_t at, void *out, size_t n)
{
	const struct cct_source *from = ctx;
	return from->read(from->ctx, at, out, n);
}

static bool each_of_record(const struct cct_paths *p, const struct cct_source *from,
                           const struct cct_procedure *of, uint64_t record, cct_path_fn *each,
                           void *ctx, uint64_t *lost, struct err *err)
{
	for (uint64_t i = 0; i < p->profile.count; i++) {
		const struct path_function *f = &p->profile.functions[i];
		struct each e = {each, ctx, f};
		uint64_t none[PATH_WORDS_MAX] = {0};
		const uint64_t at = f->first & UINT32_MAX;
		if (f->where != PATHS_IN_RECORDS || f->first >> 32 != of->group)
			continue;
		if (at > of->size || path_table_bytes(&f->table) > of->size - at ||
		    !path_table_each(&f->table, record + at, read_source, (void *)(uintptr_t)from,
		                     cct_paths_forward_path_cb, &e, none))
			return err_set(err, "the paths in the record at 0x%" PRIx64 " are damaged",
			               record);
		if (lost)
			*lost += none[0];
	}
	return true;
}

bool cct_paths_each(const struct cct_paths *p, const struct cct_source *from,
                    const struct context *node, cct_path_fn *each, void *ctx, uint64_t *lost,
                    struct err *err)
{
	const struct cct_procedure *of = cct_paths_find_procedure(p, node->callee);
	if (lost)
		*lost = 0;
	return !of || each_of_record(p, from, of, node->record, each, ctx, lost, err);
}

bool cct_paths_spare(const struct cct_paths *p, const struct cct_source *from, cct_path_fn *each,
                     void *ctx, struct err *err)
{
	for (uint64_t i = 0; i < p->cct.head.procedures; i++)
		if (!each_of_record(p, from, &p->cct.procedures[i], p->cct.procedures[i].spare,
		                    each, ctx, NULL, err))
			return false;
	return true;
}

/* ---- call sites reached by only one path ---- */
struct sites {
	const struct cct_paths *p;
	const struct cct_procedure *of;
	uint32_t *paths;   /* [of->sites], owned: paths that lead there */
	uint32_t *way;     /* [WAY_MOST], owned */
};

static void cct_paths_count_sites_of_path(void *ctx, const struct path_function *f, uint64_t path,
                                          const uint64_t *words)
{
	struct sites *s = ctx;
	const uint32_t n = paths_decode(&f->graph, path, s->way, WAY_MOST);
	(void)words;
	for (uint32_t i = 0; i < n && i < WAY_MOST; i++) {
		const struct path_edge *e = &f->edges[s->way[i]];
		if (e->to < CFG_BLOCKS || (e->cut && i + 1 == n && i > 0))
			continue;
		const struct path_block *b = &f->blocks[e->to - CFG_BLOCKS];
		for (uint64_t k = 0; k < s->of->sites; k++)
			s->paths[k] +=
				s->p->cct.sites[s->of->first + k] - b->start < b->end - b->start;
	}
}

bool cct_one_path(const struct cct_paths *p, const struct cct_source *from, struct context_tree *t,
                  struct err *err)
{
	struct sites s = {.p = p,
	                  .way = alloc_bytes(WAY_MOST * sizeof *s.way),
	                  .paths = alloc_zeroed(p->cct.head.sites + 1, sizeof *s.paths)};
	bool ok = (s.way && s.paths) || err_set(err, "out of memory for call sites");
	for (uint32_t i = 1; ok && i < t->count; i++) {
		struct context *n = &t->nodes[i];
		uint64_t lost;
		s.of = cct_paths_find_procedure(p, n->callee);
		if (!s.of)
			continue;
		ok = cct_paths_each(p, from, n, cct_paths_count_sites_of_path, &s, &lost, err);
		n->one_path = ok && !lost && !p->cct.head.merged ? 0 : CONTEXT_NONE;
		for (uint64_t k = 0; k < s.of->sites; k++) {
			n->one_path += n->one_path != CONTEXT_NONE && s.paths[k] == 1;
			s.paths[k] = 0;
		}
	}
	free(s.paths);
	free(s.way);
	return ok;
}
