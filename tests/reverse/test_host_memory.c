/* The host runs out of memory at any moment: one allocation fails, or all from one on, in a session
 * with motions in both directions, a checkpoint and a trace. Each command succeeds or reports its
 * error; the machine is in a state of the run with enough memory; with memory again, the session
 * continues unharmed. */
#include "tests/by_hand.h"
#include "tests/reverse/failing_memory.h"
#include "tests/reverse/rig.h"

#include <stdio.h>
#include <sys/stat.h>

#include "tests/scale.h"
#include "ui/checkpoint/checkpoint.h"
#include "ui/trace/trace.h"

/* ---- the reference, with enough memory ---- */
enum { DATA = 3 << 20, FOR_EVER = 1u << 31 };

static struct subject hungry = {
	.program = "build/tests/reverse/hungry", .settings = "", .stdin_fd = -1,
	.history = {.history = true, .first_spacing = 4096},
};

static struct rig *reference;
static uint64_t last_cycle, data_sum;
static int last_status;

static uint64_t host_memory_file_sum(const char *path)
{
	uint64_t sum = 0;
	int c;
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	while ((c = getc(f)) != EOF)
		sum = sum * 31 + (uint64_t)c;
	fclose(f);
	return sum;
}

static void write_data(void)
{
	FILE *f = fopen("data.txt", "w");
	assert_non_null(f);
	for (uint64_t i = 0; i < DATA / 8; i++) /* a checkpoint of random bytes alone takes long */
		fwrite(&(uint64_t){i % 32 ? 0 : i * UINT64_C(0x9e3779b97f4a7c15)}, 8, 1, f);
	assert_int_equal(fclose(f), 0);
	data_sum = host_memory_file_sum("data.txt");
}

static int host_memory_open_reference(void **state)
{
	if (rig_enter(state))
		return -1;
	write_data();
	assert_int_equal(mkdir("folder", 0755), 0);
	reference = rig_open(&hungry);
	assert_int_equal(rig_continue(reference), STOPPED_EXIT);
	assert_int_equal(machine_status(reference->s->machine), MACHINE_EXITED);
	last_cycle = rig_cycle(reference);
	last_status = machine_exit_status(reference->s->machine);
	return 0;
}

static int host_memory_close_reference(void **state)
{
	rig_close(reference);
	unlink("point");
	unlink("trace");
	rmdir("folder");
	return rig_leave(state);
}

/* ---- a session ---- */
struct step {
	const char *what;
	bool (*go)(struct rig *g, struct err *err);
};

static struct run_stop_info info;
static int stop_id;

static bool host_memory_run_ahead(struct rig *g, struct err *err)
{
	return run_cycles(g->r, last_cycle / 3, true, &info, err);
}

static bool host_memory_add_stop(struct rig *g, struct err *err)
{
	(void)err;
	const struct stop_point sp = {.kind = STOP_POINT_PC,
	                              .stage = STAGE_COMMIT,
	                              .addr = rig_symbol(g, "store_all_over"),
	                              .enabled = true};
	stop_id = run_add_stop(g->r, &sp);
	return stop_id || err_set(err, "out of memory for a breakpoint");
}

static bool host_memory_run_back(struct rig *g, struct err *err)
{
	return run_back_cycles(g->r, 3000, &info, err);
}

static bool back_to_stop(struct rig *g, struct err *err)
{
	return run_back_continue(g->r, &info, err);
}

static bool far_ahead(struct rig *g, struct err *err)
{
	return run_goto_cycle(g->r, last_cycle * 5 / 6, &info, err);
}

static bool back_insts(struct rig *g, struct err *err)
{
	return run_back_insts(g->r, 100, &info, err);
}

static bool host_memory_save_checkpoint(struct rig *g, struct err *err)
{
	return checkpoint_save(g->s, "point", err);
}

