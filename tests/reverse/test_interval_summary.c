/* Interval summaries: a backward search that skips intervals without a possible hit ends at the
 * same place as a full search. */
#include "tests/reverse/rig.h"

#include <assert.h>
#include <string.h>

#include "core/defs/events.h"
#include "tests/scale.h"

static const struct subject subjects[] = {
	{.program = "build/tests/reverse/guest", .settings = "", .stdin_fd = -1},
	{.program = "build/tests/reverse/guest",
         .settings = "",
         .arguments = "fault",
         .stdin_fd = -1},
	{.program = "build/tests/reverse/guest",
         .settings = "l1i.line=128 l1d.line=128 l2.line=128 pipe.rob_size=160 lsq.speculate=true "
                     "lsq.replay_size=true",
         .stdin_fd = -1},
	{.program = "build/tests/reverse/hooked",
         .settings = "l1i.line=32",
         .firmware = "build/tests/reverse/firmware.elf",
         .stdin_fd = -1},
	{.program = "build/tests/reverse/profiled", .settings = "xprof.bpred=flag", .stdin_fd = -1},
	{.program = "build/tests/reverse/guest",
         .settings = "vsample.enable=1 vsample.every=2 vsample.length=9 vsample.skip=2 "
                     "vsample.interval_min=20 vsample.interval_max=90 "
                     "vsample.interrupt_cycles=20 vsample.start_cycles=9 vsample.inst_cycles=5 "
                     "vsample.tuple_cycles=3",
         .stdin_fd = -1},
	{.program = "build/tests/reverse/guest",
         .settings = "sampler.enable=1 sampler.compressor=H(P(4),64),A(4)",
         .stdin_fd = -1},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* The same session twice: the second passes over intervals. */
struct pair {
	struct rig *all, *some;
	uint64_t end, random;
};

static void interval_summary_open_pair(struct pair *p, const struct subject *how, uint64_t spacing)
{
	struct subject each = *how;
	each.history =
		(struct run_options){.history = true, .first_spacing = spacing, .search_all = true};
	p->all = rig_open(&each);
	each.history.search_all = false;
	p->some = rig_open(&each);
	assert_int_equal(rig_continue(p->all), STOPPED_EXIT);
	assert_int_equal(rig_continue(p->some), STOPPED_EXIT);
	p->end = rig_cycle(p->all);
}

static struct pair begin_program(const char *program, const char *settings, uint64_t spacing)
{
	struct subject each = guest;
	each.program = program;
	struct pair p = {.random = 1};
	each.settings = settings;
	each.history =
		(struct run_options){.history = true, .first_spacing = spacing, .search_all = true};
	p.all = rig_open(&each);
	each.history.search_all = false;
	p.some = rig_open(&each);
	return p;
}

static struct pair begin_pair(const char *settings, uint64_t spacing)
{
	return begin_program(guest.program, settings, spacing);
}

static void interval_summary_close_pair(struct pair *p)
{
	rig_close(p->all);
	rig_close(p->some);
}

static uint64_t some_address(struct pair *p, bool code)
{
	size_t count;
	const struct symbol *sym = program_symbols(p->all->s->program, &count);
	for (;;) {
		const struct symbol *s = &sym[random_below(&p->random, count)];
		if (mem_prot_at(machine_mem(p->all->s->machine), s->addr) &
		    (code ? PROT_X : PROT_W))
			return s->addr +
			       (random_below(&p->random, s->size ? s->size : 8) & ~(uint64_t)1);
	}
}

static bool interval_summary_every_fifth_inst(void *ctx, const struct machine *m)
{
	(void)ctx;
	return machine_insts(m) % 5 == 0;
}

static uint64_t interval_summary_sp_value(void *ctx, const struct machine *m)
{
	(void)ctx;
	return machine_reg(m, REG_SP);
}

static uint64_t interval_summary_syscall_count(void *ctx, const struct machine *m)
{
	(void)ctx;
	return machine_stats(m)->syscalls;
}

static struct stop_point some_stop(struct pair *p)
{
	struct stop_point sp = {.enabled = true};
	switch (random_below(&p->random, 8)) {
	case 0:
	case 1:
		sp.kind = STOP_POINT_PC;
		sp.stage = (enum stop_stage)random_below(&p->random, 3);
		sp.addr = some_address(p, true);
		break;
	case 2:
	case 3:
		sp.kind = STOP_POINT_MEMORY;
		sp.addr = random_below(&p->random, 3)
		                  ? some_address(p, false)
		                  : machine_reg(p->all->s->machine, REG_SP) & ~(uint64_t)7;
		sp.size = UINT64_C(1) << random_below(&p->random, 9);
		break;
	case 4:
		sp.kind = STOP_POINT_REG;
		sp.reg = 1 + (unsigned)random_below(&p->random, 31);
		break;
	case 5:
		sp.kind = STOP_POINT_VALUE;
		sp.sources = 1;
		sp.value = random_below(&p->random, 2) ? interval_summary_sp_value
		                                       : interval_summary_syscall_count;
		sp.source[0] = sp.value == interval_summary_sp_value
		                       ? (struct stop_source){SOURCE_REG, REG_SP}
		                       : (struct stop_source){SOURCE_COUNTER,
		                                              offsetof(struct stats, syscalls)};
		break;
	default:
		sp.kind = STOP_POINT_EVENT;
		sp.filter.mask = UINT64_C(1) << random_below(&p->random, EV_COUNT);
		if (random_below(&p->random, 3) == 0) {
			sp.filter.pc_lo = some_address(p, true);
			sp.filter.pc_hi = sp.filter.pc_lo + 2 + random_below(&p->random, 60);
		}
	}
	if (random_below(&p->random, 4) == 0)
		sp.condition = interval_summary_every_fifth_inst;
	return sp;
}

static void interval_summary_assert_same_stop(const struct pair *p, const struct run_stop_info *a,
                                              const struct run_stop_info *b)
{
	assert_int_equal(a->reason, b->reason);
	assert_int_equal(rig_cycle(p->all), rig_cycle(p->some));
	assert_int_equal(a->stop_id, b->stop_id);
	assert_int_equal(a->pc, b->pc);
	assert_int_equal(a->seq, b->seq);
	assert_int_equal(a->old_value, b->old_value);
	assert_int_equal(a->new_value, b->new_value);
}

enum { BACK, ON, FORWARDS, GOTO };

static void interval_summary_move_both(struct pair *p, int what, uint64_t n)
{
	struct run_stop_info info[2];
	struct rig *const g[] = {p->all, p->some};
	for (int i = 0; i < 2; i++) {
		if (what == BACK)
			rig_back_continue(g[i]);
		else if (what == ON)
			rig_continue(g[i]);
		else if (what == FORWARDS)
			rig_cycles(g[i], n);
		else
			rig_goto(g[i], n);
		info[i] = rig_info;
	}
	interval_summary_assert_same_stop(p, &info[0], &info[1]);
}

/* Register changes by hand begin another continuation each time. */
static void interval_summary_change_both(struct pair *p)
{
	struct err err;
	struct change c = {
		.kind = JOURNAL_REG, .a = REG_T0 + 1, .b = random_below(&p->random, 100)};
	if (machine_status(p->all->s->machine) != MACHINE_RUNNING)
		return;
	assert_true(run_change(p->all->r, &c, &err));
	assert_true(run_change(p->some->r, &c, &err));
}

static int interval_summary_add_stop(struct pair *p, const struct stop_point *sp)
{
	int id = run_add_stop(p->all->r, sp);
	assert_int_equal(run_add_stop(p->some->r, sp), id);
	return id;
}

static void interval_summary_delete_stop(struct pair *p, int id)
{
	assert_true(run_delete_stop(p->all->r, id));
	assert_true(run_delete_stop(p->some->r, id));
}

static void interval_summary_move_at_random(struct pair *p)
{
	struct stop_point sp = some_stop(p);
	unsigned backs = 1 + (unsigned)random_below(&p->random, 4);
	switch (random_below(&p->random, 8)) {
	case 0:
		interval_summary_move_both(p, FORWARDS, random_below(&p->random, 3000));
		break;
	case 1:
		interval_summary_change_both(p);
		break;
	case 2:
		break; /* from where it is */
	default:
		interval_summary_move_both(p, GOTO, random_below(&p->random, p->end + 1));
	}
	int id = interval_summary_add_stop(p, &sp);
	while (backs--)
		interval_summary_move_both(p, BACK, 0);
	if (random_below(&p->random, 4) == 0)
		interval_summary_move_both(p, ON, 0);
	interval_summary_delete_stop(p, id);
}

TEST(the_same_stops)
{
	static const uint64_t spacings[] = {700, 0, 3000, 300};
	for (unsigned i = 0; i < SUBJECTS; i++) {
		struct pair p = {.random = 88172645463325252u + i};
		interval_summary_open_pair(&p, &subjects[i], spacings[i % 4]);
		for (unsigned n = 0; n < (scale_is("small") ? 4 : rig_small() ? 12 : 150); n++)
			interval_summary_move_at_random(&p);
		interval_summary_close_pair(&p);
	}
}

static void interval_summary_hear_nothing(void *ctx, const struct machine *m,
                                          const struct event *ev)
{
	(void)ctx;
	(void)m;
	(void)ev;
}

/* A replay keeps snapshots on its way, and returns without executing what follows them again. */
TEST(interval_summary_replayed)
{
	const struct event_filter commits = {.mask = EVENT_BIT(commit)};
	struct pair p = {.random = 5};
	struct err err;
	interval_summary_open_pair(&p, &subjects[0], UINT64_C(1) << 20);
	struct rig *const g[] = {p.all, p.some};
	struct stop_point last = {
		.kind = STOP_POINT_PC, .stage = STAGE_COMMIT, .enabled = true};
	for (int i = 0; i < 2; i++)
		assert_true(run_replay(g[i]->r, p.end - 100, p.end - 99, &commits,
		                       interval_summary_hear_nothing, NULL, &err));
	/* the call that ended the program, or what led to it */
	for (unsigned back = 0; back <= 8; back += 2) {
		last.addr = machine_pc(p.all->s->machine) - back;
		interval_summary_add_stop(&p, &last);
	}
	interval_summary_move_both(&p, BACK, 0);
	assert_int_equal(rig_info.reason, STOPPED_BREAK);
	interval_summary_close_pair(&p);
}

/* Runs forwards to sp's hit, some cycles beyond, and back to it, with a snapshot between the hit
 * and its cause. */
static void interval_summary_there_and_back(struct pair *p, const struct stop_point *sp)
{
	int id = interval_summary_add_stop(p, sp);
	interval_summary_move_both(p, ON, 0);
	assert_int_equal(rig_info.reason, STOPPED_BREAK);
	const uint64_t cycle = rig_cycle(p->all);
	interval_summary_move_both(p, FORWARDS, 3);
	interval_summary_move_both(p, BACK, 0);
	assert_int_equal(rig_info.reason, STOPPED_BREAK);
	assert_int_equal(rig_cycle(p->some), cycle);
	interval_summary_delete_stop(p, id);
}

/* Fetched and stored to in one interval, committed in another. */
TEST(interval_summary_in_flight)
{
	static const char *const places[] = {"before_jump", "before_patch", "after_patch",
	                                     "before_longjmp"};
	struct pair p = begin_pair("", 2);
	/* A system call follows, so no other store to this page comes between. */
	interval_summary_there_and_back(&p,
	                                &(struct stop_point){.kind = STOP_POINT_MEMORY,
	                                                     .enabled = true,
	                                                     .addr = rig_symbol(p.all, "checksum"),
	                                                     .size = 8});
	interval_summary_close_pair(&p);
	/* On the second of the pages that a store crosses. */
	p = begin_program("build/tests/reverse/crossing", "", 2);
	interval_summary_there_and_back(
		&p, &(struct stop_point){.kind = STOP_POINT_MEMORY,
	                                 .enabled = true,
	                                 .addr = rig_symbol(p.all, "pages") + 4096,
	                                 .size = 2});
	interval_summary_close_pair(&p);
	for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
		p = begin_pair("", 2);
		interval_summary_there_and_back(
			&p, &(struct stop_point){.kind = STOP_POINT_PC,
		                                 .enabled = true,
		                                 .addr = rig_symbol(p.all, places[i])});
		interval_summary_close_pair(&p);
	}
}

