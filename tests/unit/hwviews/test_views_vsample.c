/* `why` and words of the value sampler, in every cycle of a program under one. */
#include "hwviews/grid/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/params.h"
#include "hwviews/values/vsample_rows.h"
#include "scripting/expr/expr.h"
#include "tests/cases.h"
#include "tests/unit/hwviews/grid_cell.h"

enum { CYCLES = 5000, SETTINGS = 20 };

/* A short handler. */
#define QUICK                                                                                      \
	"vsample.enable=true", "vsample.interval_min=5", "vsample.interval_max=60",                \
		"vsample.interrupt_cycles=3", "vsample.start_cycles=2", "vsample.inst_cycles=2",   \
		"vsample.tuple_cycles=3", "vsample.context_cycles=0", "vsample.service=1"

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

static bool views_vsample_text_has(const char *text, const char *part)
{
	return strstr(text, part);
}

/* The line of `why`; test_view_cells_vsample tests the view. */
TEST(every_cycle)
{
	const char *const how[][SETTINGS] = {
		{QUICK, "vsample.every=2", "vsample.length=4"},
		{QUICK, "vsample.every=1", "vsample.length=20", "vsample.skip=3"},
		{QUICK, "vsample.every=1", "vsample.length=6", "vsample.queue=3",
	         "vsample.service=60"},
	};
	unsigned met[VSAMPLE_PHASES] = {0};
	for (unsigned i = 0; i < sizeof how / sizeof *how; i++) {
		struct session *s = views_vsample_start_session(how[i]);
		const struct vsample_state *v = session_vsample(s);
		char line[512];
		for (unsigned c = 0; c < CYCLES && machine_status(s->machine) == MACHINE_RUNNING;
		     c++, machine_step(s->machine)) {
			met[v->phase]++;
			why_vsample(s, line, sizeof line);
			assert_int_equal(views_vsample_text_has(line, "next interrupt comes after"),
			                 !vsample_runs(s));
			assert_int_equal(views_vsample_text_has(line, "left (cycle"),
			                 vsample_runs(s));
			assert_int_equal(views_vsample_text_has(line, "handler interprets"),
			                 v->phase == VSAMPLE_INST || v->phase == VSAMPLE_LOAD);
		}
		session_free(s);
	}
	for (unsigned p = VSAMPLE_AWAY; p <= VSAMPLE_RECORD; p++)
		assert_true(met[p] > 20);
}

/* `why` names the interpretation of an instruction and, while the handler runs, that of fetch. */
TEST(why_says_it)
{
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

TEST(words_say_it)
{
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

TEST(values_read_well)
{
	char text[64];
	assert_string_equal(format_value(12, text, sizeof text), "12");
	assert_string_equal(format_value((uint64_t)-40, text, sizeof text), "-40");
	assert_string_equal(format_value(0x1040c, text, sizeof text), "0x1040c");
	assert_string_equal(format_value((uint64_t)-0x1040c, text, sizeof text), "-0x1040c");
	assert_string_equal(format_value(UINT64_C(0x8000000000000000), text, sizeof text),
	                    "0x8000000000000000");
	assert_string_equal(
		format_register_value(REG_F0, UINT64_C(0x400a000000000000), text, sizeof text),
		"3.25");
	assert_string_equal(
		format_register_value(REG_F0 + 3, UINT64_C(0xffffffff40500000), text, sizeof text),
		"3.25");
	assert_string_equal(share_bar(0.5, 4, text, sizeof text), "██  ");
	assert_string_equal(share_bar(0.0001, 2, text, sizeof text), "▏ ");
	assert_string_equal(share_bar(1.5, 2, text, sizeof text), "██");
	assert_string_equal(share_bar(0, 2, text, sizeof text), "  ");
}
