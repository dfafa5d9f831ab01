/* The value sampler on small guests with known instructions: the places of interrupts, and their
 * cost to the cycle. */
#include "core/prof/values/vsample.h"

#include "tests/unit/prof/vsample_fixture.h"

/* ---- interrupts ---- */
/* Interrupts come exactly after the instruction that completes the interval, at the same places on
 * every machine. */
TEST(interrupts_come_at_the_same_instructions)
{
	static const char *const machines[] = {"pipe.commit_width=4",   "pipe.commit_width=1",
	                                       "pipe.commit_width=16",  "pipe.in_order=true",
	                                       "pipe.rob_size=300",     "lsq.speculate=true",
	                                       "mem.latency=7",         "l1d.write_buffer=1",
	                                       "vsample.inst_cycles=1", "vsample.data_lines=0"};
	enum { INTERRUPTS = 100 };
	static uint64_t where[INTERRUPTS], behind[INTERRUPTS];
	for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
		const char *const how[] = {EAGER,
		                           "vsample.interval_min=5",
		                           "vsample.interval_max=40",
		                           "vsample.length=3",
		                           machines[k],
		                           NULL};
		struct machine *m = vsample_fixture_loop_machine(how);
		const struct vsample_state *v = handler_of(m);
		for (unsigned i = 0; i < INTERRUPTS; i++) {
			const uint64_t at = v->at;
			assert_in_range(v->interval, 5, 40);
			assert_int_equal(at, machine_stats(m)->insts + v->interval);
			while (v->phase == VSAMPLE_AWAY) {
				assert_int_equal(vsample_distance(machine_pipe(m)->prof),
				                 at - machine_stats(m)->insts);
				assert_true(machine_step(m));
			}
			assert_int_equal(machine_stats(m)->insts, at);
			assert_int_equal(machine_stats(m)->vsample_interrupts, i + 1);
			assert_int_equal(machine_pc(m), v->sampled_pc);
			assert_int_equal(vsample_distance(machine_pipe(m)->prof), 0);
			if (!k) {
				where[i] = v->sampled_pc;
				behind[i] = at;
			}
			assert_int_equal(v->sampled_pc, where[i]);
			assert_int_equal(at, behind[i]);
			while (v->phase != VSAMPLE_AWAY)
				assert_true(machine_step(m));
			assert_int_equal(machine_stats(m)->insts, at + 3);
		}
		machine_free(m);
	}
}

/* All lengths of an interval occur equally often. */
TEST(intervals_are_uniform)
{
	static const char *const how[] = {"vsample.enable=true", "vsample.interval_min=10",
	                                  "vsample.interval_max=17", NULL};
	struct machine *m = vsample_fixture_loop_machine(how);
	struct prof *d = machine_pipe(m)->prof;
	unsigned seen[8] = {0};
	for (unsigned i = 0; i < 80000; i++) {
		vsample_begin_interval(d);
		assert_in_range(handler_of(m)->interval, 10, 17);
		seen[handler_of(m)->interval - 10]++;
	}
	for (unsigned i = 0; i < 8; i++)
		assert_in_range(seen[i], 9600, 10400);
	machine_free(m);
}

/* Every m-th interrupt interprets; the others cost only the interrupt. */
TEST(every_mth_interprets)
{
	for (unsigned every = 0; every < 4; every++) {
		char option[32];
		snprintf(option, sizeof option, "vsample.every=%u", every);
		const char *const how[] = {EAGER,
		                           "vsample.interval_min=50",
		                           "vsample.interval_max=50",
		                           "vsample.length=2",
		                           option,
		                           NULL};
		struct machine *m = vsample_fixture_loop_machine(how);
		vsample_fixture_run_to_end(m);
		const struct stats *s = machine_stats(m);
		assert_true(s->vsample_interrupts > 70);
		assert_int_equal(s->vsample_interpretations,
		                 every ? s->vsample_interrupts / every : 0);
		assert_int_equal(s->vsample_insts, 2 * s->vsample_interpretations);
		assert_int_equal(s->vsample_cycles, cost_of(m));
		machine_free(m);
	}
}

