#include "hwviews/flow/contexts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/os/thread.h"
#include "hwviews/flow/stack_depth.h"
#include "hwviews/oracle/oracle_rows.h"
#include "loader/edit/moved_code.h"
#include "loader/instrument/cct_file.h"
#include "loader/instrument/cct_paths.h"
#include "loader/instrument/counters.h"

const char contexts_how[] =
	"start with --instrument cct, or -o oracle.enable=true -o oracle.contexts=true";

const char *contexts_thread_note(const struct session *s, enum instrument_kind kind)
{
	struct counters c;
	if (!os_had_threads(machine_os_const(s->machine)) ||
	    !program_counters_of(s->program, kind, &c))
		return "";
	if (c.atomic)
		return "";
	if (kind == INSTRUMENT_CCT || kind == INSTRUMENT_CCT_HW || kind == INSTRUMENT_CCT_PATH)
		return "; THREADS share one stack of records: callers are wrong, `cct,atomic` and "
		       "`oracle` have them right";
	return "; THREADS: plain counters lose counts at switches, `atomic` ones don't";
}

/* ---- from a program's memory ---- */
/* Returns the procedure's symbol, since code may have been inserted before its first
 * instruction. */
static uint64_t procedure_now(const struct program *p, const struct moved_code *m, uint64_t old)
{
	const uint64_t now = moved_code_to(m, old);
	const struct symbol *sym = now ? program_symbol_at(p, now) : NULL;
	if (!sym)
		return now ? now : old;
	const uint64_t k = moved_index(m, sym->addr);
	return k < m->count && m->pairs[2 * k + 1] == old ? sym->addr : now;
}

/* Translates the records' addresses, which are those before code was inserted. */
static void take_there(const struct program *p, struct context_tree *t)
{
	struct moved_code m;
	if (!program_moved_code(p, &m))
		return;
	for (uint32_t i = 0; i < t->count; i++) {
		struct context *k = &t->nodes[i];
		const uint64_t site = k->site ? moved_code_to(&m, k->site) : 0;
		k->callee = k->callee ? procedure_now(p, &m, k->callee) : 0;
		k->site = site ? site : k->site;
	}
	for (uint32_t i = 0; i < t->back_count; i++) {
		const uint64_t site = t->backs[i].site ? moved_code_to(&m, t->backs[i].site) : 0;
		t->backs[i].site = site ? site : t->backs[i].site;
	}
}

static bool has_records(const struct session *s)
{
	struct cct c;
	return program_cct(s->program, &c);
}

/* True if each record of the program belongs to one stream. */
static bool contexts_has_streams(const struct session *s)
{
	struct cct c;
	return program_cct(s->program, &c) && c.head.words;
}

bool contexts_are_kept(const struct session *s)
{
	const struct oracle *o = session_oracle(s);
	return has_records(s) || (o && oracle_has(o, ORACLE_ARCS));
}

/* Marks call sites that a single path has led to, if a program counts paths in its records. */
static bool read_one_path(const struct session *s, const struct cct_source *from,
                          struct context_tree *t, struct err *err)
{
	struct cct_paths paths;
	if (!cct_paths_of(s->program, &paths))
		return true;
	const bool ok = cct_one_path(&paths, from, t, err);
	cct_paths_free(&paths);
	return ok;
}

static bool read_records(const struct session *s, const struct cct_source *from, bool one_path,
                         struct context_tree *t, struct err *err)
{
	if (!cct_tree(s->program, from, t, err))
		return false;
	if ((one_path && !read_one_path(s, from, t, err)) ||
	    !(context_tree_order(t) ||
	      err_set(err, "out of memory for the contexts of an instrumented program"))) {
		context_tree_free(t);
		return false;
	}
	take_there(s->program, t);
	return true;
}

/* ---- sums ---- */
static uint64_t *contexts_alloc_counts(uint32_t n)
{
	return alloc_zeroed((size_t)n + 1, sizeof(uint64_t));
}

/* Sums a weight over each subtree; parents precede their children. */
static void sum_up(const struct context_tree *t, const uint64_t *own, uint64_t *with)
{
	memcpy(with, own, t->count * sizeof *own);
	for (uint32_t i = t->count; i-- > 1;)
		with[t->nodes[i].parent] += with[i];
}

/* Subtracts the children's weights from inclusive weights. The children's sum may exceed a node's
 * weight if longjmp left the node. */
