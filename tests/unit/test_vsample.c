/* The value sampler on small guests, whose every instruction is known here: where interrupts come, what they cost to the cycle, why
 * interpretations stop, who hears of what is interpreted, and what becomes of tuples. Whole programs: test_vsample_streams.c. */
#include "core/prof/vsample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/change.h"
#include "core/isa/csr.h"
#include "core/machine.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "core/prof/prof.h"
#include "loader/launch.h"
#include "loader/program.h"
#include "tests/encode.h"
#include "tests/unit/cross.h"
#include "tests/unit/firmware_asm.h"

enum { CODE = 0x10000, DATA = 0x40000, DATA_BYTES = 1 << 20, NOWHERE = 0x8000, ROUNDS = 300 };
enum { X0, RA = 1, SP = 2, T0 = 5, T1 = 6, T2 = 7, A0 = 10, A1 = 11, A2 = 12, A7 = 17, T3 = 28, T4 = 29, T5 = 30 };

/* The first interrupt comes behind four rounds of the loop below. */
#define AT_FIFTH_ROUND "vsample.interval_min=60", "vsample.interval_max=60"

/* A handler that takes little, and interprets each time. */
#define EAGER \
	"vsample.enable=true", "vsample.every=1", "vsample.interrupt_cycles=3", "vsample.start_cycles=2", "vsample.inst_cycles=4", \
	"vsample.tuple_cycles=5", "vsample.service=1", "vsample.capture=all", "vsample.context_cycles=0"

/* A loop of ROUNDS rounds, with loads from line after line, a store that is loaded again, a call, LR and SC. */
enum { LOOP_WORDS = 22, LOOP_BEFORE = 4, LOOP_ROUND = 14, LOOP_AFTER = 4, FOUR_ROUNDS = LOOP_BEFORE + 4 * LOOP_ROUND };

static size_t loop_code(uint32_t *code)
{
	const uint32_t text[] = {
		enc_u(OP_LUI, T0, DATA),
		enc_i(OP_ADDI, T1, X0, ROUNDS),
		enc_u(OP_LUI, SP, DATA + 0x1000),
		enc_i(OP_ADDI, A1, X0, 0),
		enc_i(OP_LD, T2, T0, 0), /* 4: the round */
		enc_r(OP_ADD, A1, A1, T2),
		enc_s(OP_SD, A1, SP, 8),
		enc_i(OP_LD, T3, SP, 8),
		enc_j(RA, 4 * 9), /* 8: a call of 17 */
		ENC(LR_D, .rd = T4, .rs1 = SP),
		enc_i(OP_ADDI, T4, T4, 1),
		ENC(SC_D, .rd = T5, .rs1 = SP, .rs2 = T4),
		enc_b(OP_BNE, T5, X0, -4 * 3),
		enc_i(OP_ADDI, T1, T1, -1),
		enc_b(OP_BNE, T1, X0, -4 * 10),
		enc_i(OP_ADDI, A7, X0, 93), /* 15 */
		enc_j(X0, 4 * 4),
		enc_i(OP_ADDI, T0, T0, 64), /* 17 */
		enc_r(OP_MUL, A0, T0, T1),
		enc_i(OP_JALR, X0, RA, 0),
		enc_i(OP_ANDI, A0, A1, 63), /* 20 */
		enc_i(OP_ECALL, X0, X0, 0),
	};
	memcpy(code, text, sizeof text);
	return sizeof text;
}

static struct config configured(const char *const *assignments)
{
	struct config cfg;
	struct err err;
	config_default(&cfg);
	for (; *assignments; assignments++)
		if (!config_set_assignment(&cfg, *assignments, &err))
			fail_msg("%s", err.msg);
	return cfg;
}

static struct machine *machine_with(const uint32_t *code, size_t bytes, const char *const *assignments)
{
	struct err err;
	const struct config cfg = configured(assignments);
	struct machine *m = machine_new(&cfg, &err);
	if (!m)
		fail_msg("%s", err.msg);
	struct mem *mem = machine_mem(m);
	assert_true(mem_map(mem, CODE, PAGE_BYTES, PROT_R | PROT_X, "code"));
	assert_true(mem_map(mem, DATA, DATA_BYTES, PROT_R | PROT_W, "data"));
	assert_true(mem_poke(mem, CODE, code, bytes));
	for (uint64_t i = 0; i < 4096; i++) {
		const uint64_t v = i * i;
		assert_true(mem_poke(mem, DATA + 64 * i, &v, 8));
	}
	machine_hart(m)->pc = CODE;
	machine_start(m, DATA + DATA_BYTES);
	return m;
}

static struct machine *looping(const char *const *assignments)
{
	uint32_t code[LOOP_WORDS];
	return machine_with(code, loop_code(code), assignments);
}

static const struct vsample_state *handler_of(const struct machine *m)
{
	return machine_pipe(m)->prof->vsample.st;
}

static void run_to_end(struct machine *m)
{
	machine_run(m, UINT64_MAX, UINT64_MAX);
	assert_int_equal(machine_status(m), MACHINE_EXITED);
	assert_null(prof_check(machine_pipe(m)->prof));
}

/* What the handler's cycles must come to. */
static uint64_t cost_of(const struct machine *m)
{
	const struct stats *s = machine_stats(m);
	const struct config *c = machine_config(m);
	const bool context = machine_pipe(m)->prof->vsample.capture & VSAMPLE_CONTEXT;
	return s->vsample_interrupts * (uint64_t)c->vsample_interrupt_cycles + s->vsample_interpretations * (uint64_t)c->vsample_start_cycles +
	       s->vsample_insts * (uint64_t)c->vsample_inst_cycles + s->vsample_memory_cycles +
	       s->vsample_tuples * (uint64_t)(c->vsample_tuple_cycles + (context ? c->vsample_context_cycles : 0));
}

