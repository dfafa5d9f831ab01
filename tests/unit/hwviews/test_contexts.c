/* Calling context trees made by hand, and one that the oracle has made: each node's callees, the
 * nodes shown, the file written. */
#include "hwviews/flow/contexts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/params.h"
#include "hwviews/exports/export.h"
#include "hwviews/flow/context_folds.h"
#include "hwviews/flow/context_rows.h"
#include "hwviews/grid/utf8.h"
#include "loader/instrument/cct.h"
#include "loader/instrument/instrument.h"
#include "tests/cases.h"

/* Fig. 5 of Ammons, Ball and Larus with numbers: M calls A, which calls B, which calls A again; A
 * and M call C from two places.
 *
 *   0 M  10              4 C  5, of M         back: 2 -> 1, three times
 *     1 A  20, 4 calls   5 C  50, of M
 *       2 B  7
 *         3 C  100 */
static struct context_tree by_hand(bool inclusive)
{
	static const struct context nodes[] = {
		{.callee = 0x100, .metric = {10, 2}},
		{.callee = 0x200,
	         .site = 0x104,
	         .calls = 4,
	         .metric = {20, 0},
	         .parent = 0,
	         .depth = 1},
		{.callee = 0x300,
	         .site = 0x208,
	         .calls = 3,
	         .metric = {7, 1},
	         .parent = 1,
	         .depth = 2},
		{.callee = 0x400,
	         .site = 0x304,
	         .calls = 9,
	         .metric = {100, 0},
	         .parent = 2,
	         .depth = 3},
		{.callee = 0x400,
	         .site = 0x10c,
	         .calls = 1,
	         .metric = {5, 0},
	         .parent = 0,
	         .depth = 1},
		{.callee = 0x400,
	         .site = 0x110,
	         .calls = 2,
	         .metric = {50, 4},
	         .parent = 0,
	         .depth = 1},
	};
	static const struct context_back back = {.from = 2, .to = 1, .site = 0x308, .calls = 3};
	struct context_tree t = {.count = 6,
	                         .back_count = 1,
	                         .current = 3,
	                         .metric = {"sim.cycles", "l1d.misses"},
	                         .inclusive = inclusive};
	t.nodes = malloc(sizeof nodes);
	t.backs = malloc(sizeof back);
	memcpy(t.nodes, nodes, sizeof nodes);
	*t.backs = back;
	return t;
}

static struct contexts contexts_from_hand_tree(bool inclusive, const char *by)
{
	struct contexts c;
	struct context_tree t = by_hand(inclusive);
	struct err err;
	if (!contexts_from_tree(&t, CONTEXTS_PROGRAM, by, &c, &err))
		fail_msg("%s", err.msg);
	assert_null(t.nodes);
	return c;
}

static void weights_are(const uint64_t *got, const uint64_t want[6])
{
	for (unsigned i = 0; i < 6; i++)
		if (got[i] != want[i])
			fail_msg("node %u has %llu, not %llu", i, (unsigned long long)got[i],
			         (unsigned long long)want[i]);
}

static void children_are(struct contexts *c, uint32_t node, uint32_t count, const uint32_t *want)
{
	uint32_t n;
	const uint32_t *kids = contexts_children(c, node, &n);
	assert_int_equal(n, count);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(kids[i], want[i]);
}

TEST(what_is_below_adds_up)
{
	struct contexts c = contexts_from_hand_tree(false, NULL);
	assert_int_equal(c.by, 0);
	weights_are(c.own[0], (uint64_t[]){10, 20, 7, 100, 5, 50});
	weights_are(c.with[0], (uint64_t[]){192, 127, 107, 100, 5, 50});
	weights_are(c.with[1], (uint64_t[]){7, 1, 1, 0, 0, 4});
	weights_are(c.with[CONTEXT_CALLS], (uint64_t[]){19, 16, 12, 9, 1, 2});
	/* Three of A's four calls came back from B. */
	weights_are(c.entered, (uint64_t[]){0, 1, 3, 9, 1, 2});
	children_are(&c, 0, 3, (uint32_t[]){1, 5, 4});
	children_are(&c, 2, 1, (uint32_t[]){3});
	children_are(&c, 3, 0, NULL);
	uint32_t n;
	const uint32_t *backs = contexts_backs(&c, 2, &n);
	assert_int_equal(n, 1);
	assert_int_equal(c.tree.backs[backs[0]].to, 1);
	contexts_backs(&c, 1, &n);
	assert_int_equal(n, 0);
	contexts_free(&c);
	/* Another weight changes the order. */
	c = contexts_from_hand_tree(false, "l1d.misses");
	children_are(&c, 0, 3, (uint32_t[]){5, 1, 4});
	contexts_free(&c);
}

