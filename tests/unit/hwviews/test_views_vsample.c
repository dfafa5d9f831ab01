/* The view of the value sampler, `why` and words, in every cycle of a program under one, against
 * its events and counters. */
#include "hwviews/grid/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hwviews/values/vsample_rows.h"
#include "scripting/expr/expr.h"
#include "tests/unit/hwviews/grid_cell.h"

enum { SHOWN = 8, CYCLES = 5000, LIST_ROW = 3, SETTINGS = 20 };

/* A handler that takes little. */
#define QUICK                                                                                      \
	"vsample.enable=true", "vsample.interval_min=5", "vsample.interval_max=60",                \
		"vsample.interrupt_cycles=3", "vsample.start_cycles=2", "vsample.inst_cycles=2",   \
		"vsample.tuple_cycles=3", "vsample.context_cycles=0", "vsample.service=1"

/* Events of this interpretation, or the last. */
struct told {
	struct {
		uint64_t pc, result;
		unsigned rd;
		bool recorded, lost;
	} inst[256];         /* by their places */
	unsigned n, recorded;
	uint64_t taken, stop, stop_pc, interrupts;
	unsigned met[VSAMPLE_PHASES], lost;
};

static void views_vsample_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct told *t = ctx;
	const struct uop *u =
		ev->slot == EVENT_NO_SLOT ? NULL : pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	switch ((enum event_id)ev->id) {
	case EV_VSAMPLE:
		t->taken = ev->pc;
		t->interrupts++;
		if (ev->vsample.interprets)
			t->n = t->recorded = 0;
		return;
	case EV_INTERPRET:
		assert_true(ev->interpret.place == t->n && t->n < 256);
		t->inst[t->n].pc = u->pc;
		t->inst[t->n].result = u->inst.rd == REG_SINK ? 0 : u->result;
		t->inst[t->n].rd = u->inst.rd;
		t->inst[t->n].recorded = ev->interpret.recorded;
		t->inst[t->n++].lost = ev->interpret.lost;
		t->recorded += ev->interpret.recorded != 0;
		t->lost += ev->interpret.lost != 0;
		return;
	default:
		t->stop = ev->interpreted.stop;
		t->stop_pc = ev->pc;
	}
}

static struct session *views_vsample_start_session(const char *const *settings)
{
	struct err err;
	struct session_options opt = {.launch = {.path = "tests/golden/guest.elf", .stdin_fd = -1},
	                              .history = {.history = true},
	                              .fast_forward = 9000};
	config_default(&opt.cfg);
	for (; *settings; settings++)
		if (!config_set_assignment(&opt.cfg, *settings, &err))
			fail_msg("%s", err.msg);
	struct session *s = session_open(&opt, &err);
	if (!s)
		fail_msg("%s", err.msg);
	return s;
}

static void views_vsample_build_grid(const struct session *s, struct grid *g)
{
	struct err err;
	assert_true(view_fill(view_named(NULL, "vsample"), s, &(struct view_args){0}, g, &err));
}

static unsigned views_vsample_row_of_part(const struct grid *g, const char *part)
{
	for (unsigned r = 0; r < g->row_count; r++)
		if (!strcmp(grid_cell_in_column(g, r, "part")->text, part))
			return r;
	fail_msg("no row %s", part);
	return 0;
}

static bool views_vsample_text_has(const char *text, const char *part)
{
	return strstr(text, part);
}

/* The list: what was recorded and not lost stands at its place, by its events; the rest is work or
 * dots. */
static void views_vsample_check_list(const struct session *s, const struct grid *g,
                                     const struct told *t)
{
	const uint64_t length = (uint64_t)machine_config(s->machine)->vsample_length;
	const unsigned rows = length < SHOWN ? (unsigned)length : SHOWN;
	unsigned seen = 0, i = 0;
	for (; i < rows; i++) {
		const char *part = grid_cell_in_column(g, LIST_ROW + i, "part")->text;
		char mark[8];
		unsigned place = 0;
		assert_true(sscanf(part, " %7s %u", mark, &place) >= 1);
		if (strcmp(mark, "●") != 0 && strcmp(mark, "◆") != 0 && strcmp(mark, "×") != 0)
			continue;
		assert_true(place >= 1 && place <= t->n);
		assert_int_equal(!strcmp(mark, "×"), t->inst[place - 1].lost);
		assert_true(t->inst[place - 1].recorded);
		seen++;
		if (t->inst[place - 1].lost)
			continue;
		assert_int_equal(g->rows[LIST_ROW + i].pc, t->inst[place - 1].pc);
		if (t->inst[place - 1].result) {
			char value[64], want[80];
			snprintf(want, sizeof want, " %s",
			         format_register_value(t->inst[place - 1].rd,
			                             t->inst[place - 1].result, value,
			                             sizeof value));
			assert_true(views_vsample_text_has(
				grid_cell_in_column(g, LIST_ROW + i, "value")->text, want));
		}
	}
	/* All of them that fit, but for the one at work, unless the queue had to lose some. */
	const unsigned fit = t->recorded < rows ? t->recorded : rows;
	assert_true(seen <= fit);
	if (!t->lost)
		assert_true(seen + 1 >= fit);
	assert_string_equal(grid_cell_in_column(g, LIST_ROW + i, "part")->text, "stopped");
}

