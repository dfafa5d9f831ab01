/* Common parts of the value sampler's tests: a guest of known instructions, machines that run it
 * under a cheap handler, and the expected cost. */
#ifndef CYCLOPS_TESTS_UNIT_VSAMPLE_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_VSAMPLE_FIXTURE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/isa/csr.h"
#include "core/machine/machine.h"
#include "core/machine/params.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "core/prof/common/prof.h"
#include "core/prof/values/vsample.h"
#include "tests/cases.h"
#include "tests/encode.h"

enum { CODE = 0x10000, DATA = 0x40000, DATA_BYTES = 1 << 20, NOWHERE = 0x8000, ROUNDS = 300 };
enum {
	X0,
	RA = 1,
	SP = 2,
	T0 = 5,
	T1 = 6,
	T2 = 7,
	A0 = 10,
	A1 = 11,
	A2 = 12,
	A7 = 17,
	T3 = 28,
	T4 = 29,
	T5 = 30
};

/* The first interrupt comes after four rounds of the loop below. */
#define AT_FIFTH_ROUND "vsample.interval_min=60", "vsample.interval_max=60"

/* A cheap handler that interprets at each interrupt. */
#define EAGER                                                                                      \
	"vsample.enable=true", "vsample.every=1", "vsample.interrupt_cycles=3",                    \
		"vsample.start_cycles=2", "vsample.inst_cycles=4", "vsample.tuple_cycles=5",       \
		"vsample.service=1", "vsample.capture=all", "vsample.context_cycles=0"

/* A loop of ROUNDS rounds, with loads from successive lines, a store that is loaded again, a call,
 * LR and SC. */
enum {
	LOOP_WORDS = 22,
	LOOP_BEFORE = 4,
	LOOP_ROUND = 14,
	LOOP_AFTER = 4,
	FOUR_ROUNDS = LOOP_BEFORE + 4 * LOOP_ROUND
};

static inline size_t loop_code(uint32_t *code)
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

static inline struct config vsample_fixture_config(const char *const *assignments)
{
	struct config cfg;
	struct err err;
	config_default(&cfg);
	for (; *assignments; assignments++)
		if (!config_set_assignment(&cfg, *assignments, &err))
			fail_msg("%s", err.msg);
	return cfg;
}

static inline struct machine *vsample_fixture_new_machine(const uint32_t *code, size_t bytes,
                                                          const char *const *assignments)
{
	struct err err;
	const struct config cfg = vsample_fixture_config(assignments);
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

static inline struct machine *vsample_fixture_loop_machine(const char *const *assignments)
{
	uint32_t code[LOOP_WORDS];
	return vsample_fixture_new_machine(code, loop_code(code), assignments);
}

static inline const struct vsample_state *handler_of(const struct machine *m)
{
	return machine_pipe(m)->prof->vsample->st;
}

static inline void vsample_fixture_run_to_end(struct machine *m)
{
	machine_run(m, UINT64_MAX, UINT64_MAX);
	assert_int_equal(machine_status(m), MACHINE_EXITED);
	assert_null(prof_check(machine_pipe(m)->prof));
}

/* The expected sum of the handler's cycles, by any method. */
static inline uint64_t cost_of(const struct machine *m)
{
	const struct stats *s = machine_stats(m);
	const struct config *c = machine_config(m);
	/* Each interpretation is begun, except upcalls without a stack; each check without progress
	 * begins anew. */
	return (s->vsample_interrupts + s->vsample_bounces) *
	               (uint64_t)c->vsample_interrupt_cycles +
	       (s->vsample_interpretations - s->vsample_stop_stack + s->vsample_retries) *
	               (uint64_t)c->vsample_start_cycles +
	       s->vsample_upcalls *
	               (uint64_t)(c->vsample_upcall_cycles + c->vsample_return_cycles) +
	       s->vsample_faults * (uint64_t)c->vsample_fault_cycles +
	       s->vsample_insts * (uint64_t)c->vsample_inst_cycles + s->vsample_memory_cycles +
	       s->vsample_tuples * (uint64_t)c->vsample_tuple_cycles +
	       s->vsample_contexts * (uint64_t)c->vsample_context_cycles;
}

#define CSRR(number) ENC(CSRRS, .rd = T3, .imm = (number))

#endif