static bool host_memory_write_trace(struct rig *g, struct err *err)
{
	const uint64_t now = rig_cycle(g), from = now - 500;
	struct err ignored;
	struct trace *t = trace_open(g->s, TRACE_KONATA, "trace", from, now, err);
	if (!t)
		return false;
	const struct event_filter filter = trace_filter(t);
	const bool done = run_replay(g->r, from, now, &filter, trace_event, t, err);
	return trace_close(t, done ? err : &ignored) && done;
}

static bool host_memory_run_to_end(struct rig *g, struct err *err)
{
	if (stop_id)
		run_delete_stop(g->r, stop_id);
	stop_id = 0;
	return run_continue(g->r, &info, err);
}

static const struct step steps[] = {
	{"ahead", host_memory_run_ahead},      {"break", host_memory_add_stop},
	{"ahead", host_memory_run_ahead},      {"back", host_memory_run_back},
	{"back to a stop", back_to_stop},      {"far ahead", far_ahead},
	{"back", host_memory_run_back},        {"back by instructions", back_insts},
	{"save", host_memory_save_checkpoint}, {"trace", host_memory_write_trace},
	{"the end", host_memory_run_to_end},
};

/* The reference's state in a cycle, cached, because sessions end their steps in the same cycles
 * again and again. */
static uint64_t true_hash(uint64_t cycle)
{
	enum { KEPT = 512 };
	static uint64_t cycles[KEPT], hashes[KEPT];
	static unsigned n;
	for (unsigned i = 0; i < n; i++)
		if (cycles[i] == cycle)
			return hashes[i];
	rig_goto(reference, cycle);
	const uint64_t hash = rig_hash(reference);
	if (n < KEPT) {
		cycles[n] = cycle;
		hashes[n++] = hash;
	}
	return hash;
}

static void assert_true_state(const struct rig *g, const char *what, unsigned n)
{
	const uint64_t cycle = rig_cycle(g);
	if (rig_hash(g) != true_hash(cycle))
		fail_msg("%s, allocation %u: another state in cycle %llu", what, n,
		         (unsigned long long)cycle);
}

/* True if the command succeeded; else checks that it reported an error. */
static bool do_step(struct rig *g, const struct step *s, unsigned n)
{
	struct err err = {""};
	info = (struct run_stop_info){0};
	const unsigned failed = scarce.failed;
	scarce.on = true;
	const bool ok = s->go(g, &err);
	scarce.on = false;
	const struct machine *m = g->s->machine;
	const enum machine_status status = machine_status(m);
	assert_int_not_equal(status, MACHINE_FAULTED);
	if (status == MACHINE_EXITED)
		assert_int_equal(machine_exit_status(m), last_status);
	if (status == MACHINE_STARVED) {
		assert_non_null(machine_lacks(m));
		assert_true(!ok || info.reason == STOPPED_STARVED);
	}
	if (!ok && !strstr(err.msg, "memory"))
		fail_msg("%s, allocation %u: '%s' does not say what is missing", s->what, n,
		         err.msg);
	assert_true(scarce.failed > failed || (ok && status != MACHINE_STARVED));
	assert_true_state(g, s->what, n);
	return ok && status != MACHINE_STARVED;
}

/* A session in which the n-th allocation, and the next ones, fail; whether there were so many. */
static bool host_memory_run_session(unsigned n, unsigned fail, unsigned *starved)
{
	struct rig *g = rig_open(&hungry);
	stop_id = 0;
	scarce.left = n;
	scarce.fail = fail;
	scarce.failed = 0;
	for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
		if (do_step(g, &steps[i], n))
			continue;
		*starved += machine_status(g->s->machine) == MACHINE_STARVED;
		const unsigned failed = scarce.failed;
		scarce.fail = failed; /* memory is available again */
		assert_true(do_step(g, &steps[i], n));
		assert_int_equal(scarce.failed, failed);
	}
	assert_int_equal(machine_status(g->s->machine), MACHINE_EXITED);
	assert_int_equal(rig_cycle(g), last_cycle);
	assert_int_equal(g->out_n, reference->out_n);
	assert_memory_equal(g->out, reference->out, g->out_n);
	const bool any = scarce.failed;
	rig_close(g);
	return any;
}

