/* Stalled machines: a checkpoint whose state waits for a distant cycle is accepted, since a machine
 * may wait; a motion ends nevertheless, and reports the cause. No configurable machine waits so
 * long. */
#include "tests/reverse/hostile.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/state_ranges.h"
#include "core/pipe/window.h"
#include "core/run/run.h"
#include "hwviews/why/why_text.h"
#include "tests/scale.h"

#define FAR (UINT64_C(1) << 31)
/* A cycle with an empty window, and one with a full one. */
enum { EMPTY = 2000, FULL = 3003 };

static char top[PATH_MAX];

static struct pipe_state *stall_test_pipe_state(struct hostile *h)
{
	return hostile_copy(h, machine_pipe(h->g->s->machine)->st);
}

/* Nothing is fetched. */
static void stall_test_delay_fetch(struct hostile *h)
{
	stall_test_pipe_state(h)->redirect_until += FAR;
}

/* No functional unit is free. */
static void no_units(struct hostile *h)
{
	struct pipe_state *st = stall_test_pipe_state(h);
	for (unsigned pool = 0; pool <= FU_POOL_COUNT; pool++) {
		st->fu_held[pool] = machine_pipe(h->g->s->machine)->fu_all.pool[pool];
		if (st->fu_held[pool])
			st->held_pools = (uint16_t)(st->held_pools | 1u << pool);
		for (unsigned i = 0; i < FU_UNITS_MAX; i++)
			st->fu[pool][i].busy_until = st->cycle + FAR;
	}
}

/* The next line of code is. */
static void no_line(struct hostile *h)
{
	struct pipe_state *st = stall_test_pipe_state(h);
	st->fetch_waits = 1;
	st->fetch_ready = st->cycle + FAR;
}

typedef bool motion_fn(struct run *r, struct run_stop_info *out, struct err *err);
static bool stall_test_run_continue(struct run *r, struct run_stop_info *out, struct err *err)
{
	return run_continue(r, out, err);
}
static bool stall_test_run_insts(struct run *r, struct run_stop_info *out, struct err *err)
{
	return run_insts(r, 1000000, true, out, err);
}
static bool stall_test_run_cycles(struct run *r, struct run_stop_info *out, struct err *err)
{
	return run_cycles(r, FAR - 1, true, out, err);
}
static bool stall_test_run_to_cycle(struct run *r, struct run_stop_info *out, struct err *err)
{
	return run_goto_cycle(r, FAR - 1, out, err);
}
static bool to_seq(struct run *r, struct run_stop_info *out, struct err *err)
{
	return run_goto_seq(r, FAR, out, err);
}

/* The damaged machine in `h`; the motion ends, standing still, long before FAR. */
static void stall_test_assert_stalled(struct hostile *h, motion_fn *motion, const char *what)
{
	struct err err = {""};
	struct run_stop_info out;
	char text[1024];
	struct machine *m = hostile_load(h, &err);
	if (!m)
		fail_msg("refused: %s", err.msg);
	struct run *r = run_new(m, &(struct run_options){.history = true});
	struct session s = *h->other->s;
	s.machine = m;
	assert_non_null(r);
	const uint64_t when = machine_cycle(m);
	for (int again = 0; again < 2; again++) {
		const uint64_t from = machine_cycle(m);
		assert_true(motion(r, &out, &err));
		if (out.reason != STOPPED_STALLED)
			fail_msg("it ended for reason %d in cycle %llu, and should wait for '%s'",
			         out.reason, (unsigned long long)machine_cycle(m), what);
		assert_int_equal(machine_status(m), MACHINE_RUNNING);
		assert_true(machine_cycle(m) < from + FAR / 4 &&
		            machine_cycle(m) >= from + out.waited && out.waited > 1 << 20);
	}
	why_stalled(&s, out.waited, text, sizeof text);
	if (strncmp(text, "nothing was committed for ", 26) || !strstr(text, what))
		fail_msg("'%s' does not say '%s'", text, what);
	/* Nothing is lost: going back leads to the former place. */
	assert_true(run_goto_cycle(r, when, &out, &err));
	assert_int_equal(machine_cycle(m), when);
	run_free(r);
	machine_free(m);
	h->tried++;
}

