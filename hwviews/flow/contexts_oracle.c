/* Calling contexts from the oracle: streams merged or apart, or those of one thread. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/flow/contexts.h"
#include "hwviews/oracle/oracle_rows.h"

/* Numbers of records by their contents, in which equal ones are found; [mask + 1], CONTEXT_NONE:
 * free. */
struct number_set {
	uint32_t *number; /* owned */
	uint32_t mask;
};

struct merging {
	const struct oracle *o;
	int thread;        /* CONTEXTS_MERGED, CONTEXTS_APART, or its number */
	struct context_tree *t;
	/* Owned; by the oracle's number of a node: the tree's, CONTEXT_NONE: of another thread; and
	 * its thread. */
	uint32_t *to, *threads;
	struct number_set nodes, backs;
};

static bool contexts_oracle_new_set(struct number_set *set, uint32_t count)
{
	uint32_t size = 16;
	while (size < 2 * (uint64_t)count + 2)
		size *= 2;
	set->number = alloc_bytes(size * sizeof *set->number);
	set->mask = size - 1;
	if (set->number)
		memset(set->number, 0xff, size * sizeof *set->number);
	return set->number != NULL;
}

static uint32_t contexts_oracle_hash(const struct number_set *set, uint64_t a, uint64_t b,
                                     uint64_t c)
{
	const uint64_t h = (a * 31 + b) * UINT64_C(0x9e3779b97f4a7c15) + c * 0x85ebca6b;
	return (uint32_t)(h >> 20 ^ h) & set->mask;
}

/* The node like n, which is added if there is none yet. */
static uint32_t contexts_oracle_put_node(struct merging *m, const struct context *n)
{
	struct context_tree *t = m->t;
	const struct number_set *set = &m->nodes;
	uint32_t at = contexts_oracle_hash(set, n->callee, n->site ^ n->stream << 32, n->parent);
	for (uint32_t i; (i = set->number[at]) != CONTEXT_NONE; at = (at + 1) & set->mask)
		if (t->nodes[i].callee == n->callee && t->nodes[i].site == n->site &&
		    t->nodes[i].stream == n->stream && t->nodes[i].parent == n->parent) {
			t->nodes[i].calls += n->calls;
			t->nodes[i].metric[0] += n->metric[0];
			return i;
		}
	t->nodes[t->count] = *n;
	return set->number[at] = t->count++;
}

static void contexts_oracle_put_back(struct merging *m, const struct context_back *b)
{
	struct context_tree *t = m->t;
	uint32_t at = contexts_oracle_hash(&m->backs, b->site, b->from, b->to);
	for (uint32_t i; (i = m->backs.number[at]) != CONTEXT_NONE;
	     at = (at + 1) & m->backs.mask)
		if (t->backs[i].from == b->from && t->backs[i].to == b->to &&
		    t->backs[i].site == b->site) {
			t->backs[i].calls += b->calls;
			return;
		}
	t->backs[t->back_count] = *b;
	m->backs.number[at] = t->back_count++;
}

static void contexts_oracle_take_nodes(struct merging *m)
{
	for (uint32_t i = 0; i < m->o->head.nodes; i++) {
		const struct oracle_node n = oracle_node(m->o, i);
		const bool root = oracle_is_root(n.site);
		m->threads[i] = root ? oracle_root_thread(n.site) : i ? m->threads[n.parent] : 1;
		const bool theirs = m->thread > 0 && m->threads[i] != (unsigned)m->thread;
		m->to[i] = CONTEXT_NONE;
		if (theirs && i)
			continue;
		const uint64_t erased = m->thread == CONTEXTS_MERGED
		                                ? ORACLE_ROOT(0, oracle_root_coroutine(n.site),
		                                              oracle_root_signal(n.site))
		                                : n.site;
		m->to[i] = contexts_oracle_put_node(
			m, &(struct context){.callee = n.callee,
		                             .site = root ? 0 : n.site,
		                             .stream = root ? erased : 0,
		                             .calls = theirs ? 0 : n.calls,
		                             .metric = {theirs ? 0 : n.insts},
		                             .parent = i ? m->to[n.parent] : 0,
		                             .depth = n.depth,
		                             .sites = CONTEXT_NONE,
		                             .one_path = CONTEXT_NONE});
	}
}

/* A call in a context leads to a child of it, or is a back edge. */
static void contexts_oracle_take_backs(struct merging *m)
{
	const uint32_t arcs = oracle_entries(m->o, ORACLE_ARCS);
	for (uint32_t i = 0; i < arcs; i++) {
		const struct oracle_entry *e = oracle_entry(m->o, ORACLE_ARCS, i);
		const uint32_t from = (uint32_t)(e->key[1] >> ORACLE_CALLEE_BITS);
		if (e->aux >= m->o->head.nodes || from >= m->o->head.nodes)
			continue; /* the callee's context was dropped for lack of room */
		if ((e->aux != 0 && oracle_node(m->o, e->aux).parent == from) ||
		    m->to[from] == CONTEXT_NONE || m->to[e->aux] == CONTEXT_NONE)
			continue;
		contexts_oracle_put_back(m, &(struct context_back){.from = m->to[from],
		                                                   .to = m->to[e->aux],
		                                                   .site = e->key[0],
		                                                   .calls = e->count});
	}
}

static bool contexts_oracle_alloc(struct merging *m)
{
	const uint32_t count = (uint32_t)m->o->head.nodes,
		       arcs = oracle_entries(m->o, ORACLE_ARCS);
	m->t->nodes = alloc_zeroed((size_t)count + 1, sizeof *m->t->nodes);
	m->t->backs = alloc_zeroed((size_t)arcs + 1, sizeof *m->t->backs);
	m->to = alloc_bytes(((size_t)count + 1) * sizeof *m->to);
	m->threads = alloc_bytes(((size_t)count + 1) * sizeof *m->threads);
	return contexts_oracle_new_set(&m->nodes, count) &&
	       contexts_oracle_new_set(&m->backs, arcs) && m->t->nodes && m->t->backs &&
	       m->to && m->threads;
}

bool contexts_read_oracle(const struct session *s, int thread, struct context_tree *t,
                          struct err *err)
{
	const struct oracle *o = session_oracle(s);
	if (!o || !oracle_has(o, ORACLE_ARCS))
		return err_set(err, "no calling contexts are recorded: %s", contexts_how);
	*t = (struct context_tree){.metric = {"sim.insts"}, .current = CONTEXT_NONE};
	struct merging m = {.o = o, .thread = thread, .t = t};
	const bool ok = contexts_oracle_alloc(&m);
	bool known = thread <= 0;
	if (ok) {
		contexts_oracle_take_nodes(&m);
		contexts_oracle_take_backs(&m);
		for (uint32_t i = 0; i < o->head.nodes && !known; i++)
			known = m.threads[i] == (unsigned)thread;
		if (o->head.nodes)
			t->current = m.to[o->head.node];
	}
	free(m.to);
	free(m.threads);
	free(m.nodes.number);
	free(m.backs.number);
	if (ok && known)
		return true;
	context_tree_free(t);
	return ok ? err_set(err, "thread %d has no contexts; `info threads` lists threads", thread)
	          : err_set(err, "out of memory for %u contexts", (unsigned)o->head.nodes);
}