TEST(measured_costs_lose_their_callees)
{
	struct context_tree t = by_hand(true);
	const uint64_t with[] = {0, 127, 107, 110, 5, 50};
	struct contexts c;
	struct err err;
	for (unsigned i = 0; i < 6; i++)
		t.nodes[i].metric[0] = with[i];
	assert_true(contexts_from_tree(&t, CONTEXTS_PROGRAM, "sim.cycles", &c, &err));
	/* The root has no time of its own, only its callees'. C took longer than B, which longjmp
	 * ended. */
	weights_are(c.with[0], (uint64_t[]){182, 127, 107, 110, 5, 50});
	weights_are(c.own[0], (uint64_t[]){0, 20, 0, 110, 5, 50});
	contexts_free(&c);
}

TEST(wrong_metrics_are_named)
{
	struct context_tree t = by_hand(false);
	struct contexts c;
	struct err err;
	assert_false(contexts_from_tree(&t, CONTEXTS_PROGRAM, "sim.cycle", &c, &err));
	assert_string_equal(err.msg,
	                    "contexts have no 'sim.cycle'; expected sim.cycles, l1d.misses, calls");
	assert_null(t.nodes);
	struct context_tree none = {.current = CONTEXT_NONE};
	assert_true(contexts_from_tree(&none, CONTEXTS_PROGRAM, NULL, &c, &err));
	assert_int_equal(c.by, CONTEXT_CALLS);
	contexts_free(&c);
}

TEST(records_are_in_order)
{
	struct context_tree t = by_hand(false);
	/* The order in which a walk over slots may meet them: 0 M, 1 A (M's newest), 2 B, 3 C, 4 C,
	 * 5 C. */
	const uint64_t record[] = {0x1000, 0x1200, 0x1300, 0x1400, 0x1100, 0x1080};
	for (unsigned i = 0; i < 6; i++)
		t.nodes[i].record = record[i];
	assert_true(context_tree_order(&t));
	const uint64_t site[] = {0, 0x110, 0x10c, 0x104, 0x208, 0x304};
	const uint32_t parent[] = {0, 0, 0, 0, 3, 4};
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(t.nodes[i].site, site[i]);
		assert_int_equal(t.nodes[i].parent, parent[i]);
	}
	assert_int_equal(t.backs[0].from, 4);
	assert_int_equal(t.backs[0].to, 3);
	assert_int_equal(t.current, 5);
	context_tree_free(&t);
}

/* ---- what is shown ---- */
TEST(large_ones_are_expanded)
{
	struct session s = {0};
	struct contexts c = contexts_from_hand_tree(false, NULL);
	assert_int_equal(context_fold(&s, &c, 0), FOLD_AUTO);
	assert_int_equal(context_fold(&s, &c, 1), FOLD_AUTO);
	assert_int_equal(context_fold(&s, &c, 3), FOLD_CLOSED); /* there is nothing below */
	assert_true(context_shown(&c, FOLD_AUTO, 4));
	c.with[0][4] = 1;
	assert_false(context_shown(&c, FOLD_AUTO, 4));
	assert_true(context_shown(&c, FOLD_OPEN, 4));
	c.with[0][2] = 9;
	assert_int_equal(context_fold(&s, &c, 2), FOLD_CLOSED);
	/* The user's choice takes precedence. */
	assert_true(context_fold_set(&s, 2, FOLD_OPEN));
	assert_int_equal(context_fold(&s, &c, 2), FOLD_OPEN);
	assert_int_equal(context_fold(&s, &c, 1), FOLD_AUTO);
	context_fold_all(&s, FOLD_CLOSED);
	assert_int_equal(context_fold(&s, &c, 0), FOLD_CLOSED);
	assert_true(context_fold_set(&s, 1, FOLD_OPEN));
	assert_int_equal(context_fold(&s, &c, 0), FOLD_CLOSED);
	assert_int_equal(context_fold(&s, &c, 2), FOLD_CLOSED);
	assert_int_equal(context_fold(&s, &c, 1), FOLD_OPEN);
	context_fold_all(&s, FOLD_AUTO);
	assert_null(s.context_folds);
	contexts_free(&c);
	bool rest;
	assert_int_equal(context_of_key(context_key(12, false), &rest), 12);
	assert_false(rest);
	assert_int_equal(context_of_key(context_key(12, true), &rest), 12);
	assert_true(rest);
	assert_int_equal(context_of_key(0, &rest), CONTEXT_NONE);
}