/* ---- interrupts ---- */
/* Exactly behind the instruction that completes the interval, whatever the machine; the same places everywhere. */
static void interrupts_come_at_the_same_instructions(void **state)
{
	(void)state;
	static const char *const machines[] = {
		"pipe.commit_width=4", "pipe.commit_width=1", "pipe.commit_width=16", "pipe.in_order=true", "pipe.rob_size=300",
		"lsq.speculate=true", "mem.latency=7", "l1d.write_buffer=1", "vsample.inst_cycles=1", "vsample.data_lines=0"};
	enum { INTERRUPTS = 100 };
	static uint64_t where[INTERRUPTS], behind[INTERRUPTS];
	for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
		const char *const how[] = {EAGER, "vsample.interval_min=5", "vsample.interval_max=40", "vsample.length=3", machines[k], NULL};
		struct machine *m = looping(how);
		const struct vsample_state *v = handler_of(m);
		for (unsigned i = 0; i < INTERRUPTS; i++) {
			const uint64_t at = v->at;
			assert_in_range(v->interval, 5, 40);
			assert_int_equal(at, machine_stats(m)->insts + v->interval);
			while (v->phase == VSAMPLE_AWAY) {
				assert_int_equal(vsample_distance(machine_pipe(m)->prof), at - machine_stats(m)->insts);
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

/* All lengths of an interval come, as often as each other. */
static void intervals_are_uniform(void **state)
{
	(void)state;
	static const char *const how[] = {"vsample.enable=true", "vsample.interval_min=10", "vsample.interval_max=17", NULL};
	struct machine *m = looping(how);
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

/* Every m-th interrupt interprets; the others cost what an interrupt costs. */
static void every_mth_interprets(void **state)
{
	(void)state;
	for (unsigned every = 0; every < 4; every++) {
		char option[32];
		snprintf(option, sizeof option, "vsample.every=%u", every);
		const char *const how[] = {EAGER, "vsample.interval_min=50", "vsample.interval_max=50", "vsample.length=2", option, NULL};
		struct machine *m = looping(how);
		run_to_end(m);
		const struct stats *s = machine_stats(m);
		assert_true(s->vsample_interrupts > 70);
		assert_int_equal(s->vsample_interpretations, every ? s->vsample_interrupts / every : 0);
		assert_int_equal(s->vsample_insts, 2 * s->vsample_interpretations);
		assert_int_equal(s->vsample_cycles, cost_of(m));
		machine_free(m);
	}
}

/* ---- cost ---- */
static void cost_is_the_parameters_sum(void **state)
{
	(void)state;
	static const char *const cases[][6] = {
		{"vsample.interrupt_cycles=1", "vsample.start_cycles=0", "vsample.inst_cycles=1", "vsample.tuple_cycles=0", "vsample.length=1"},
		{"vsample.interrupt_cycles=1000", "vsample.start_cycles=0", "vsample.inst_cycles=1", "vsample.tuple_cycles=0", "vsample.length=5"},
		{"vsample.interrupt_cycles=1", "vsample.start_cycles=777", "vsample.inst_cycles=1", "vsample.tuple_cycles=0", "vsample.length=5"},
		{"vsample.interrupt_cycles=1", "vsample.start_cycles=0", "vsample.inst_cycles=99", "vsample.tuple_cycles=0", "vsample.length=5"},
		{"vsample.interrupt_cycles=1", "vsample.start_cycles=0", "vsample.inst_cycles=1", "vsample.tuple_cycles=99", "vsample.length=128"},
		{"vsample.context_cycles=50", "vsample.length=20", "vsample.skip=9"},
		{"vsample.context_cycles=50", "vsample.capture=result", "l1d.write_buffer=1"},
		{"l1d.mshrs=1", "l1d.write_buffer=1", "l1d.size=512", "l1d.line=8", "vsample.queue=1"},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		const char *const *c = cases[k];
		const char *how[32] = {EAGER, "vsample.interval_min=3", "vsample.interval_max=30"};
		unsigned n = 0;
		while (how[n])
			n++;
		for (unsigned i = 0; i < 6 && c[i]; i++)
			how[n++] = c[i];
		struct machine *m = looping(how);
		run_to_end(m);
		const struct stats *s = machine_stats(m);
		assert_true(s->vsample_interpretations > 20);
		assert_int_equal(s->vsample_cycles, cost_of(m));
		assert_int_equal(s->cpi_vsample, (s->vsample_cycles + s->vsample_refill_cycles) * (uint64_t)machine_config(m)->commit_width);
		uint64_t slots = 0, stops = 0;
		for (size_t i = 0; i < stat_row_count; i++) {
			slots += strncmp(stat_rows[i].name, "cpi.", 4) ? 0 : (uint64_t)stat_value(s, &stat_rows[i]);
			stops += strncmp(stat_rows[i].name, "vsample.stop_", 13) ? 0 : (uint64_t)stat_value(s, &stat_rows[i]);
		}
		assert_int_equal(slots, s->cycles * (uint64_t)machine_config(m)->commit_width);
		assert_int_equal(stops, s->vsample_interpretations);
		machine_free(m);
	}
}

/* A line that was never asked for: its latency is what a first load's is, translation and all; of what is there L1D's. */
static void loads_take_their_time(void **state)
{
	(void)state;
	const uint32_t code[] = {
		enc_u(OP_LUI, T0, DATA), ENC(CSRRS, .rd = T1, .imm = CSR_FCSR), /* behind this one nothing has begun */
		enc_i(OP_LD, T2, T0, 1032), enc_i(OP_LW, T2, T0, 1052), enc_i(OP_LD, T2, T0, 1056), enc_i(OP_LD, T2, T0, 1144),
		enc_s(OP_SD, T1, T0, 1032), enc_i(OP_LD, T2, T0, 1032), enc_i(OP_LB, T3, T0, 1024), /* not in the sets of code and records */
	};
	static const unsigned right[] = {50 + 2 + 10 + 100 + 2, 2, 2 + 10, 2 + 10 + 100 + 2, 0, 1, 2};
	static const unsigned level[] = {LEVEL_MEMORY, LEVEL_L1, LEVEL_L2, LEVEL_MEMORY, LEVEL_NONE, LEVEL_BUFFER, LEVEL_L1};
	const char *const how[] = {EAGER, "vsample.interval_min=2", "vsample.interval_max=2", "vsample.length=7", "vsample.data_lines=0",
	                           "vsample.code_lines=0", "vsample.inst_lines=0", "vsample.tuple_cycles=0", "vsample.inst_cycles=1", NULL};
	struct machine *m = machine_with(code, sizeof code, how);
	while (!vsample_find(machine_pipe(m)->prof, 7))
		machine_step(m);
	for (unsigned i = 0; i < 7; i++) {
		const struct vsample_tuple *t = vsample_find(machine_pipe(m)->prof, i + 1);
		if (t->latency != right[i] || t->level != level[i])
			fail_msg("load %u takes %u cycles from level %u, not %u from %u", i, t->latency, t->level, right[i], level[i]);
	}
	machine_free(m);
}

static uint64_t line_ready(const struct machine *m, uint64_t addr)
{
	const struct cache *c = &machine_pipe(m)->mem.l1d;
	const uint64_t number = addr >> c->line_log2;
	const struct cache_line *set = c->lines + (size_t)((uint32_t)number & c->set_mask) * c->ways;
	for (uint32_t w = 0; w < c->ways; w++)
		if (set[w].tag == number + 1)
			return set[w].ready;
	return 0;
}

/* Cycle by cycle: the interrupt's, the interpreter's, each instruction's with its load, each tuple's; and fetch in the cycle after. */
static void the_handler_in_time(void **state)
{
	(void)state;
	const char *const how[] = {EAGER, AT_FIFTH_ROUND, "vsample.length=7", NULL};
	struct machine *m = looping(how);
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
		if (i == 0) { /* the load has been squashed, but what it asked for comes */
			const uint64_t line = line_ready(m, DATA + 64 * 4), asked = at - t->latency;
			assert_true(line > asked + 2);
			assert_int_equal(t->latency, line - asked);
		}
		if (i == 3) /* what the store has put into the write buffer is there still, or it is in L1D */
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

/* ---- what tuples have ---- */
static void tuples_have_what_is_captured(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		unsigned bits;
	} cases[] = {{"all", 31}, {"none", 0}, {"operands", 1}, {"result", 2}, {"address", 4}, {"latency", 8}, {"context", 16}, {"  latency  result ", 10}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		char capture[64];
		snprintf(capture, sizeof capture, "vsample.capture=%s", cases[k].text);
		const char *const how[] = {EAGER, capture, AT_FIFTH_ROUND, "vsample.length=14", NULL};
		uint32_t code[LOOP_WORDS];
		struct machine *m = machine_with(code, loop_code(code), how);
		const struct prof *d = machine_pipe(m)->prof;
		assert_int_equal(d->vsample.capture, cases[k].bits);
		while (!vsample_find(d, 14))
			machine_step(m);
		const unsigned b = cases[k].bits;
		const uint64_t row = DATA + 64 * 4; /* the fifth round */
		for (unsigned i = 0; i < 14; i++) {
			const struct vsample_tuple *t = vsample_find(d, i + 1);
			assert_non_null(t);
			assert_int_equal(t->sequence, 1);
			assert_int_equal(t->place, i);
			assert_int_equal(t->word, code[(t->pc - CODE) / 4]);
			assert_int_equal(t->ra, b & VSAMPLE_CONTEXT ? CODE + 4 * 9 : 0);
			/* The word at the top of the stack counts rounds, from 64 * 64 on: `sc` is the eleventh of a round. */
			assert_int_equal(t->top, b & VSAMPLE_CONTEXT ? 4096 + 4 + (i > 10) : 0);
		}
		const struct vsample_tuple *load = vsample_find(d, 1), *mul = vsample_find(d, 7);
		assert_int_equal(load->pc, CODE + 4 * 4);
		assert_int_equal(load->operand[0], b & VSAMPLE_OPERANDS ? row : 0);
		assert_int_equal(load->result, b & VSAMPLE_RESULT ? 16 : 0);
		assert_int_equal(load->address, b & VSAMPLE_ADDRESS ? row : 0);
		assert_int_equal(load->latency != 0, (b & VSAMPLE_LATENCY) != 0);
		assert_int_equal(load->level, b & VSAMPLE_LATENCY ? LEVEL_MEMORY : LEVEL_NONE);
		assert_int_equal(mul->pc, CODE + 4 * 18);
		assert_int_equal(mul->operand[0], b & VSAMPLE_OPERANDS ? row + 64 : 0);
		assert_int_equal(mul->operand[1], b & VSAMPLE_OPERANDS ? ROUNDS - 4 : 0);
		assert_int_equal(mul->result, b & VSAMPLE_RESULT ? (row + 64) * (ROUNDS - 4) : 0);
		assert_int_equal(mul->address, 0);
		assert_int_equal(mul->latency, 0);
		machine_free(m);
	}
}

static void nonsense_is_refused(void **state)
{
	(void)state;
	static const struct {
		const char *first, *second, *says;
	} cases[] = {
		{"vsample.capture=resutl", NULL, "vsample.capture: 'resutl' is nothing to capture: did you mean 'result'?"},
		{"vsample.capture=result, address", NULL, "vsample.capture: 'result,' is nothing to capture: did you mean 'result'?"},
		{"vsample.capture=12345678901234567890123456789", NULL,
		 "vsample.capture: '12345678901234567890123' is nothing to capture: operands, result, address, latency, context, all or none are"},
		{"vsample.capture= ", NULL, "vsample.capture: nothing is named: operands, result, address, latency, context, all or none"},
		{"vsample.interval_min=9", "vsample.interval_max=8", "vsample.interval_min: 9 is more than vsample.interval_max, 8"},
		{"vsample.protect_from=0x20", "vsample.protect_to=0x10", "vsample.protect_from: 0x20 lies behind vsample.protect_to, 0x10"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct config cfg;
		struct err err = {""};
		config_default(&cfg);
		const bool ok = config_set_assignment(&cfg, cases[i].first, &err) &&
		                (!cases[i].second || config_set_assignment(&cfg, cases[i].second, &err)) && config_check(&cfg, &err);
		assert_false(ok);
		assert_string_equal(err.msg, cases[i].says);
	}
}

/* ---- the queue ---- */
/* Without a daemon the first tuples stay and the others are lost; with one that takes n cycles for each, as many are taken as the time
 * since allows, and what was taken is readable until its place is needed. */
static void the_queue_is_bounded(void **state)
{
	(void)state;
	for (unsigned service = 0; service < 2; service++) {
		const char *const how[] = {EAGER, AT_FIFTH_ROUND, "vsample.length=40", "vsample.queue=8",
		                           service ? "vsample.service=30" : "vsample.service=0", NULL};
		struct machine *m = looping(how);
		const struct prof *d = machine_pipe(m)->prof;
		const struct stats *s = machine_stats(m);
		uint64_t waiting = 0, lost = 0, tuples = 0, begun = 0, entered[1000] = {0}, in = 0;
		/* A model: one in service, whose time began when it came to the head of the queue. */
		for (unsigned c = 0; c < 4000; c++) {
			machine_step(m);
			const uint64_t now = machine_cycle(m) - 1;
			if (service && waiting && now == begun + 30) {
				waiting--;
				begun = now;
			}
			if (s->vsample_tuples != tuples) {
				tuples++;
				if (waiting < 8)
					entered[in++] = tuples;
				if (waiting == 8)
					lost++;
				else if (!waiting++)
					begun = now;
			}
			assert_int_equal(s->vsample_tuples, tuples);
			assert_int_equal(s->vsample_lost, lost);
			/* Asked in the cycle that comes: what is done then is done. */
			assert_int_equal(vsample_waiting(d), waiting - (service && waiting && now + 1 == begun + 30));
			assert_null(prof_check(d));
			assert_null(vsample_find(d, tuples + 1));
			assert_null(vsample_find(d, 0));
			for (uint64_t n = 1; n <= tuples; n++) {
				bool there = false;
				for (uint64_t i = in < 8 ? 0 : in - 8; i < in; i++)
					there |= entered[i] == n;
				assert_int_equal(vsample_find(d, n) != NULL, there);
			}
		}
		assert_true(tuples > 100 && lost > 0 && in > (service ? 50 : 7));
		machine_free(m);
	}
}

/* ---- stops ---- */
struct stop_case {
	const char *name;
	uint32_t code[8]; /* behind three instructions that are interpreted */
	enum vsample_stop stop;
	enum machine_status end;
	unsigned before; /* how many of `code` are interpreted */
	const char *option;
};

/* The first interrupt comes behind four instructions; three more are interpreted, and then comes what stops it. The program ends as it does
 * without a sampler. */
static void interpretations_stop(void **state)
{
	(void)state;
	const uint32_t load = enc_i(OP_LD, T3, T0, 0), store = enc_s(OP_SD, T1, T0, 16), exit = enc_i(OP_ECALL, X0, X0, 0);
#define CSRR(number) ENC(CSRRS, .rd = T3, .imm = (number))
	const struct stop_case cases[] = {
		{"a system call", {exit}, VSAMPLE_STOP_SYSCALL, MACHINE_EXITED, 0, NULL},
		{"a breakpoint instruction", {enc_i(OP_EBREAK, X0, X0, 0)}, VSAMPLE_STOP_TRAP, MACHINE_FAULTED, 0, NULL},
		{"no instruction", {0xffffffff}, VSAMPLE_STOP_TRAP, MACHINE_FAULTED, 0, NULL},
		{"mret", {enc_i(OP_MRET, X0, X0, 0)}, VSAMPLE_STOP_TRAP, MACHINE_FAULTED, 0, NULL},
		{"a load from nowhere", {enc_i(OP_LD, T3, X0, 8)}, VSAMPLE_STOP_TRAP, MACHINE_FAULTED, 0, NULL},
		{"a load from M-mode's memory", {enc_i(OP_ADDI, T3, X0, 1), enc_i(OP_SLLI, T3, T3, 38), enc_i(OP_LD, T3, T3, 0)}, VSAMPLE_STOP_TRAP, MACHINE_FAULTED, 2, NULL},
		{"a store to code", {enc_u(OP_LUI, T3, CODE), enc_s(OP_SD, T1, T3, 0)}, VSAMPLE_STOP_TRAP, MACHINE_FAULTED, 1, NULL},
		{"an odd lr", {enc_i(OP_ADDI, T3, T0, 4), ENC(LR_D, .rd = T4, .rs1 = T3)}, VSAMPLE_STOP_TRAP, MACHINE_FAULTED, 1, NULL},
		{"an odd amo", {enc_i(OP_ADDI, T3, T0, 4), ENC(AMOADD_D, .rd = T4, .rs1 = T3, .rs2 = T1)}, VSAMPLE_STOP_TRAP, MACHINE_FAULTED, 1, NULL},
		{"a register that is not there", {CSRR(CSR_MSTATUS)}, VSAMPLE_STOP_TRAP, MACHINE_FAULTED, 0, NULL},
		{"a rounding mode that is none", {ENC(CSRRWI, .rd = X0, .rm = 5, .imm = CSR_FRM), ENC(FADD_S, .rd = 1, .rs1 = 1, .rs2 = 1, .rm = 7)}, VSAMPLE_STOP_TRAP, MACHINE_FAULTED, 1, NULL},
		{"a jump to nowhere", {enc_u(OP_LUI, T2, NOWHERE), enc_i(OP_JALR, RA, T2, 0)}, VSAMPLE_STOP_TRAP, MACHINE_FAULTED, 2, NULL},
		{"fence.i", {enc_i(OP_FENCE_I, X0, X0, 0), exit}, VSAMPLE_STOP_FENCE, MACHINE_EXITED, 0, NULL},
		{"rdcycle", {CSRR(CSR_CYCLE), exit}, VSAMPLE_STOP_TIME, MACHINE_EXITED, 0, NULL},
		{"rdtime", {CSRR(CSR_TIME), exit}, VSAMPLE_STOP_TIME, MACHINE_EXITED, 0, NULL},
		{"rdinstret", {CSRR(CSR_INSTRET), exit}, VSAMPLE_STOP_TIME, MACHINE_EXITED, 0, NULL},
		{"hpmcounter9", {CSRR(CSR_HPMCOUNTER3 + 6), exit}, VSAMPLE_STOP_TIME, MACHINE_EXITED, 0, NULL},
		{"pic0", {CSRR(CSR_PIC0), exit}, VSAMPLE_STOP_TIME, MACHINE_EXITED, 0, NULL},
		{"protected code", {store, exit}, VSAMPLE_STOP_PROTECTED, MACHINE_EXITED, 0, "vsample.protect_from=0x1001f"},
		{"protected data, loaded", {load, exit}, VSAMPLE_STOP_PROTECTED, MACHINE_EXITED, 0, "vsample.protect_from=0x40007"},
		{"protected data, stored", {store, exit}, VSAMPLE_STOP_PROTECTED, MACHINE_EXITED, 0, "vsample.protect_from=0x40017"},
		{"data before it", {store, exit}, VSAMPLE_STOP_SYSCALL, MACHINE_EXITED, 1, "vsample.protect_from=0x40018"},
		{"fcsr and fence", {CSRR(CSR_FCSR), enc_i(OP_FENCE, X0, X0, 0xff), exit}, VSAMPLE_STOP_SYSCALL, MACHINE_EXITED, 2, NULL},
		{"its length", {load, load, load, exit}, VSAMPLE_STOP_LENGTH, MACHINE_EXITED, 3, NULL},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		const struct stop_case *c = &cases[k];
		uint32_t code[16] = {
			enc_u(OP_LUI, T0, DATA), enc_i(OP_ADDI, T1, X0, 1), enc_i(OP_ADDI, A7, X0, 93), enc_i(OP_ADDI, A0, X0, 7),
			enc_i(OP_ADDI, T1, T1, 1), enc_s(OP_SD, T1, T0, 8), enc_i(OP_LD, T2, T0, 8),
		};
		const uint64_t from = c->option ? strtoull(strchr(c->option, '=') + 1, NULL, 16) : 0;
		char to[40];
		memcpy(code + 7, c->code, sizeof c->code);
		snprintf(to, sizeof to, "vsample.protect_to=0x%llx", (unsigned long long)(from ? from + 1 : 0));
		const char *const how[] = {EAGER, "vsample.interval_min=4", "vsample.interval_max=4", "vsample.length=6", to,
		                           c->option ? c->option : "vsample.queue=9", NULL}, *const alone[] = {NULL};
		struct machine *m = machine_with(code, sizeof code, how), *plain = machine_with(code, sizeof code, alone);
		machine_run(m, UINT64_MAX, UINT64_MAX);
		machine_run(plain, UINT64_MAX, UINT64_MAX);
		const struct stats *s = machine_stats(m);
		const struct fault *f = machine_fault(m), *right = machine_fault(plain);
		if (machine_status(m) != c->end || machine_status(plain) != c->end)
			fail_msg("%s: the program ends otherwise", c->name);
		assert_int_equal(machine_exit_status(m), machine_exit_status(plain));
		assert_true(f->trap == right->trap && f->pc == right->pc && f->addr == right->addr);
		assert_int_equal(s->insts, machine_stats(plain)->insts);
		const struct vsample_state *v = handler_of(m);
		if (s->vsample_interpretations != 1 || v->stop != c->stop || s->vsample_insts != 3 + c->before)
			fail_msg("%s: %llu interpretations, the last one stopped for '%s', %llu instructions", c->name,
			         (unsigned long long)s->vsample_interpretations, vsample_stop_name[v->stop], (unsigned long long)s->vsample_insts);
		assert_int_equal(v->stop_pc, strstr(c->name, "jump") ? NOWHERE : CODE + 4 * (7 + c->before));
		assert_int_equal((&s->vsample_stop_length)[c->stop - VSAMPLE_STOP_LENGTH], 1);
		assert_int_equal(s->vsample_cycles, cost_of(m));
		machine_free(m);
		machine_free(plain);
	}
}

/* ---- who hears ---- */
static void collect(void *ctx, const struct machine *m, const struct event *ev)
{
	uint64_t *seen = ctx;
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	assert_int_equal(u->seq, ev->seq);
	assert_int_equal(u->pc, ev->pc);
	seen[ev->id]++;
	if (ev->id != EV_LEAVE || ev->leave.dispatched)
		return;
	if (!ev->leave.retired)
		return;
	/* Interpreted: its stamps say when. */
	assert_int_equal(u->when.end, ev->cycle);
	assert_int_equal(u->when.fetch, handler_of(m)->begun);
	assert_true(u->state == UOP_RETIRED && uop_in_window(u) == false);
	seen[EV_COUNT]++;
}

static void events_are_as_many_as_instructions(void **state)
{
	(void)state;
	const char *const how[] = {EAGER, "vsample.interval_min=3", "vsample.interval_max=30", "vsample.length=9", NULL}, *const alone[] = {NULL};
	struct machine *m = looping(how), *plain = looping(alone);
	uint64_t seen[EV_COUNT + 1] = {0}, right[EV_COUNT + 1] = {0};
	const struct event_filter f = {.mask = EV_BIT(COMMIT) | EV_BIT(STORE) | EV_BIT(LEAVE)};
	assert_true(machine_listen(m, &f, collect, seen) && machine_listen(plain, &f, collect, right));
	run_to_end(m);
	machine_run(plain, UINT64_MAX, UINT64_MAX);
	assert_int_equal(right[EV_COUNT], 0);
	assert_int_equal(seen[EV_COMMIT], right[EV_COMMIT]);
	assert_int_equal(seen[EV_STORE], right[EV_STORE]);
	assert_int_equal(seen[EV_COUNT], machine_stats(m)->vsample_insts);
	assert_int_equal(machine_stats(m)->insts, machine_stats(plain)->insts);
	assert_int_equal(machine_exit_status(m), machine_exit_status(plain));
	/* What the pipeline did is counted there, the rest is not. */
	assert_int_equal(machine_stats(m)->cpi_base + machine_stats(m)->vsample_insts, machine_stats(m)->insts);
	assert_true(machine_stats(m)->commit_loads < machine_stats(plain)->commit_loads);
	machine_free(m);
	machine_free(plain);
}

/* instret counts what was interpreted; and a reservation outlives interrupts, however often they come between lr and sc. */
static void nothing_is_executed_twice(void **state)
{
	(void)state;
	for (unsigned interval = 1; interval < 20; interval++)
		for (unsigned length = 1; length < 20; length += 3) {
			char least[40], most[40], n[40];
			snprintf(least, sizeof least, "vsample.interval_min=%u", interval);
			snprintf(most, sizeof most, "vsample.interval_max=%u", interval);
			snprintf(n, sizeof n, "vsample.length=%u", length);
			const char *const how[] = {EAGER, least, most, n, "l1d.size=1K", NULL};
			struct machine *m = looping(how);
			run_to_end(m);
			assert_int_equal(machine_stats(m)->insts, LOOP_BEFORE + LOOP_ROUND * ROUNDS + LOOP_AFTER);
			machine_free(m);
		}
}

/* ---- profile instructions ---- */
enum { MARK = 0x0320a013, SETPF_3 = 0x01b0a013, RESETPF_3 = 0x0130a013, PI_3 = 0x00b0a013, PUSHPF_3 = 0x0230a013, POPPF_3 = 0x02b0a013 };

struct selected {
	struct tuple tuple[8192];
	unsigned n;
};

static void select_tuple(void *ctx, struct tuple t)
{
	struct selected *s = ctx;
	assert_true(s->n < 8192);
	s->tuple[s->n++] = t;
}

/* A mark is about the next instruction, whether decode meets it or the interpreter, or one of them the mark and the other the
 * instruction; flags are the same for both, also those on the profile stack. */
static void marks_and_flags_are_kept_up(void **state)
{
	(void)state;
	const uint32_t code[] = {
		enc_u(OP_LUI, T0, DATA), enc_u(OP_LUI, SP, DATA + 0x1000), enc_i(OP_ADDI, T1, X0, 200), enc_i(OP_ADDI, T5, SP, 1024),
		ENC(CSRRW, .rd = X0, .rs1 = T5, .imm = CSR_PFSP),
		MARK, /* 5: the round */
		enc_i(OP_ADDI, T2, T2, 3), enc_i(OP_ANDI, T3, T1, 1),
		MARK, enc_b(OP_BEQ, T3, X0, 12), /* every other time */
		SETPF_3, enc_j(X0, 8),
		RESETPF_3, /* 12 */
		PI_3, enc_i(OP_ADDI, T4, T4, 7), /* 13 */
		PUSHPF_3, SETPF_3, MARK, PI_3, enc_i(OP_ADDI, T4, T4, 100), POPPF_3, PI_3, enc_i(OP_ADDI, T4, T4, 1000),
		enc_i(OP_ADDI, T1, T1, -1), enc_b(OP_BNE, T1, X0, -4 * 19),
		enc_i(OP_ADDI, A0, T4, 0), enc_i(OP_SRLI, A0, A0, 4), enc_i(OP_ADDI, A7, X0, 93), enc_i(OP_ECALL, X0, X0, 0),
	};
	static struct selected seen, right;
	uint64_t insts = 0, total = 0;
	for (unsigned interval = 0; interval < 14; interval++)
		for (unsigned length = 1; length < 9; length++) {
			char least[40], most[40], n[40];
			snprintf(least, sizeof least, "vsample.interval_min=%u", interval ? interval : 1);
			snprintf(most, sizeof most, "vsample.interval_max=%u", interval ? interval : 1);
			snprintf(n, sizeof n, "vsample.length=%u", length);
			const char *const how[] = {EAGER, least, most, n, "sampler.enable=true", "sampler.select=value of int marked", "sampler.tuple_queue=256",
			                           interval ? "vsample.seed=3" : "vsample.enable=false", NULL};
			struct machine *m = machine_with(code, sizeof code, how);
			struct sampler *s = &machine_pipe(m)->prof->sampler;
			struct selected *to = interval ? &seen : &right;
			to->n = 0;
			s->sink = select_tuple;
			s->sink_ctx = to;
			machine_run(m, UINT64_MAX, UINT64_MAX);
			assert_int_equal(machine_status(m), MACHINE_EXITED);
			if (!interval) {
				insts = machine_stats(m)->insts;
				total = machine_reg(m, T4);
				/* Of 200 rounds every other one has its flag on; within pushpf and poppf all have. */
				assert_int_equal(total, 100 * 7 + 200 * 100 + 100 * 1000);
				assert_int_equal(right.n, 200 * 2); /* the second mark is about a branch */
			}
			assert_int_equal(machine_reg(m, T4), total);
			assert_int_equal(machine_stats(m)->insts, insts);
			assert_int_equal(to->n, right.n);
			assert_memory_equal(to->tuple, right.tuple, right.n * sizeof *right.tuple);
			assert_int_equal(machine_stats(m)->vsample_insts != 0, interval != 0);
			machine_free(m);
		}
}

/* ---- by hand ---- */
/* What a person changes while the handler runs holds from the next instruction on: registers, memory, the place to go on at. */
static void changes_by_hand_hold(void **state)
{
	(void)state;
	const char *const how[] = {EAGER, AT_FIFTH_ROUND, "vsample.length=7", NULL};
	for (unsigned wait = 0; wait < 160; wait++) {
		struct machine *m = looping(how);
		struct err err;
		const uint64_t ten = 10;
		while (handler_of(m)->phase == VSAMPLE_AWAY)
			machine_step(m);
		for (unsigned i = 0; i < wait; i++)
			machine_step(m);
		assert_true(handler_of(m)->phase != VSAMPLE_AWAY);
		assert_true(machine_set_reg(m, A1, 5, &err) && machine_poke(m, DATA + 8, &ten, 8, &err));
		/* To where A0 is made of A1, and the end. */
		assert_true(machine_set_pc(m, CODE + 4 * 20, &err) && machine_set_reg(m, A7, 93, &err));
		assert_int_equal(machine_pc(m), CODE + 4 * 20);
		run_to_end(m);
		assert_int_equal(machine_exit_status(m), 5);
		machine_free(m);
	}
}

/* ---- firmware ---- */
/* An interrupt of firmware's ends an interpretation, and comes exactly behind its instruction; firmware is neither sampled nor
 * interpreted. */
static const char by_instructions[] = FIRMWARE(
	" li t1, 777\n sd t1, 0x18(DEV)\n li t1, 1 << 16\n csrw mie, t1\n",
	" ld t1, 0x10(DEV)\n ld t2, 0x18(DEV)\n sub t1, t1, t2\n snez t1, t1\n la t2, late\n ld t3, 0(t2)\n add t3, t3, t1\n sd t3, 0(t2)\n"
	" la t2, count\n ld t1, 0(t2)\n addi t3, t1, 1\n sd t3, 0(t2)\n"
	" ld t2, 0x18(DEV)\n addi t2, t2, 131\n sd t2, 0x18(DEV)\n");

static const char guest[] =
	"#include <stdio.h>\nstatic unsigned x = 1; static long cells[1024];\n"
	"int main(void) { long s = 0;\n"
	" for (int i = 0; i < 3000; i++) { x = x * 1103515245u + 12345u; cells[x >> 22] += i; s ^= cells[(x >> 12) & 1023]; }\n"
	" printf(\"%ld\\n\", s); return (int)(s & 63); }\n";

static void swallow(void *ctx, int fd, const void *bytes, size_t n)
{
	(void)ctx, (void)fd, (void)bytes, (void)n;
}

static void firmware_comes_first(void **state)
{
	(void)state;
	struct cross program, firmware;
	struct err err;
	if (!cross_build(&program, "c", guest, "-O2 -static"))
		skip();
	assert_true(cross_build(&firmware, "S", by_instructions, FIRMWARE_FLAGS));
	char *argv[] = {program.program, NULL}, *env[] = {NULL};
	const struct launch l = {.path = program.program, .argv = argv, .env = env, .firmware = firmware.program, .stdin_fd = -1, .output = swallow};
	const char *const how[] = {EAGER, "firmware.enable=true", "vsample.interval_min=20", "vsample.interval_max=90", "vsample.length=30", NULL};
	const char *const alone[] = {"firmware.enable=true", NULL};
	const struct config cfg[2] = {configured(alone), configured(how)};
	uint64_t count[2], late[2] = {1, 1}, insts[2];
	for (unsigned i = 0; i < 2; i++) {
		struct program *p = launch_program(&l, &err);
		struct machine *m = p ? launch_machine(&l, p, &cfg[i], &err) : NULL;
		if (!m)
			fail_msg("%s", err.msg);
		machine_run(m, UINT64_MAX, UINT64_MAX);
		assert_int_equal(machine_status(m), MACHINE_EXITED);
		const struct stats *s = machine_stats(m);
		count[i] = s->firmware_interrupts;
		insts[i] = s->insts;
		const struct symbol *symbol = program_symbol_by_name(p, "late");
		assert_true(symbol && machine_peek(m, symbol->addr, &late[i], sizeof late[i]));
		if (i) {
			assert_true(s->vsample_stop_interrupt > 50);
			assert_true(s->vsample_stop_length > 50);
			assert_int_equal(s->vsample_cycles, cost_of(m));
			assert_int_equal(s->cpi_firmware, s->firmware_cycles * (uint64_t)cfg[i].commit_width);
		}
		machine_free(m);
		program_free(p);
	}
	assert_true(count[0] > 100);
	assert_int_equal(count[1], count[0]);
	assert_int_equal(late[0] + late[1], 0);
	assert_int_equal(insts[1], insts[0]);
	cross_remove(&program);
	cross_remove(&firmware);
}

/* ---- caches ---- */
static unsigned resident(const struct cache *c, uint64_t base, uint64_t lines)
{
	unsigned n = 0;
	for (uint64_t i = 0; i < lines; i++) {
		const uint64_t number = (base >> c->line_log2) + i;
		const struct cache_line *set = c->lines + (size_t)((uint32_t)number & c->set_mask) * c->ways;
		for (uint32_t w = 0; w < c->ways; w++)
			n += set[w].tag == number + 1;
	}
	return n;
}

/* An interrupt leaves its lines of code and data behind, and the interpreter's routines and the tuples their own. */
static void the_handler_has_a_footprint(void **state)
{
	(void)state;
	const char *const how[] = {EAGER, AT_FIFTH_ROUND, "vsample.length=7", "vsample.interrupt_cycles=400",
	                           "vsample.code_lines=40", "vsample.data_lines=20", "vsample.inst_lines=3", "l1d.write_buffer=0",
	                           "l1d.mshrs=0", NULL};
	struct machine *m = looping(how);
	const struct hierarchy *h = &machine_pipe(m)->mem;
	while (handler_of(m)->phase == VSAMPLE_AWAY)
		machine_step(m);
	assert_int_equal(resident(&h->l1i, VSAMPLE_BASE, 4096), 0);
	assert_int_equal(resident(&h->l1d, VSAMPLE_DATA, 4096), 0);
	while (handler_of(m)->phase == VSAMPLE_ENTERED)
		machine_step(m);
	assert_int_equal(resident(&h->l1i, VSAMPLE_BASE, 4096), 40);
	assert_int_equal(resident(&h->l1d, VSAMPLE_DATA, 4096), 20);
	assert_int_equal(resident(&h->l2, VSAMPLE_DATA, 4096), 10);
	assert_int_equal(resident(&h->l1i, VSAMPLE_ROUTINES, 4096), 0);
	assert_int_equal(resident(&h->l1d, VSAMPLE_QUEUE, 4096), 0);
	while (handler_of(m)->phase != VSAMPLE_AWAY)
		machine_step(m);
	/* ld twice, add, sd, jal, addi, mul: six operations. Seven records in lines of 32 bytes. */
	assert_int_equal(resident(&h->l1i, VSAMPLE_ROUTINES, 4096), 18);
	assert_int_equal(resident(&h->l1d, VSAMPLE_QUEUE, 4096), (7 * sizeof(struct vsample_tuple) + 31) / 32);
	/* The words that were interpreted are data for the interpreter: 4 to 8, 17 and 18. */
	assert_int_equal(resident(&h->l1d, CODE, 4), 3);
	machine_free(m);
	const char *const none[] = {EAGER, AT_FIFTH_ROUND, "vsample.code_lines=0", "vsample.data_lines=0",
	                            "vsample.inst_lines=0", NULL};
	m = looping(none);
	run_to_end(m);
	h = &machine_pipe(m)->mem;
	assert_int_equal(resident(&h->l1i, VSAMPLE_BASE, 4096) + resident(&h->l1i, VSAMPLE_ROUTINES, 4096) + resident(&h->l1d, VSAMPLE_DATA, 4096), 0);
	machine_free(m);
}

/* ---- again ---- */
static void hear(void *ctx, const struct machine *m, const struct event *ev)
{
	(void)m, (void)ev;
	++*(uint64_t *)ctx;
}

/* Whoever watches, and however it is run. */
static void the_same_seed_gives_the_same_cycles(void **state)
{
	(void)state;
	enum { N = 4 };
	const char *const how[N][16] = {
		{EAGER, "vsample.interval_min=3", "vsample.interval_max=90", "vsample.skip=5"},
		{EAGER, "vsample.interval_min=3", "vsample.interval_max=90", "vsample.skip=5"},
		{EAGER, "vsample.interval_min=3", "vsample.interval_max=90", "vsample.skip=5"},
		{EAGER, "vsample.interval_min=3", "vsample.interval_max=90", "vsample.skip=5", "vsample.seed=2"},
	};
	const struct event_filter all = {.mask = (UINT64_C(1) << EV_COUNT) - 1};
	struct machine *m[N];
	uint64_t seen = 0;
	for (unsigned i = 0; i < N; i++)
		m[i] = looping(how[i]);
	assert_true(machine_listen(m[2], &all, hear, &seen) > 0);
	for (uint64_t c = 0; c < 20000; c += 77) {
		machine_run(m[0], c, UINT64_MAX);
		while (machine_cycle(m[1]) < c) /* one by one */
			machine_step(m[1]);
		machine_run(m[2], c, UINT64_MAX);
		assert_int_equal(machine_hash(m[1]), machine_hash(m[0]));
		assert_int_equal(machine_hash(m[2]), machine_hash(m[0]));
	}
	for (unsigned i = 0; i < N; i++)
		run_to_end(m[i]);
	assert_int_equal(machine_cycle(m[1]), machine_cycle(m[0]));
	assert_int_equal(machine_cycle(m[2]), machine_cycle(m[0]));
	assert_int_not_equal(machine_cycle(m[3]), machine_cycle(m[0]));
	for (unsigned i = 0; i < N; i++)
		machine_free(m[i]);
}

/* Without timing nothing is sampled; behind that, the first interrupt comes as many instructions on as it would have. */
static void without_timing_the_interval_stands_still(void **state)
{
	(void)state;
	const char *const how[] = {EAGER, "vsample.interval_min=100", "vsample.interval_max=100", NULL};
	struct machine *m = looping(how);
	assert_int_equal(machine_run_functional(m, 1234, false), 1234);
	assert_int_equal(machine_stats(m)->vsample_interrupts, 0);
	assert_int_equal(vsample_distance(machine_pipe(m)->prof), 100);
	while (handler_of(m)->phase == VSAMPLE_AWAY)
		machine_step(m);
	assert_int_equal(machine_insts(m), 1334);
	struct err err;
	const struct config cfg = configured(how);
	struct machine *from = looping(how), *to = machine_new(&cfg, &err);
	machine_run_functional(from, 1234, false);
	assert_true(machine_graft(to, from, &err));
	while (handler_of(to)->phase == VSAMPLE_AWAY)
		machine_step(to);
	assert_int_equal(machine_insts(to), 1334);
	machine_free(m);
	machine_free(from);
	machine_free(to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interrupts_come_at_the_same_instructions),
		cmocka_unit_test(intervals_are_uniform),
		cmocka_unit_test(every_mth_interprets),
		cmocka_unit_test(cost_is_the_parameters_sum),
		cmocka_unit_test(loads_take_their_time),
		cmocka_unit_test(the_handler_in_time),
		cmocka_unit_test(tuples_have_what_is_captured),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(the_queue_is_bounded),
		cmocka_unit_test(interpretations_stop),
		cmocka_unit_test(events_are_as_many_as_instructions),
		cmocka_unit_test(nothing_is_executed_twice),
		cmocka_unit_test(marks_and_flags_are_kept_up),
		cmocka_unit_test(changes_by_hand_hold),
		cmocka_unit_test(firmware_comes_first),
		cmocka_unit_test(the_handler_has_a_footprint),
		cmocka_unit_test(the_same_seed_gives_the_same_cycles),
		cmocka_unit_test(without_timing_the_interval_stands_still),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
