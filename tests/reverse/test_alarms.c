/* Alarms ring at their defined place, by any way there, and without side effects. */
#include "tests/reverse/rig.h"

#include <stdlib.h>
#include <string.h>

#include "core/machine/alarm.h"
#include "core/machine/change.h"

enum { RINGS_MAX = 20000 };

struct bell {
	uint64_t cycle[RINGS_MAX];
	size_t n;
};

static void alarms_test_record_ring(void *ctx, const struct machine *m)
{
	struct bell *b = ctx;
	assert_true(b->n < RINGS_MAX);
	b->cycle[b->n++] = machine_cycle(m);
}

static int alarms_test_set_alarm(struct rig *g, enum alarm_unit unit, uint64_t every,
                                 uint64_t first, alarm_fn *fn, void *ctx)
{
	struct err err;
	const struct alarm a = {.unit = unit, .every = every, .first = first};
	int id = machine_alarm(g->s->machine, &a, fn, ctx, &err);
	if (!id)
		fail_msg("%s", err.msg);
	return id;
}

static const struct subject subjects[] = {
	{.program = "build/tests/reverse/hooked", .settings = "", .stdin_fd = -1},
	{.program = "build/tests/reverse/hooked",
         .settings = "",
         .firmware = "build/tests/reverse/firmware.elf",
         .stdin_fd = -1},
	{.program = "build/tests/reverse/hooked",
         .settings = "pipe.in_order=1 pipe.issue_width=1",
         .stdin_fd = -1},
};

/* By the definition: cycles at whose end the count has reached a place for the first time. */
static struct bell *alarms_test_expected_rings(const struct subject *how, uint64_t from,
                                               enum alarm_unit unit, uint64_t every, uint64_t first)
{
	struct rig *g = rig_open(how);
	struct machine *m = g->s->machine;
	const struct stats *s = machine_stats(m);
	struct bell *b = calloc(1, sizeof *b);
	assert_non_null(b);
	while (machine_cycle(m) < from)
		assert_true(machine_step(m));
	uint64_t start = unit == ALARM_CYCLES ? machine_cycle(m) : s->insts,
		 place = first ? first : start + every;
	if (place < every && !first)
		place = 0; /* never */
	while (place && place <= start)
		place = every ? place + every : 0;
	while (machine_step(m)) {
		uint64_t now = unit == ALARM_CYCLES ? machine_cycle(m) : s->insts;
		bool rings = false;
		for (; place <= now && place; place = every ? place + every : 0)
			rings = true;
		if (rings)
			alarms_test_record_ring(b, m);
	}
	rig_close(g);
	return b;
}

enum way { RUN, STEP, STRIDES, WATCHED, WAYS };

static void listen_only(void *ctx, const struct machine *m, const struct event *ev)
{
	(void)m;
	(void)ev;
	++*(uint64_t *)ctx;
}

static void alarms_test_run_to_exit(struct rig *g, enum way way)
{
	const struct event_filter f = {.mask = EV_BIT(COMMIT)};
	struct machine *m = g->s->machine;
	static uint64_t heard;
	if (way == WATCHED)
		assert_true(machine_listen(m, &f, listen_only, &heard) > 0);
	if (way == RUN || way == WATCHED) {
		/* an alarm starts no watching */
		assert_true(way == WATCHED || !machine_pipe(m)->events.mask);
		machine_run(m, UINT64_MAX, UINT64_MAX);
	}
	while (way == STEP && machine_step(m))
		;
	while (way == STRIDES && machine_status(m) == MACHINE_RUNNING)
		machine_run(m, machine_cycle(m) + 37, machine_committed(m) + 11);
	assert_int_not_equal(machine_status(m), MACHINE_RUNNING);
}