/* ---- a program's ---- */
static struct session *contexts_start_program(const char *path, const char *config)
{
	struct err err;
	struct session_options opt = {
		.launch = {.path = path, .stdin_fd = -1, .output = os_no_output}};
	config_default(&opt.cfg);
	for (const char *c = config; *c; c += strlen(c) + 1)
		assert_true(config_set_assignment(&opt.cfg, c, &err));
	struct session *s = session_open(&opt, &err);
	if (!s)
		fail_msg("%s", err.msg);
	return s;
}

static struct session *contexts_start_guest(const char *config)
{
	return contexts_start_program("tests/golden/guest.elf", config);
}

static uint64_t folded_sum(const char *text)
{
	uint64_t sum = 0;
	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		const char *end = strchr(line, '\n'), *at = end;
		while (at[-1] != ' ')
			at--;
		sum += strtoull(at, NULL, 10);
	}
	return sum;
}

/* At each place, the root's total is everything counted, in the tree and in the file. */
TEST(everything_is_below_the_root)
{
	struct session *s = contexts_start_guest("oracle.enable=1\0oracle.contexts=1\0");
	struct run_stop_info info;
	struct err err;
	for (int at = 0; at < 12; at++) {
		struct contexts c;
		size_t n, again;
		const uint64_t insts = machine_stats(s->machine)->insts,
			       hash = machine_hash(s->machine);
		assert_true(contexts_read(s, NULL, &c, &err));
		uint64_t own = 0;
		for (uint32_t i = 0; i < c.tree.count; i++)
			own += c.own[0][i];
		assert_int_equal(own, insts);
		assert_int_equal(c.tree.count ? c.with[0][0] : 0, insts);
		assert_true(!insts || c.tree.current < c.tree.count);
		contexts_free(&c);
		char *text = export_text(&export_folded, s, "", &n, &err);
		assert_non_null(text);
		assert_int_equal(folded_sum(text), insts);
		free(text);
		for (unsigned i = 0; i < export_count; i++) {
			char *one = export_text(exports[i], s, "", &n, &err),
			     *two = export_text(exports[i], s, "", &again, &err);
			if (!one && !strncmp(exports[i]->args, "[oracle|program]", 16))
				fail_msg("%s: %s", exports[i]->name, err.msg);
			assert_true(!one == !two && (!one || (n == again && !memcmp(one, two, n))));
			free(one);
			free(two);
		}
		assert_int_equal(machine_hash(s->machine), hash);
		assert_true(run_cycles(s->run, 1500, false, &info, &err));
	}
	assert_int_equal(machine_status(s->machine), MACHINE_EXITED);
	session_free(s);
}

/* A procedure's name selects its largest node. */
TEST(a_name_means_the_heaviest)
{
	struct session *s =
		contexts_start_program("build/demos/sort", "oracle.enable=1\0oracle.contexts=1\0");
	struct run_stop_info info;
	struct err err;
	struct contexts c;
	unsigned lighter_first = 0;
	assert_true(run_cycles(s->run, 100000, false, &info, &err));
	assert_true(contexts_read(s, NULL, &c, &err));
	for (uint32_t n = 0; n < c.tree.count * (uint32_t)CONTEXT_WEIGHTS; n++) {
		const uint32_t i = n % c.tree.count;
		char name[100], other[100];
		c.by = n / c.tree.count;
		if (!c.with[c.by])
			continue;
		uint32_t heaviest = i, first = i, found;
		contexts_name(s, &c, i, name, sizeof name);
		for (uint32_t k = 0; k < c.tree.count; k++) {
			if (strcmp(contexts_name(s, &c, k, other, sizeof other), name) != 0)
				continue;
			first = k < first ? k : first;
			heaviest = c.with[c.by][k] > c.with[c.by][heaviest] ? k : heaviest;
		}
		lighter_first += c.with[c.by][first] < c.with[c.by][heaviest];
		assert_true(contexts_find(s, &c, name, &found, &err));
		assert_int_equal(c.with[c.by][found], c.with[c.by][heaviest]);
	}
	assert_true(lighter_first > 0);
	contexts_free(&c);
	session_free(s);
}