TEST(each_allocation_may_fail)
{
	unsigned starved = 0, n = 0;
	(void)state;
	while (host_memory_run_session(n, 1, &starved))
		n = next_allocation(n, 2);
	assert_true(n > 50);
	assert_int_equal(host_memory_file_sum("data.txt"), data_sum);
}

TEST(memory_may_be_out_from_any_on)
{
	unsigned starved = 0, n = 0;
	(void)state;
	while (host_memory_run_session(n, FOR_EVER, &starved))
		n = next_allocation(n, 1);
	assert_true(starved > 3);
	assert_int_equal(host_memory_file_sum("data.txt"), data_sum);
}

/* History releases what it can before the machine stops without memory; going back still works.
 */
TEST(history_is_thinned_first)
{
	struct run_history before, after;
	struct err err = {""};
	struct rig *g = rig_open(&hungry);
	(void)state;
	rig_goto(g, last_cycle / 2);
	run_history(g->r, &before);
	assert_true(before.snapshots > 5);
	scarce.left = scarce.failed = 0;
	scarce.fail = FOR_EVER;
	scarce.on = true;
	assert_true(run_continue(g->r, &info, &err));
	scarce.on = false;
	assert_int_equal(machine_status(g->s->machine), MACHINE_STARVED);
	run_history(g->r, &after);
	assert_int_equal(after.snapshots, 1);
	assert_int_equal(after.first_cycle, before.first_cycle);
	rig_goto(g, last_cycle / 3);
	assert_true_state(g, "back after thinning", 0);
	rig_close(g);
}

/* Without timing: the instruction or call without memory is the next one. */
TEST(without_timing_nothing_is_skipped)
{
	struct subject how = hungry;
	(void)state;
	how.history.history = false;
	unsigned starved = 0;
	for (unsigned n = 0, failed = 1, tries = 0; failed; n = next_allocation(n, 2), tries++) {
		struct rig *g = rig_open(&how);
		struct machine *m = g->s->machine;
		scarce.left = n;
		scarce.failed = 0;
		scarce.fail = tries % 2 ? 1 : FOR_EVER;
		scarce.on = true;
		machine_run_functional(m, UINT64_MAX, false);
		scarce.on = false;
		failed = scarce.failed;
		starved += machine_status(m) == MACHINE_STARVED;
		while (machine_status(m) == MACHINE_STARVED) {
			machine_clear_interrupt(m);
			machine_try_again(m);
			machine_run_functional(m, UINT64_MAX, false);
		}
		assert_int_equal(machine_status(m), MACHINE_EXITED);
		assert_int_equal(machine_exit_status(m), last_status);
		assert_int_equal(g->out_n, reference->out_n);
		rig_close(g);
	}
	assert_true(starved > 3);
}

static struct mem_region largest_region(struct machine *m)
{
	struct mem_region best = {0};
	for (struct mem_region r = {0}; mem_next_region(machine_mem(m), r.end, &r);)
		if (r.prot & PROT_W && r.end - r.start > best.end - best.start)
			best = r;
	return best;
}

/* Goes from before the change to the cycle while the n-th allocation, and the next ones, fail.
 * False: the way ended, with a message. */
static bool over_the_change(struct rig *g, uint64_t from, uint64_t to, unsigned n, unsigned fail)
{
	struct err err = {""};
	rig_goto(g, from);
	scarce.left = n;
	scarce.failed = 0;
	scarce.fail = fail;
	scarce.on = true;
	const bool done = run_goto_cycle(g->r, to, &info, &err);
	scarce.on = false;
	return done && rig_cycle(g) == to && machine_status(g->s->machine) != MACHINE_STARVED;
}

/* Motions to the change, until all take about as many allocations. Under sanitizers each page is an
 * allocation, and the first motion takes most. */
