/* Encodes instructions, and selects the 2-byte forms that GNU as chooses.
 *
 * All 2-byte encodings are decoded once, by the table, and looked up by their meaning. */
#include <pthread.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/isa/encode.h"
#include "core/isa/op.h"
#include "loader/asm/asm_priv.h"

enum { SLOTS = 1 << 17, FULL = 3 }; /* low bits of a 4-byte instruction */

/* [RV32 or not]: encoding; 0: empty (no instruction) */
static uint16_t slots[2][SLOTS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint8_t short_forms_sink_to_zero(uint8_t reg)
{
	return reg == REG_SINK ? REG_ZERO : reg;
}

static bool short_forms_inst_is_same(const struct inst *x, const struct inst *y)
{
	return x->op == y->op &&
	       short_forms_sink_to_zero(x->rd) == short_forms_sink_to_zero(y->rd) &&
	       x->rs1 == y->rs1 && x->rs2 == y->rs2 && x->imm == y->imm && x->rm == y->rm;
}

static size_t short_forms_hash_slot(const struct inst *in)
{
	const uint64_t h = hash_word(
		hash_word(HASH_WORDS_START,
	                  (uint64_t)in->op | (uint64_t)short_forms_sink_to_zero(in->rd) << 8 |
	                          (uint64_t)in->rs1 << 16 | (uint64_t)in->rs2 << 24),
		(uint32_t)in->imm);
	return (size_t)(h ^ h >> 29) & (SLOTS - 1);
}

/* Decodes, with the operations of RV64. */
static void short_forms_decode(bool rv32, uint32_t raw, struct inst *in)
{
	if (!rv32) {
		inst_decode(raw, in);
		return;
	}
	inst_decode_rv32(raw, in);
	in->op = inst_rv64_op(in->op) & OP_MASK;
}

static void short_forms_init_table(bool rv32)
{
	uint16_t *const table = slots[rv32];
	for (uint32_t raw = 1; raw < 1 << 16; raw++) {
		struct inst in, other;
		if ((raw & FULL) == FULL)
			continue;
		short_forms_decode(rv32, raw, &in);
		/* -march=rv64gc does not allow Zcb. */
		if (in.op == OP_ILLEGAL || inst_extension(&in) == EXT_ZCB)
			continue;
		size_t at = short_forms_hash_slot(&in);
		bool known = false;
		for (; table[at] && !known; at = known ? at : (at + 1) & (SLOTS - 1)) {
			short_forms_decode(rv32, table[at], &other);
			known = short_forms_inst_is_same(&in, &other);
		}
		if (!known)
			table[at] = (uint16_t)raw;
	}
}

static void short_forms_init_tables(void)
{
	short_forms_init_table(false);
	short_forms_init_table(true);
}

static bool short_forms_lookup_encoding(bool rv32, const struct inst *in, uint32_t *raw)
{
	pthread_once(&once, short_forms_init_tables);
	const uint16_t *const table = slots[rv32];
	for (size_t at = short_forms_hash_slot(in); table[at]; at = (at + 1) & (SLOTS - 1)) {
		struct inst got;
		short_forms_decode(rv32, table[at], &got);
		if (short_forms_inst_is_same(in, &got)) {
			*raw = table[at];
			return true;
		}
	}
	return false;
}

static bool short_forms_op_commutes(unsigned op)
{
	return op == OP_ADD || op == OP_AND || op == OP_OR || op == OP_XOR || op == OP_ADDW;
}

bool short_form(bool rv32, const struct inst *in, uint32_t *raw)
{
	struct inst want = *in;
	const bool sink = short_forms_sink_to_zero(in->rd) == REG_ZERO;
	if ((in->op == OP_SLLI || in->op == OP_SRLI || in->op == OP_SRAI) && in->imm == 0)
		return false;
	if (in->op == OP_ADDI && in->imm == 0 && in->rs1 != REG_ZERO) {
		/* as mv */
		want = (struct inst){.op = OP_ADD, .rd = in->rd, .rs2 = in->rs1};
	}
	/* A discarded result makes a hint: only nop gets a short form. */
	const bool writes = !(inst_flags(in) & (OPF_STORE | OPF_BRANCH | OPF_JUMP | OPF_HINT)) &&
	                    in->op != OP_EBREAK;
	if (sink && writes && !(in->op == OP_ADDI && in->rs1 == REG_ZERO && in->imm == 0))
		return false;
	if (want.op == OP_ADD && want.rs2 == REG_ZERO)
		return false;
	if (short_forms_lookup_encoding(rv32, &want, raw))
		return true;
	if (!short_forms_op_commutes(want.op))
		return false;
	const uint8_t first = want.rs1;
	want.rs1 = want.rs2;
	want.rs2 = first;
	return !(want.op == OP_ADD && want.rs2 == REG_ZERO) &&
	       short_forms_lookup_encoding(rv32, &want, raw);
}

bool encode_any(const struct inst *in, uint32_t *raw)
{
	if (inst_encode(in, raw))
		return true;
	/* A discarded result may turn it into another instruction, a hint: encode that one. */
	struct inst other = *in;
	other.rd = REG_RA;
	if (short_forms_sink_to_zero(in->rd) != REG_ZERO || !inst_encode(&other, raw))
		return false;
	*raw &= ~UINT32_C(0xf80);
	return true;
}
