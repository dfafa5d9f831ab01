/* contexts KIND PROGRAM [ARGS...]: whether the calling context tree that PROGRAM builds when it is
 * instrumented with KIND (cct, cct+hw, cct+path) is the one that follows from PROGRAM's
 * instructions, one by one, by the definition alone; node by node, count by count. And the
 * oracle's. With cct+path, whether paths of all contexts together are what kind path counts. Prints
 * how many contexts there are. With MERGE_SITES in the environment call sites are merged, with
 * HEAP_BYTES the heap is so small that it becomes full. KIND callgraph: whether the arcs are the
 * oracle's. */
#include <inttypes.h>
#include <stdio.h>

#include "core/machine/machine.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "core/prof/oracle/oracle.h"
#include "loader/context_tree.h"
#include "loader/edit/edit.h"
#include "loader/instrument/arcs.h"
#include "loader/instrument/cct_paths.h"
#include "loader/instrument/instrument.h"
#include "loader/launch.h"
#include "tests/edit/contexts_match.h"
#include "tests/edit/contexts_reference.h"

enum {
	SP = 2,
	LEFT_MOST = 5 /* procedures left alone, whose code saves no registers for others */,
	TIMED_MOST = 2000000 /* instructions: of programs whose metrics are compared, with timing */
};

/* ---- running ---- */
static struct machine *contexts_test_launch_machine(const struct program *p, int argc, char **argv,
                                                    bool oracle)
{
	struct err err;
	struct config cfg;
	config_default(&cfg);
	cfg.oracle = cfg.oracle_contexts = oracle;
	cfg.xprof = false;
	const struct launch l = {.path = "guest", .argc = argc, .argv = argv, .stdin_fd = -1};
	struct machine *m = launch_machine(&l, p, &cfg, &err);
	if (!m)
		die(err.msg);
	return m;
}

static bool contexts_test_peek_memory(const void *ctx, uint64_t addr, void *buf, uint64_t n)
{
	return mem_peek(machine_mem_const(ctx), addr, buf, n);
}

/* The oracle's tree, below a root of its own. */
static void oracle_tree(const struct machine *m, struct context_tree *t)
{
	const struct oracle *o = oracle_of(machine_pipe((struct machine *)m)->prof);
	*t = (struct context_tree){.nodes = calloc(o->head.nodes + 1, sizeof *t->nodes),
	                           .count = (uint32_t)o->head.nodes + 1};
	t->backs = calloc(oracle_entries(o, ORACLE_ARCS) + (size_t)1, sizeof *t->backs);
	if (!t->nodes || !t->backs)
		die("out of memory");
	for (uint32_t k = 0; k + 1 < t->count; k++) {
		const struct oracle_node n = oracle_node(o, k);
		t->nodes[k + 1] = (struct context){.callee = n.callee,
		                                   .site = n.site,
		                                   .calls = k ? n.calls : 1,
		                                   .metric = {n.insts},
		                                   .parent = k ? n.parent + 1 : 0};
	}
	for (uint32_t k = 0; k < oracle_entries(o, ORACLE_ARCS); k++) {
		const struct oracle_entry *e = oracle_entry(o, ORACLE_ARCS, k);
		const uint32_t from = (uint32_t)(e->key[1] >> ORACLE_CALLEE_BITS);
		const struct oracle_node to = oracle_node(o, e->aux);
		if (e->aux == 0 || to.parent != from || to.site != e->key[0])
			t->backs[t->back_count++] = (struct context_back){
				.from = from + 1, .to = e->aux + 1, .site = e->key[0]};
	}
}

/* Advances each reference by an instruction. */
static void contexts_test_step_references(struct reference *r, unsigned n, const struct edit *e,
                                          const struct edit_inst *at, uint32_t next, uint64_t sp,
                                          uint64_t to)
{
	uint32_t count;
	const struct edit_inst *insts = edit_insts(e, &count);
	const struct edit_function *f =
		next == EDIT_NONE ? NULL : &edit_functions(e, &count)[insts[next].function];
	const bool links = inst_pushes_ras(&at->in);
	for (unsigned i = 0; i < n; i++) {
		if (links)
			reference_call(&r[i], at->addr + at->in.len, sp, at->addr);
		else if (inst_pops_ras(&at->in))
			reference_return(&r[i], to, sp);
		if (f && f->first == next && !strstr(f->name, ".cold") &&
		    (links || (inst_flags(&at->in) & OPF_INDIRECT) ||
		     insts[next].function != at->function))
			reference_arrive(&r[i], insts[next].function, to);
	}
}