TEST(they_ring_where_they_should)
{
	static const struct {
		enum alarm_unit unit;
		uint64_t every, first;
	} alarms[] = {
		{ALARM_INSTS, 1, 0},       {ALARM_INSTS, 2, 0},    {ALARM_INSTS, 3, 2},
		{ALARM_INSTS, 97, 0},      {ALARM_INSTS, 0, 500},  {ALARM_INSTS, 1000, 17},
		{ALARM_INSTS, 1 << 30, 0}, {ALARM_CYCLES, 1, 0},   {ALARM_CYCLES, 7, 0},
		{ALARM_CYCLES, 100, 3},    {ALARM_CYCLES, 0, 200}, {ALARM_CYCLES, UINT64_MAX, 0},
	};
	struct bell *got = calloc(1, sizeof *got);
	assert_non_null(got);
	for (size_t i = 0; i < (rig_small() ? 2 : sizeof subjects / sizeof *subjects); i++)
		for (size_t k = 0; k < sizeof alarms / sizeof *alarms; k++) {
			uint64_t from = k % 3 * 150;
			struct bell *want =
				alarms_test_expected_rings(&subjects[i], from, alarms[k].unit,
			                                   alarms[k].every, alarms[k].first);
			for (enum way way = 0; way < WAYS; way++) {
				struct rig *g = rig_open(&subjects[i]);
				machine_run(g->s->machine, from, UINT64_MAX);
				got->n = 0;
				alarms_test_set_alarm(g, alarms[k].unit, alarms[k].every,
				                      alarms[k].first, alarms_test_record_ring,
				                      got);
				alarms_test_run_to_exit(g, way);
				assert_int_equal(got->n, want->n);
				assert_memory_equal(got->cycle, want->cycle,
				                    got->n * sizeof *got->cycle);
				rig_close(g);
			}
			free(want);
		}
	free(got);
}

/* Not shifted by going back, silent on the way there, called again in forward motion. */
TEST(they_know_their_place_in_the_past)
{
	struct subject how = subjects[1];
	how.history = (struct run_options){.history = true, .first_spacing = 150};
	struct rig *g = rig_open(&how);
	struct bell *all = calloc(2, sizeof *all), *again = all + 1;
	assert_non_null(all);
	int id = alarms_test_set_alarm(g, ALARM_INSTS, 61, 0, alarms_test_record_ring, all);
	alarms_test_set_alarm(g, ALARM_CYCLES, 89, 0, alarms_test_record_ring, all);
	rig_continue(g);
	uint64_t end = rig_cycle(g), random = 5;
	assert_true(all->n > 20);
	memcpy(again, all, sizeof *again);
	for (int i = 0; i < 60; i++) {
		uint64_t from = random_below(&random, end),
			 to = from + random_below(&random, end - from);
		all->n = 0;
		if (i % 2)
			rig_back_cycles(g, rig_cycle(g) - from);
		else
			rig_goto(g, from);
		rig_back_insts(g, random_below(&random, 50));
		from = rig_cycle(g);
		to = to < from ? from : to;
		assert_int_equal(all->n, 0);
		rig_cycles(g, to - from);
		size_t k = 0, first = 0;
		while (first < again->n && again->cycle[first] <= from)
			first++;
		while (first + k < again->n && again->cycle[first + k] <= to)
			k++;
		assert_int_equal(all->n, k);
		assert_memory_equal(all->cycle, again->cycle + first, k * sizeof *all->cycle);
		rig_goto(g, end);
	}
	machine_unalarm(g->s->machine, id);
	rig_goto(g, 0);
	all->n = 0;
	rig_continue(g);
	assert_true(all->n && all->n < again->n);
	assert_int_equal(all->n, end / 89);
	rig_close(g);
	free(all);
}

struct guest_of {
	struct rig *g;
	int self, other;
	struct bell *born;
	uint64_t rang;
};

/* Removes itself and another alarm, and adds one. */
static void come_and_go(void *ctx, const struct machine *m)
{
	struct guest_of *v = ctx;
	(void)m;
	v->rang++;
	machine_unalarm(v->g->s->machine, v->self);
	machine_unalarm(v->g->s->machine, v->other);
	for (int i = 0; i < 40; i++) /* the table moves */
		alarms_test_set_alarm(v->g, ALARM_CYCLES, 100, 0, alarms_test_record_ring, v->born);
}

static void count_ring(void *ctx, const struct machine *m)
{
	(void)m;
	++*(uint64_t *)ctx;
}

TEST(they_come_and_go_while_ringing)
{
	struct rig *g = rig_open(&subjects[0]);
	struct guest_of v = {.g = g, .born = calloc(1, sizeof *v.born)};
	uint64_t before = 0, other = 0;
	assert_non_null(v.born);
	alarms_test_set_alarm(g, ALARM_CYCLES, 50, 0, count_ring, &before);
	v.self = alarms_test_set_alarm(g, ALARM_CYCLES, 50, 0, come_and_go, &v);
	v.other = alarms_test_set_alarm(g, ALARM_CYCLES, 50, 0, count_ring, &other);
	machine_run(g->s->machine, 149, UINT64_MAX);
	assert_int_equal(before, 2);
	assert_int_equal(v.rang, 1);
	assert_int_equal(other, 0);
	assert_int_equal(v.born->n, 0);
	machine_run(g->s->machine, 250, UINT64_MAX);
	assert_int_equal(v.born->n, 80);
	assert_int_equal(v.born->cycle[0], 150);
	assert_int_equal(v.born->cycle[79], 250);
	machine_unalarm(g->s->machine, 12345);
	rig_close(g);
	free(v.born);
}