static void views_vsample_check_cost(const struct session *s, const struct grid *g)
{
	const struct stats *st = machine_stats(s->machine);
	const unsigned first = views_vsample_row_of_part(g, "cost");
	uint64_t sum = 0;
	assert_int_equal(grid_cell_in_column(g, first, "at")->raw.u,
	                 st->vsample_cycles + st->vsample_refill_cycles);
	for (unsigned i = 1; i <= 5; i++)
		sum += grid_cell_in_column(g, first + i, "at")->raw.u;
	if (!vsample_runs(s))
		assert_int_equal(sum, st->vsample_cycles + st->vsample_refill_cycles);
}

static void views_vsample_check_grid(struct session *s, struct told *t)
{
	const struct vsample_state *v = session_vsample(s);
	char line[512];
	struct grid g;
	views_vsample_build_grid(s, &g);
	t->met[v->phase]++;
	const char *way =
		grid_cell_in_column(&g, views_vsample_row_of_part(&g, "handler"), "what")->text;
	for (unsigned i = VSAMPLE_ENTERED; i <= VSAMPLE_RECORD; i++) {
		char lit[32];
		snprintf(lit, sizeof lit, "●%s", vsample_phase_name[i]);
		assert_int_equal(views_vsample_text_has(way, lit), v->phase == i);
	}
	why_vsample(s, line, sizeof line);
	if (!vsample_runs(s)) {
		assert_int_equal(
			grid_cell_in_column(&g, views_vsample_row_of_part(&g, "next"), "at")->raw.u,
			v->at - machine_stats(s->machine)->insts);
		assert_true(views_vsample_text_has(line, "next interrupt comes after"));
	} else {
		char left[64];
		snprintf(left, sizeof left, "%u left, ",
		         (unsigned)(v->due + 1 - machine_cycle(s->machine)));
		assert_true(views_vsample_text_has(
			grid_cell_in_column(&g, views_vsample_row_of_part(&g, "handler"), "value")
				->text,
			left));
		assert_true(views_vsample_text_has(line, "left (cycle"));
	}
	assert_int_equal(views_vsample_text_has(line, "handler interprets"),
	                 v->phase == VSAMPLE_INST || v->phase == VSAMPLE_LOAD);
	if (t->interrupts)
		assert_int_equal(
			grid_cell_in_column(&g, views_vsample_row_of_part(&g, "interrupt"), "at")
				->raw.u,
			t->taken);
	assert_int_equal(
		grid_cell_in_column(&g, views_vsample_row_of_part(&g, "queue"), "at")->raw.u,
		vsample_waiting(machine_pipe(s->machine)->prof));
	if (t->stop) {
		assert_int_equal(
			grid_cell_in_column(&g, views_vsample_row_of_part(&g, "stopped"), "at")
				->raw.u,
			t->stop_pc);
		assert_string_equal(
			grid_cell_in_column(&g, views_vsample_row_of_part(&g, "stopped"), "what")
				->text,
			vsample_stop_name[t->stop]);
	}
	views_vsample_check_list(s, &g, t);
	views_vsample_check_cost(s, &g);
	grid_deinit(&g);
}

static void every_cycle(void **state)
{
	(void)state;
	const char *const how[][SETTINGS] = {
		{QUICK, "vsample.every=2", "vsample.length=4"},
		{QUICK, "vsample.every=1", "vsample.length=20", "vsample.skip=3"},
		{QUICK, "vsample.every=1", "vsample.length=6", "vsample.queue=3",
	         "vsample.service=60"},
		{QUICK, "vsample.every=1", "vsample.length=1"},
	};
	unsigned met[VSAMPLE_PHASES] = {0};
	for (unsigned i = 0; i < sizeof how / sizeof *how; i++) {
		struct session *s = views_vsample_start_session(how[i]);
		struct told t = {0};
		const struct event_filter f = {.mask = EV_BIT(VSAMPLE) | EV_BIT(INTERPRET) |
		                                       EV_BIT(INTERPRETED)};
		assert_true(machine_listen(s->machine, &f, views_vsample_on_event, &t));
		views_vsample_check_grid(s, &t);
		for (unsigned c = 0; c < CYCLES && machine_status(s->machine) == MACHINE_RUNNING;
		     c++) {
			const uint64_t hash = c % 97 ? 0 : machine_hash(s->machine);
			views_vsample_check_grid(s, &t);
			if (hash)
				assert_int_equal(machine_hash(s->machine), hash);
			machine_step(s->machine);
		}
		for (unsigned p = VSAMPLE_AWAY; p <= VSAMPLE_RECORD; p++)
			met[p] += t.met[p];
		assert_true(t.stop && t.interrupts > 5);
		assert_int_equal(t.lost > 0, i == 2);
		session_free(s);
	}
	for (unsigned p = VSAMPLE_AWAY; p <= VSAMPLE_RECORD; p++)
		assert_true(met[p] > 20);
}

