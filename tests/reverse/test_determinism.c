/* A machine's behaviour depends only on its program, input and configuration. */
#include "tests/reverse/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/defs/events.h"
#include "core/machine/alarm.h"
#include "tests/reverse/script.h"

enum { PRINTS_MAX = 4096 };

struct prints {
	uint64_t hash[PRINTS_MAX];
	size_t n;
	char out[OUTPUT_MAX];
};

static const struct subject subjects[] = {
	{.program = "build/demos/hello", .settings = "", .stdin_fd = -1},
	{.program = "build/demos/selfmod", .settings = "lsq.speculate=1", .stdin_fd = -1},
	{.program = "build/demos/hello",
         .settings = "bpred.kind=perfect lsq.speculate=1",
         .stdin_fd = -1},
	{.program = "build/demos/longjmp",
         .settings = "bpred.kind=gshare bpred.update=commit",
         .stdin_fd = -1},
	{.program = "build/demos/readfile",
         .settings = "pipe.rob_size=256 lsq.size=16 l1d.mshrs=1",
         .stdin_fd = -1},
	{.program = "build/demos/hello",
         .firmware = "build/tests/reverse/firmware.elf",
         .settings = "",
         .stdin_fd = -1},
	{.program = "build/demos/branchy",
         .settings = "l1d.size=1K l1d.prefetch=stride l2.prefetch=next-line l1d.replacement=random",
         .stdin_fd = -1},
	{.program = "build/demos/fib",
         .settings = "pipe.in_order=1 pipe.issue_width=1",
         .stdin_fd = -1},
	{.program = "build/demos/matmul",
         .settings = "pipe.issue_queue=8 bpred.kind=nottaken",
         .stdin_fd = -1},
	{.program = "build/tests/reverse/profiled",
         .settings = "xprof.bpred=ignored-update bdt.min_block=1",
         .stdin_fd = -1},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* Builds that check invariants are slow: only the short programs. */
static unsigned how_many(void)
{
	return rig_small() ? 3 : SUBJECTS;
}

static struct prints *take_prints(const struct subject *how, const struct event_filter *f,
                                  event_fn *fn, void *ctx)
{
	struct prints *p = calloc(1, sizeof *p);
	struct rig *g = rig_open(how);
	struct machine *m = g->s->machine;
	assert_non_null(p);
	if (f)
		assert_true(machine_listen(m, f, fn, ctx) > 0);
	while (machine_status(m) == MACHINE_RUNNING && p->n < PRINTS_MAX) {
		machine_run(m, machine_cycle(m) + 10000, UINT64_MAX);
		p->hash[p->n++] = machine_hash(m);
	}
	memcpy(p->out, g->out, sizeof p->out);
	rig_close(g);
	return p;
}

static void same_prints(const struct prints *a, const struct prints *b)
{
	assert_int_equal(a->n, b->n);
	assert_memory_equal(a->hash, b->hash, a->n * sizeof *a->hash);
	assert_string_equal(a->out, b->out);
}

TEST(the_same_run_twice)
{
	for (unsigned i = 0; i < how_many(); i++) {
		struct prints *a = take_prints(&subjects[i], NULL, NULL, NULL);
		struct prints *b = take_prints(&subjects[i], NULL, NULL, NULL);
		assert_true(a->n > 1);
		same_prints(a, b);
		free(a);
		free(b);
	}
}

static void determinism_count_event(void *ctx, const struct machine *m, const struct event *ev)
{
	uint64_t *events = ctx;
	(void)m;
	events[ev->id]++;
}

TEST(observed_or_not)
{
	const struct event_filter all = {.mask = (UINT64_C(1) << EV_COUNT) - 1};
	uint64_t events[EV_COUNT] = {0};
	for (unsigned i = 0; i < how_many(); i++) {
		struct prints *a = take_prints(&subjects[i], NULL, NULL, NULL);
		struct prints *b = take_prints(&subjects[i], &all, determinism_count_event, events);
		same_prints(a, b);
		free(a);
		free(b);
	}
	assert_true(events[EV_COMMIT] > 10000 && events[EV_SQUASH] && events[EV_OUTPUT] &&
	            events[EV_EXIT] == how_many());
}

static void determinism_count_ring(void *ctx, const struct machine *m)
{
	uint64_t *rings = ctx;
	(void)m;
	++*rings;
}

/* Alarms do not either, whatever they count; alone, or beside a listener. */
TEST(alarmed_or_not)
{
	const struct event_filter commits = {.mask = EV_BIT(COMMIT)};
	static const struct alarm alarms[] = {{.unit = ALARM_INSTS, .every = 7},
	                                      {.unit = ALARM_INSTS, .every = 1000, .first = 3},
	                                      {.unit = ALARM_CYCLES, .every = 11},
	                                      {.unit = ALARM_END}};
	for (unsigned i = 0; i < how_many(); i++)
		for (int heard = 0; heard < 2; heard++) {
			struct err err;
			uint64_t rings = 0, events[EV_COUNT] = {0};
			struct rig *plain = rig_open(&subjects[i]), *g = rig_open(&subjects[i]);
			struct machine *m = g->s->machine;
			for (size_t k = 0; k < sizeof alarms / sizeof *alarms; k++)
				assert_true(machine_alarm(m, &alarms[k], determinism_count_ring,
				                          &rings, &err) > 0);
			if (heard)
				assert_true(machine_listen(m, &commits, determinism_count_event,
				                           events) > 0);
			for (uint64_t c = 10000; c <= 200000; c += 10000) {
				machine_run(m, c, UINT64_MAX);
				machine_run(plain->s->machine, c, UINT64_MAX);
				assert_int_equal(rig_hash(g), rig_hash(plain));
			}
			assert_true(rings > 1000);
			assert_memory_equal(machine_stats(m), machine_stats(plain->s->machine),
			                    sizeof(struct stats));
			assert_string_equal(g->out, plain->out);
			rig_close(plain);
			rig_close(g);
		}
}

/* A script's changes are part of the machine's run: equal each time, by steps or in strides, with
 * history and without. */
TEST(scripted_alike)
{
	const struct subject how = {
		.program = "build/tests/reverse/hooked", .settings = "", .stdin_fd = -1};
	struct subject with = how;
	with.history = (struct run_options){.history = true, .first_spacing = 333};
	struct rig *a = rig_open(&how), *b = rig_open(&how), *c = rig_open(&with);
	struct script *s[] = {script_new(a, true), script_new(b, false), script_new(c, false)};
	while (machine_step(a->s->machine))
		;
	while (machine_status(b->s->machine) == MACHINE_RUNNING)
		machine_run(b->s->machine, rig_cycle(b) + 71, UINT64_MAX);
	while (rig_continue(c) != STOPPED_EXIT)
		assert_int_equal(rig_info.reason, STOPPED_ASKED);
	assert_int_equal(rig_hash(a), rig_hash(b));
	assert_int_equal(rig_hash(a), rig_hash(c));
	for (int i = 0; i < 3; i++) {
		assert_true(s[i]->worked > 100 && s[i]->worked == s[0]->worked);
		assert_int_equal(script_hash(s[i]), script_hash(s[0]));
	}
	rig_close(a);
	rig_close(b);
	rig_close(c);
	for (int i = 0; i < 3; i++)
		free(s[i]);
}

struct written {
	uint64_t bytes, cycles; /* cycles: digest of the cycles of all writes */
};

static void note_written(void *ctx, const struct machine *m, const struct event *ev)
{
	struct written *w = ctx;
	assert_int_equal(ev->cycle + 1, machine_cycle(m));
	w->bytes += ev->output.bytes;
	w->cycles = w->cycles * 31 + ev->cycle;
}

/* One cycle at a time, or in strides; and a rare listener gets the same events in the same cycles.
 */
TEST(stepped_or_run)
{
	const struct event_filter output = {.mask = EV_BIT(OUTPUT)};
	struct written stepped = {0}, run = {0};
	struct rig *a = rig_open(&subjects[0]), *b = rig_open(&subjects[0]),
		   *c = rig_open(&subjects[0]);
	assert_true(machine_listen(a->s->machine, &output, note_written, &stepped));
	assert_true(machine_listen(b->s->machine, &output, note_written, &run));
	while (machine_step(a->s->machine))
		;
	machine_run(b->s->machine, UINT64_MAX, UINT64_MAX);
	machine_run(c->s->machine, UINT64_MAX, UINT64_MAX);
	assert_int_equal(rig_hash(a), rig_hash(b));
	assert_int_equal(rig_hash(a), rig_hash(c));
	assert_int_equal(rig_cycle(a), rig_cycle(b));
	assert_int_equal(stepped.bytes, a->out_n);
	assert_memory_equal(&stepped, &run, sizeof run);
	rig_close(c);
	rig_close(a);
	rig_close(b);
}

TEST(two_machines_at_once)
{
	uint64_t random = 7;
	struct rig *a[SUBJECTS], *b[SUBJECTS];
	bool more = true;
	for (unsigned i = 0; i < how_many(); i++) {
		a[i] = rig_open(&subjects[i]);
		b[i] = rig_open(&subjects[i]);
		machine_run(a[i]->s->machine, 60000, UINT64_MAX);
	}
	while (more) {
		more = false;
		for (unsigned i = 0; i < how_many(); i++) {
			uint64_t c = rig_cycle(b[i]) + random_below(&random, 3000);
			machine_run(b[i]->s->machine, c < 60000 ? c : 60000, UINT64_MAX);
			more |= machine_status(b[i]->s->machine) == MACHINE_RUNNING &&
			        rig_cycle(b[i]) < 60000;
		}
	}
	for (unsigned i = 0; i < how_many(); i++) {
		assert_int_equal(rig_hash(a[i]), rig_hash(b[i]));
		assert_string_equal(a[i]->out, b[i]->out);
		rig_close(a[i]);
		rig_close(b[i]);
	}
}

/* Snapshots of a machine without changes lead to the same states, restored in any order. */
TEST(snapshots_in_any_order)
{
	enum { COUNT = 12 };
	uint64_t random = 99;
	for (unsigned i = 0; i < how_many(); i++) {
		struct snapshot *s[COUNT];
		uint64_t hash[COUNT], cycle[COUNT];
		struct rig *g = rig_open(&subjects[i]);
		struct machine *m = g->s->machine;
		uint64_t stride = i == 5 ? 40000 : 6000; /* matmul runs longest */
		for (unsigned k = 0; k < COUNT; k++) {
			machine_run(m, rig_cycle(g) + 1 + random_below(&random, stride),
			            UINT64_MAX);
			hash[k] = rig_hash(g);
			s[k] = machine_snapshot(m);
			assert_non_null(s[k]);
			cycle[k] = rig_cycle(g);
		}
		machine_run(m, UINT64_MAX, UINT64_MAX);
		uint64_t end = rig_cycle(g), last = rig_hash(g);
		size_t written = g->out_n;
		for (unsigned n = 0; n < 20; n++) {
			size_t k = random_below(&random, COUNT);
			machine_restore(m, s[k]);
			assert_int_equal(rig_hash(g), hash[k]);
			if (k + 1 < COUNT) {
				machine_run(m, cycle[k + 1], UINT64_MAX);
				assert_int_equal(rig_hash(g), hash[k + 1]);
			}
			if (n % 5 == 0) {
				machine_run(m, UINT64_MAX, UINT64_MAX);
				assert_int_equal(rig_cycle(g), end);
				assert_int_equal(rig_hash(g), last);
			}
			if (n == 10) { /* pages shared with other snapshots remain */
				snapshot_free(s[0]);
				machine_restore(m, s[1]);
				s[0] = machine_snapshot(m);
				hash[0] = hash[1];
				machine_run(m, cycle[2], UINT64_MAX);
				assert_int_equal(rig_hash(g), hash[2]);
			}
		}
		assert_int_equal(g->out_n, written);
		for (unsigned k = 0; k < COUNT; k++)
			snapshot_free(s[k]);
		rig_close(g);
	}
}

/* History has no effect on the machine. */
TEST(with_history_or_without)
{
	for (unsigned i = 0; i < how_many(); i++) {
		struct subject how = subjects[i];
		struct rig *a = rig_open(&how);
		how.history = (struct run_options){
			.history = true, .first_spacing = 777, .budget_bytes = 4 << 20};
		struct rig *b = rig_open(&how);
		assert_int_equal(rig_continue(a), STOPPED_EXIT);
		assert_int_equal(rig_continue(b), STOPPED_EXIT);
		assert_int_equal(rig_hash(a), rig_hash(b));
		assert_string_equal(a->out, b->out);
		rig_close(a);
		rig_close(b);
	}
}

TEST(a_restart_is_a_new_beginning)
{
	struct err err;
	struct run_history h;
	struct subject how = subjects[0];
	how.history.history = true;
	struct rig *g = rig_open(&how);
	uint64_t first = rig_hash(g);
	int id = rig_break(g, "main", STAGE_COMMIT);
	assert_int_equal(rig_continue(g), STOPPED_BREAK);
	uint64_t cycle = rig_cycle(g), hash = rig_hash(g);
	assert_true(session_restart(g->s, &err));
	assert_int_equal(rig_hash(g), first);
	run_history(g->r, &h);
	assert_int_equal(h.newest_cycle, 0);
	assert_int_equal(h.snapshots, 1);
	assert_int_equal(rig_continue(g), STOPPED_BREAK);
	assert_int_equal(rig_info.stop_id, id);
	assert_int_equal(rig_cycle(g), cycle);
	assert_int_equal(rig_hash(g), hash);
	assert_int_equal(rig_back_continue(g), STOPPED_BEGIN);
	assert_int_equal(rig_hash(g), first);
	/* A configuration that cannot be leaves the old run as it was. */
	g->s->cfg.l1d_ways = 3;
	assert_false(session_restart(g->s, &err));
	assert_int_equal(rig_continue(g), STOPPED_BREAK);
	assert_int_equal(rig_hash(g), hash);
	rig_close(g);
}

static int determinism_enter_top(void **state)
{
	int status = rig_enter(state);
	rig_go_top();
	return status;
}

TEST_GROUP(determinism_enter_top, rig_leave)
