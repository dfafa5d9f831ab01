/* Stop points: each stops at exactly the cycles that a look at every cycle finds, forwards and
 * backwards. */
#include "tests/reverse/rig.h"

#include <string.h>

#include "core/defs/events.h"

/* ---- the stops found by checking each cycle ---- */

struct watching {
	const char *symbol;
	unsigned reg;
	uint64_t mask;
	uint64_t last;
	uint8_t bytes[64];
	bool heard, begun;
	int id;
};

static void stops_test_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct watching *w = ctx;
	(void)m;
	(void)ev;
	w->heard = true;
}

static void stops_test_listen(struct watching *w, const struct rig *g, const struct event_filter *f)
{
	if (!w->begun)
		assert_true(machine_listen(g->s->machine, f, stops_test_on_event, w) > 0);
	w->begun = true;
}

static bool commits_at(void *ctx, const struct rig *g)
{
	struct watching *w = ctx;
	uint64_t pc = rig_symbol(g, w->symbol);
	stops_test_listen(w, g,
	                  &(struct event_filter){.mask = w->mask, .pc_lo = pc, .pc_hi = pc + 1});
	bool was = w->heard;
	w->heard = false;
	return was;
}

static bool stops_test_event_happened(void *ctx, const struct rig *g)
{
	struct watching *w = ctx;
	stops_test_listen(w, g, &(struct event_filter){.mask = w->mask});
	bool was = w->heard;
	w->heard = false;
	return was;
}

static bool bytes_change(void *ctx, const struct rig *g)
{
	struct watching *w = ctx;
	uint8_t now[sizeof w->bytes];
	assert_true(machine_peek(g->s->machine, rig_symbol(g, w->symbol), now, sizeof now));
	bool change = w->begun && memcmp(now, w->bytes, sizeof now) != 0;
	memcpy(w->bytes, now, sizeof now);
	w->begun = true;
	return change;
}

static bool value_changes(struct watching *w, uint64_t now)
{
	bool change = w->begun && now != w->last;
	w->last = now;
	w->begun = true;
	return change;
}

static bool register_changes(void *ctx, const struct rig *g)
{
	struct watching *w = ctx;
	return value_changes(w, machine_reg(g->s->machine, w->reg));
}

static uint64_t stops_test_mispredict_count(void *ctx, const struct machine *m)
{
	(void)ctx;
	return machine_stats(m)->bpred_mispredicts;
}

static bool mispredicts_change(void *ctx, const struct rig *g)
{
	return value_changes(ctx, stops_test_mispredict_count(NULL, g->s->machine));
}

/* ---- all stops of a run, in both directions ---- */

static void stops_at(const struct reference *ref, const struct stop_point *what, unsigned at_least)
{
	struct rig *g = rig_open(&guest);
	struct stop_point sp = *what;
	unsigned found = 0;
	sp.enabled = true;
	int id = run_add_stop(g->r, &sp);
	for (uint64_t c = 1; c <= ref->end; c++) {
		if (!ref->hit[c])
			continue;
		assert_int_equal(rig_continue(g), STOPPED_BREAK);
		assert_int_equal(rig_cycle(g), c);
		assert_int_equal(rig_info.stop_id, id);
		found++;
	}
	assert_true(found >= at_least);
	assert_int_equal(run_stop(g->r, id)->hits, found);
	/* The exit itself may be a hit. */
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	for (uint64_t c = rig_cycle(g) - 1; c > 0; c--) {
		if (!ref->hit[c])
			continue;
		assert_int_equal(rig_back_continue(g), STOPPED_BREAK);
		assert_int_equal(rig_cycle(g), c);
		assert_int_equal(rig_info.stop_id, id);
	}
	assert_int_equal(rig_back_continue(g), STOPPED_BEGIN);
	assert_int_equal(rig_cycle(g), 0);
	assert_int_equal(run_stop(g->r, id)->hits, found);
	rig_close(g);
}

static uint64_t stops_test_symbol_addr(const char *symbol)
{
	struct rig *g = rig_open(&guest);
	uint64_t addr = rig_symbol(g, symbol);
	rig_close(g);
	return addr;
}

TEST(at_commit)
{
	struct watching w = {.symbol = "tick", .mask = EV_BIT(COMMIT)};
	struct reference *ref = reference_new(&guest, UINT64_MAX, commits_at, &w);
	stops_at(
		ref,
		&(struct stop_point){.kind = STOP_POINT_PC, .addr = stops_test_symbol_addr("tick")},
		10);
	reference_free(ref);
}

