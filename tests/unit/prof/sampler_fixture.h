/* Guests under a sampler, for its tests. */
#ifndef CYCLOPS_TESTS_UNIT_PROF_SAMPLER_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_PROF_SAMPLER_FIXTURE_H

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
#include "core/prof/oracle/oracle.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/sampler/sampler_exact.h"
#include "loader/launch.h"
#include "tests/cases.h"
#include "tests/encode.h"

enum { CODE = 0x10000, DATA = 0x40000, ROUNDS = 400, STREAM_MAX = 400000 };

enum {
	X0,
	RA = 1,
	T0 = 5,
	T1 = 6,
	T2 = 7,
	A0 = 10,
	A1 = 11,
	A2 = 12,
	A3 = 13,
	A7 = 17,
	T3 = 28,
	T4 = 29,
	T5 = 30
};

enum { MARK = 0x0320a013, MARK_C = 0x104a, SETPF_7 = 0x01f0a013, NOP_C = 0x0001 };

static inline struct config sampler_fixture_config(const char *const *assignments)
{
	struct config cfg;
	struct err err;
	config_default(&cfg);
	assert_true(config_set_assignment(&cfg, "sampler.enable=true", &err));
	for (; *assignments; assignments++)
		if (!config_set_assignment(&cfg, *assignments, &err))
			fail_msg("%s", err.msg);
	return cfg;
}

static inline struct machine *sampler_fixture_new_machine(const uint32_t *code, size_t bytes,
                                                          const char *const *assignments)
{
	struct err err;
	const struct config cfg = sampler_fixture_config(assignments);
	struct machine *m = machine_new(&cfg, &err);
	if (!m)
		fail_msg("%s", err.msg);
	struct mem *mem = machine_mem(m);
	assert_true(mem_map(mem, CODE, PAGE_BYTES, PROT_R | PROT_X, "code"));
	assert_true(mem_map(mem, DATA, PAGE_BYTES, PROT_R | PROT_W, "data"));
	assert_true(mem_poke(mem, CODE, code, bytes));
	machine_hart(m)->pc = CODE;
	machine_start(m, DATA + PAGE_BYTES);
	return m;
}

static inline const uint32_t *marked_code(size_t *bytes)
{
	static uint32_t code[32];
	const uint32_t text[] = {
		enc_u(OP_LUI, T0, DATA),
		enc_i(OP_ADDI, T1, X0, ROUNDS),
		enc_i(OP_ADDI, T3, X0, 1),
		MARK, /* loop */
		enc_i(OP_LD, T2, T0, 0),
		MARK, /* a mark of the next word, which is no instruction of the machine */
		SETPF_7,
		enc_i(OP_LD, T2, T0, 8),
		enc_i(OP_ANDI, T4, T3, 1),
		enc_b(OP_BEQ, T4, X0, 8),
		MARK,
		enc_i(OP_LD, T2, T0, 16),
		enc_r(OP_DIV, T5, T1, T3), /* slow */
		enc_r(OP_AND, T5, T5, X0),
		enc_r(OP_ADD, T5, T5, T0),
		enc_s(OP_SD, T1, T5, 24),
		MARK_C | NOP_C << 16, /* the mark belongs to the no-op, which writes nothing */
		MARK,
		enc_i(OP_LD, T2, T0, 24),
		enc_i(OP_SRLI, T4, T3, 3), /* the next random number: x = x >> 1 ^ (x << 7 ^ x >> 3
	                                      ...) & 0x3ff, odd now and then */
		enc_r(OP_XOR, T3, T3, T4),
		enc_i(OP_ADDI, T3, T3, 0x155),
		enc_i(OP_ANDI, T3, T3, 0x3ff),
		enc_i(OP_ORI, T3, T3, 2),
		enc_i(OP_ADDI, T1, T1, -1),
		enc_b(OP_BNE, T1, X0, -4 * 22),
		enc_i(OP_ADDI, A0, X0, 0),
		enc_i(OP_ADDI, A7, X0, 93),
		enc_i(OP_ECALL, X0, X0, 0),
	};
	memcpy(code, text, sizeof text);
	*bytes = sizeof text;
	return code;
}

#endif
