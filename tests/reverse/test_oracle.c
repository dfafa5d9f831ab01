/* The oracle against an independent account of the same run: everything that committed, from
 * events, counted again with plain lists; against counts that are known; with timing and without;
 * and in the past. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/prof/oracle/oracle.h"
#include "tests/reverse/account.h"
#include "tests/reverse/rig.h"
#include "ui/checkpoint/checkpoint.h"

#define ALL                                                                                        \
	"oracle.enable=1 oracle.blocks=1 oracle.contexts=1 oracle.values=all oracle.addresses=1 "  \
	"oracle.loads=1 "                                                                          \
	"oracle.speculative=1"

/* ---- comparing ---- */
static const struct oracle *oracle_test_oracle(const struct rig *g)
{
	const struct oracle *o = oracle_of(machine_pipe(g->s->machine)->prof);
	assert_non_null(o);
	return o;
}

static const struct oracle_entry *
oracle_test_find_entry(const struct oracle *o, enum oracle_table_id id, const struct line *l)
{
	const struct oracle_entry *e = oracle_table_find(&o->table[id], l->key[0], l->key[1]);
	if (!e)
		fail_msg("%s: nothing of %#lx, %#lx", oracle_table_name(id), l->key[0], l->key[1]);
	return e;
}

static void oracle_test_assert_same_table(const struct oracle *o, enum oracle_table_id id,
                                          struct list *l)
{
	list_put_together(l);
	assert_int_equal(oracle_entries(o, id), l->n);
	for (size_t i = 0; i < l->n; i++)
		assert_int_equal(oracle_test_find_entry(o, id, &l->line[i])->count,
		                 l->line[i].words[0]);
}

static void same_loads(const struct oracle *o, const struct list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct oracle_entry *e = oracle_test_find_entry(o, ORACLE_LOADS, &l->line[i]);
		uint64_t levels = 0;
		for (unsigned w = 0; w < LOAD_CYCLES; w++)
			levels += e->more[w];
		assert_int_equal(levels, e->count);
		assert_int_equal(e->more[LEVEL_L1], l->line[i].words[1]);
		assert_int_equal(e->more[LOAD_CYCLES], l->line[i].words[2]);
	}
}

static void same_speculation(const struct oracle *o, const struct account *a, const struct stats *s)
{
	uint64_t wrong = 0, squashed = 0, accessed = 0;
	for (size_t i = 0; i < a->decoded.n; i++) {
		const struct oracle_entry *e =
			oracle_test_find_entry(o, ORACLE_SPECULATION, &a->decoded.line[i]);
		assert_int_equal(e->more[SPEC_WRONG_PATH], a->decoded.line[i].words[1]);
		wrong += e->more[SPEC_WRONG_PATH];
		squashed += e->more[SPEC_SQUASHED];
		accessed += e->more[SPEC_ACCESSED];
	}
	assert_int_equal(wrong, s->dispatch_wrong);
	assert_int_equal(squashed, s->squashed);
	assert_int_equal(squashed, a->squashed);
	assert_true(wrong > 0 && accessed >= s->commit_loads);
}

/* Sums over call sites: the oracle keeps them apart, the account doesn't. */
static uint64_t path_of(const struct oracle *o, const struct account *a, uint64_t node)
{
	struct oracle_node n = oracle_node(o, node);
	uint64_t up = node ? path_of(o, a, n.parent) : 0;
	if (!node)
		return 0;
	for (size_t i = 1; i < a->paths; i++)
		if (a->path[i].parent == up && a->path[i].callee == n.callee)
			return i;
	fail_msg("context %lu is not known", node);
	return 0;
}

static void same_contexts(const struct oracle *o, const struct account *a)
{
	struct path *sum = calloc(a->paths, sizeof *sum);
	for (uint64_t i = 0; i < o->head.nodes; i++) {
		struct oracle_node n = oracle_node(o, i);
		struct path *p = &sum[path_of(o, a, i)];
		p->insts += n.insts;
		p->calls += n.calls;
	}
	for (size_t i = 0; i < a->paths; i++) {
		assert_int_equal(sum[i].insts, a->path[i].insts);
		assert_int_equal(sum[i].calls, a->path[i].calls);
	}
	assert_int_equal(o->head.frames, a->frames);
	free(sum);
}