static struct machine *run_reference(const struct program *p, struct reference *r, unsigned n,
                                     const struct edit *e, int argc, char **argv)
{
	uint32_t count;
	struct machine *m = contexts_test_launch_machine(p, argc, argv, true);
	const struct edit_inst *insts = edit_insts(e, &count);
	uint64_t pc = machine_pc(m);
	for (unsigned i = 0; i < n; i++)
		reference_arrive(&r[i], insts[edit_inst_at(e, pc)].function, pc);
	uint32_t at = edit_inst_at(e, pc);
	while (at != EDIT_NONE) {
		const uint64_t sp = machine_hart(m)->r[SP];
		if (machine_run_functional(m, 1, false) != 1 ||
		    machine_status(m) != MACHINE_RUNNING)
			break;
		pc = machine_hart(m)->pc;
		const bool behind = pc == insts[at].addr + insts[at].in.len;
		const uint32_t next = behind && at + 1 < count && insts[at + 1].addr == pc
		                              ? at + 1
		                              : edit_inst_at(e, pc);
		if (!behind || (next != EDIT_NONE && insts[next].function != insts[at].function) ||
		    inst_pushes_ras(&insts[at].in))
			contexts_test_step_references(r, n, e, &insts[at], next, sp, pc);
		at = next;
	}
	if (machine_status(m) != MACHINE_EXITED)
		die("the program doesn't end");
	return m;
}

/* ---- paths ---- */
struct path_sum {
	uint64_t at, path, count;
};

struct path_sums {
	struct path_sum *all;
	uint32_t n, room;
};

static void add_sum(void *ctx, const struct path_function *f, uint64_t path, const uint64_t *words)
{
	struct path_sums *s = ctx;
	s->all = more(s->all, s->n, &s->room, sizeof *s->all);
	s->all[s->n++] = (struct path_sum){f->at, path, words[0]};
}

static int by_path(const void *a, const void *b)
{
	const struct path_sum *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->path < y->path ? -1 : x->path > y->path;
}

static void join_sums(struct path_sums *s)
{
	uint32_t n = 0;
	if (s->n)
		qsort(s->all, s->n, sizeof *s->all, by_path);
	for (uint32_t i = 0; i < s->n; i++)
		if (n && by_path(&s->all[n - 1], &s->all[i]) == 0)
			s->all[n - 1].count += s->all[i].count;
		else
			s->all[n++] = s->all[i];
	s->n = n;
}

static bool contexts_test_read_memory(void *ctx, uint64_t at, void *out, size_t n)
{
	return mem_peek(machine_mem_const(ctx), at, out, n);
}

static struct program *contexts_test_instrument_program(const struct program *p, const char *kind,
                                                        bool merged)
{
	struct err err;
	const char *heap = !strncmp(kind, "cct", 3) ? getenv("HEAP_BYTES") : NULL;
	struct instrument_options o = {.merge_sites = merged,
	                               .heap_bytes = heap ? strtoull(heap, NULL, 10) : 0};
	char text[32];
	if (!strcmp(kind, "cct+hw"))
		o.metrics[0] = o.metrics[1] = "sim.insts";
	/* As profile instructions, all of them on. */
	o.switches.on = getenv("TYPE") != NULL;
	o.steady = getenv("STEADY") != NULL;
	snprintf(text, sizeof text, "%s%s%s", kind, o.switches.on ? "=" : "",
	         o.switches.on ? getenv("TYPE") : "");
	struct program *q = instrument_add(&o, text, &err)
	                            ? instrument_program(p, &o, NULL, NULL, NULL, &err)
	                            : NULL;
	if (!q)
		die(err.msg);
	return q;
}