static uint64_t call_number(void *ctx, const struct machine *m)
{
	(void)ctx;
	return machine_reg(m, REG_A0 + 7);
}

/* A register may change while nothing counts. */
TEST(a_register)
{
	struct pair p = begin_pair("", 2);
	const struct stop_point sp = {.kind = STOP_POINT_VALUE,
	                              .enabled = true,
	                              .value = call_number,
	                              .sources = 1,
	                              .source = {{SOURCE_REG, REG_A0 + 7}}};
	interval_summary_there_and_back(&p, &sp);
	interval_summary_close_pair(&p);
}

static bool interval_summary_is_mmap(void *ctx, const struct machine *m, const struct event *ev)
{
	(void)ctx;
	(void)m;
	return ev->syscall.call == 222;
}

/* Maps memory without a write to it: the interval ends before the next instruction is dispatched.
 */
TEST(interval_summary_mapped_memory)
{
	struct pair p = begin_pair("pipe.decode_width=1", 1);
	struct stop_point sp = {.kind = STOP_POINT_EVENT,
	                        .filter = {.mask = EV_BIT(SYSCALL)},
	                        .event_condition = interval_summary_is_mmap,
	                        .enabled = true};
	int id = interval_summary_add_stop(&p, &sp);
	interval_summary_move_both(&p, ON, 0);
	const uint64_t cycle = rig_cycle(p.all), at = rig_info.event.syscall.result;
	assert_int_equal(rig_info.reason, STOPPED_BREAK);
	interval_summary_delete_stop(&p, id);
	interval_summary_move_both(&p, FORWARDS, 3);
	id = interval_summary_add_stop(
		&p, &(struct stop_point){
			    .kind = STOP_POINT_MEMORY, .enabled = true, .addr = at, .size = 8});
	interval_summary_move_both(&p, BACK, 0);
	assert_int_equal(rig_cycle(p.some), cycle);
	interval_summary_delete_stop(&p, id);
	interval_summary_close_pair(&p);
}

/* A search that ends at the beginning of a long run does not go through all of it. */
TEST(passed_over)
{
	struct pair p = {.random = 1};
	struct run_history all, some;
	interval_summary_open_pair(&p, &subjects[0], 500);
	struct stop_point sp = {
		.kind = STOP_POINT_PC, .addr = rig_symbol(p.all, "tick"), .enabled = true};
	interval_summary_add_stop(&p, &sp);
	interval_summary_move_both(&p, BACK, 0);
	run_history(p.all->r, &all);
	run_history(p.some->r, &some);
	assert_int_equal(rig_info.reason, STOPPED_BREAK);
	assert_true(p.end - rig_cycle(p.all) > 10000);
	assert_true(some.cycles_reexecuted * 4 < all.cycles_reexecuted);
	sp = (struct stop_point){.kind = STOP_POINT_MEMORY,
	                         .addr = rig_symbol(p.all, "counter"),
	                         .size = 8,
	                         .enabled = true};
	interval_summary_add_stop(&p, &sp);
	interval_summary_move_both(&p, GOTO, p.end);
	interval_summary_move_both(&p, BACK, 0);
	interval_summary_close_pair(&p);
}

TEST_GROUP(rig_enter, rig_leave)