/* ---- cost ---- */
TEST(cost_is_the_parameters_sum)
{
	static const char *const cases[][6] = {
		{"vsample.interrupt_cycles=1", "vsample.start_cycles=0", "vsample.inst_cycles=1",
	         "vsample.tuple_cycles=0", "vsample.length=1"},
		{"vsample.interrupt_cycles=1000", "vsample.start_cycles=0", "vsample.inst_cycles=1",
	         "vsample.tuple_cycles=0", "vsample.length=5"},
		{"vsample.interrupt_cycles=1", "vsample.start_cycles=777", "vsample.inst_cycles=1",
	         "vsample.tuple_cycles=0", "vsample.length=5"},
		{"vsample.interrupt_cycles=1", "vsample.start_cycles=0", "vsample.inst_cycles=99",
	         "vsample.tuple_cycles=0", "vsample.length=5"},
		{"vsample.interrupt_cycles=1", "vsample.start_cycles=0", "vsample.inst_cycles=1",
	         "vsample.tuple_cycles=99", "vsample.length=128"},
		{"vsample.context_cycles=50", "vsample.length=20", "vsample.skip=9"},
		{"vsample.context_cycles=50", "vsample.capture=result", "l1d.write_buffer=1"},
		{"l1d.mshrs=1", "l1d.write_buffer=1", "l1d.size=512", "l1d.line=8",
	         "vsample.queue=1"},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		const char *const *c = cases[k];
		const char *how[32] = {EAGER, "vsample.interval_min=3", "vsample.interval_max=30"};
		unsigned n = 0;
		while (how[n])
			n++;
		for (unsigned i = 0; i < 6 && c[i]; i++)
			how[n++] = c[i];
		struct machine *m = vsample_fixture_loop_machine(how);
		vsample_fixture_run_to_end(m);
		const struct stats *s = machine_stats(m);
		assert_true(s->vsample_interpretations > 20);
		assert_int_equal(s->vsample_cycles, cost_of(m));
		assert_int_equal(s->cpi_vsample, (s->vsample_cycles + s->vsample_refill_cycles) *
		                                         (uint64_t)machine_config(m)->commit_width);
		uint64_t slots = 0, stops = 0;
		for (size_t i = 0; i < stat_row_count; i++) {
			slots += strncmp(stat_rows[i].name, "cpi.", 4)
			                 ? 0
			                 : (uint64_t)stat_value(s, &stat_rows[i]);
			stops += strncmp(stat_rows[i].name, "vsample.stop_", 13)
			                 ? 0
			                 : (uint64_t)stat_value(s, &stat_rows[i]);
		}
		assert_int_equal(slots, s->cycles * (uint64_t)machine_config(m)->commit_width);
		assert_int_equal(stops, s->vsample_interpretations);
		machine_free(m);
	}
}

/* A line never requested before has a first load's latency, including translation; a present line
 * has L1D's. */
TEST(loads_take_their_time)
{
	const uint32_t code[] = {
		enc_u(OP_LUI, T0, DATA),
		ENC(CSRRS, .rd = T1, .imm = CSR_FCSR), /* no younger instruction has begun */
		enc_i(OP_LD, T2, T0, 1032),
		enc_i(OP_LW, T2, T0, 1052),
		enc_i(OP_LD, T2, T0, 1056),
		enc_i(OP_LD, T2, T0, 1144),
		enc_s(OP_SD, T1, T0, 1032),
		enc_i(OP_LD, T2, T0, 1032),
		enc_i(OP_LB, T3, T0, 1024), /* outside the sets of code and records */
	};
	static const unsigned right[] = {
		50 + 2 + 10 + 100 + 2, 2, 2 + 10, 2 + 10 + 100 + 2, 0, 1, 2};
	static const unsigned level[] = {LEVEL_MEMORY, LEVEL_L1,     LEVEL_L2, LEVEL_MEMORY,
	                                 LEVEL_NONE,   LEVEL_BUFFER, LEVEL_L1};
	const char *const how[] = {EAGER,
	                           "vsample.interval_min=2",
	                           "vsample.interval_max=2",
	                           "vsample.length=7",
	                           "vsample.data_lines=0",
	                           "vsample.code_lines=0",
	                           "vsample.inst_lines=0",
	                           "vsample.tuple_cycles=0",
	                           "vsample.inst_cycles=1",
	                           NULL};
	struct machine *m = vsample_fixture_new_machine(code, sizeof code, how);
	while (!vsample_find(machine_pipe(m)->prof, 7))
		machine_step(m);
	for (unsigned i = 0; i < 7; i++) {
		const struct vsample_tuple *t = vsample_find(machine_pipe(m)->prof, i + 1);
		if (t->latency != right[i] || t->level != level[i])
			fail_msg("load %u takes %u cycles from level %u, not %u from %u", i,
			         t->latency, t->level, right[i], level[i]);
	}
	machine_free(m);
}

