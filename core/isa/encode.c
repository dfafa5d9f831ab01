#include "core/isa/encode.h"

#include "core/isa/op.h"

/* Moves bits high..low of value to instruction bits from `at` on. */
static inline uint32_t encode_bit_field(uint32_t value, unsigned high, unsigned low, unsigned at)
{
	return (value >> low & ((UINT32_C(2) << (high - low)) - 1)) << at;
}

/* ---- operands of 4-byte instructions, as FORMAT rows name them; absent ones are 0 ---- */
#define ND 0
#define XD encode_bit_field(in->rd, 4, 0, 7)
#define XS1 encode_bit_field(in->rs1, 4, 0, 15)
#define XS2 encode_bit_field(in->rs2, 4, 0, 20)
#define FD XD
#define FS1 XS1
#define FS2 XS2
#define FS3 encode_bit_field(in->rs3, 4, 0, 27)
#define IMM_I encode_bit_field(imm, 11, 0, 20)
#define IMM_S (encode_bit_field(imm, 11, 5, 25) | encode_bit_field(imm, 4, 0, 7))
#define IMM_B                                                                                      \
	(encode_bit_field(imm, 12, 12, 31) | encode_bit_field(imm, 10, 5, 25) |                    \
	 encode_bit_field(imm, 4, 1, 8) | encode_bit_field(imm, 11, 11, 7))
#define IMM_U (imm & 0xfffff000)
#define IMM_J                                                                                      \
	(encode_bit_field(imm, 20, 20, 31) | encode_bit_field(imm, 10, 1, 21) |                    \
	 encode_bit_field(imm, 11, 11, 20) | encode_bit_field(imm, 19, 12, 12))
#define TYPENO encode_bit_field(imm, 2, 0, 20)
#define SHAMT encode_bit_field(imm, 5, 0, 20)
#define CSRNO encode_bit_field(imm, 11, 0, 20)
#define RM encode_bit_field(in->rm, 2, 0, 12)
#define AQRL encode_bit_field(in->rm, 1, 0, 25)
#define ZIMM encode_bit_field(in->rm, 4, 0, 15)

enum {
#define FORMAT(id, decode_bit_field, ...) MASK_##id = (int)(decode_bit_field),
#include "core/isa/rv64.def"
};

#define FORMAT(id, decode_bit_field, d, s1, s2, s3, immediate, mode, syntax)                       \
	static uint32_t operands_##id(const struct inst *in)                                       \
	{                                                                                          \
		uint32_t imm = (uint32_t)in->imm;                                                  \
		(void)in, (void)imm;                                                               \
		return (d) | (s1) | (s2) | (s3) | (immediate) | (mode);                            \
	}
#include "core/isa/rv64.def"

const struct encoding encodings[OP_COUNT] = {
#define OP(id, mnemonic, decode_bit_field, format, ...)                                            \
	[OP_##id] = {.match = decode_bit_field, .mask = (uint32_t)MASK_##format},
#include "core/isa/rv64.def"
};

static uint32_t (*const operands[OP_COUNT])(const struct inst *in) = {
#define OP(id, mnemonic, decode_bit_field, format, ...) [OP_##id] = operands_##format,
#include "core/isa/rv64.def"
};

/* True if a decoded register is the requested one. */
static bool same_reg(unsigned asked, unsigned decoded)
{
	if (asked == REG_ZERO || asked == REG_SINK)
		return decoded == REG_ZERO || decoded == REG_SINK || decoded == REG_F0;
	return asked == decoded || (asked < REG_F0 && asked + REG_F0 == decoded);
}

/* True if raw decodes to `in`: decoding decides whether operands fit. */
static bool encode_decodes_back_to(uint32_t raw, const struct inst *in)
{
	struct inst got;
	inst_decode(raw, &got);
	if (in->op == OP_JAL && in->len == 2 && in->rd == REG_RA) { /* RV32's */
		inst_decode_rv32(raw, &got);
		got.op = inst_rv64_op(got.op) & OP_MASK;
	}
	return got.op == in->op && got.len == in->len && got.imm == in->imm && got.rm == in->rm &&
	       same_reg(in->rd, got.rd) && same_reg(in->rs1, got.rs1) &&
	       same_reg(in->rs2, got.rs2) && same_reg(in->rs3, got.rs3);
}

struct short_form {
	uint16_t op;
	uint16_t match, mask;
};

static const struct short_form short_forms[] = {
#define RVC(id, decode_bit_field, which, ...) {OP_##id, decode_bit_field, which},
#include "core/isa/rv64.def"
};

/* Finds a short form by trying all operand bits: rows define how to extract operands, not how to
 * insert them. */
static bool encode_short(const struct inst *in, uint32_t *raw)
{
	for (unsigned i = 0; i < sizeof short_forms / sizeof *short_forms; i++) {
		const struct short_form *form = &short_forms[i];
		if (form->op != in->op)
			continue;
		uint32_t open = 0xffffu & ~(uint32_t)form->mask, bits = 0;
		do {
			if (encode_decodes_back_to(form->match | bits, in)) {
				*raw = form->match | bits;
				return true;
			}
			bits = (bits - open) & open; /* the next subset of the open bits */
		} while (bits);
	}
	return false;
}

bool inst_encode(const struct inst *in, uint32_t *raw)
{
	if (in->op >= OP_COUNT || !operands[in->op])
		return false;
	if (in->len == 2)
		return encode_short(in, raw);
	uint32_t word = encodings[in->op].match | operands[in->op](in);
	if (!encode_decodes_back_to(word, in))
		return false;
	*raw = word;
	return true;
}

bool inst_retarget(const struct inst *in, int64_t offset, uint32_t *raw)
{
	const uint32_t imm = (uint32_t)offset;
	struct inst want = *in;
	want.imm = (int32_t)offset;
	if (want.imm != offset)
		return false;
	if (in->len == 4)
		return inst_encode(&want, raw);
	uint32_t word;
	if (in->op == OP_JAL)
		word = (in->raw & 0xe003) | encode_bit_field(imm, 11, 11, 12) |
		       encode_bit_field(imm, 4, 4, 11) | encode_bit_field(imm, 9, 8, 9) |
		       encode_bit_field(imm, 10, 10, 8) | encode_bit_field(imm, 6, 6, 7) |
		       encode_bit_field(imm, 7, 7, 6) | encode_bit_field(imm, 3, 1, 3) |
		       encode_bit_field(imm, 5, 5, 2);
	else
		word = (in->raw & 0xe383) | encode_bit_field(imm, 8, 8, 12) |
		       encode_bit_field(imm, 4, 3, 10) | encode_bit_field(imm, 7, 6, 5) |
		       encode_bit_field(imm, 2, 1, 3) | encode_bit_field(imm, 5, 5, 2);
	if (!encode_decodes_back_to(word, &want))
		return false;
	*raw = word;
	return true;
}

unsigned inst_opposite(unsigned branch)
{
	switch (branch) {
	case OP_BEQ: return OP_BNE;
	case OP_BNE: return OP_BEQ;
	case OP_BLT: return OP_BGE;
	case OP_BGE: return OP_BLT;
	case OP_BLTU: return OP_BGEU;
	case OP_BGEU: return OP_BLTU;
	default: return OP_ILLEGAL;
	}
}
