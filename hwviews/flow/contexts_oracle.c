/* Calling contexts from the oracle. */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "hwviews/flow/contexts.h"
#include "hwviews/oracle/oracle_rows.h"

static void contexts_oracle_take_nodes(const struct oracle *o, struct context_tree *t)
{
	for (uint32_t i = 0; i < o->head.nodes; i++) {
		const struct oracle_node n = oracle_node(o, i);
		const bool root = oracle_is_root(n.site);
		t->nodes[t->count++] = (struct context){
			.callee = n.callee,
			.site = root ? 0 : n.site,
			.stream = root ? n.site : 0,
			.calls = n.calls,
			.metric = {n.insts},
			.parent = n.parent,
			.depth = n.depth,
			.sites = CONTEXT_NONE,
			.one_path = CONTEXT_NONE,
		};
	}
}

/* A call in a context leads to a child of it, or is a back edge. */
static void contexts_oracle_take_backs(const struct oracle *o, struct context_tree *t)
{
	const uint32_t arcs = oracle_entries(o, ORACLE_ARCS);
	for (uint32_t i = 0; i < arcs; i++) {
		const struct oracle_entry *e = oracle_entry(o, ORACLE_ARCS, i);
		const uint32_t from = (uint32_t)(e->key[1] >> ORACLE_CALLEE_BITS);
		if (e->aux >= t->count || from >= t->count)
			continue; /* the callee's context was dropped for lack of room */
		if (e->aux == 0 || t->nodes[e->aux].parent != from)
			t->backs[t->back_count++] = (struct context_back){.from = from,
			                                                  .to = e->aux,
			                                                  .site = e->key[0],
			                                                  .calls = e->count};
	}
}

bool contexts_read_oracle(const struct session *s, struct context_tree *t, struct err *err)
{
	const struct oracle *o = session_oracle(s);
	if (!o || !oracle_has(o, ORACLE_ARCS))
		return err_set(err, "no calling contexts are recorded: %s", contexts_how);
	*t = (struct context_tree){.metric = {"sim.insts"}, .current = CONTEXT_NONE};
	t->nodes = alloc_zeroed((size_t)o->head.nodes + 1, sizeof *t->nodes);
	t->backs = alloc_zeroed((size_t)oracle_entries(o, ORACLE_ARCS) + 1, sizeof *t->backs);
	if (!t->nodes || !t->backs) {
		context_tree_free(t);
		return err_set(err, "out of memory for %u contexts", (unsigned)o->head.nodes);
	}
	contexts_oracle_take_nodes(o, t);
	contexts_oracle_take_backs(o, t);
	if (o->head.nodes)
		t->current = (uint32_t)o->head.node;
	return true;
}