TEST(at_fetch_and_dispatch)
{
	static const struct {
		enum stop_stage stage;
		uint64_t mask;
	} stages[] = {{STAGE_FETCH, EV_BIT(FETCH)}, {STAGE_DISPATCH, EV_BIT(DISPATCH)}};
	for (unsigned i = 0; i < 2; i++) {
		struct watching w = {.symbol = "tick", .mask = stages[i].mask};
		struct reference *ref = reference_new(&guest, UINT64_MAX, commits_at, &w);
		struct stop_point sp = {.kind = STOP_POINT_PC,
		                        .stage = stages[i].stage,
		                        .addr = stops_test_symbol_addr("tick")};
		stops_at(ref, &sp, 10);
		reference_free(ref);
	}
}

TEST(when_memory_changes)
{
	/* By stores, and by the kernel's hand. */
	static const char *const names[] = {"counter", "buffer"};
	static const unsigned least[] = {10, 2};
	for (unsigned i = 0; i < 2; i++) {
		struct watching w = {.symbol = names[i]};
		struct reference *ref = reference_new(&guest, UINT64_MAX, bytes_change, &w);
		struct stop_point sp = {.kind = STOP_POINT_MEMORY,
		                        .addr = stops_test_symbol_addr(names[i]),
		                        .size = sizeof w.bytes};
		stops_at(ref, &sp, least[i]);
		reference_free(ref);
	}
}

TEST(when_a_register_changes)
{
	static const uint8_t reg[] = {REG_SP, REG_A0}; /* the latter by system calls, too */
	for (size_t i = 0; i < sizeof reg; i++) {
		struct watching w = {.reg = reg[i]};
		struct reference *ref = reference_new(&guest, UINT64_MAX, register_changes, &w);
		stops_at(ref, &(struct stop_point){.kind = STOP_POINT_REG, .reg = reg[i]}, 10);
		reference_free(ref);
	}
}

TEST(when_a_statistic_changes)
{
	struct watching w = {0};
	struct reference *ref = reference_new(&guest, 8000, mispredicts_change, &w);
	struct rig *g = rig_open(&guest);
	struct stop_point sp = {
		.kind = STOP_POINT_VALUE, .value = stops_test_mispredict_count, .enabled = true};
	run_add_stop(g->r, &sp);
	uint64_t seen = 0;
	for (uint64_t c = 1; c <= ref->end; c++) {
		if (!ref->hit[c])
			continue;
		assert_int_equal(rig_continue(g), STOPPED_BREAK);
		assert_int_equal(rig_cycle(g), c);
		assert_true(rig_info.new_value > rig_info.old_value);
		assert_int_equal(rig_info.old_value, seen);
		seen = rig_info.new_value;
	}
	assert_true(seen > 3);
	for (uint64_t c = rig_cycle(g) - 1; c > 0; c--) {
		if (!ref->hit[c])
			continue;
		assert_int_equal(rig_back_continue(g), STOPPED_BREAK);
		assert_int_equal(rig_cycle(g), c);
	}
	reference_free(ref);
	rig_close(g);
}

TEST(when_an_event_happens)
{
	struct watching w = {.mask = EV_BIT(SYSCALL) | EV_BIT(OUTPUT)};
	struct reference *ref = reference_new(&guest, UINT64_MAX, stops_test_event_happened, &w);
	stops_at(ref, &(struct stop_point){.kind = STOP_POINT_EVENT, .filter = {.mask = w.mask}},
	         7);
	reference_free(ref);
}

/* ---- single properties ---- */

TEST(the_wrong_path_does_not_commit)
{
	struct rig *g = rig_open(&guest);
	rig_break(g, "wrong_path", STAGE_COMMIT);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	assert_int_equal(rig_back_continue(g), STOPPED_BEGIN);
	int fetched = rig_break(g, "wrong_path", STAGE_FETCH);
	int dispatched = rig_break(g, "wrong_path", STAGE_DISPATCH);
	assert_int_equal(rig_continue(g), STOPPED_BREAK);
	assert_int_equal(rig_info.stop_id, fetched);
	assert_true(run_delete_stop(g->r, fetched));
	assert_int_equal(rig_continue(g), STOPPED_BREAK);
	assert_int_equal(rig_info.stop_id, dispatched);
	const struct uop *u = pipe_find(machine_pipe(g->s->machine), rig_info.seq);
	assert_true(u && (u->flags & UF_WRONG_PATH));
	assert_int_equal(u->pc, rig_symbol(g, "wrong_path"));
	rig_close(g);
}