/* `why` of an interpreted instruction shows that; while the handler runs, fetch does, too. */
static void why_says_it(void **state)
{
	(void)state;
	const char *const how[] = {QUICK, "vsample.every=1", NULL};
	struct session *s = views_vsample_start_session(how);
	const struct pipe *p = machine_pipe(s->machine);
	char line[512];
	unsigned interpreted = 0, committed = 0;
	for (unsigned c = 0; c < 8000; c++) {
		machine_step(s->machine);
		assert_int_equal(views_vsample_text_has(why_fetch_line(s, line, sizeof line),
		                                        "the value sampler's handler runs"),
		                 vsample_runs(s));
		for (uint32_t i = 0; i < p->pool_size; i++) {
			const struct uop *u = &p->pool[i];
			if (u->state != UOP_RETIRED || u->when.end + 1 != p->st->cycle)
				continue;
			const bool by_handler = views_vsample_text_has(
				why_line(s, u, line, sizeof line),
				"was interpreted by the value sampler's handler");
			assert_int_equal(by_handler, uop_is_interpreted(u));
			interpreted += by_handler;
			committed += views_vsample_text_has(line, "committed in cycle");
		}
	}
	assert_int_equal(interpreted, machine_stats(s->machine)->vsample_insts);
	assert_true(interpreted > 30 && committed > 100);
	session_free(s);
}

static void views_vsample_expect_true(struct exprs *x, const char *text)
{
	struct err err;
	struct expr_value v;
	if (!expr_once(x, text, &v, &err))
		fail_msg("%s: %s", text, err.msg);
	if (!expr_true(&v))
		fail_msg("false: %s", text);
}

static void words_say_it(void **state)
{
	(void)state;
	const char *const how[] = {QUICK, "vsample.every=1", NULL};
	struct session *s = views_vsample_start_session(how);
	const struct vsample_state *v = session_vsample(s);
	struct err err;
	struct exprs *x = exprs_new(s, &err);
	char text[512];
	assert_non_null(x);
	for (unsigned c = 0; c < 2000; c++) {
		machine_step(s->machine);
		snprintf(text, sizeof text,
		         "vsample.distance == %u and vsample.interval == %u and vsample.countdown "
		         "== %u and vsample.left == %u and vsample.place == %u and "
		         "vsample.waiting == %u and vsample.phase == '%s' and vsample.stop == '%s' "
		         "and vsample.stop_pc == %u and vsample.sampled_pc == %u and vsample.since "
		         "== %u",
		         (unsigned)vsample_distance(machine_pipe(s->machine)->prof),
		         (unsigned)v->interval, (unsigned)v->countdown, (unsigned)v->left,
		         (unsigned)v->place,
		         (unsigned)vsample_waiting(machine_pipe(s->machine)->prof),
		         vsample_phase_name[v->phase], vsample_stop_name[v->stop],
		         (unsigned)v->stop_pc, (unsigned)v->sampled_pc, (unsigned)v->since);
		views_vsample_expect_true(x, text);
		snprintf(text, sizeof text,
		         v->phase == VSAMPLE_INST || v->phase == VSAMPLE_LOAD ? "vsample.pc == %u"
		                                                              : "vsample.pc == nil",
		         (unsigned)v->pc);
		views_vsample_expect_true(x, text);
	}
	views_vsample_expect_true(x, "vsample.interrupts > 1 and vsample.length == 4");
	exprs_free(x);
	session_free(s);
}

static void values_read_well(void **state)
{
	(void)state;
	char text[64];
	assert_string_equal(format_value(12, text, sizeof text), "12");
	assert_string_equal(format_value((uint64_t)-40, text, sizeof text), "-40");
	assert_string_equal(format_value(0x1040c, text, sizeof text), "0x1040c");
	assert_string_equal(format_value((uint64_t)-0x1040c, text, sizeof text), "-0x1040c");
	assert_string_equal(format_value(UINT64_C(0x8000000000000000), text, sizeof text),
	                    "0x8000000000000000");
	assert_string_equal(
		format_register_value(REG_F0 + 3, UINT64_C(0x400a000000000000), text, sizeof text),
		"3.25");
	assert_string_equal(
		format_register_value(REG_F0 + 3, UINT64_C(0xffffffff40500000), text, sizeof text),
		"3.25");
	assert_string_equal(share_bar(0.5, 4, text, sizeof text), "██  ");
	assert_string_equal(share_bar(0.0001, 2, text, sizeof text), "▏ ");
	assert_string_equal(share_bar(1.5, 2, text, sizeof text), "██");
	assert_string_equal(share_bar(0, 2, text, sizeof text), "  ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cycle),
		cmocka_unit_test(why_says_it),
		cmocka_unit_test(words_say_it),
		cmocka_unit_test(values_read_well),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
