/* History itself: numbers and places of snapshots, their cost, listeners' events, and the state
 * after an interrupt. */
#include "tests/reverse/rig.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/defs/events.h"

static struct subject history_test_demo_subject(const char *program)
{
	struct subject how = guest;
	how.program = program;
	return how;
}

/* ---- number and places of snapshots ---- */

/* Every gap is at most a share of its age, or two of the spacing. */
static void check_gaps(const struct rig *g, uint64_t spacing)
{
	struct run_history h = rig_history(g);
	assert_int_equal(run_snapshot_cycle(g->r, 0), h.first_cycle);
	assert_int_equal(run_snapshot_cycle(g->r, h.snapshots), UINT64_MAX);
	uint64_t before = h.first_cycle;
	for (unsigned i = 1; i < h.snapshots; i++) {
		uint64_t c = run_snapshot_cycle(g->r, i), age = h.newest_cycle - c;
		assert_true(c > before);
		assert_true(c - before <= age / 8 + 2 * spacing);
		before = c;
	}
	assert_true(h.newest_cycle - before <= 2 * spacing);
}

TEST(the_number_grows_with_the_logarithm)
{
	struct subject how = history_test_demo_subject("build/demos/matmul");
	how.history.first_spacing = 100;
	rig_go_top();
	struct rig *g = rig_open(&how);
	unsigned count[4] = {0};
	unsigned points = rig_small() ? 2 : 4;
	/* 10,000 to 640,000 cycles, four times as many each */
	for (unsigned i = 0; i < points; i++) {
		rig_goto(g, UINT64_C(10000) << (2 * i));
		count[i] = rig_history(g).snapshots;
		check_gaps(g, 100);
	}
	assert_true(count[0] > 20 && count[points - 1] < 100 * points);
	/* Each factor of four adds about as many snapshots as the factor before. */
	if (points == 4)
		assert_true(count[3] - count[2] < 2 * (count[2] - count[1]));
	rig_close(g);
}

TEST(the_budget_holds)
{
	struct subject how = history_test_demo_subject("build/demos/matmul");
	how.history.first_spacing = 500;
	how.history.budget_bytes = 6 << 20;
	rig_go_top();
	struct rig *g = rig_open(&how);
	uint64_t stride = rig_small() ? 3000 : 30000;
	for (unsigned i = 1; i < 20; i++) {
		rig_goto(g, i * stride);
		struct run_history h = rig_history(g);
		assert_true(h.bytes <= 8 << 20);
		assert_true(h.snapshots >= 3);
	}
	/* Going about in the past stays within it, too. */
	uint64_t random = 5;
	for (unsigned i = 0; i < 40; i++) {
		rig_goto(g, random_below(&random, 19 * stride));
		rig_back_cycles(g, 1);
		assert_true(rig_history(g).bytes <= 8 << 20);
	}
	rig_close(g);
}

/* Near a place that was looked at, little is re-executed. */
TEST(the_second_step_is_short)
{
	struct subject how = history_test_demo_subject("build/demos/matmul");
	rig_go_top();
	struct rig *g = rig_open(&how);
	uint64_t random = 3, far = rig_small() ? 30000 : 600000;
	rig_goto(g, far);
	for (unsigned i = 0; i < (rig_small() ? 2 : 20); i++) {
		rig_goto(g, far / 6 + random_below(&random, far / 6 * 5));
		uint64_t before = rig_history(g).cycles_reexecuted;
		for (unsigned k = 0; k < 100; k++)
			rig_back_cycles(g, 1);
		assert_true(rig_history(g).cycles_reexecuted - before <= 100 * 2048);
	}
	assert_true(rig_history(g).snapshots < 200);
	rig_close(g);
}

TEST(history_off)
{
	struct err err = {""};
	struct subject how = guest;
	how.history.history = false;
	rig_go_data();
	struct rig *g = rig_open(&how);
	assert_int_equal(rig_goto(g, 1000), STOPPED_DONE);
	assert_false(run_back_cycles(g->r, 1, &rig_info, &err));
	assert_non_null(strstr(err.msg, "history is off"));
	assert_false(run_back_insts(g->r, 1, &rig_info, &err));
	assert_false(run_back_continue(g->r, &rig_info, &err));
	assert_false(run_goto_cycle(g->r, 999, &rig_info, &err));
	assert_false(run_goto_seq(g->r, 1, &rig_info, &err));
	assert_int_equal(rig_cycle(g), 1000);
	assert_true(run_goto_seq(g->r, machine_pipe(g->s->machine)->st->next_seq + 50, &rig_info,
	                         &err));
	assert_int_equal(rig_info.reason, STOPPED_DONE);
	assert_int_equal(rig_history(g).snapshots, 0);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	rig_close(g);
}