/* Runs the program to its end, or to a cycle. */
static struct rig *run_some(const char *program, const char *settings, struct account *a,
                            uint64_t cycle)
{
	struct subject how = {.program = program, .settings = settings, .stdin_fd = -1};
	const struct event_filter f = {.mask = EV_BIT(COMMIT) | EV_BIT(DISPATCH) | EV_BIT(LEAVE)};
	struct rig *g = rig_open(&how);
	if (a)
		a->procedures = program_procedures(g->s->program, &a->procedure_count);
	if (a)
		assert_true(machine_listen(g->s->machine, &f, account_hear, a) > 0);
	if (cycle == UINT64_MAX)
		assert_int_equal(rig_continue(g), STOPPED_EXIT);
	else
		machine_run(g->s->machine, cycle, UINT64_MAX);
	return g;
}

static struct rig *oracle_test_run_all(const char *program, const char *settings, struct account *a)
{
	return run_some(program, settings, a, UINT64_MAX);
}

TEST(counts_what_committed)
{
	static const char *const programs[] = {"build/tests/reverse/guest", "build/demos/longjmp",
	                                       "build/demos/selfmod"};
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		struct account a = {0};
		struct rig *g = oracle_test_run_all(programs[i], ALL " lsq.speculate=1", &a);
		const struct oracle *o = oracle_test_oracle(g);
		const struct stats *s = machine_stats(g->s->machine);
		assert_int_equal(o->head.insts, a.n);
		assert_int_equal(o->head.insts, s->insts);
		assert_int_equal(s->oracle_insts, s->insts);
		assert_int_equal(o->head.lost_all, 0);
		oracle_test_assert_same_table(o, ORACLE_INSTS, &a.insts);
		oracle_test_assert_same_table(o, ORACLE_EDGES, &a.edges);
		oracle_test_assert_same_table(o, ORACLE_VALUES, &a.values);
		oracle_test_assert_same_table(o, ORACLE_ADDRESSES, &a.addresses);
		oracle_test_assert_same_table(o, ORACLE_LOADS, &a.loads);
		same_loads(o, &a.loads);
		oracle_test_assert_same_table(o, ORACLE_SPECULATION, &a.decoded);
		same_speculation(o, &a, s);
		same_contexts(o, &a);
		const char *wrong = oracle_check(o);
		if (wrong)
			fail_msg("%s", wrong);
		rig_close(g);
		account_free(&a);
	}
}

/* The nodes of a procedure below a node of another procedure (NULL: any): their number, and one of
 * them. */
static unsigned nodes_of(const struct rig *g, const char *name, const char *below,
                         struct oracle_node *last)
{
	const struct oracle *o = oracle_test_oracle(g);
	unsigned n = 0;
	for (uint64_t i = 0; i < o->head.nodes; i++) {
		struct oracle_node node = oracle_node(o, i);
		if (node.callee != rig_symbol(g, name) ||
		    (below && oracle_node(o, node.parent).callee != rig_symbol(g, below)))
			continue;
		*last = node;
		n++;
	}
	return n;
}

TEST(counts_what_is_known)
{
	struct rig *g =
		oracle_test_run_all("build/demos/fib", "oracle.enable=1 oracle.contexts=1", NULL);
	const struct prof *d = machine_pipe(g->s->machine)->prof;
	struct oracle_node fib = {0}, main_;
	/* fib(18) calls itself 2 F(19) - 1 times; recursion goes back to one node. */
	assert_int_equal(oracle_count(d, rig_symbol(g, "fib")), 8361);
	assert_int_equal(nodes_of(g, "fib", NULL, &fib), 1);
	assert_int_equal(fib.calls, 8361);
	assert_int_equal(oracle_count(d, rig_symbol(g, "main")), 1);
	assert_int_equal(nodes_of(g, "main", NULL, &main_), 1);
	assert_int_equal(oracle_node(oracle_test_oracle(g), fib.parent).callee,
	                 rig_symbol(g, "main"));
	assert_int_equal(oracle_total(d), machine_insts(g->s->machine));
	assert_int_equal(oracle_count(d, 2), 0);
	assert_false(oracle_has(oracle_test_oracle(g), ORACLE_VALUES));
	rig_close(g);
}