/* counter == 21: the sixth call is over, the seventh begins. */
static bool counter_is_21(void *ctx, const struct machine *m)
{
	const uint64_t *addr = ctx;
	uint64_t v;
	assert_true(machine_peek(m, *addr, &v, sizeof v));
	return v == 21;
}

TEST(a_condition)
{
	struct rig *g = rig_open(&guest);
	uint64_t counter = rig_symbol(g, "counter");
	struct stop_point sp = {.kind = STOP_POINT_PC,
	                        .addr = rig_symbol(g, "tick"),
	                        .enabled = true,
	                        .condition = counter_is_21,
	                        .ctx = &counter};
	int id = run_add_stop(g->r, &sp);
	assert_int_equal(rig_continue(g), STOPPED_BREAK);
	uint64_t cycle = rig_cycle(g), hash = rig_hash(g);
	assert_int_equal(rig_peek(g, "counter"), 21);
	assert_int_equal(rig_info.pc, sp.addr);
	assert_int_equal(run_stop(g->r, id)->hits, 1);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	assert_int_equal(rig_back_continue(g), STOPPED_BREAK);
	assert_int_equal(rig_cycle(g), cycle);
	assert_int_equal(rig_hash(g), hash);
	assert_int_equal(rig_back_continue(g), STOPPED_BEGIN);
	rig_close(g);
}

TEST(what_a_watchpoint_saw)
{
	uint64_t cycle[11], sum = 0;
	struct rig *g = rig_open(&guest);
	struct stop_point sp = {.kind = STOP_POINT_MEMORY,
	                        .addr = rig_symbol(g, "counter"),
	                        .size = 8,
	                        .enabled = true};
	run_add_stop(g->r, &sp);
	for (uint64_t i = 1; i <= 10; i++) {
		assert_int_equal(rig_continue(g), STOPPED_BREAK);
		assert_int_equal(rig_info.old_value, sum);
		assert_int_equal(rig_info.new_value, sum += i);
		assert_string_equal(program_symbol_at(g->s->program, rig_info.pc)->name, "tick");
		cycle[i] = rig_cycle(g);
	}
	for (uint64_t i = 9; i >= 1; i--) {
		assert_int_equal(rig_back_continue(g), STOPPED_BREAK);
		assert_int_equal(rig_cycle(g), cycle[i]);
		assert_int_equal(rig_info.new_value, i * (i + 1) / 2);
		assert_int_equal(rig_info.old_value, i * (i - 1) / 2);
	}
	/* The value differs from that of the last look; only its next change counts. */
	assert_int_equal(rig_continue(g), STOPPED_BREAK);
	assert_int_equal(rig_cycle(g), cycle[2]);
	rig_close(g);
}

/* Two bytes in the middle of what a store writes, on the second of its pages. */
TEST(a_store_that_begins_before)
{
	const struct subject crossing = {.program = "build/tests/reverse/crossing",
	                                 .settings = "",
	                                 .history = {.history = true},
	                                 .stdin_fd = -1};
	struct rig *g = rig_open(&crossing);
	struct stop_point sp = {.kind = STOP_POINT_MEMORY,
	                        .addr = rig_symbol(g, "pages") + 4097,
	                        .size = 2,
	                        .enabled = true};
	run_add_stop(g->r, &sp);
	for (uint64_t i = 1; i <= 40; i++) {
		assert_int_equal(rig_continue(g), STOPPED_BREAK);
		assert_int_equal(rig_info.new_value, 0x0101 * i);
		/* and not the system call's after it */
		assert_int_equal(rig_info.pc, rig_symbol(g, "crosses"));
	}
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	rig_close(g);
}

TEST(ignored_disabled_temporary)
{
	struct rig *g = rig_open(&guest);
	int id = rig_break(g, "tick", STAGE_COMMIT);
	run_stop(g->r, id)->ignore = 3;
	assert_int_equal(rig_continue(g), STOPPED_BREAK);
	assert_int_equal(rig_peek(g, "counter"), 1 + 2 + 3);
	assert_int_equal(run_stop(g->r, id)->hits, 4);
	assert_int_equal(run_stop(g->r, id)->ignore, 0);
	run_stop(g->r, id)->enabled = false;
	uint64_t here = rig_cycle(g);
	assert_true(rig_run_to(g, "after_ticks") > here);
	run_stop(g->r, id)->enabled = true;
	run_stop(g->r, id)->temporary = true;
	assert_int_equal(rig_back_continue(g), STOPPED_BREAK);
	assert_true(rig_info.temporary_deleted);
	assert_null(run_stop(g->r, id));
	assert_null(run_stop_at(g->r, 0));
	assert_false(run_delete_stop(g->r, id));
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	rig_close(g);
}