static uint64_t line_ready(const struct machine *m, uint64_t addr)
{
	const struct cache *c = &machine_pipe(m)->mem.l1d;
	const uint64_t number = addr >> c->line_log2;
	const struct cache_line *set =
		c->lines + (size_t)((uint32_t)number & c->set_mask) * c->ways;
	for (uint32_t w = 0; w < c->ways; w++)
		if (set[w].tag == number + 1)
			return set[w].ready;
	return 0;
}

/* The handler cycle by cycle: interrupt, interpreter, each instruction with its load, each tuple;
 * fetch resumes in the next cycle. */
TEST(the_handler_in_time)
{
	const char *const how[] = {EAGER, AT_FIFTH_ROUND, "vsample.length=7", NULL};
	struct machine *m = vsample_fixture_loop_machine(how);
	const struct vsample_state *v = handler_of(m);
	const struct pipe_state *st = machine_pipe(m)->st;
	while (v->phase == VSAMPLE_AWAY)
		machine_step(m);
	assert_int_equal(machine_stats(m)->insts, FOUR_ROUNDS);
	assert_int_equal(v->sampled_pc, CODE + 4 * 4);
	const uint64_t taken = machine_cycle(m) - 1;
	assert_int_equal(v->since, taken);
	uint64_t at = taken + 3; /* the last of the interrupt's cycles */
	assert_int_equal(v->due, at);
	for (uint64_t c = taken + 1; c <= at; c++) {
		assert_int_equal(v->phase, VSAMPLE_ENTERED);
		machine_step(m);
	}
	assert_int_equal(v->phase, VSAMPLE_STARTS);
	at += 2;
	for (unsigned i = 0; i < 7; i++) {
		const struct vsample_tuple *t;
		const uint64_t insts = machine_stats(m)->insts;
		while (!(t = vsample_find(machine_pipe(m)->prof, i + 1)))
			machine_step(m);
		at += 4 + t->latency;
		assert_int_equal(machine_cycle(m) - 1, at);
		assert_int_equal(machine_stats(m)->insts, insts + 1);
		assert_int_equal(t->latency != 0, i == 0 || i == 3);
		if (i == 0) { /* the load has been squashed, but its line comes */
			const uint64_t line = line_ready(m, DATA + 64 * 4), asked = at - t->latency;
			assert_true(line > asked + 2);
			assert_int_equal(t->latency, line - asked);
		}
		/* the store's line is in the write buffer, or in L1D */
		if (i == 3)
			assert_true(t->latency == 1 || t->latency == 2);
		at += 5;
	}
	while (v->phase != VSAMPLE_AWAY)
		machine_step(m);
	assert_int_equal(machine_cycle(m) - 1, at);
	assert_int_equal(machine_stats(m)->vsample_cycles, at - taken);
	assert_int_equal(st->redirect_until, at + 1);
	const uint64_t lines = machine_stats(m)->fetch_lines;
	machine_step(m);
	assert_int_equal(machine_stats(m)->fetch_lines, lines + 1);
	assert_int_equal(v->stop, VSAMPLE_STOP_LENGTH);
	assert_int_equal(v->stop_pc, machine_pc(m));
	machine_free(m);
}