/* Paths by kind path are those of all contexts together, in procedures that both count. */
static bool same_paths(const struct program *p, const struct program *q, struct machine *n,
                       const struct context_tree *t, int argc, char **argv)
{
	struct err err;
	struct cct_paths paths;
	struct path_sums sums = {0}, right = {0};
	struct path_profile profile;
	struct path_counts counts;
	struct counters counters;
	const struct cct_source from = {.read = contexts_test_peek_memory, .ctx = n};
	uint64_t lost;
	bool ok = true;
	if (!cct_paths_of(q, &paths))
		die("no paths in contexts");
	for (uint32_t k = 1; k < t->count; k++) {
		if (!cct_paths_each(&paths, &from, &t->nodes[k], add_sum, &sums, &lost, &err))
			die(err.msg);
		if (lost)
			die("paths were lost");
	}
	if (!cct_paths_spare(&paths, &from, add_sum, &sums, &err))
		die(err.msg);
	struct program *plain = contexts_test_instrument_program(p, "path", false);
	struct machine *m = contexts_test_launch_machine(plain, argc, argv, false);
	machine_run_functional(m, UINT64_MAX, false);
	if (!program_counters_of(plain, INSTRUMENT_PATH, &counters) ||
	    !program_paths(plain, &profile) ||
	    !path_counts_read(&profile, &counters, contexts_test_read_memory, m, &counts, &err))
		die("no paths");
	for (uint64_t i = 0; i < counts.n; i++)
		for (uint64_t k = 0; k < paths.profile.count; k++)
			if (paths.profile.functions[k].at ==
			    profile.functions[counts.all[i].function].at)
				add_sum(&right, &paths.profile.functions[k], counts.all[i].path,
				        counts.all[i].words);
	join_sums(&sums);
	join_sums(&right);
	for (uint32_t i = 0; ok && i < sums.n && i < right.n; i++)
		if (by_path(&sums.all[i], &right.all[i]) || sums.all[i].count != right.all[i].count)
			ok = !printf("path %" PRIu64 " of 0x%" PRIx64 ": %" PRIu64
			             " in contexts, %" PRIu64 " without\n",
			             sums.all[i].path, sums.all[i].at, sums.all[i].count,
			             right.all[i].count);
	if (ok && (sums.n < 50 || sums.n != right.n))
		ok = !printf("%u paths in contexts, %u without\n", sums.n, right.n);
	printf("%u paths\n", sums.n);
	path_counts_free(&counts);
	path_profile_free(&profile);
	cct_paths_free(&paths);
	machine_free(m);
	program_free(plain);
	free(sums.all);
	free(right.all);
	return ok;
}

/* A heap that is too small loses no call: each is counted in its own context or outside of any. */
static bool same_calls(const struct context_tree *right, const struct context_tree *is)
{
	uint64_t calls = 0, counted = is->lost;
	for (uint32_t k = 1; k < right->count; k++)
		calls += right->nodes[k].calls;
	for (uint32_t k = 1; k < is->count; k++)
		counted += is->nodes[k].calls;
	printf("%u contexts of %u, %" PRIu64 " calls of %" PRIu64 " in none of them\n", is->count,
	       right->count, is->lost, calls);
	return counted == calls && is->lost && is->count > 10 && is->count < right->count;
}

static uint8_t *who_is_alone(const struct program *q, const struct edit *e, struct cct *cct,
                             uint32_t *left)
{
	uint32_t count, functions;
	const struct edit_inst *insts = edit_insts(e, &count);
	const struct edit_function *f = edit_functions(e, &functions);
	uint8_t *alone = calloc(functions + 1, 1);
	if (!alone || !program_cct(q, cct))
		die("the new program doesn't say what it counts");
	*left = 0;
	for (uint32_t k = 0; k < functions; k++) {
		alone[k] = 1;
		for (uint64_t i = 0; i < cct->head.procedures; i++)
			alone[k] &= cct->procedures[i].at != insts[f[k].first].addr;
		*left += alone[k] && !strstr(f[k].name, ".cold");
	}
	return alone;
}

static int contexts_test_compare_trees(const char *kind, const char *name, int argc, char **argv)
{
	struct err err;
	struct program *p = program_open(name, &err);
	struct edit *e = p ? edit_open(p, &err) : NULL;
	if (!e)
		die(err.msg);
	struct program *q = contexts_test_instrument_program(p, kind, getenv("MERGE_SITES"));
	struct cct cct;
	uint32_t left;
	struct context_tree counted, oracle;
	struct reference r[2];
	uint8_t *alone = who_is_alone(q, e, &cct, &left);
	reference_begin(&r[0], alone, cct.head.merged);
	reference_begin(&r[1], NULL, false);
	struct machine *m = run_reference(p, r, 2, e, argc, argv),
		       *n = contexts_test_launch_machine(q, argc, argv, false);
	const bool timed =
		!strcmp(kind, "cct+hw") && oracle_total(machine_pipe(m)->prof) < TIMED_MOST;
	if (!timed)
		machine_run_functional(n, UINT64_MAX, false);
	while (timed && machine_step(n))
		;
	if (machine_status(n) != MACHINE_EXITED || machine_exit_status(n) != machine_exit_status(m))
		die("the new program doesn't end as it should");
	if (!cct_tree(q, &(struct cct_source){.read = contexts_test_peek_memory, .ctx = n},
	              &counted, &err))
		die(err.msg);
	oracle_tree(m, &oracle);
	const bool full = getenv("HEAP_BYTES");
	bool ok = full ? same_calls(&r[0].t, &counted)
	               : same_trees(&r[0].t, &counted, p, "counted", false);
	ok = same_trees(&r[1].t, &oracle, p, "the oracle", false) && ok;
	/* If all executed functions were instrumented, the trees are equal. */
	if (timed && !r[0].alone_ran)
		ok = same_trees(&oracle, &counted, p, "metrics", true) && ok;
	if (counted.lost && !full)
		die("calls were lost");
	if (left > LEFT_MOST && !program_symbol_by_name(p, "__riscv_save_0"))
		die("too many procedures were left alone");
	if (!strcmp(kind, "cct+path"))
		ok = same_paths(p, q, n, &counted, argc, argv) && ok;
	printf("%u contexts, %u back edges, %u left alone\n", counted.count, counted.back_count,
	       left);
	for (unsigned i = 0; i < 2; i++) {
		context_tree_free(&r[i].t);
		free(r[i].stack);
	}
	context_tree_free(&counted);
	context_tree_free(&oracle);
	free(alone);
	machine_free(m);
	machine_free(n);
	program_free(q);
	edit_free(e);
	program_free(p);
	return !ok;
}