/* Each jump out of the recursion comes back to the context of main, which goes on as if nothing had
 * been called. */
TEST(longjmp_returns_to_its_setjmp)
{
	struct rig *g = oracle_test_run_all("build/demos/longjmp",
	                                    "oracle.enable=1 oracle.contexts=1", NULL);
	struct oracle_node set = {0}, descend = {0}, print = {0}, jump = {0};
	assert_int_equal(nodes_of(g, "_setjmp", "main", &set), 1);
	assert_int_equal(set.calls, 200);
	assert_int_equal(nodes_of(g, "descend", NULL, &descend), 1);
	assert_int_equal(set.parent, descend.parent);
	assert_int_equal(nodes_of(g, "printf", NULL, &print), 1);
	assert_int_equal(print.parent, set.parent);
	assert_int_equal(oracle_node(oracle_test_oracle(g), set.parent).callee,
	                 rig_symbol(g, "main"));
	assert_int_equal(nodes_of(g, "__longjmp", NULL, &jump), 1);
	assert_true(jump.calls > 100);
	/* main, its callers, and the way out. */
	assert_true(oracle_test_oracle(g)->head.frames < 12);
	rig_close(g);
}

/* Tables hold the same, in the same order, whether time passes or not. */
TEST(counts_without_timing_too)
{
	static const enum oracle_table_id tables[] = {
		ORACLE_INSTS, ORACLE_EDGES, ORACLE_ARCS, ORACLE_VALUES, ORACLE_ADDRESSES};
	struct subject how = {.program = "build/demos/longjmp", .settings = ALL, .stdin_fd = -1};
	struct rig *timed = oracle_test_run_all(how.program, how.settings, NULL);
	for (int warm = 0; warm < 2; warm++) {
		struct rig *quick = rig_open(&how);
		machine_run_functional(quick->s->machine, 30000, warm);
		assert_int_equal(oracle_test_oracle(quick)->head.functional, 30000);
		machine_run(quick->s->machine, 2000, UINT64_MAX);
		assert_int_equal(rig_continue(quick), STOPPED_EXIT);
		const struct oracle *a = oracle_test_oracle(timed), *b = oracle_test_oracle(quick);
		assert_int_equal(a->head.insts, b->head.insts);
		for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
			assert_int_equal(oracle_entries(a, tables[t]),
			                 oracle_entries(b, tables[t]));
			for (uint32_t i = 0; i < oracle_entries(a, tables[t]); i++)
				assert_memory_equal(oracle_entry(a, tables[t], i),
				                    oracle_entry(b, tables[t], i),
				                    sizeof(struct oracle_entry));
		}
		assert_int_equal(a->head.nodes, b->head.nodes);
		rig_close(quick);
	}
	/* And to the very end, system calls included. */
	struct rig *all = rig_open(&how);
	machine_run_functional(all->s->machine, UINT64_MAX, false);
	assert_int_equal(machine_status(all->s->machine), MACHINE_EXITED);
	assert_int_equal(oracle_test_oracle(all)->head.insts,
	                 oracle_test_oracle(timed)->head.insts);
	for (uint32_t i = 0; i < oracle_entries(oracle_test_oracle(all), ORACLE_VALUES); i++)
		assert_memory_equal(oracle_entry(oracle_test_oracle(all), ORACLE_VALUES, i),
		                    oracle_entry(oracle_test_oracle(timed), ORACLE_VALUES, i),
		                    sizeof(struct oracle_entry));
	rig_close(all);
	rig_close(timed);
}

/* ---- observing changes nothing ---- */
TEST(oracle_observed_is_unobserved)
{
	struct rig *without = oracle_test_run_all("build/tests/reverse/guest", "", NULL),
		   *with = oracle_test_run_all("build/tests/reverse/guest", ALL, NULL);
	const struct stats *a = machine_stats(without->s->machine),
			   *b = machine_stats(with->s->machine);
	for (size_t i = 0; i < stat_row_count; i++)
		if (strncmp(stat_rows[i].name, "oracle.", 7) != 0 &&
		    stat_value(a, &stat_rows[i]) != stat_value(b, &stat_rows[i]))
			fail_msg("%s differs", stat_rows[i].name);
	assert_string_equal(without->out, with->out);
	assert_null(oracle_of(machine_pipe(without->s->machine)->prof));
	assert_int_equal(oracle_total(machine_pipe(without->s->machine)->prof), 0);
	rig_close(with);
	rig_close(without);
}

