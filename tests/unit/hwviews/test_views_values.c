/* Views of hotlists and of replay traps, against events: of a machine whose
 * hotlists are exact and which interprets so often that all samples are known. */
#include "hwviews/grid/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/pipe/pipe.h"
#include "core/prof/common/prof.h"
#include "core/prof/oracle/oracle.h"
#include "hwviews/values/value_rows.h"
#include "scripting/values/value_modules.h"
#include "tests/unit/hwviews/grid_cell.h"

enum { SEEN = 1 << 14, CYCLES = 60000 };

static struct config views_values_config(const char *const *settings)
{
	struct err err;
	struct config cfg;
	config_default(&cfg);
	for (; *settings; settings++)
		if (!config_set_assignment(&cfg, *settings, &err))
			fail_msg("%s", err.msg);
	return cfg;
}

static struct session *views_values_start_session(const struct config *cfg,
                                                  struct value_modules *modules)
{
	struct err err;
	struct session_options opt = {.cfg = *cfg,
	                              .launch = {.path = "tests/golden/guest.elf", .stdin_fd = -1},
	                              .history = {.history = true}};
	if (modules)
		value_modules_launch(modules, &opt.launch);
	struct session *s = session_open(&opt, &err);
	if (!s)
		fail_msg("%s", err.msg);
	return s;
}

static void views_values_build_grid(const struct session *s, const char *words, struct grid *g)
{
	struct err err;
	if (!view_build(s, words, &(struct view_args){0}, g, &err))
		fail_msg("%s", err.msg);
}

/* ---- hotlists ---- */
struct samples {
	struct {
		uint64_t pc, value;
	} at[SEEN];
	unsigned n;
};

static void views_values_record_sample(void *ctx, const struct machine *m, const struct event *ev)
{
	struct samples *all = ctx;
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	if (!ev->interpret.recorded || u->inst.rd == REG_SINK)
		return;
	assert_true(all->n < SEEN && !ev->interpret.lost);
	all->at[all->n].pc = u->pc;
	all->at[all->n++].value = u->result;
}

static unsigned views_values_count_samples(const struct samples *all, uint64_t pc,
                                           const uint64_t *value)
{
	unsigned n = 0;
	for (unsigned i = 0; i < all->n; i++)
		n += all->at[i].pc == pc && (!value || all->at[i].value == *value);
	return n;
}

static void hotlists_show_what_was_sampled(void **state)
{
	(void)state;
	const char *const how[] = {
		"vsample.enable=true",        "values.modules=results",  "values.method=exact",
		"vsample.interval_min=20",    "vsample.interval_max=60", "vsample.every=1",
		"vsample.interrupt_cycles=3", "vsample.start_cycles=2",  "vsample.inst_cycles=2",
		"vsample.tuple_cycles=3",     "vsample.service=1",       "vsample.length=6",
		"oracle.enable=true",         "oracle.values=all",       NULL};
	static struct samples all;
	struct err err;
	const struct config cfg = views_values_config(how);
	struct value_modules *modules = value_modules_load(&cfg, &err);
	if (!modules)
		fail_msg("%s", err.msg);
	struct session *s = views_values_start_session(&cfg, modules);
	struct grid g;
	views_values_build_grid(s, "hotlist", &g);
	assert_int_equal(g.row_count, 0);
	grid_deinit(&g);
	const struct event_filter f = {.mask = EV_BIT(INTERPRET)};
	assert_true(machine_listen(s->machine, &f, views_values_record_sample, &all));
	for (unsigned c = 0; c < CYCLES && machine_status(s->machine) == MACHINE_RUNNING; c++)
		machine_step(s->machine);
	assert_int_not_equal(machine_status(s->machine), MACHINE_RUNNING);
	assert_true(all.n > 300);
	uint64_t before = UINT64_MAX;
	unsigned sum = 0;
	views_values_build_grid(s, "hotlist all", &g);
	for (unsigned i = 0; i < g.row_count; i++) {
		const uint64_t pc = g.rows[i].pc, seen = grid_cell_in_column(&g, i, "vtot")->raw.u,
			       value = strtoull(grid_cell_in_column(&g, i, "value")->text, NULL, 0);
		const unsigned most = views_values_count_samples(&all, pc, &value);
		assert_int_equal(seen, views_values_count_samples(&all, pc, NULL));
		assert_true(seen <= before);
		before = seen;
		sum += (unsigned)seen;
		assert_true(
			grid_cell_in_column(&g, i, "share")->raw.d > 99.9 * most / (double)seen &&
			grid_cell_in_column(&g, i, "share")->raw.d < 100.1 * most / (double)seen);
		for (unsigned k = 0; k < all.n; k++)
			assert_true(all.at[k].pc != pc ||
			            views_values_count_samples(&all, pc, &all.at[k].value) <= most);
		const struct oracle *o = machine_pipe(s->machine)->prof->oracle;
		const struct oracle_entry *e =
			oracle_table_find(&o->table[ORACLE_VALUES], pc, value);
		assert_non_null(e);
		const double exact = 100 * (double)e->count /
		                     (double)oracle_count(machine_pipe(s->machine)->prof, pc);
		assert_true(grid_cell_in_column(&g, i, "exact")->raw.d > exact - 0.1 &&
		            grid_cell_in_column(&g, i, "exact")->raw.d < exact + 0.1);
	}
	assert_int_equal(sum, all.n);
	const uint64_t first = g.rows[0].pc;
	grid_deinit(&g);
	/* One of them: every value, and no more. */
	char words[64];
	snprintf(words, sizeof words, "hotlist 0x%llx", (unsigned long long)first);
	views_values_build_grid(s, words, &g);
	sum = 0;
	for (unsigned i = 0; i < g.row_count; i++) {
		const uint64_t value = strtoull(grid_cell_in_column(&g, i, "value")->text, NULL, 0);
		assert_int_equal(grid_cell_in_column(&g, i, "count")->raw.u,
		                 views_values_count_samples(&all, first, &value));
		sum += (unsigned)grid_cell_in_column(&g, i, "count")->raw.u;
	}
	assert_int_equal(sum, views_values_count_samples(&all, first, NULL));
	grid_deinit(&g);
	views_values_build_grid(s, "hotlist results 2", &g);
	assert_int_equal(g.row_count, 2);
	grid_deinit(&g);
	assert_false(view_build(s, "hotlist nowhere", &(struct view_args){0}, &g, &err));
	assert_non_null(strstr(err.msg, "it is no kind of values, such as 'results'"));
	assert_false(view_build(s, "hotlist main walk", &(struct view_args){0}, &g, &err));
	assert_non_null(strstr(err.msg, "one place too many"));
	session_free(s);
	value_modules_free(modules);
}