static void change_the_end(void *ctx, const struct machine *m)
{
	struct rig *g = ctx;
	struct err err;
	assert_int_not_equal(machine_status(m), MACHINE_RUNNING);
	assert_true(machine_change_later(
		g->s->machine, &(struct change){.kind = JOURNAL_REG, .a = 31, .b = 4711}, &err));
	machine_request_stop(m);
}

TEST(the_end_rings_once)
{
	for (enum way way = 0; way < WAYS; way++) {
		struct subject how = subjects[0];
		how.history.history = true;
		struct rig *g = rig_open(&how);
		uint64_t rang = 0;
		alarms_test_set_alarm(g, ALARM_END, 0, 0, count_ring, &rang);
		alarms_test_set_alarm(g, ALARM_END, 0, 0, change_the_end, g);
		alarms_test_run_to_exit(g, way);
		assert_int_equal(rang, 1);
		machine_run(g->s->machine, UINT64_MAX, UINT64_MAX);
		assert_false(machine_step(g->s->machine));
		assert_int_equal(rang, 1);
		assert_int_equal(machine_reg(g->s->machine, 31), 4711);
		rig_close(g);
	}
	struct subject how = guest;
	how.arguments = "fault";
	struct rig *g = rig_open(&how);
	uint64_t rang = 0;
	alarms_test_set_alarm(g, ALARM_END, 0, 0, count_ring, &rang);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	assert_int_equal(machine_status(g->s->machine), MACHINE_FAULTED);
	uint64_t hash = rig_hash(g);
	assert_int_equal(rang, 1);
	rig_back_cycles(g, 300);
	assert_int_equal(rang, 1);
	rig_continue(g);
	assert_int_equal(rang, 2);
	assert_int_equal(rig_hash(g), hash);
	/* A change takes the end back, and a request to stop holds before the next one. */
	rig_back_cycles(g, 300);
	alarms_test_set_alarm(g, ALARM_END, 0, 0, change_the_end, g);
	assert_int_equal(rig_continue(g), STOPPED_ASKED);
	assert_int_equal(machine_status(g->s->machine), MACHINE_RUNNING);
	assert_int_equal(machine_reg(g->s->machine, 31), 4711);
	assert_int_equal(rang, 3);
	rig_back_cycles(g, 1);
	rig_goto(g, rig_cycle(g) + 1);
	assert_int_equal(machine_reg(g->s->machine, 31), 4711);
	rig_close(g);
}

TEST(they_go_along_to_another_machine)
{
	struct err err;
	struct rig *g = rig_open(&subjects[0]);
	struct bell *b = calloc(1, sizeof *b);
	assert_non_null(b);
	int id = alarms_test_set_alarm(g, ALARM_CYCLES, 100, 0, alarms_test_record_ring, b);
	machine_run(g->s->machine, 500, UINT64_MAX);
	assert_int_equal(b->n, 5);
	assert_true(session_restart(g->s, &err));
	machine_run(g->s->machine, 300, UINT64_MAX);
	assert_int_equal(b->n, 8);
	assert_int_equal(b->cycle[5], 100);
	machine_unalarm(g->s->machine, id);
	machine_run(g->s->machine, 900, UINT64_MAX);
	assert_int_equal(b->n, 8);
	rig_close(g);
	free(b);
}

TEST(one_that_could_never_ring_is_refused)
{
	struct rig *g = rig_open(&subjects[0]);
	struct err err = {""};
	assert_int_equal(machine_alarm(g->s->machine, &(struct alarm){.unit = ALARM_CYCLES},
	                               alarms_test_record_ring, NULL, &err),
	                 0);
	assert_non_null(strstr(err.msg, "period"));
	rig_close(g);
}

static int alarms_test_enter_data(void **state)
{
	int status = rig_enter(state);
	rig_go_data();
	return status;
}

TEST_GROUP(alarms_test_enter_data, rig_leave)
