/* Calling contexts of several threads: merged, or of a single thread. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/flow/contexts.h"
#include "hwviews/oracle/oracle_rows.h"

/* Hash table of record numbers, keyed by the records' contents: finds equal records. [mask + 1];
 * CONTEXT_NONE: a free slot. */
struct number_set {
	uint32_t *number; /* owned */
	uint32_t mask;
};

struct merging {
	const struct context_tree *from;
	int thread;        /* CONTEXTS_MERGED, or a number */
	struct context_tree *t;
	/* [from->count], owned. to: a node's number in t, CONTEXT_NONE if another thread's;
	 * threads: the node's thread */
	uint32_t *to, *threads;
	struct number_set nodes, backs;
};

static bool contexts_threads_new_set(struct number_set *set, uint32_t count)
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

static uint32_t contexts_threads_hash(const struct number_set *set, uint64_t a, uint64_t b,
                                     uint64_t c)
{
	const uint64_t h = (a * 31 + b) * UINT64_C(0x9e3779b97f4a7c15) + c * 0x85ebca6b;
	return (uint32_t)(h >> 20 ^ h) & set->mask;
}

/* Adds n's counts to the equal node of t, or adds n as a new node. Returns its number. */
static uint32_t contexts_threads_put_node(struct merging *m, const struct context *n)
{
	struct context_tree *t = m->t;
	const struct number_set *set = &m->nodes;
	uint32_t at = contexts_threads_hash(set, n->callee, n->site ^ n->stream << 32, n->parent);
	for (uint32_t i; (i = set->number[at]) != CONTEXT_NONE; at = (at + 1) & set->mask)
		if (t->nodes[i].callee == n->callee && t->nodes[i].site == n->site &&
		    t->nodes[i].stream == n->stream && t->nodes[i].parent == n->parent) {
			t->nodes[i].calls += n->calls;
			t->nodes[i].size += n->size;
			for (unsigned w = 0; w < CONTEXT_METRICS; w++)
				t->nodes[i].metric[w] += n->metric[w];
			return i;
		}
	t->nodes[t->count] = *n;
	return set->number[at] = t->count++;
}

static void contexts_threads_put_back(struct merging *m, const struct context_back *b)
{
	struct context_tree *t = m->t;
	uint32_t at = contexts_threads_hash(&m->backs, b->site, b->from, b->to);
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

static void contexts_threads_take_nodes(struct merging *m)
{
	for (uint32_t i = 0; i < m->from->count; i++) {
		struct context n = m->from->nodes[i];
		m->threads[i] = n.stream ? oracle_root_thread(n.stream)
		                : i      ? m->threads[n.parent]
		                         : 1;
		m->to[i] = CONTEXT_NONE;
		if (m->thread > 0 && m->threads[i] != (unsigned)m->thread) {
			if (i)
				continue;
			n.calls = 0; /* the root stands for all */
			memset(n.metric, 0, sizeof n.metric);
		}
		if (m->thread == CONTEXTS_MERGED && n.stream)
			n.stream = ORACLE_ROOT(0, oracle_root_coroutine(n.stream),
			                       oracle_root_signal(n.stream));
		n.parent = i ? m->to[n.parent] : 0;
		m->to[i] = contexts_threads_put_node(m, &n);
	}
}

static bool contexts_threads_alloc(struct merging *m)
{
	const size_t nodes = (size_t)m->from->count + 1, backs = (size_t)m->from->back_count + 1;
	m->t->nodes = alloc_zeroed(nodes, sizeof *m->t->nodes);
	m->t->backs = alloc_zeroed(backs, sizeof *m->t->backs);
	m->to = alloc_bytes(nodes * sizeof *m->to);
	m->threads = alloc_bytes(nodes * sizeof *m->threads);
	return contexts_threads_new_set(&m->nodes, m->from->count) &&
	       contexts_threads_new_set(&m->backs, m->from->back_count) && m->t->nodes &&
	       m->t->backs && m->to && m->threads;
}

/* Whether merging changes nothing. */
static bool contexts_threads_are_so(const struct context_tree *t, int thread)
{
	uint32_t streams = 0;
	for (uint32_t i = 0; i < t->count; i++)
		streams += t->nodes[i].stream != 0;
	return thread == CONTEXTS_APART || (!streams && thread <= 1);
}

bool contexts_select_threads(struct context_tree *t, int thread, struct err *err)
{
	struct context_tree to = *t;
	struct merging m = {.from = t, .thread = thread, .t = &to};
	if (contexts_threads_are_so(t, thread))
		return true;
	to.count = to.back_count = 0;
	to.nodes = NULL;
	to.backs = NULL;
	const bool ok = contexts_threads_alloc(&m);
	bool known = thread <= 0;
	if (ok) {
		contexts_threads_take_nodes(&m);
		for (uint32_t i = 0; i < t->back_count; i++) {
			struct context_back b = t->backs[i];
			b.from = m.to[b.from];
			b.to = m.to[b.to];
			if (b.from != CONTEXT_NONE && b.to != CONTEXT_NONE)
				contexts_threads_put_back(&m, &b);
		}
		for (uint32_t i = 0; i < t->count && !known; i++)
			known = m.threads[i] == (unsigned)thread;
		if (t->current != CONTEXT_NONE)
			to.current = m.to[t->current];
	}
	free(m.to);
	free(m.threads);
	free(m.nodes.number);
	free(m.backs.number);
	if (!ok)
		err_set(err, "out of memory for %u contexts", t->count);
	else if (!known)
		err_set(err, "thread %d has no contexts; `info threads` lists threads", thread);
	context_tree_free(t);
	*t = to;
	if (!ok || !known)
		context_tree_free(t);
	return ok && known;
}
