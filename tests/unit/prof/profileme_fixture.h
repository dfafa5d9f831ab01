/* Guests under ProfileMe, for its tests. */
#ifndef CYCLOPS_TESTS_UNIT_PROF_PROFILEME_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_PROF_PROFILEME_FIXTURE_H

#include "core/prof/profileme/profileme.h"

#include <math.h>

#include "core/base/hash.h"
#include "core/pipe/memory/cache.h"
#include "core/prof/oracle/oracle.h"
#include "tests/unit/prof/vsample_fixture.h"

enum { BUSY_ROUNDS = 0x2000, PCS = 4096, T6 = 31 };

/* A loop with an unpredictable branch, stores that loads overtake, divisions, and loads from
 * successive lines. */
static inline size_t busy_code(uint32_t *code)
{
	const uint32_t text[] = {
		enc_u(OP_LUI, T0, DATA),
		enc_u(OP_LUI, T1, BUSY_ROUNDS),
		enc_u(OP_LUI, T3, 0x41c64000),
		enc_i(OP_ADDI, T3, T3, 0x66d),
		enc_i(OP_ADDI, A1, X0, 77),
		enc_i(OP_ADDI, T6, T0, 0),
		enc_r(OP_MUL, A1, A1, T3), /* 6: the round */
		enc_i(OP_ADDI, A1, A1, 0x35),
		enc_i(OP_SRLI, T2, A1, 13),
		enc_i(OP_ANDI, T2, T2, 0x18),
		enc_r(OP_ADD, T4, T0, T2),
		enc_s(OP_SD, A1, T4, 0),
		enc_i(OP_LD, T5, T0, 8), /* 12: one in four is overwritten just before */
		enc_i(OP_LD, A0, T6, 0),
		enc_i(OP_ADDI, T6, T6, 64),
		enc_i(OP_SRLI, A2, A1, 17),
		enc_i(OP_ANDI, A2, A2, 1),
		enc_b(OP_BEQ, A2, X0, 4 * 3),
		enc_i(OP_ORI, A2, A2, 5),
		enc_r(OP_DIVU, T5, A1, A2),
		enc_i(OP_ADDI, T1, T1, -1), /* 20 */
		enc_b(OP_BNE, T1, X0, -4 * 15),
		enc_i(OP_ADDI, A7, X0, 93),
		enc_i(OP_ADDI, A0, X0, 0),
		enc_i(OP_ECALL, X0, X0, 0),
	};
	memcpy(code, text, sizeof text);
	return sizeof text;
}

static inline struct machine *profileme_fixture_busy_machine(const char *const *assignments)
{
	uint32_t code[64];
	return vsample_fixture_new_machine(code, busy_code(code), assignments);
}

static inline const struct prof *profileme_fixture_prof(const struct machine *m)
{
	return machine_pipe(m)->prof;
}

static inline uint64_t profileme_fixture_hash_table(const struct machine *m)
{
	return oracle_store_hash(&profileme_fixture_prof(m)->profileme->table->store);
}

#endif
