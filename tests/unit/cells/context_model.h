/* Calling context trees for tests of cells: from calls that committed, and from the records that an
 * instrumented program has in memory, read word by word as loader/instrument/cct.h has them. */
#ifndef CYCLOPS_TESTS_UNIT_CONTEXT_MODEL_H
#define CYCLOPS_TESTS_UNIT_CONTEXT_MODEL_H

#include "tests/unit/cells/flow_model.h"

#include "loader/instrument/cct.h"

enum { NODES = 64, BACKS = 32, METRICS = 3, CALLS = 2 };

struct node {
	/* two metrics, then calls; places as they are now */
	uint64_t callee, site, record, size, sites, own[METRICS], with[METRICS];
	unsigned parent, depth, one_path;
};

struct back {
	unsigned from, to;
	uint64_t site, calls;
};

struct tree {
	const struct session *s;
	struct node node[NODES];
	struct back back[BACKS];
	unsigned nodes, backs, current, by;
	bool oracle, one_path;
	const char *metric[2]; /* NULL: there is none */
};

/* ---- what committed ---- */
/* A call makes a node below the present one, unless its procedure is active; the call's node is
 * `from`. */
static inline unsigned context_model_add_call(struct tree *t, unsigned from, uint64_t site,
                                              uint64_t callee)
{
	unsigned to = from;
	while (to && t->node[to].callee != callee)
		to = t->node[to].parent;
	if (t->nodes && t->node[to].callee == callee) {
		unsigned i = 0;
		while (i < t->backs &&
		       (t->back[i].from != from || t->back[i].to != to || t->back[i].site != site))
			i++;
		assert_true(i < BACKS);
		if (i == t->backs)
			t->back[t->backs++] = (struct back){from, to, site, 0};
		t->back[i].calls++;
	} else {
		for (to = 1;
		     to < t->nodes && (t->node[to].parent != from || t->node[to].site != site ||
		                       t->node[to].callee != callee);
		     to++)
			;
		assert_true(to < NODES);
		if (to == t->nodes)
			t->node[t->nodes++] = (struct node){.callee = callee,
			                                    .site = site,
			                                    .parent = from,
			                                    .depth = t->node[from].depth + 1};
	}
	t->node[to].own[CALLS]++;
	return to;
}

/* Paths that led to a call site in a context, each by the sum of its instructions' addresses times
 * their places. */
struct reached {
	unsigned node;
	uint64_t site, path;
	bool several;
};

struct followed {
	unsigned node;
	uint64_t path, insts, site[16];
	unsigned sites;
};

static inline void path_ends(struct followed *a, struct reached *all, unsigned *n)
{
	for (unsigned i = 0; i < a->sites; i++) {
		unsigned k = 0;
		while (k < *n && (all[k].node != a->node || all[k].site != a->site[i]))
			k++;
		if (k == *n)
			all[(*n)++] = (struct reached){a->node, a->site[i], a->path, false};
		all[k].several |= all[k].path != a->path;
	}
	a->path = a->insts = a->sites = 0;
}

/* Builds the tree of committed calls so far. root: the tree has a root without a procedure, above
 * the program's first procedure. */
static inline void context_model_follow_steps(struct tree *t, const struct guest *g, bool root)
{
	struct followed at[64] = {{0}};
	struct reached all[128];
	unsigned depth = 0, n = 0;
	t->node[t->nodes++] = (struct node){.callee = root || !g->steps ? 0 : g->step[0].was};
	for (unsigned i = 0; i < g->steps; i++) {
		const struct step *s = &g->step[i], *before = i ? s - 1 : NULL;
		if (!i) {
			at[0].node = root ? context_model_add_call(t, 0, 0, s->was) : 0;
		} else if (instrumented_is_link(before)) {
			assert_true(depth < 63);
			at[depth + 1] =
				(struct followed){.node = context_model_add_call(
							  t, at[depth].node, before->was, s->was)};
			depth++;
		} else if ((op_info[before->inst.op].flags & OPF_JUMP) &&
		           (op_info[before->inst.op].flags & OPF_INDIRECT)) {
			path_ends(&at[depth], all, &n);
			depth--;
		} else if (s->was <= before->was) { /* a loop goes back */
			path_ends(&at[depth], all, &n);
		}
		t->node[at[depth].node].own[0]++;
		at[depth].path += ++at[depth].insts * s->was;
		if (instrumented_is_link(s))
			at[depth].site[at[depth].sites++] = s->was;
		t->current = at[depth].node;
	}
	for (unsigned i = 0; i < n; i++)
		t->node[all[i].node].one_path += !all[i].several;
	/* A committed call has entered its context, though no instruction has committed there yet.
	 */
	if (g->steps && instrumented_is_link(&g->step[g->steps - 1])) {
		const uint64_t pc = machine_pc(g->s->machine);
		t->current =
			context_model_add_call(t, at[depth].node, g->step[g->steps - 1].was, pc);
	} else if (g->steps && depth && (op_info[g->step[g->steps - 1].inst.op].flags & OPF_JUMP) &&
	           (op_info[g->step[g->steps - 1].inst.op].flags & OPF_INDIRECT)) {
		t->current = at[depth - 1].node;
	}
}