static void contexts_subtract_children(const struct context_tree *t, const uint64_t *with,
                                       uint64_t *own)
{
	memcpy(own, with, t->count * sizeof *own);
	for (uint32_t i = 1; i < t->count; i++) {
		uint64_t *p = &own[t->nodes[i].parent];
		*p -= with[i] < *p ? with[i] : *p;
	}
}

static bool contexts_compute_weight(struct contexts *c, unsigned w)
{
	const struct context_tree *t = &c->tree;
	if (w < CONTEXT_METRICS && !t->metric[w])
		return true;
	c->own[w] = contexts_alloc_counts(t->count);
	c->with[w] = contexts_alloc_counts(t->count);
	if (!c->own[w] || !c->with[w])
		return false;
	const bool inclusive = w < CONTEXT_METRICS && t->inclusive;
	uint64_t *given = inclusive ? c->with[w] : c->own[w];
	for (uint32_t i = 0; i < t->count; i++)
		given[i] = w < CONTEXT_METRICS ? t->nodes[i].metric[w] : t->nodes[i].calls;
	if (!inclusive) {
		sum_up(t, c->own[w], c->with[w]);
		return true;
	}
	/* The root stands for the whole and counts nothing itself. */
	for (uint32_t i = 1; i < t->count && !t->nodes[0].metric[w]; i++)
		given[0] += t->nodes[i].parent == 0 ? given[i] : 0;
	contexts_subtract_children(t, c->with[w], c->own[w]);
	return true;
}

/* Counts calls of each node from its parent: all calls except those by back edges. */
static bool count_entered(struct contexts *c)
{
	const struct context_tree *t = &c->tree;
	c->entered = contexts_alloc_counts(t->count);
	for (uint32_t i = 0; c->entered && i < t->count; i++)
		c->entered[i] = t->nodes[i].calls;
	for (uint32_t i = 0; c->entered && i < t->back_count; i++) {
		uint64_t *to = &c->entered[t->backs[i].to];
		*to -= t->backs[i].calls < *to ? t->backs[i].calls : *to;
	}
	return c->entered != NULL;
}

/* Groups 0..n-1 by owner of[]: first[] and kids[] as in struct contexts. */
static void contexts_group_by_owner(uint32_t n, uint32_t groups, uint32_t *first, uint32_t *kids,
                                    const uint32_t *of)
{
	for (uint32_t i = 0; i < n; i++)
		if (of[i] != CONTEXT_NONE)
			first[of[i] + 1]++;
	for (uint32_t i = 0; i < groups; i++)
		first[i + 1] += first[i];
	/* Fills each group from its end: first[] decreases to its final value. */
	for (uint32_t i = n; i-- > 0;)
		if (of[i] != CONTEXT_NONE)
			kids[--first[of[i] + 1]] = i;
	memmove(first, first + 1, groups * sizeof *first);
	uint32_t all = 0;
	for (uint32_t i = 0; i < n; i++)
		all += of[i] != CONTEXT_NONE;
	first[groups] = all;
}

static bool link_up(struct contexts *c)
{
	const struct context_tree *t = &c->tree;
	const uint32_t most = t->count > t->back_count ? t->count : t->back_count;
	uint32_t *of = alloc_zeroed((size_t)most + 1, sizeof *of);
	c->first = alloc_zeroed((size_t)t->count + 2, sizeof *c->first);
	c->kids = alloc_zeroed((size_t)t->count + 1, sizeof *c->kids);
	c->back_first = alloc_zeroed((size_t)t->count + 2, sizeof *c->back_first);
	c->back_kids = alloc_zeroed((size_t)t->back_count + 1, sizeof *c->back_kids);
	const bool ok = of && c->first && c->kids && c->back_first && c->back_kids;
	if (ok) {
		for (uint32_t i = 0; i < t->count; i++)
			of[i] = i ? t->nodes[i].parent : CONTEXT_NONE;
		contexts_group_by_owner(t->count, t->count, c->first, c->kids, of);
		for (uint32_t i = 0; i < t->back_count; i++)
			of[i] = t->backs[i].from;
		contexts_group_by_owner(t->back_count, t->count, c->back_first, c->back_kids, of);
	}
	free(of);
	return ok;
}

