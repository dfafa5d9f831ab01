/* The oracle's calling context tree, and the stack of active procedures that returns pop. */
#include "core/prof/oracle/oracle.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/prof/common/prof.h"

enum {
	NODES_PER_CHUNK = ORACLE_CHUNK / sizeof(struct oracle_node),
	FRAMES_PER_CHUNK = ORACLE_CHUNK / sizeof(struct oracle_frame)
};

static const struct oracle_node *read_node(const struct oracle *o, uint64_t i)
{
	const struct oracle_node *chunk =
		cow_read(o->store.cow, o->nodes_first + (uint32_t)(i / NODES_PER_CHUNK));
	return &chunk[i % NODES_PER_CHUNK];
}

static struct oracle_node *write_node(const struct oracle *o, uint64_t i)
{
	struct oracle_node *chunk =
		cow_write(o->store.cow, o->nodes_first + (uint32_t)(i / NODES_PER_CHUNK));
	return chunk ? &chunk[i % NODES_PER_CHUNK] : NULL;
}

static const struct oracle_frame *read_frame(const struct oracle *o, uint64_t i)
{
	const struct oracle_frame *chunk =
		cow_read(o->store.cow, o->frames_first + (uint32_t)(i / FRAMES_PER_CHUNK));
	return &chunk[i % FRAMES_PER_CHUNK];
}

struct oracle_node oracle_node(const struct oracle *o, uint64_t i)
{
	struct oracle_node n = *read_node(o, i);
	if (i == o->head.node)
		n.insts += o->head.pending;
	return n;
}

/* Adds a node. Returns its number, or ORACLE_NO_NODE. */
static uint32_t oracle_contexts_add_node(struct oracle *o, uint32_t parent, uint64_t callee,
                                         uint64_t site)
{
	struct oracle_head *h = &o->head;
	enum oracle_outcome outcome = ORACLE_FULL;
	struct oracle_node *n = NULL;
	if (h->nodes < o->nodes_max) {
		n = write_node(o, h->nodes);
		outcome = n ? ORACLE_NEW : ORACLE_NO_MEMORY;
	}
	if (!oracle_noted(o, ORACLE_NODES, outcome) || !n)
		return ORACLE_NO_NODE;
	*n = (struct oracle_node){.callee = callee, .site = site, .parent = parent,
	                          .depth = h->nodes ? read_node(o, parent)->depth + 1 : 0};
	return (uint32_t)h->nodes++;
}

/* Adds pending instructions to the present node. */
static void oracle_contexts_flush_pending(struct oracle *o)
{
	struct oracle_head *h = &o->head;
	if (!h->pending)
		return;
	struct oracle_node *n = h->node < h->nodes ? write_node(o, h->node) : NULL;
	if (n) {
		n->insts += h->pending;
	} else {
		h->lost[ORACLE_NODES] += h->pending;
		h->lost_all += h->pending;
		h->starved += h->pending;
		h->told[ORACLE_NODES] += h->pending;
	}
	h->pending = 0;
}

void oracle_begin(struct oracle *o, uint64_t pc)
{
	oracle_contexts_add_node(o, 0, pc, 0);
}

/* Finds the node for a call that has none yet: the procedure's, if it is active in the context
 * already, else a new one. */
static uint32_t oracle_contexts_find_or_add(struct oracle *o, uint32_t from, uint64_t site,
                                            uint64_t callee)
{
	uint32_t at = from;
	if (!o->head.nodes && !oracle_noted(o, ORACLE_NODES, ORACLE_NO_MEMORY))
		return ORACLE_NO_NODE; /* the program began when memory was out */
	while (read_node(o, at)->callee != callee) {
		if (!at)
			return oracle_contexts_add_node(o, from, callee, site);
		at = read_node(o, at)->parent;
	}
	return at;
}

static void oracle_contexts_push_frame(struct oracle *o, uint64_t site, uint64_t back)
{
	struct oracle_head *h = &o->head;
	struct oracle_frame *chunk = NULL;
	enum oracle_outcome outcome = h->beyond ? (enum oracle_outcome)h->beyond_why : ORACLE_FULL;
	if (!h->beyond && h->frames < o->frames_max) {
		chunk = cow_write(o->store.cow,
		                  o->frames_first + (uint32_t)(h->frames / FRAMES_PER_CHUNK));
		outcome = chunk ? ORACLE_NEW : ORACLE_NO_MEMORY;
	}
	if (!oracle_noted(o, ORACLE_FRAMES, outcome) || !chunk) {
		h->beyond++;
		h->beyond_why = outcome;
		return;
	}
	chunk[h->frames++ % FRAMES_PER_CHUNK] = (struct oracle_frame){
		.back = back,
		.sp = h->sp,
		.node = (uint32_t)h->node,
		.bytes = (uint32_t)(back - site),
	};
}

