/* Paths that a program counts in the records of its calling context tree (kind cct+path), summed
 * over contexts. */
#include "hwviews/flow/flow_paths.h"

#include <stdlib.h>

#include "hwviews/grid/order.h"
#include "loader/instrument/cct_paths.h"

struct gathering {
	const struct path_profile *profile;
	struct path_counts *out;
	size_t room;
	bool failed;
};

static void path_records_collect_path(void *ctx, const struct path_function *f, uint64_t path,
                                      const uint64_t *words)
{
	struct gathering *g = ctx;
	g->failed |= !path_counts_add(g->out, &g->room, (uint64_t)(f - g->profile->functions), path,
	                              words);
}

ORDER(by_path, struct path_count, UP(function) ?: UP(path))

/* Sums up equal paths of all contexts. */
static void path_records_merge_duplicates(struct path_counts *c)
{
	uint64_t n = 0;
	if (c->n)
		qsort(c->all, c->n, sizeof *c->all, by_path);
	for (uint64_t i = 0; i < c->n; i++) {
		if (n && by_path(&c->all[n - 1], &c->all[i]) == 0) {
			for (unsigned k = 0; k < PATH_WORDS_MAX; k++)
				c->all[n - 1].words[k] += c->all[i].words[k];
			continue;
		}
		c->all[n++] = c->all[i];
	}
	c->n = n;
}

bool path_records_read(const struct session *s, const struct path_profile *profile,
                       struct path_counts *out, struct err *err)
{
	struct gathering g = {.profile = profile, .out = out};
	struct cct_paths paths = {.profile = *profile};
	const struct cct_source from = {
		.read = session_peek, .ctx = s->machine, .pc = machine_pc(s->machine)};
	struct context_tree tree;
	*out = (struct path_counts){0};
	if (!program_cct(s->program, &paths.cct))
		return err_set(err, "the program's description of its contexts is damaged");
	for (uint64_t i = 0; i < profile->count; i++)
		out->possible += (double)profile->functions[i].graph.paths;
	bool ok = cct_tree(s->program, &from, &tree, err);
	for (uint32_t i = 0; ok && i < tree.count; i++) {
		uint64_t lost;
		ok = cct_paths_each(&paths, &from, &tree.nodes[i], path_records_collect_path, &g,
		                    &lost, err);
		out->lost[0] += ok ? lost : 0;
	}
	context_tree_free(&tree);
	ok = ok && cct_paths_spare(&paths, &from, path_records_collect_path, &g, err);
	if (g.failed)
		ok = err_set(err, "out of memory for paths");
	if (ok)
		path_records_merge_duplicates(out);
	else
		path_counts_free(out);
	return ok;
}