/* ---- arcs ---- */
static int by_arc(const void *a, const void *b)
{
	const struct arc *x = a, *y = b;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return x->callee < y->callee ? -1 : x->callee > y->callee;
}

/* The oracle's arcs of all contexts together. */
static struct arcs oracle_arcs(const struct oracle *o)
{
	struct arcs out = {
		.all = calloc(oracle_entries(o, ORACLE_ARCS) + (size_t)1, sizeof *out.all)};
	uint64_t n = 0;
	if (!out.all)
		die("out of memory");
	for (uint32_t k = 0; k < oracle_entries(o, ORACLE_ARCS); k++) {
		const struct oracle_entry *e = oracle_entry(o, ORACLE_ARCS, k);
		out.all[out.n++] = (struct arc){
			e->key[0], e->key[1] & ((UINT64_C(1) << ORACLE_CALLEE_BITS) - 1), e->count};
	}
	qsort(out.all, out.n, sizeof *out.all, by_arc);
	for (uint64_t i = 0; i < out.n; i++)
		if (n && by_arc(&out.all[n - 1], &out.all[i]) == 0)
			out.all[n - 1].calls += out.all[i].calls;
		else
			out.all[n++] = out.all[i];
	out.n = n;
	return out;
}

static int compare_arcs(const char *name, int argc, char **argv)
{
	struct err err;
	struct arcs counted;
	struct program *p = program_open(name, &err);
	if (!p)
		die(err.msg);
	struct program *q = contexts_test_instrument_program(p, "callgraph", false);
	struct machine *m = contexts_test_launch_machine(p, argc, argv, true),
		       *n = contexts_test_launch_machine(q, argc, argv, false);
	machine_run_functional(m, UINT64_MAX, false);
	machine_run_functional(n, UINT64_MAX, false);
	struct arcs right = oracle_arcs(oracle_of(machine_pipe(m)->prof));
	if (!arcs_read(q, contexts_test_read_memory, n, &counted, &err))
		die(err.msg);
	/* The first belongs to no call: the program's beginning. */
	bool ok = counted.n == right.n + 1 && !counted.lost && counted.all[0].site == 0 &&
	          right.n > 20;
	if (!ok)
		printf("%" PRIu64 " arcs, not %" PRIu64 "\n", counted.n, right.n + 1);
	for (uint64_t i = 0; i < right.n && i + 1 < counted.n; i++) {
		const struct arc *x = &right.all[i], *y = &counted.all[i + 1];
		if (by_arc(x, y) == 0 && x->calls == y->calls)
			continue;
		printf("0x%" PRIx64 " to 0x%" PRIx64 ": %" PRIu64 ", not 0x%" PRIx64
		       " to 0x%" PRIx64 ": %" PRIu64 "\n",
		       y->site, y->callee, y->calls, x->site, x->callee, x->calls);
		ok = false;
		break;
	}
	printf("%" PRIu64 " arcs\n", counted.n);
	arcs_free(&right);
	arcs_free(&counted);
	machine_free(m);
	machine_free(n);
	program_free(q);
	program_free(p);
	return !ok;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		die("usage: contexts KIND PROGRAM [ARGS...]");
	if (!strcmp(argv[1], "callgraph"))
		return compare_arcs(argv[2], argc - 2, argv + 2);
	return contexts_test_compare_trees(argv[1], argv[2], argc - 2, argv + 2);
}