TEST(ends_of_history)
{
	struct err err = {""};
	rig_go_data();
	struct rig *g = rig_open(&guest);
	assert_int_equal(rig_back_cycles(g, 1), STOPPED_BEGIN);
	assert_int_equal(rig_back_insts(g, 1), STOPPED_BEGIN);
	assert_int_equal(rig_back_continue(g), STOPPED_BEGIN);
	assert_int_equal(rig_cycles(g, 500), STOPPED_DONE);
	assert_int_equal(rig_back_cycles(g, 501), STOPPED_BEGIN);
	assert_int_equal(rig_cycle(g), 0);
	assert_false(run_goto_seq(g->r, 0, &rig_info, &err));
	assert_int_equal(rig_cycles(g, 0), STOPPED_DONE);
	assert_int_equal(rig_back_cycles(g, 0), STOPPED_DONE);
	rig_close(g);
}

/* ---- listeners' events ---- */

struct tape {
	uint64_t cycle[4096], seq[4096];
	size_t n;
};

static void history_test_record_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct tape *t = ctx;
	(void)m;
	if (t->n < 4096) {
		t->cycle[t->n] = ev->cycle;
		t->seq[t->n] = ev->seq;
	}
	t->n++;
}

TEST(re_execution_is_muted)
{
	static struct tape tape;
	const struct event_filter commits = {.mask = EV_BIT(COMMIT)};
	rig_go_data();
	struct rig *g = rig_open(&guest);
	tape.n = 0;
	assert_true(machine_listen(g->s->machine, &commits, history_test_record_event, &tape) > 0);
	rig_cycles(g, 3000);
	size_t heard = tape.n;
	assert_true(heard > 500);
	rig_back_cycles(g, 1000);
	rig_back_insts(g, 100);
	rig_break(g, "after_one", STAGE_COMMIT);
	rig_back_continue(g);
	rig_goto(g, 3000);
	rig_goto(g, 2900);
	assert_int_equal(tape.n, heard);
	rig_cycles(g, 100); /* motions of the user reach listeners */
	assert_true(tape.n > heard);
	heard = tape.n;
	rig_goto(g, 2000);
	rig_goto(g, 3100); /* 3000 to 3100 is new */
	assert_true(tape.n > heard && tape.n < heard + 400);
	for (size_t i = heard; i < tape.n; i++)
		assert_true(tape.cycle[i] >= 3000);
	rig_close(g);
}

TEST(a_replay_tells_what_happened)
{
	static struct tape first, again;
	struct err err;
	const struct event_filter fetches = {.mask = EV_BIT(FETCH)};
	rig_go_data();
	struct rig *g = rig_open(&guest);
	first.n = 0;
	rig_cycles(g, 2000);
	int id = machine_listen(g->s->machine, &fetches, history_test_record_event, &first);
	rig_cycles(g, 1000);
	machine_unlisten(g->s->machine, id);
	assert_true(first.n > 100 && first.n < 4096);
	for (unsigned i = 0; i < 3; i++) {
		static const uint64_t places[] = {0, 2500, 40000};
		rig_goto(g, places[i]);
		uint64_t cycle = rig_cycle(g), hash = rig_hash(g);
		size_t printed = g->out_n;
		again.n = 0;
		assert_true(run_replay(g->r, 2000, 3000, &fetches, history_test_record_event,
		                       &again, &err) ||
		            i == 0);
		assert_int_equal(rig_cycle(g), cycle);
		assert_int_equal(rig_hash(g), hash);
		assert_int_equal(g->out_n, printed);
		assert_int_equal(again.n, first.n);
		assert_memory_equal(again.cycle, first.cycle, first.n * sizeof *first.cycle);
		assert_memory_equal(again.seq, first.seq, first.n * sizeof *first.seq);
	}
	assert_false(
		run_replay(g->r, 40001, 40002, &fetches, history_test_record_event, &again, &err));
	assert_non_null(strstr(err.msg, "40000"));
	rig_close(g);
}

/* ---- interrupts ---- */

static uint64_t reports, furthest;

static bool interrupt_soon(void *ctx, uint64_t cycle)
{
	const uint64_t *after = ctx;
	furthest = cycle;
	return ++reports >= *after;
}