#ifdef __SANITIZE_ADDRESS__
enum { WAYS = 2 };
#else
enum { WAYS = 1 };
#endif

/* A change of more memory than any reserve holds is made again, or the way to it ends. The last
 * allocations of a way to it are its own, and some fewer are needed later. */
TEST(changes_are_made_again_or_waited_for)
{
	enum { LAST = 12, SOME = 8, MANY = 1 << 20 };
	struct snapshot *held[2 * LAST + 1]; /* what they have is not free to be taken again */
	struct err err = {""};
	unsigned missed = 0;
	(void)state;
	struct rig *g = rig_open(&hungry);
	rig_goto(g, last_cycle * 9 / 10);
	const uint64_t changed = rig_cycle(g);
	const struct mem_region r = largest_region(g->s->machine);
	const size_t size = r.end - r.start;
	assert_true(size > 2 * DATA);
	uint8_t *bytes = malloc(size);
	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(i * 7 + i / 4096);
	if (!machine_poke(g->s->machine, r.start, bytes, size, &err))
		fail_msg("%s", err.msg);
	free(bytes);
	const uint64_t hash = rig_hash(g);
	assert_non_null(held[2 * LAST] = machine_snapshot(g->s->machine));
	unsigned all = 0;
	for (unsigned way = 0; way < WAYS; way++) {
		assert_true(over_the_change(g, changed - 1000, changed, MANY, 0));
		all = MANY - scarce.left;
	}
	for (unsigned i = 0; i < 2 * LAST; i++) {
		assert_non_null(held[i] = machine_snapshot(g->s->machine));
		if (!over_the_change(g, changed - 1000, changed, all - SOME - i / 2,
		                     i % 2 ? FOR_EVER : 1))
			rig_goto(g, changed);
		missed += scarce.failed;
		assert_int_equal(rig_cycle(g), changed);
		if (rig_hash(g) != hash)
			fail_msg("allocation %u: the change was not made again",
			         all - SOME - i / 2);
	}
	assert_true(missed);
	for (unsigned i = 0; i <= 2 * LAST; i++)
		snapshot_free(held[i]);
	rig_close(g);
}

static bool memory_comes_back(void *ctx)
{
	++*(unsigned *)ctx;
	scarce.on = false;
	return true;
}

/* A change that failed for lack of memory is made as soon as memory is available, before any
 * further cycle. */
TEST(a_late_change_comes_before_the_next_cycle)
{
	struct err err = {""};
	unsigned asked = 0;
	(void)state;
	struct rig *g = rig_open(&hungry);
	struct machine *m = g->s->machine;
	rig_goto(g, last_cycle * 9 / 10);
	const uint64_t changed = rig_cycle(g);
	struct snapshot *before = machine_snapshot(m);
	const struct mem_region r = largest_region(m);
	const size_t size = r.end - r.start;
	uint8_t *bytes = malloc(size);
	assert_non_null(before);
	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(i * 5 + i / 4096);
	assert_true(machine_poke(m, r.start, bytes, size, &err));
	free(bytes);
	/* what it has is not free to be taken again */
	struct snapshot *behind = machine_snapshot(m);
	assert_true(machine_step(m));
	const uint64_t hash = rig_hash(g);
	scarce.left = scarce.failed = 0;
	scarce.fail = FOR_EVER;
	scarce.on = true;
	machine_restore(m, before);
	machine_set_reclaim(m, memory_comes_back, &asked);
	assert_true(machine_step(m));
	scarce.on = false;
	assert_int_not_equal(scarce.failed, 0);
	assert_int_not_equal(asked, 0);
	assert_int_equal(rig_cycle(g), changed + 1);
	assert_int_equal(rig_hash(g), hash);
	machine_set_reclaim(m, NULL, NULL);
	snapshot_free(before);
	snapshot_free(behind);
	rig_close(g);
}

TEST_GROUP(host_memory_open_reference, host_memory_close_reference)