/* ---- which weight ---- */
const char *contexts_weight_name(const struct contexts *c, unsigned weight)
{
	return weight == CONTEXT_CALLS ? "calls" : c->tree.metric[weight];
}

static bool contexts_select_weight(struct contexts *c, const char *by, struct err *err)
{
	char right[128] = "";
	for (unsigned w = 0; w < CONTEXT_WEIGHTS; w++) {
		const char *name = contexts_weight_name(c, w);
		if (!name)
			continue;
		if (by && !strcmp(by, name)) {
			c->by = w;
			return true;
		}
		if (!by && (w == CONTEXT_CALLS || (c->tree.count && c->with[w][0]))) {
			c->by = w;
			return true;
		}
		const size_t used = strlen(right);
		snprintf(right + used, sizeof right - used, "%s%s", used ? ", " : "", name);
	}
	return err_set(err, "contexts have no '%s'; expected %s", by, right);
}

bool contexts_from_tree(struct context_tree *tree, enum contexts_from from, const char *by,
                        struct contexts *out, struct err *err)
{
	struct contexts c = {.tree = *tree, .from = from};
	bool ok = link_up(&c) && count_entered(&c);
	for (unsigned w = 0; w < CONTEXT_WEIGHTS && ok; w++)
		ok = contexts_compute_weight(&c, w);
	*tree = (struct context_tree){0};
	ok = ok ? contexts_select_weight(&c, by, err)
	        : err_set(err, "out of memory for %u contexts", c.tree.count);
	if (ok)
		*out = c;
	else
		contexts_free(&c);
	return ok;
}

static bool contexts_read_program_tree(const struct session *s, bool one_path,
                                       struct context_tree *t, struct err *err)
{
	const struct cct_source from = {
		.read = session_peek,
		.ctx = s->machine,
		.pc = machine_pc(s->machine),
		.tp = machine_reg(s->machine, REG_TP)};
	if (!read_records(s, &from, one_path, t, err))
		return false;
	t->deep |= stack_was_deeper(s->machine, UINT64_C(1) << CCT_STACK_LOG2);
	return true;
}

static bool contexts_read_cct_file(const struct session *s, const char *path, bool one_path,
                                   struct context_tree *t, struct err *err)
{
	struct cct_file f;
	if (!reach_allows(s->reach, "a tree of FILE reaches files", err) ||
	    !cct_file_open(s->program, path, &f, err))
		return false;
	const struct cct_source from = cct_file_source(&f);
	const bool ok = read_records(s, &from, one_path, t, err);
	cct_file_close(&f);
	return ok;
}

/* ---- regions ---- */
struct reading {
	const struct session *s;
	enum contexts_from from;
	int thread;
	bool one_path, ok;
	struct context_tree tree;
	struct err *err;
};

static void contexts_read_tree_at_cycle(void *ctx, const struct machine *m)
{
	struct reading *r = ctx;
	(void)m; /* the session's */
	r->ok = r->from == CONTEXTS_PROGRAM
	                ? contexts_read_program_tree(r->s, r->one_path, &r->tree, r->err)
	                : contexts_read_oracle(r->s, &r->tree, r->err);
	r->ok = r->ok && contexts_select_threads(&r->tree, r->thread, r->err);
}

/* The back edge equal to b, usually at the same index. */
static struct context_back *back_like(struct context_tree *t, const struct context_back *b,
                                      uint32_t near)
{
	for (uint32_t i = 0; i < t->back_count; i++) {
		struct context_back *at = &t->backs[(near + i) % t->back_count];
		if (at->from == b->from && at->to == b->to && at->site == b->site)
			return at;
	}
	return NULL;
}

/* Subtracts earlier counts. Nodes keep their numbers, and counts only rise. */
static void take_off_before(struct context_tree *t, const struct context_tree *before)
{
	for (uint32_t i = 0; i < before->count && i < t->count; i++) {
		t->nodes[i].calls -= before->nodes[i].calls;
		for (unsigned w = 0; w < CONTEXT_METRICS; w++)
			t->nodes[i].metric[w] -= before->nodes[i].metric[w];
	}
	for (uint32_t i = 0; i < before->back_count; i++) {
		struct context_back *at = back_like(t, &before->backs[i], i);
		if (at)
			at->calls -= before->backs[i].calls;
	}
	t->lost -= before->lost;
}