/* ---- records in memory ---- */
static inline uint64_t context_model_read_word(const struct session *s, uint64_t at)
{
	uint64_t v;
	assert_true(machine_peek(s->machine, at, &v, sizeof v));
	return v;
}

static inline void context_model_read_record(struct tree *t, const struct cct *c, uint64_t record,
                                             uint64_t slot, uint64_t slots, uint64_t first);

static inline void read_callee(struct tree *t, const struct cct *c, uint64_t from, uint64_t record,
                               uint64_t site)
{
	unsigned i = 0;
	while (i < t->nodes && t->node[i].record != from)
		i++;
	if (context_model_read_word(t->s, record + CCT_PARENT) != from) {
		assert_true(t->backs < BACKS);
		t->back[t->backs++] = (struct back){i, 0, site, record}; /* its node follows */
		return;
	}
	struct node *k = &t->node[t->nodes++];
	assert_true(t->nodes < NODES);
	*k = (struct node){.callee = context_model_read_word(t->s, record + CCT_ID),
	                   .site = site,
	                   .record = record,
	                   .parent = i,
	                   .depth = t->node[i].depth + 1};
	k->own[CALLS] = context_model_read_word(t->s, record + CCT_METRICS);
	for (unsigned m = 0; m < 2 && t->metric[m]; m++)
		k->own[m] = context_model_read_word(t->s, record + CCT_METRICS + 8 + 8 * m);
	for (uint64_t p = 0; p < c->head.procedures; p++)
		if (c->procedures[p].at == k->callee) {
			k->size = c->procedures[p].size;
			k->sites = c->procedures[p].sites;
			context_model_read_record(t, c, record, record + c->procedures[p].callees,
			                          k->sites, c->procedures[p].first);
			return;
		}
	fail_msg("no procedure begins at 0x%llx", (ull)k->callee);
}

static inline void context_model_read_record(struct tree *t, const struct cct *c, uint64_t record,
                                             uint64_t slot, uint64_t slots, uint64_t first)
{
	for (uint64_t i = 0; i < slots; i++) {
		const uint64_t site = first == UINT64_MAX ? 0 : c->sites[first + i];
		const uint64_t v = context_model_read_word(t->s, slot + 8 * i);
		if ((v & 3) == CCT_RECORD)
			read_callee(t, c, record, v, site);
		for (uint64_t element = v & 2 ? v - CCT_LIST : 0;
		     element && (context_model_read_word(t->s, element) & 3) != CCT_OFFSET;
		     element = context_model_read_word(t->s, element + 8)) {
			read_callee(t, c, record, context_model_read_word(t->s, element), site);
			for (unsigned k = 0; k < t->nodes; k++) /* the list counts to its record */
				t->node[k].size += t->node[k].record == record ? 16 : 0;
		}
	}
}

static inline int context_model_compare_by_record(const void *a, const void *b)
{
	const struct node *x = a, *y = b;
	return x->record < y->record ? -1 : x->record > y->record;
}