/* ---- replay traps ---- */
enum { PAIRS = 256 };

struct traps {
	struct {
		uint64_t load, partner, type, count, squashed;
	} at[PAIRS];
	unsigned n, now;
	uint64_t last;
};

static void views_values_count_replay_trap(void *ctx, const struct machine *m,
                                           const struct event *ev)
{
	struct traps *t = ctx;
	unsigned i = 0;
	(void)m;
	while (i < t->n && (t->at[i].load != ev->pc || t->at[i].partner != ev->replay.partner_pc ||
	                    t->at[i].type != ev->replay.type))
		i++;
	assert_true(i < PAIRS);
	if (i == t->n) {
		t->at[t->n].load = ev->pc;
		t->at[t->n].partner = ev->replay.partner_pc;
		t->at[t->n++].type = ev->replay.type;
	}
	t->at[i].count++;
	t->at[i].squashed += ev->replay.count;
	t->now++;
	t->last = ev->seq;
}

static void check_pairs(const struct session *s, const struct traps *t)
{
	struct grid g;
	unsigned marked = 0;
	views_values_build_grid(s, "replay all", &g);
	assert_int_equal(g.row_count, t->n);
	for (unsigned r = 0; r < g.row_count; r++) {
		unsigned i = 0;
		while (i < t->n &&
		       (t->at[i].load != g.rows[r].pc ||
		        t->at[i].partner != grid_cell_in_column(&g, r, "partner")->raw.u ||
		        strcmp(replay_name[t->at[i].type],
		               grid_cell_in_column(&g, r, "type")->text) != 0))
			i++;
		assert_true(i < t->n);
		assert_int_equal(grid_cell_in_column(&g, r, "times")->raw.u, t->at[i].count);
		const double each = (double)t->at[i].squashed / (double)t->at[i].count;
		assert_true(grid_cell_in_column(&g, r, "squashed")->raw.d > each - 0.1 &&
		            grid_cell_in_column(&g, r, "squashed")->raw.d < each + 0.1);
		marked += *grid_cell_in_column(&g, r, "mark")->text != '\0';
	}
	assert_int_equal(marked > 0, t->now > 0);
	grid_deinit(&g);
}

static void pairs_are_those_of_the_events(void **state)
{
	(void)state;
	const char *const how[] = {"lsq.speculate=true",    "lsq.replay_size=true",
	                           "lsq.replay_synonym=64", "l1d.size=1K",
	                           "l1d.line=64",           "oracle.enable=true",
	                           "oracle.replays=true",   NULL};
	const struct config cfg = views_values_config(how);
	struct session *s = views_values_start_session(&cfg, NULL);
	static struct traps t;
	const struct event_filter f = {.mask = EV_BIT(REPLAY)};
	assert_true(machine_listen(s->machine, &f, views_values_count_replay_trap, &t));
	while (machine_step(s->machine)) {
		if (t.now || machine_cycle(s->machine) % 509 == 0)
			check_pairs(s, &t);
		t.now = 0;
	}
	assert_true(t.n > 2);
	assert_null(oracle_check(machine_pipe(s->machine)->prof->oracle));
	session_free(s);
	/* And the same without listeners. */
	struct grid g;
	uint64_t sum = 0;
	s = views_values_start_session(&cfg, NULL);
	machine_run(s->machine, UINT64_MAX, UINT64_MAX);
	const struct stats *st = machine_stats(s->machine);
	views_values_build_grid(s, "replay all", &g);
	assert_int_equal(g.row_count, t.n);
	for (unsigned r = 0; r < g.row_count; r++)
		sum += grid_cell_in_column(&g, r, "times")->raw.u;
	assert_int_equal(sum, st->order_violations + st->size_replays + st->synonym_replays);
	grid_deinit(&g);
	session_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hotlists_show_what_was_sampled),
		cmocka_unit_test(pairs_are_those_of_the_events),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