TEST(nothing_is_kept_without_being_asked)
{
	static const char *const configs[] = {"\0", "oracle.enable=1\0"};
	for (unsigned i = 0; i < 2; i++) {
		struct session *s = contexts_start_guest(configs[i]);
		struct contexts c;
		struct err err;
		assert_false(contexts_read(s, NULL, &c, &err));
		assert_non_null(strstr(
			err.msg,
			"--instrument cct, or -o oracle.enable=true -o oracle.contexts=true"));
		assert_false(contexts_read(s, &(struct contexts_args){.from = CONTEXTS_PROGRAM}, &c,
		                           &err));
		session_free(s);
	}
}

TEST(formats_explain_themselves)
{
	for (unsigned i = 0; i < export_count; i++) {
		assert_true(strlen(exports[i]->name) <= 10);
		assert_true(*exports[i]->title && *exports[i]->help);
		for (const char *line = exports[i]->help; *line;
		     line += strcspn(line, "\n"), line += *line == '\n') {
			char one[200];
			snprintf(one, sizeof one, "%.*s", (int)strcspn(line, "\n"), line);
			if (utf8_width(one) > 78)
				fail_msg("help of %s: %u cells: %s", exports[i]->name,
				         utf8_width(one), one);
		}
	}
}

/* ---- as it lies in memory ---- */
static bool contexts_peek_machine(const void *ctx, uint64_t addr, void *buf, uint64_t n)
{
	return machine_peek(ctx, addr, buf, n);
}

/* Index of a record in its parent's list of callees, from 0; -1: the parent has no list. */
static int place_in_list(const struct session *s, const struct context *parent, uint64_t record)
{
	for (uint64_t at = CCT_METRICS; at < parent->size; at += 8) {
		uint64_t slot, element[2];
		assert_true(machine_peek(s->machine, parent->record + at, &slot, 8));
		if ((slot & CCT_TAGS) != CCT_LIST)
			continue;
		uint64_t next = slot - CCT_LIST;
		int place = -1, n = 0;
		for (; n < 8 && machine_peek(s->machine, next, element, 16) &&
		       !(element[0] & CCT_TAGS);
		     n++, next = element[1])
			place = element[0] == record ? n : place;
		if (place >= 0 && n > 1)
			return place;
	}
	return -1;
}

/* Ammons, Ball and Larus, section 4.2: a callee is the first that the next call looks at. A
 * call through a pointer goes to two procedures by turns there, and each time the one that runs
 * stands in front. */
TEST(the_last_called_comes_first)
{
	struct err err;
	struct instrument_options o = {.count = 0};
	struct session_options opt = {.launch = {.path = "build/tests/cmd/contexts",
	                                         .stdin_fd = -1,
	                                         .output = os_no_output,
	                                         .edit = instrument_edit,
	                                         .edit_ctx = &o},
	                              .history = {.history = true}};
	uint64_t before = 0;
	uint32_t nodes = 0;
	unsigned turns = 0;
	config_default(&opt.cfg);
	/* Each store of a change has a cycle of its own. */
	assert_true(config_set(&opt.cfg, "pipe.commit_width", "1", &err));
	assert_true(instrument_add(&o, "cct", &err));
	struct session *s = session_open(&opt, &err);
	if (!s)
		fail_msg("%s", err.msg);
	while (machine_status(s->machine) == MACHINE_RUNNING) {
		const struct cct_source from = {.read = contexts_peek_machine,
		                                .ctx = s->machine,
		                                .pc = machine_pc(s->machine)};
		struct run_stop_info info;
		struct context_tree t;
		assert_true(run_cycles(s->run, 1, false, &info, &err));
		/* No record is missing in any cycle, also while one moves to the front. */
		if (!cct_tree(s->program, &from, &t, &err))
			fail_msg("cycle %" PRIu64 ": %s", machine_cycle(s->machine), err.msg);
		assert_true(t.count >= nodes);
		nodes = t.count;
		const struct context *now =
			t.current < t.count && t.current ? &t.nodes[t.current] : NULL;
		const int place = now ? place_in_list(s, &t.nodes[now->parent], now->record) : -1;
		turns += place == 0 && now->record != before;
		before = place == 0 ? now->record : before;
		context_tree_free(&t);
	}
	assert_int_equal(turns, 9);
	session_free(s);
}
