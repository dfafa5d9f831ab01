/* Compares two calling context trees, node by node, count by count. */
#include "tests/edit/contexts_match.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/edit/contexts_reference.h"

static int contexts_match_compare_by_key(const struct context *x, const struct context *y)
{
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return x->callee < y->callee ? -1 : x->callee > y->callee;
}

static int contexts_match_compare_by_place(const void *a, const void *b)
{
	const struct context *x = *(const struct context *const *)a,
			     *y = *(const struct context *const *)b;
	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return contexts_match_compare_by_key(x, y);
}

static const struct context **contexts_match_sort_nodes(const struct context_tree *t)
{
	const struct context **all = malloc((t->count + 1) * sizeof *all);
	if (!all)
		die("out of memory");
	for (uint32_t k = 0; k < t->count; k++)
		all[k] = &t->nodes[k];
	qsort(all, t->count, sizeof *all, contexts_match_compare_by_place);
	return all;
}

static uint32_t first_child(const struct context_tree *t, const struct context *const *all,
                            uint32_t parent)
{
	uint32_t lo = 0, hi = t->count;
	while (lo < hi) {
		const uint32_t mid = lo + (hi - lo) / 2;
		if (all[mid]->parent < parent)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct match {
	const struct context_tree *a, *b;
	const struct context **of_a, **of_b;
	uint32_t *map; /* [a->count]: the node of b */
	const struct program *p;
	const char *who;
	bool ok;
};

static void contexts_match_report_difference(struct match *m, const struct context *n,
                                             const char *what, uint64_t right, uint64_t is)
{
	char callee[128], site[128];
	if (m->ok)
		printf("%s: %s called at %s: %s %" PRIu64 ", not %" PRIu64 "\n", m->who,
		       program_addr_text(m->p, n->callee, callee, sizeof callee),
		       program_addr_text(m->p, n->site, site, sizeof site), what, is, right);
	m->ok = false;
}

static void contexts_match_print_path(const struct match *m, const struct context_tree *t,
                                      const struct context *n)
{
	char text[128];
	for (; n != t->nodes; n = &t->nodes[n->parent])
		printf("  in %s\n", program_addr_text(m->p, n->callee, text, sizeof text));
}

static void match_children(struct match *m, uint32_t ka)
{
	const uint32_t kb = m->map[ka];
	uint32_t i = first_child(m->a, m->of_a, ka), j = first_child(m->b, m->of_b, kb);
	for (;; i++, j++) {
		/* Roots are their own parents. */
		i += i < m->a->count && m->of_a[i] == m->a->nodes;
		j += j < m->b->count && m->of_b[j] == m->b->nodes;
		const struct context *x =
			i < m->a->count && m->of_a[i]->parent == ka ? m->of_a[i] : NULL;
		const struct context *y =
			j < m->b->count && m->of_b[j]->parent == kb ? m->of_b[j] : NULL;
		if (!x && !y)
			return;
		if (!x || !y || x->callee != y->callee || x->site != y->site) {
			const bool missing = x && (!y || contexts_match_compare_by_key(x, y) < 0);
			contexts_match_report_difference(
				m, missing ? x : y,
				missing ? "is missing; calls" : "is not called there; calls",
				missing ? x->calls : 0, missing ? 0 : y->calls);
			contexts_match_print_path(m, missing ? m->a : m->b, missing ? x : y);
			return;
		}
		if (x->calls != y->calls)
			contexts_match_report_difference(m, x, "calls", x->calls, y->calls);
		m->map[x - m->a->nodes] = (uint32_t)(y - m->b->nodes);
	}
}

/* cct+hw's instructions are those of the oracle in the same context, and a few that save and
 * restore registers on both sides. A procedure left by longjmp() gives the last of them to the
 * target's; the last procedure of all does not come to its end. */
static bool same_instructions(const struct match *m, const struct context_tree *timed)
{
	const struct symbol *last = program_symbol_by_name(m->p, "_exit");
	uint64_t right = 0, is = 0;
	uint32_t exact = 0;
	bool jumps = program_symbol_by_name(m->p, "longjmp") != NULL;
	for (uint32_t k = 1; k < m->a->count; k++) {
		const struct context *n = &m->a->nodes[k];
		const uint64_t counted = timed->nodes[m->map[k]].metric[0];
		char text[128];
		right += n->metric[0];
		is += counted;
		exact += counted == n->metric[0];
		if (counted < n->metric[0] && !jumps && !(last && last->addr == n->callee))
			return !printf("%s: %" PRIu64 " instructions, not %" PRIu64 "\n",
			               program_addr_text(m->p, n->callee, text, sizeof text),
			               counted, n->metric[0]);
	}
	printf("%" PRIu64 " instructions, counted %" PRIu64 ", exactly in %u contexts\n", right, is,
	       exact);
	return is >= right && is - right < right / 2 && exact > m->a->count / 6;
}

bool same_trees(const struct context_tree *a, const struct context_tree *b,
                       const struct program *p, const char *who, bool timed)
{
	struct match m = {a,
	                  b,
	                  contexts_match_sort_nodes(a),
	                  contexts_match_sort_nodes(b),
	                  calloc(a->count + 1, sizeof *m.map),
	                  p,
	                  who,
	                  true};
	if (!m.map)
		die("out of memory");
	for (uint32_t k = 0; m.ok && k < a->count; k++)
		match_children(&m, k);
	if (a->count != b->count)
		contexts_match_report_difference(&m, a->nodes, "contexts", a->count, b->count);
	if (m.ok && a->back_count != b->back_count)
		contexts_match_report_difference(&m, a->nodes, "back edges", a->back_count,
		                                 b->back_count);
	for (uint32_t k = 0; m.ok && k < a->back_count; k++) {
		uint32_t i = 0;
		while (i < b->back_count && (b->backs[i].from != m.map[a->backs[k].from] ||
		                             b->backs[i].to != m.map[a->backs[k].to] ||
		                             b->backs[i].site != a->backs[k].site))
			i++;
		if (i == b->back_count)
			contexts_match_report_difference(&m, &a->nodes[a->backs[k].from],
			                                 "no back edge to",
			                                 a->nodes[a->backs[k].to].callee, 0);
	}
	if (m.ok && timed)
		m.ok = same_instructions(&m, b);
	free(m.of_a);
	free(m.of_b);
	free(m.map);
	return m.ok;
}