TEST(an_interrupt_keeps_everything_intact)
{
	struct subject how = history_test_demo_subject("build/demos/matmul");
	uint64_t after = 1;
	rig_go_top();
	struct rig *g = rig_open(&how);
	struct rig *plain = rig_open(&how);
	run_set_progress(g->r, interrupt_soon, &after);
	reports = 0;
	assert_int_equal(rig_continue(g), STOPPED_INTERRUPT);
	assert_int_equal(reports, 1);
	uint64_t cycle = rig_cycle(g);
	assert_true(cycle > 0 && cycle >= furthest && cycle < furthest + 8192);
	machine_run(plain->s->machine, cycle, UINT64_MAX);
	assert_int_equal(rig_hash(g), rig_hash(plain));
	run_set_progress(g->r, NULL, NULL);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	uint64_t end = rig_cycle(g), hash = rig_hash(g);
	/* An interrupt of a motion backwards undoes it all. */
	int id = rig_break(g, "main", STAGE_COMMIT);
	run_set_progress(g->r, interrupt_soon, &after);
	reports = 0;
	enum stop_reason why = rig_back_continue(g);
	if (reports) { /* on a fast machine it is over sooner */
		assert_int_equal(why, STOPPED_INTERRUPT);
		assert_int_equal(rig_cycle(g), end);
		assert_int_equal(rig_hash(g), hash);
	}
	run_set_progress(g->r, NULL, NULL);
	assert_int_equal(rig_goto(g, end), STOPPED_DONE);
	assert_int_equal(rig_back_continue(g), STOPPED_BREAK);
	assert_int_equal(rig_info.stop_id, id);
	rig_close(g);
	rig_close(plain);
}

static struct run *interrupted_run;
static volatile double interrupted_at;

static double history_test_cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void history_test_on_sigalrm(int sig)
{
	(void)sig;
	interrupted_at = history_test_cpu_ms();
	run_interrupt(interrupted_run);
}

/* Interrupts the run after so much time of that clock. The timer is the caller's to delete. */
static timer_t alarm_in_ms(struct rig *g, clockid_t clock, long ms)
{
	struct itimerspec it = {.it_value = {.tv_nsec = ms * 1000000}};
	struct sigaction sa = {.sa_handler = history_test_on_sigalrm};
	struct sigevent how = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	timer_t timer;
	interrupted_run = g->r;
	interrupted_at = 0;
	sigaction(SIGALRM, &sa, NULL);
	assert_int_equal(timer_create(clock, &how, &timer), 0);
	assert_int_equal(timer_settime(timer, 0, &it, NULL), 0);
	return timer;
}

/* At any work: running, checking each cycle, searching backwards. All times are processor time;
 * long motions take seconds. */
TEST(an_interrupt_takes_little_time)
{
	struct subject how = history_test_demo_subject("build/demos/sort");
	how.arguments = "demos/programs/input/words.txt"; /* runs for seconds */
	how.history.search_all = true; /* else no interval is searched */
	rig_go_top();
	struct rig *g = rig_open(&how);
	struct stop_point never = {.kind = STOP_POINT_PC, .addr = 2, .enabled = true};
	for (unsigned i = 0; i < 6; i++) {
		if (i == 2)
			run_add_stop(g->r, &never);
		bool back = i == 3 || i == 5;
		timer_t timer = alarm_in_ms(g, CLOCK_PROCESS_CPUTIME_ID, back ? 10 : 100);
		enum stop_reason why = back ? rig_back_continue(g) : rig_continue(g);
		double now = history_test_cpu_ms();
		assert_int_equal(why, STOPPED_INTERRUPT);
		assert_true(interrupted_at > 0);
		assert_true(now - interrupted_at < 500);
		timer_delete(timer);
	}
	rig_close(g);
}

TEST(waiting_for_input_can_be_interrupted)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	struct subject typed = guest;
	typed.arguments = "read input";
	typed.stdin_fd = ends[0];
	rig_go_data();
	struct rig *g = rig_open(&typed);
	/* On a busy computer an alarm may come before it waits. */
	enum stop_reason why;
	do {
		timer_t timer = alarm_in_ms(g, CLOCK_MONOTONIC, 100);
		why = rig_continue(g);
		timer_delete(timer);
	} while (why == STOPPED_INTERRUPT);
	assert_int_equal(why, STOPPED_INPUT);
	uint64_t cycle = rig_cycle(g), hash = rig_hash(g);
	/* It can go elsewhere meanwhile. */
	assert_int_equal(rig_back_cycles(g, 100), STOPPED_DONE);
	assert_int_equal(rig_goto(g, cycle), STOPPED_DONE);
	assert_int_equal(rig_hash(g), hash);
	assert_int_equal(write(ends[1], "late\n", 5), 5);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	assert_memory_equal(g->out, "late\none\n", 9);
	rig_close(g);
	close(ends[0]);
	close(ends[1]);
}

TEST_GROUP(rig_enter, rig_leave)