/* Enters a procedure that `from` called at `site`. */
static void oracle_contexts_enter_callee(struct oracle *o, uint32_t from, uint64_t site,
                                         uint64_t callee)
{
	struct oracle_head *h = &o->head;
	const uint64_t low = (UINT64_C(1) << ORACLE_CALLEE_BITS) - 1;
	struct oracle_entry *e;
	enum oracle_outcome outcome = oracle_table_at(
		&o->table[ORACLE_ARCS], site, (callee & low) | (uint64_t)from << ORACLE_CALLEE_BITS,
		ORACLE_NO_NODE, &e);
	if (!oracle_noted(o, ORACLE_ARCS, outcome))
		return; /* in the caller's context, as if it had been inlined */
	e->count++;
	if (e->aux == ORACLE_NO_NODE)
		e->aux = oracle_contexts_find_or_add(o, from, site, callee);
	if (e->aux == ORACLE_NO_NODE)
		return;
	h->node = e->aux;
	struct oracle_node *n = write_node(o, h->node);
	if (n)
		n->calls++;
	else
		oracle_noted(o, ORACLE_NODES, ORACLE_NO_MEMORY);
}

void oracle_call(struct oracle *o, uint64_t site, uint64_t callee, uint64_t back)
{
	oracle_contexts_flush_pending(o);
	oracle_contexts_push_frame(o, site, back);
	oracle_contexts_enter_callee(o, (uint32_t)o->head.node, site, callee);
}

/* Index of the last procedure that begins at or below pc; SIZE_MAX: none. */
static size_t oracle_contexts_procedure_at(const struct oracle *o, uint64_t pc)
{
	size_t lo = 0, hi = o->procedure_count;
	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;
		if ((o->procedures[mid] & ~(uint64_t)ORACLE_PART) <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo - 1;
}

void oracle_go_on(struct oracle *o, uint64_t pc, uint64_t to, bool indirect)
{
	const size_t callee = oracle_contexts_procedure_at(o, to);
	const struct oracle_head *h = &o->head;
	if (callee == SIZE_MAX || o->procedures[callee] != to || h->beyond || !h->frames ||
	    (!indirect && oracle_contexts_procedure_at(o, pc) == callee))
		return;
	const struct oracle_frame f = *read_frame(o, h->frames - 1);
	oracle_contexts_flush_pending(o);
	oracle_contexts_enter_callee(o, f.node, f.back - f.bytes, to);
}

bool oracle_procedures(struct prof *d, const uint64_t *all, size_t n)
{
	struct oracle *o = d->oracle;
	if (!o || !o->contexts || !n)
		return true;
	free(o->procedures);
	free(o->begins);
	o->procedures = alloc_bytes(n * sizeof *all);
	o->begins = alloc_zeroed(ORACLE_BEGINS, sizeof *o->begins);
	if (!o->procedures || !o->begins)
		return false;
	memcpy(o->procedures, all, n * sizeof *all);
	o->procedure_count = n;
	for (size_t i = 0; i < n; i++)
		o->begins[all[i] / 128 % ORACLE_BEGINS] |= UINT64_C(1) << all[i] / 2 % 64;
	return true;
}

void oracle_return(struct oracle *o, uint64_t to)
{
	struct oracle_head *h = &o->head;
	oracle_contexts_flush_pending(o);
	if (h->beyond) {
		h->beyond--;
		return;
	}
	if (!h->frames)
		return;
	const struct oracle_frame *f = read_frame(o, h->frames - 1);
	if (f->back == to) {
		h->frames--;
		h->node = f->node;
		return;
	}
	/* Frames whose stack pointer is not above the present one are gone. */
	while (h->frames && (f = read_frame(o, h->frames - 1))->sp <= h->sp) {
		h->frames--;
		h->node = f->node;
		if (f->back == to)
			break;
	}
}

const char *oracle_contexts_check(const struct oracle *o)
{
	const struct oracle_head *h = &o->head;
	uint64_t insts = h->pending;
	if (!o->contexts)
		return h->nodes || h->frames ? "contexts without oracle.contexts" : NULL;
	if (h->nodes > o->nodes_max || h->frames > o->frames_max ||
	    (h->nodes && h->node >= h->nodes))
		return "the oracle is in no context";
	for (uint64_t i = 0; i < h->nodes; i++) {
		const struct oracle_node *n = read_node(o, i);
		if (n->parent > i ||
		    (i && (n->parent == i || n->depth != read_node(o, n->parent)->depth + 1)))
			return "a context is not below its caller's";
		insts += n->insts;
	}
	for (uint64_t i = 0; i < h->frames; i++)
		if (read_frame(o, i)->node >= h->nodes)
			return "an active procedure was called in no context";
	for (uint32_t i = 0; i < h->count[ORACLE_ARCS]; i++) {
		uint32_t to = oracle_table_entry(&o->table[ORACLE_ARCS], i)->aux;
		if (to != ORACLE_NO_NODE && to >= h->nodes)
			return "a call leads to no context";
	}
	if (h->lost[ORACLE_NODES] ? insts > h->insts : insts != h->insts)
		return "instructions of all contexts are not those of the program";
	return NULL;
}