/* ---- the past ---- */
static uint64_t counted_now(const struct rig *g)
{
	assert_int_equal(oracle_test_oracle(g)->head.insts, machine_insts(g->s->machine));
	assert_null(oracle_check(oracle_test_oracle(g)));
	return oracle_hash(oracle_test_oracle(g));
}

TEST(oracle_past_has_its_own_counts)
{
	struct subject how = guest;
	how.settings = ALL;
	rig_assert_past(&how, rig_small() ? 30 : 200, counted_now);
}

TEST(oracle_checkpoints_hold_counts)
{
	struct subject how = guest;
	struct err err = {""};
	how.settings = ALL;
	struct rig *g = rig_open(&how), *h = rig_open(&how);
	rig_goto(g, 9000);
	uint64_t hash = oracle_hash(oracle_test_oracle(g));
	if (!checkpoint_save(g->s, "oracle.checkpoint", &err))
		fail_msg("%s", err.msg);
	struct machine *m = checkpoint_load(h->s, "oracle.checkpoint", &err);
	if (!m)
		fail_msg("%s", err.msg);
	session_adopt(h->s, m);
	assert_int_equal(oracle_hash(oracle_test_oracle(h)), hash);
	rig_goto(g, 15000);
	machine_run(h->s->machine, 15000, UINT64_MAX);
	assert_int_equal(oracle_hash(oracle_test_oracle(h)), oracle_hash(oracle_test_oracle(g)));
	rig_back_cycles(h, 3000);
	rig_goto(g, 12000);
	assert_int_equal(oracle_hash(oracle_test_oracle(h)), oracle_hash(oracle_test_oracle(g)));
	remove("oracle.checkpoint");
	rig_close(g);
	rig_close(h);
}

/* ---- memory ---- */
TEST(oracle_overflow_is_lost)
{
	struct account a = {0};
	struct rig *g = run_some("build/demos/matmul", ALL " oracle.memory=1M", &a, 200000);
	const struct oracle *o = oracle_test_oracle(g);
	const struct stats *s = machine_stats(g->s->machine);
	list_put_together(&a.values);
	assert_int_equal(oracle_entries(o, ORACLE_VALUES), o->table[ORACLE_VALUES].capacity);
	assert_true(a.values.n > o->table[ORACLE_VALUES].capacity);
	assert_true(o->head.lost[ORACLE_VALUES] > 0 && o->head.starved == 0);
	assert_int_equal(s->oracle_lost, o->head.lost_all);
	assert_null(oracle_check(o));
	assert_true(cow_bytes(o->store.cow) < (1 << 20) * 5 / 4);
	/* Values with room are exact: a value is counted every time or not at all. */
	uint64_t lost = 0;
	for (size_t i = 0; i < a.values.n; i++) {
		const struct line *l = &a.values.line[i];
		const struct oracle_entry *e =
			oracle_table_find(&o->table[ORACLE_VALUES], l->key[0], l->key[1]);
		if (e)
			assert_int_equal(e->count, l->words[0]);
		else
			lost += l->words[0];
	}
	assert_int_equal(lost, o->head.lost[ORACLE_VALUES]);
	rig_close(g);
	account_free(&a);
}

TEST(values_where_they_were_asked_for)
{
	struct subject how = guest;
	char settings[160];
	struct rig *g = rig_open(&how);
	uint64_t from = rig_symbol(g, "tick");
	rig_close(g);
	snprintf(settings, sizeof settings,
	         "oracle.enable=1 oracle.values=all oracle.values_from=%#lx oracle.values_to=%#lx",
	         from, from + 16);
	g = oracle_test_run_all("build/tests/reverse/guest", settings, NULL);
	assert_true(oracle_entries(oracle_test_oracle(g), ORACLE_VALUES) > 0);
	for (uint32_t i = 0; i < oracle_entries(oracle_test_oracle(g), ORACLE_VALUES); i++)
		assert_in_range(oracle_entry(oracle_test_oracle(g), ORACLE_VALUES, i)->key[0], from,
		                from + 15);
	rig_close(g);
}

TEST_GROUP(rig_enter, rig_leave)
