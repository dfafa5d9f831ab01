/* Decodes bits to struct inst by the tables of rv64.def. */
#include "core/isa/op.h"

/* Maps a destination x0 to the sink, see regs.h. */
static inline unsigned decode_dest_reg(unsigned reg)
{
	return reg == REG_ZERO ? (unsigned)REG_SINK : reg;
}

static inline uint32_t decode_bit_field(uint32_t raw, unsigned high, unsigned low)
{
	return raw >> low & ((UINT32_C(2) << (high - low)) - 1);
}

/* The low `width` bits of v as a signed number. */
static inline int32_t decode_sign_extend(uint32_t v, unsigned width)
{
	return (int32_t)(v << (32 - width)) >> (32 - width);
}

static inline int32_t imm_b(uint32_t raw)
{
	return decode_sign_extend(
		decode_bit_field(raw, 31, 31) << 12 | decode_bit_field(raw, 7, 7) << 11 |
			decode_bit_field(raw, 30, 25) << 5 | decode_bit_field(raw, 11, 8) << 1,
		13);
}

static inline int32_t imm_j(uint32_t raw)
{
	return decode_sign_extend(
		decode_bit_field(raw, 31, 31) << 20 | decode_bit_field(raw, 19, 12) << 12 |
			decode_bit_field(raw, 20, 20) << 11 | decode_bit_field(raw, 30, 21) << 1,
		21);
}

/* ---- operands of 4-byte instructions, as FORMAT rows name them ---- */
#define ND REG_SINK
#define XD decode_dest_reg(decode_bit_field(raw, 11, 7))
#define XS1 decode_bit_field(raw, 19, 15)
#define XS2 decode_bit_field(raw, 24, 20)
#define FD (REG_F0 + decode_bit_field(raw, 11, 7))
#define FS1 (REG_F0 + decode_bit_field(raw, 19, 15))
#define FS2 (REG_F0 + decode_bit_field(raw, 24, 20))
#define FS3 (REG_F0 + decode_bit_field(raw, 31, 27))
#define IMM_I decode_sign_extend(decode_bit_field(raw, 31, 20), 12)
#define IMM_S                                                                                      \
	decode_sign_extend(decode_bit_field(raw, 31, 25) << 5 | decode_bit_field(raw, 11, 7), 12)
#define IMM_B imm_b(raw)
#define IMM_U (int32_t)(raw & 0xfffff000)
#define IMM_J imm_j(raw)
#define TYPENO (int32_t) decode_bit_field(raw, 22, 20)
#define SHAMT (int32_t) decode_bit_field(raw, 25, 20)
#define CSRNO (int32_t) decode_bit_field(raw, 31, 20)
#define RM decode_bit_field(raw, 14, 12)
#define AQRL decode_bit_field(raw, 26, 25)
#define ZIMM decode_bit_field(raw, 19, 15)

enum {
#define FORMAT(id, mask, ...) MASK_##id = (int)mask,
#include "core/isa/rv64.def"
};

#define FORMAT(id, mask, d, s1, s2, s3, immediate, mode, syntax) \
	static void operands_##id(uint32_t raw, struct inst *in) \
	{ \
		(void)raw; \
		in->rd = (uint8_t)(d); \
		in->rs1 = (uint8_t)(s1); \
		in->rs2 = (uint8_t)(s2); \
		in->rs3 = (uint8_t)(s3); \
		in->imm = (immediate); \
		in->rm = (uint8_t)(mode); \
	}
#include "core/isa/rv64.def"

/* Expanded once per major opcode: `opcode` is a constant, so the compiler keeps only its rows of
 * the table. */