static bool contexts_read_region_tree(const struct region *region, struct reading *r,
                                      struct err *err)
{
	if (r->from == CONTEXTS_FILE)
		return err_set(err, "a file has the whole run only");
	if (!region_look(r->s, region->to, contexts_read_tree_at_cycle, r, err) || !r->ok)
		return false;
	struct reading before = *r;
	before.tree = (struct context_tree){0};
	if (!region_look(r->s, region->from, contexts_read_tree_at_cycle, &before, err) ||
	    !before.ok) {
		context_tree_free(&r->tree);
		return false;
	}
	take_off_before(&r->tree, &before.tree);
	context_tree_free(&before.tree);
	return true;
}

/* Whether the oracle has contexts, and the program's records are of several threads. */
static bool contexts_records_mislead(const struct session *s)
{
	const struct oracle *o = session_oracle(s);
	return o && oracle_has(o, ORACLE_ARCS) && os_had_threads(machine_os_const(s->machine)) &&
	       !contexts_has_streams(s);
}

static bool contexts_read_from(const struct session *s, const struct contexts_args *a,
                               bool one_path, struct contexts *out, struct err *err)
{
	enum contexts_from from = a ? a->from : CONTEXTS_ANY;
	if (from == CONTEXTS_ANY)
		from = has_records(s) && (!(a && a->thread) || contexts_has_streams(s)) &&
		                       !contexts_records_mislead(s)
		               ? CONTEXTS_PROGRAM
		               : CONTEXTS_ORACLE;
	struct reading r = {.s = s,
	                    .from = from,
	                    .thread = a ? a->thread : CONTEXTS_MERGED,
	                    .one_path = one_path,
	                    .err = err};
	if (r.thread && from != CONTEXTS_ORACLE && !contexts_has_streams(s))
		return err_set(err, "this program's records are of all threads; expected `oracle`, "
		                    "or a program with `cct,atomic`");
	if (a && a->region.given)
		r.ok = contexts_read_region_tree(&a->region, &r, err);
	else if (from == CONTEXTS_FILE)
		r.ok = contexts_read_cct_file(s, a->file, one_path, &r.tree, err) &&
		       contexts_select_threads(&r.tree, r.thread, err);
	else
		contexts_read_tree_at_cycle(&r, s->machine);
	return r.ok && contexts_from_tree(&r.tree, from, a ? a->by : NULL, out, err);
}

bool contexts_read(const struct session *s, const struct contexts_args *a, struct contexts *out,
                   struct err *err)
{
	return contexts_read_from(s, a, false, out, err);
}

bool contexts_read_sites(const struct session *s, const struct contexts_args *a,
                         struct contexts *out, struct err *err)
{
	return contexts_read_from(s, a, true, out, err);
}

void contexts_free(struct contexts *c)
{
	context_tree_free(&c->tree);
	for (unsigned w = 0; w < CONTEXT_WEIGHTS; w++) {
		free(c->own[w]);
		free(c->with[w]);
	}
	free(c->entered);
	free(c->first);
	free(c->kids);
	free(c->back_first);
	free(c->back_kids);
	*c = (struct contexts){0};
}

/* ---- walking ---- */
static int contexts_compare_by_weight(const void *a, const void *b, void *weights)
{
	const uint64_t *with = weights;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	if (with[x] != with[y])
		return with[x] > with[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

const uint32_t *contexts_children(struct contexts *c, uint32_t node, uint32_t *n)
{
	uint32_t *kids = &c->kids[c->first[node]];
	*n = c->first[node + 1] - c->first[node];
	sort_stable_with(kids, *n, sizeof *kids, contexts_compare_by_weight, c->with[c->by]);
	return kids;
}

const uint32_t *contexts_backs(const struct contexts *c, uint32_t node, uint32_t *n)
{
	*n = c->back_first[node + 1] - c->back_first[node];
	return &c->back_kids[c->back_first[node]];
}

char *contexts_name(const struct session *s, const struct contexts *c, uint32_t node, char *buf,
                    size_t n)
{
	const struct context *k = &c->tree.nodes[node];
	char *name = buf;
	if (!k->callee)
		snprintf(buf, n, "root");
	else if (oracle_root_text(k->stream, buf, n))
		name = buf + strlen(buf);
	if (k->callee)
		format_addr(s, k->callee, name, n - (size_t)(name - buf));
	return buf;
}
