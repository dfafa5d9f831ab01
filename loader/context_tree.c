#include "loader/context_tree.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"

void context_tree_free(struct context_tree *t)
{
	free(t->nodes);
	free(t->backs);
	*t = (struct context_tree){0};
}

static int by_record(const void *a, const void *b, void *nodes)
{
	const struct context *n = nodes;
	const uint64_t x = n[*(const uint32_t *)a].record, y = n[*(const uint32_t *)b].record;
	return (x > y) - (x < y);
}

static int context_tree_compare_back_edges(const void *a, const void *b)
{
	const struct context_back *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

bool context_tree_order(struct context_tree *t)
{
	const size_t n = t->count;
	uint32_t *order = alloc_bytes((n + 1) * sizeof *order),
		 *now = alloc_bytes((n + 1) * sizeof *now);
	struct context *nodes = alloc_bytes((n + 1) * sizeof *nodes);
	const bool ok = order && now && nodes;
	if (ok) {
		for (uint32_t i = 0; i < n; i++)
			order[i] = i;
		sort_stable_with(order, n, sizeof *order, by_record, t->nodes);
		for (uint32_t i = 0; i < n; i++)
			now[order[i]] = i;
		for (uint32_t i = 0; i < n; i++) {
			nodes[i] = t->nodes[order[i]];
			nodes[i].parent = now[nodes[i].parent];
		}
		for (uint32_t i = 0; i < t->back_count; i++) {
			t->backs[i].from = now[t->backs[i].from];
			t->backs[i].to = now[t->backs[i].to];
		}
		if (t->back_count)
			sort_stable(t->backs, t->back_count, sizeof *t->backs,
			            context_tree_compare_back_edges);
		if (t->current < n)
			t->current = now[t->current];
		free(t->nodes);
		t->nodes = nodes;
	} else {
		free(nodes);
	}
	free(order);
	free(now);
	return ok;
}