/* Numbers by addresses of records, the root's is the first. */
static inline void context_model_read_records(struct tree *t)
{
	struct cct c;
	struct node was[NODES];
	assert_true(program_cct(t->s->program, &c));
	const uint64_t slot = context_model_read_word(t->s, c.head.state + CCT_ROOT_SLOT);
	t->node[t->nodes++] = (struct node){.callee = 0};
	/* The root's record is named by its callee slot. */
	const uint64_t v = context_model_read_word(t->s, slot),
		       first = v & 2 ? context_model_read_word(t->s, v - CCT_LIST) : v;
	t->node[0].record = context_model_read_word(t->s, first + CCT_PARENT);
	/* the record, and the end of its list */
	t->node[0].size = slot + 8 - t->node[0].record + (v & 2 ? 16 : 0);
	context_model_read_record(t, &c, t->node[0].record, slot, 1, UINT64_MAX);
	memcpy(was, t->node, sizeof was);
	qsort(t->node, t->nodes, sizeof *t->node, context_model_compare_by_record);
	for (unsigned i = 0; i < t->nodes; i++)
		for (unsigned k = 0; k < t->nodes; k++)
			if (t->node[k].record == was[t->node[i].parent].record) {
				t->node[i].parent = k;
				break;
			}
	for (unsigned i = 0; i < t->backs; i++) {
		const uint64_t from = was[t->back[i].from].record, to = t->back[i].calls;
		for (unsigned k = 0; k < t->nodes; k++) {
			t->back[i].from = t->node[k].record == from ? k : t->back[i].from;
			t->back[i].to = t->node[k].record == to ? k : t->back[i].to;
		}
		t->back[i].calls = 0;
	}
}

/* True if the records show what committed; false while the program is making one. */
static inline bool are_alike(const struct tree *t, const struct tree *happened)
{
	if (t->nodes != happened->nodes || t->backs != happened->backs)
		return false;
	for (unsigned i = 0; i < t->nodes; i++) {
		const struct node *x = &t->node[i], *y = &happened->node[i];
		if (x->callee != y->callee || x->parent != y->parent || x->depth != y->depth ||
		    x->own[CALLS] != y->own[CALLS] || x->site != y->site)
			return false;
	}
	for (unsigned i = 0, k; i < t->backs; i++) {
		for (k = 0; k < t->backs && (t->back[i].from != happened->back[k].from ||
		                             t->back[i].to != happened->back[k].to ||
		                             t->back[i].site != happened->back[k].site);
		     k++)
			;
		if (k == t->backs)
			return false;
	}
	return true;
}

/* ---- sums ---- */
static inline void move_places(struct tree *t, const struct guest *g)
{
	for (unsigned i = 0; i < t->nodes; i++) {
		t->node[i].site = t->node[i].site ? now_of(g, t->node[i].site) : 0;
		if (t->node[i].callee)
			t->node[i].callee = guest_function(g, now_of(g, t->node[i].callee))->addr;
	}
	for (unsigned i = 0; i < t->backs; i++)
		t->back[i].site = now_of(g, t->back[i].site);
}

static inline void context_model_sum_metrics(struct tree *t)
{
	for (unsigned m = 0; m < METRICS; m++) {
		for (unsigned i = 0; i < t->nodes; i++)
			t->node[i].with[m] = t->node[i].own[m];
		for (unsigned i = t->nodes; i-- > 1;)
			t->node[t->node[i].parent].with[m] += t->node[i].with[m];
	}
	t->by = t->metric[0] && t->node[0].with[0]   ? 0
	        : t->metric[1] && t->node[0].with[1] ? 1
	                                             : CALLS;
}

static inline bool context_model_has_percent(const struct tree *t, unsigned i, unsigned percent)
{
	const uint64_t with = t->node[i].with[t->by];
	return with && with * 100 >= t->node[0].with[t->by] * percent;
}

/* Its children, the largest first. */
static inline unsigned children_of(const struct tree *t, unsigned node, unsigned out[NODES])
{
	unsigned n = 0;
	for (unsigned i = 1; i < t->nodes; i++) {
		if (t->node[i].parent != node)
			continue;
		unsigned k = n++;
		for (; k && t->node[out[k - 1]].with[t->by] < t->node[i].with[t->by]; k--)
			out[k] = out[k - 1];
		out[k] = i;
	}
	return n;
}

static inline bool is_leaf(const struct tree *t, unsigned node)
{
	for (unsigned i = 0; i < t->nodes || i < t->backs; i++)
		if ((i && i < t->nodes && t->node[i].parent == node) ||
		    (i < t->backs && t->back[i].from == node))
			return false;
	return true;
}

static inline const char *context_name(const struct tree *t, unsigned node)
{
	return t->node[node].callee ? addr_of(t->s, t->node[node].callee) : "root";
}

static inline const char *context_line(const struct tree *t, uint64_t pc)
{
	const char *line = flow_model_format_line(t->s, pc);
	return *line ? line : addr_of(t->s, pc);
}

#endif