TEST(far_cycles)
{
	static const struct {
		void (*damage)(struct hostile *h);
		motion_fn *motion;
		const char *what;
	} cases[] = {
		{stall_test_delay_fetch, stall_test_run_continue, "fetch"},
		{stall_test_delay_fetch, stall_test_run_insts, "fetch"},
		{stall_test_delay_fetch, stall_test_run_cycles, "fetch"},
		{stall_test_delay_fetch, stall_test_run_to_cycle, "fetch"},
		{stall_test_delay_fetch, to_seq, "fetch"},
		{no_line, stall_test_run_continue, "fetch waits for the line"},
		{no_units, stall_test_run_continue, "unit"},
	};
	struct hostile h;
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		hostile_save(&h, HOSTILE_SMALL, cases[i].damage == no_units ? FULL : EMPTY);
		damage_copy(&h.f, &h.saved);
		cases[i].damage(&h);
		stall_test_assert_stalled(&h, cases[i].motion, cases[i].what);
		damage_free(&h.f);
		hostile_drop(&h);
	}
}

/* The slowest machine that params.def allows still makes progress. */
TEST(stall_slowest_machine_moves)
{
	struct subject how = guest;
	(void)state;
	how.settings = "mem.latency=10000 tlb.penalty=1000 bus.cycles=64 bus.bytes=1 l2.line=256 "
	               "l2.latency=256 l1d.latency=64 l1i.latency=64 "
		       "l1d.mshrs=1 l1d.mshr_targets=1 lat.int=64 bpred.penalty=64 "
	               "pipe.commit_delay=8 l1i.size=256 l1d.size=256 l2.size=1K";
	struct rig *g = rig_open(&how);
	for (unsigned i = 0; i < 2000; i++)
		if (rig_insts(g, 1) != STOPPED_DONE)
			break;
	assert_int_not_equal(rig_info.reason, STOPPED_STALLED);
	assert_true(machine_insts(g->s->machine) > 1000);
	rig_close(g);
}

/* From outside: the session in batch reports it and ends, and so does a run. */
static void program_ends(const char *how, int want, const char *what)
{
	char command[1024], text[4096];
	const char *cyclops = getenv("CYCLOPS");
	if (!cyclops)
		skip();
	snprintf(command, sizeof command, "LC_ALL=C '%s' %s 2>&1 </dev/null", cyclops, how);
	FILE *f = popen(command, "r");
	assert_non_null(f);
	const size_t n = fread(text, 1, sizeof text - 1, f);
	text[n] = '\0';
	const int status = pclose(f);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != want ||
	    !strstr(text, "nothing was committed for ") || !strstr(text, what))
		fail_msg("%s: status %d, '%s'", command, status, text);
}

TEST(in_batch)
{
	char how[PATH_MAX + 256];
	struct hostile h;
	struct err err = {""};
	(void)state;
	hostile_save(&h, HOSTILE_SMALL, EMPTY);
	damage_copy(&h.f, &h.saved);
	stall_test_delay_fetch(&h);
	machine_free(hostile_load(&h, &err)); /* leaves it in a file */
	snprintf(how, sizeof how, "run --restore point '%s/%s'", top, guest.program);
	program_ends(how, 125, "fetch");
	snprintf(how, sizeof how, "run --history --restore point '%s/%s'", top, guest.program);
	program_ends(how, 125, "fetch");
	static const char *const motions[] = {
		"continue",      "stepi 5000", "step 2000000000", "goto 2000000000",
		"goto #1000000", "until 0x4",  "finish",          "watch sim.insts == 77"};
	for (size_t i = 0; i < sizeof motions / sizeof *motions; i++) {
		snprintf(how, sizeof how, "--batch -e 'restore point' -e '%s' -e continue '%s/%s'",
		         motions[i], top, guest.program);
		program_ends(how, 1, "fetch");
	}
	damage_free(&h.f);
	hostile_drop(&h);
}

static int stall_enter_folder(void **state)
{
	return getcwd(top, sizeof top) ? rig_enter(state) : 1;
}

TEST_GROUP(stall_enter_folder, rig_leave)