TEST(two_at_once_are_one_stop)
{
	struct rig *g = rig_open(&guest);
	int a = rig_break(g, "tick", STAGE_COMMIT), b = rig_break(g, "tick", STAGE_COMMIT);
	assert_int_equal(rig_continue(g), STOPPED_BREAK);
	assert_int_equal(rig_info.stop_id, a);
	assert_int_equal(run_stop(g->r, a)->hits, 1);
	assert_int_equal(run_stop(g->r, b)->hits, 1);
	uint64_t here = rig_cycle(g);
	assert_int_equal(rig_continue(g), STOPPED_BREAK);
	assert_true(rig_cycle(g) > here);
	assert_int_equal(run_stop(g->r, b)->hits, 2);
	rig_close(g);
}

static unsigned released;

static void stops_test_count_release(void *ctx)
{
	(void)ctx;
	released++;
}

/* A condition may delete its own stop point, and may not move the machine. */
static bool stops_test_delete_in_condition(void *ctx, const struct machine *m)
{
	struct rig *g = ctx;
	struct err err;
	struct run_stop_info info;
	(void)m;
	assert_false(run_cycles(g->r, 1, false, &info, &err));
	assert_non_null(strstr(err.msg, "moving"));
	assert_true(run_delete_stop(g->r, 1));
	assert_null(run_stop(g->r, 1));
	assert_int_equal(released, 0);
	return false;
}

TEST(conditions_that_meddle)
{
	struct rig *g = rig_open(&guest);
	struct stop_point sp = {.kind = STOP_POINT_PC,
	                        .addr = rig_symbol(g, "tick"),
	                        .enabled = true,
	                        .condition = stops_test_delete_in_condition,
	                        .ctx = g,
	                        .free_ctx = stops_test_count_release};
	released = 0;
	assert_int_equal(run_add_stop(g->r, &sp), 1);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	assert_int_equal(released, 1);
	rig_close(g);
	assert_int_equal(released, 1);
}

struct return_goal {
	uint64_t pc;
};

static bool stops_test_is_return_pc(void *ctx, const struct machine *m, const struct event *commit)
{
	const struct return_goal *goal = ctx;
	(void)m;
	return commit->pc == goal->pc;
}

TEST(a_goal)
{
	struct err err;
	struct rig *g = rig_open(&guest);
	struct return_goal goal = {rig_symbol(g, "after_ticks")};
	assert_true(run_until(g->r, stops_test_is_return_pc, &goal, &rig_info, &err));
	assert_int_equal(rig_info.reason, STOPPED_DONE);
	assert_int_equal(rig_info.pc, goal.pc);
	uint64_t cycle = rig_cycle(g);
	assert_int_equal(rig_continue(g), STOPPED_EXIT);
	assert_true(run_back_until(g->r, stops_test_is_return_pc, &goal, &rig_info, &err));
	assert_int_equal(rig_info.reason, STOPPED_DONE);
	assert_int_equal(rig_cycle(g), cycle);
	/* A breakpoint before the target stops it, too. */
	goal.pc = rig_symbol(g, "before_read");
	int id = rig_break(g, "tick", STAGE_COMMIT);
	assert_true(run_back_until(g->r, stops_test_is_return_pc, &goal, &rig_info, &err));
	assert_int_equal(rig_info.reason, STOPPED_BREAK);
	assert_int_equal(rig_info.stop_id, id);
	assert_true(run_delete_stop(g->r, id));
	assert_true(run_back_until(g->r, stops_test_is_return_pc, &goal, &rig_info, &err));
	assert_int_equal(rig_info.pc, goal.pc);
	goal.pc = 0;
	assert_true(run_back_until(g->r, stops_test_is_return_pc, &goal, &rig_info, &err));
	assert_int_equal(rig_info.reason, STOPPED_BEGIN);
	rig_close(g);
}

TEST_GROUP(rig_enter, rig_leave)