static inline __attribute__((always_inline)) void decode_opcode(uint32_t raw, uint32_t opcode,
                                                                struct inst *in)
{
#define OP(id, mnemonic, match, format, ...) \
	if (((match) & 0x7f) == opcode && (raw & (uint32_t)MASK_##format) == (match)) { \
		in->op = OP_##id; \
		operands_##format(raw, in); \
		return; \
	}
#include "core/isa/rv64.def"
}

static void decode_full(uint32_t raw, struct inst *in)
{
	switch (raw & 0x7f) {
#define OPCODE(n) \
	case n: \
		decode_opcode(raw, n, in); \
		break;
		OPCODE(0x03) OPCODE(0x07) OPCODE(0x0f) OPCODE(0x13) OPCODE(0x17) OPCODE(0x1b)
		OPCODE(0x23) OPCODE(0x27) OPCODE(0x2f) OPCODE(0x33) OPCODE(0x37) OPCODE(0x3b)
		OPCODE(0x43) OPCODE(0x47) OPCODE(0x4b) OPCODE(0x4f) OPCODE(0x53)
		OPCODE(0x63) OPCODE(0x67) OPCODE(0x6f) OPCODE(0x73)
#undef OPCODE
	default:
		break;
	}
}

/* ---- operands of compressed instructions, as RVC rows name them ---- */
#define X(reg) decode_dest_reg(reg)
#define F(reg) (REG_F0 + (reg))
#define CD decode_bit_field(raw, 11, 7)
#define CS decode_bit_field(raw, 6, 2)
#define CDP (8 + decode_bit_field(raw, 4, 2))
#define CSP (8 + decode_bit_field(raw, 9, 7))
#define CI_6 decode_sign_extend(decode_bit_field(raw, 12, 12) << 5 | decode_bit_field(raw, 6, 2), 6)
#define CI_4SPN                                                                                    \
	(int32_t)(decode_bit_field(raw, 10, 7) << 6 | decode_bit_field(raw, 12, 11) << 4 |         \
	          decode_bit_field(raw, 5, 5) << 3 | decode_bit_field(raw, 6, 6) << 2)
#define CI_16SP                                                                                    \
	decode_sign_extend(decode_bit_field(raw, 12, 12) << 9 | decode_bit_field(raw, 4, 3) << 7 | \
	                           decode_bit_field(raw, 5, 5) << 6 |                              \
	                           decode_bit_field(raw, 2, 2) << 5 |                              \
	                           decode_bit_field(raw, 6, 6) << 4,                               \
	                   10)
#define CI_B1 (int32_t)(decode_bit_field(raw, 5, 5) << 1 | decode_bit_field(raw, 6, 6))
#define CI_H (int32_t)(decode_bit_field(raw, 5, 5) << 1)
#define CI_W                                                                                       \
	(int32_t)(decode_bit_field(raw, 5, 5) << 6 | decode_bit_field(raw, 12, 10) << 3 |          \
	          decode_bit_field(raw, 6, 6) << 2)
#define CI_D (int32_t)(decode_bit_field(raw, 6, 5) << 6 | decode_bit_field(raw, 12, 10) << 3)
#define CI_WSP                                                                                     \
	(int32_t)(decode_bit_field(raw, 3, 2) << 6 | decode_bit_field(raw, 12, 12) << 5 |          \
	          decode_bit_field(raw, 6, 4) << 2)
#define CI_DSP                                                                                     \
	(int32_t)(decode_bit_field(raw, 4, 2) << 6 | decode_bit_field(raw, 12, 12) << 5 |          \
	          decode_bit_field(raw, 6, 5) << 3)
#define CI_SWSP (int32_t)(decode_bit_field(raw, 8, 7) << 6 | decode_bit_field(raw, 12, 9) << 2)
#define CI_SDSP (int32_t)(decode_bit_field(raw, 9, 7) << 6 | decode_bit_field(raw, 12, 10) << 3)
#define CI_J                                                                                       \
	decode_sign_extend(                                                                        \
		decode_bit_field(raw, 12, 12) << 11 | decode_bit_field(raw, 8, 8) << 10 |          \
			decode_bit_field(raw, 10, 9) << 8 | decode_bit_field(raw, 6, 6) << 7 |     \
			decode_bit_field(raw, 7, 7) << 6 | decode_bit_field(raw, 2, 2) << 5 |      \
			decode_bit_field(raw, 11, 11) << 4 | decode_bit_field(raw, 5, 3) << 1,     \
		12)
#define CI_B                                                                                       \
	decode_sign_extend(decode_bit_field(raw, 12, 12) << 8 | decode_bit_field(raw, 6, 5) << 6 | \
	                           decode_bit_field(raw, 2, 2) << 5 |                              \
	                           decode_bit_field(raw, 11, 10) << 3 |                            \
	                           decode_bit_field(raw, 4, 3) << 1,                               \
	                   9)

/* Expanded once per quadrant and funct3, for the same reason as above. */
static inline __attribute__((always_inline)) void decode_rvc(uint32_t raw, uint32_t group,
                                                             struct inst *in)
{
#define RVC(id, match, mask, when, d, s1, s2, immediate) \
	if (((match) & 0xe003) == group && (raw & (mask)) == (match) && (when)) { \
		in->op = OP_##id; \
		in->rd = (uint8_t)(d); \
		in->rs1 = (uint8_t)(s1); \
		in->rs2 = (uint8_t)(s2); \
		in->imm = (immediate); \
		return; \
	}
#include "core/isa/rv64.def"
}

static void decode_compressed(uint32_t raw, struct inst *in)
{
	switch (raw & 0xe003) {
#define GROUP(funct3) \
	case (funct3) << 13: \
		decode_rvc(raw, (funct3) << 13, in); \
		break; \
	case (funct3) << 13 | 1: \
		decode_rvc(raw, (funct3) << 13 | 1, in); \
		break; \
	case (funct3) << 13 | 2: \
		decode_rvc(raw, (funct3) << 13 | 2, in); \
		break;
		GROUP(0u) GROUP(1u) GROUP(2u) GROUP(3u) GROUP(4u) GROUP(5u) GROUP(6u) GROUP(7u)
#undef GROUP
	default:
		break;
	}
}

static void decode_compressed_rv32(uint32_t raw, struct inst *in)
{
#define RVC32(id, match, mask, when, d, s1, s2, immediate) \
	if ((raw & (mask)) == (match) && (when)) { \
		in->op = OP_##id; \
		in->rd = (uint8_t)(d); \
		in->rs1 = (uint8_t)(s1); \
		in->rs2 = (uint8_t)(s2); \
		in->imm = (immediate); \
		return; \
	}
#include "core/isa/rv32.def"
	decode_compressed(raw, in);
}

static void decode_nothing(uint32_t raw, struct inst *out)
{
	const bool full = (raw & 3) == 3;
	*out = (struct inst){
		.op = OP_ILLEGAL,
		.rd = REG_SINK,
		.len = full ? 4 : 2,
		.raw = full ? raw : raw & 0xffff,
	};
}

void inst_decode(uint32_t raw, struct inst *out)
{
	decode_nothing(raw, out);
	if (out->len == 4)
		decode_full(raw, out);
	else
		decode_compressed(raw & 0xffff, out);
	out->klass = op_info[out->op].klass;
}

/* Makes an instruction of an extension illegal, and a hint the RV64GC instruction that it encodes.
 */
static void decode_drop_extensions(uint32_t raw, struct inst *out)
{
	switch (inst_extension(out)) {
	case EXT_NONE:
	case EXT_COUNT:
		return;
	case EXT_ZIHINTPAUSE:
		out->op = OP_FENCE;
		operands_FENCE(raw, out);
		break;
	case EXT_ZICBOP:
		out->op = OP_ORI;
		operands_I(raw, out);
		break;
	default:
		*out = (struct inst){
			.op = OP_ILLEGAL, .rd = REG_SINK, .len = out->len, .raw = out->raw};
		break;
	}
	out->klass = op_info[out->op].klass;
}

void inst_decode_rv64gc(uint32_t raw, struct inst *out)
{
	inst_decode(raw, out);
	decode_drop_extensions(raw, out);
}

/* RV32's operation for one of RV64GC; OP_ILLEGAL: it has none. */
static unsigned decode_rv32_op(unsigned op)
{
	switch (op) {
#define OP32(id, ...) \
	case OP_##id: \
		return OP_RV32_##id;
#define LACKS32(first, last) \
	case OP_##first ... OP_##last: \
		return OP_ILLEGAL;
#include "core/isa/rv32.def"
	default:
		return op;
	}
}

bool inst_rv32_has(unsigned op)
{
	const struct inst in = {.op = op & OP_MASK, .len = 4};
	return op && inst_extension(&in) == EXT_NONE && decode_rv32_op(op) != OP_ILLEGAL;
}

/* Shift amounts have 5 bits. */
static bool decode_shifts_too_far(const struct inst *in)
{
	return (in->op == OP_SLLI || in->op == OP_SRLI || in->op == OP_SRAI ||
	        (in->len == 2 && (inst_flags(in) & OPF_HINT))) &&
	       in->raw & (in->len == 2 ? 1u << 12 : 1u << 25);
}

void inst_decode_rv32(uint32_t raw, struct inst *out)
{
	decode_nothing(raw, out);
	if (out->len == 4)
		decode_full(raw, out);
	else
		decode_compressed_rv32(raw & 0xffff, out);
	decode_drop_extensions(raw, out);
	const unsigned op = decode_shifts_too_far(out) ? OP_ILLEGAL : decode_rv32_op(out->op);
	if (op == OP_ILLEGAL)
		decode_nothing(raw, out);
	out->op = op & OP_MASK;
	out->klass = op_info[op].klass;
}

void inst_decode_as(unsigned isa, uint32_t raw, struct inst *out)
{
	if (isa == ISA_RV32GC)
		inst_decode_rv32(raw, out);
	else if (isa == ISA_RV64GC)
		inst_decode_rv64gc(raw, out);
	else
		inst_decode(raw, out);
}
