/* Decoding: every row is reachable, operands land where they belong, reserved encodings are
 * illegal. */
#include <stdint.h>

#include "core/isa/op.h"
#include "tests/cases.h"

static struct inst decode_raw_inst(uint32_t raw)
{
	struct inst in;
	inst_decode(raw, &in);
	return in;
}

enum {
#define FORMAT(id, mask, ...) MASK_##id = (int)mask,
#include "core/isa/rv64.def"
};

TEST(every_row_decodes_to_itself)
{
	/* Sets all operand bits, so that no special case is met. Rows whose low bits aren't 11 have
	 * no 4-byte form. */
#define OP(id, name, match, format, ...)                                                           \
	if (((match)&3) == 3) {                                                                    \
		uint32_t raw = (match) | ~(uint32_t)MASK_##format;                                 \
		struct inst in = decode_raw_inst(raw);                                             \
		assert_int_equal(in.op, OP_##id);                                                  \
		assert_int_equal(in.len, 4);                                                       \
		assert_int_equal(in.raw, raw);                                                     \
		assert_string_equal(op_info[in.op].mnemonic, name);                                \
	}
#include "core/isa/rv64.def"
}

TEST(every_compressed_row_is_reachable)
{
	bool seen[OP_COUNT] = { false };
	for (uint32_t raw = 0; raw < 0x10000; raw++) {
		if ((raw & 3) == 3)
			continue;
		struct inst in = decode_raw_inst(raw | 0xabcd0000);
		assert_true(in.op < OP_COUNT);
		assert_int_equal(in.len, 2);
		assert_int_equal(in.raw, raw);
		assert_int_equal(in.klass, op_info[in.op].klass);
		seen[in.op] = true;
	}
#define RVC(id, ...) assert_true(seen[OP_##id]);
#include "core/isa/rv64.def"
}

struct sample {
	uint32_t raw;
	enum op op;
	unsigned rd, rs1, rs2, rs3;
	int32_t imm;
	unsigned rm;
};

enum { SINK = REG_SINK, F0 = REG_F0 };

static const struct sample samples[] = {
	{ 0xfe010113, OP_ADDI, 2, 2, 0, 0, -32, 0 },          /* addi sp,sp,-32 */
	{ 0x00000013, OP_ADDI, SINK, 0, 0, 0, 0, 0 },         /* nop */
	{ 0x800005b7, OP_LUI, 11, 0, 0, 0, INT32_MIN, 0 },    /* lui a1,0x80000 */
	{ 0xfffff517, OP_AUIPC, 10, 0, 0, 0, -4096, 0 },      /* auipc a0,0xfffff */
	{ 0x800000ef, OP_JAL, 1, 0, 0, 0, -1048576, 0 },      /* jal .-1048576 */
	{ 0x7fffff6f, OP_JAL, 30, 0, 0, 0, 1048574, 0 },      /* jal t5,.+1048574 */
	{ 0x00008067, OP_JALR, SINK, 1, 0, 0, 0, 0 },         /* ret */
	{ 0x80b50063, OP_BEQ, SINK, 10, 11, 0, -4096, 0 },    /* beq a0,a1,.-4096 */
	{ 0x7eb57fe3, OP_BGEU, SINK, 10, 11, 0, 4094, 0 },    /* bgeu a0,a1,.+4094 */
	{ 0x8005b503, OP_LD, 10, 11, 0, 0, -2048, 0 },        /* ld a0,-2048(a1) */
	{ 0x7ea5bfa3, OP_SD, SINK, 11, 10, 0, 2047, 0 },      /* sd a0,2047(a1) */
	{ 0x03f51513, OP_SLLI, 10, 10, 0, 0, 63, 0 },         /* slli a0,a0,63 */
	{ 0x43f55513, OP_SRAI, 10, 10, 0, 0, 63, 0 },         /* srai a0,a0,63 */
	{ 0x41f5551b, OP_SRAIW, 10, 10, 0, 0, 31, 0 },        /* sraiw a0,a0,31 */
	{ 0x1605b52f, OP_LR_D, 10, 11, 0, 0, 0, 3 },          /* lr.d.aqrl a0,(a1) */
	{ 0x18c5a52f, OP_SC_W, 10, 11, 12, 0, 0, 0 },         /* sc.w a0,a2,(a1) */
	{ 0xe4c5b52f, OP_AMOMAXU_D, 10, 11, 12, 0, 0, 2 },    /* amomaxu.d.aq a0,a2,(a1) */
	{ 0x001f1073, OP_CSRRW, SINK, 30, 0, 0, 1, 0 },       /* fsflags t5 */
	{ 0xc00025f3, OP_CSRRS, 11, 0, 0, 0, 0xc00, 0 },      /* rdcycle a1 */
	{ 0x002fd573, OP_CSRRWI, 10, 0, 0, 0, 2, 31 },        /* csrrwi a0,frm,31 */
	{ 0x00c5f553, OP_FADD_S, F0 + 10, F0 + 11, F0 + 12, 0, 0, 7 }, /* fadd.s fa0,fa1,fa2 */
	/* fmadd.d fa0,fa1,fa2,fa3,rtz */
	{ 0x6ac59543, OP_FMADD_D, F0 + 10, F0 + 11, F0 + 12, F0 + 13, 0, 1 },
	{ 0xc0259553, OP_FCVT_L_S, 10, F0 + 11, 0, 0, 0, 1 }, /* fcvt.l.s a0,fa1,rtz */
	{ 0xd235f553, OP_FCVT_D_LU, F0 + 10, 11, 0, 0, 0, 7 }, /* fcvt.d.lu fa0,a1 */
	{ 0xa2c5a053, OP_FEQ_D, SINK, F0 + 11, F0 + 12, 0, 0, 0 }, /* feq.d zero,fa1,fa2 */
	{ 0x0085b507, OP_FLD, F0 + 10, 11, 0, 0, 8, 0 },      /* fld fa0,8(a1) */
	{ 0xfea5be27, OP_FSD, SINK, 11, F0 + 10, 0, -4, 0 },  /* fsd fa0,-4(a1) */

	{ 0x0000a013 | 9 << 20, OP_PI, SINK, 0, 0, 0, 1, 0 },      /* slti zero,ra,9 */
	{ 0x00002013 | 64 << 20, OP_PBLEN, SINK, 0, 0, 0, 64, 0 },   /* slti zero,zero,64 */
	/* slti zero,sp,0: an ordinary hint */
	{ 0x00012013, OP_SLTI, SINK, 2, 0, 0, 0, 0 },

	{ 0x20c5a533, OP_SH1ADD, 10, 11, 12, 0, 0, 0 },       /* sh1add a0,a1,a2 */
	{ 0x0bf5951b, OP_SLLI_UW, 10, 11, 0, 0, 63, 0 },      /* slli.uw a0,a1,63 */
	{ 0x0805c53b, OP_ZEXT_H, 10, 11, 0, 0, 0, 0 },        /* zext.h a0,a1 */
	{ 0x6b85d513, OP_REV8, 10, 11, 0, 0, 0, 0 },          /* rev8 a0,a1 */
	{ 0x08c5c533, OP_PACK, 10, 11, 12, 0, 0, 0 },         /* pack a0,a1,a2 */
	{ 0x08c5f533, OP_PACKH, 10, 11, 12, 0, 0, 0 },        /* packh a0,a1,a2 */
	{ 0x08c5c53b, OP_PACKW, 10, 11, 12, 0, 0, 0 },        /* packw a0,a1,a2 */
	{ 0x6875d513, OP_BREV8, 10, 11, 0, 0, 0, 0 },         /* brev8 a0,a1 */
	{ 0x61f5d51b, OP_RORIW, 10, 11, 0, 0, 31, 0 },        /* roriw a0,a1,31 */
	{ 0x0ec5f533, OP_CZERO_NEZ, 10, 11, 12, 0, 0, 0 },    /* czero.nez a0,a1,a2 */
	{ 0xfe35e013, OP_PREFETCH_W, SINK, 11, 0, 0, -32, 0 }, /* prefetch.w -32(a1) */
	{ 0xfe35e093, OP_ORI, 1, 11, 0, 0, -29, 0 },          /* ori ra,a1,-29 */
	{ 0xfe25e013, OP_ORI, SINK, 11, 0, 0, -30, 0 },       /* ori zero,a1,-30 */
	{ 0x0100000f, OP_PAUSE, SINK, 0, 0, 0, 0, 0 },        /* pause */
	{ 0xc425f553, OP_FCVT_L_H, 10, F0 + 11, 0, 0, 0, 7 }, /* fcvt.l.h a0,fa1 */

	{ 0x8188 | 1 << 5, OP_LBU, 10, 11, 0, 0, 2, 0 },      /* c.lbu a0,2(a1) */
	{ 0x8188 | 1 << 6, OP_LBU, 10, 11, 0, 0, 1, 0 },      /* c.lbu a0,1(a1) */
	{ 0x8588 | 1 << 5, OP_LHU, 10, 11, 0, 0, 2, 0 },      /* c.lhu a0,2(a1) */
	{ 0x85c8, OP_LH, 10, 11, 0, 0, 0, 0 },                /* c.lh a0,0(a1) */
	{ 0x8988 | 3 << 5, OP_SB, SINK, 11, 10, 0, 3, 0 },    /* c.sb a0,3(a1) */
	{ 0x8d88 | 1 << 5, OP_SH, SINK, 11, 10, 0, 2, 0 },    /* c.sh a0,2(a1) */
	{ 0x9de1, OP_ANDI, 11, 11, 0, 0, 255, 0 },            /* c.zext.b a1 */
	{ 0x9de5, OP_SEXT_B, 11, 11, 0, 0, 0, 0 },            /* c.sext.b a1 */
	{ 0x9de9, OP_ZEXT_H, 11, 11, 0, 0, 0, 0 },            /* c.zext.h a1 */
	{ 0x9ded, OP_SEXT_H, 11, 11, 0, 0, 0, 0 },            /* c.sext.h a1 */
	{ 0x9df1, OP_ADD_UW, 11, 11, 0, 0, 0, 0 },            /* c.zext.w a1 */
	{ 0x9df5, OP_XORI, 11, 11, 0, 0, -1, 0 },             /* c.not a1 */
	{ 0x9dd1, OP_MUL, 11, 11, 12, 0, 0, 0 },              /* c.mul a1,a2 */

	{ 0x1ffc, OP_ADDI, 15, 2, 0, 0, 1020, 0 },            /* c.addi4spn a5,1020 */
	{ 0x3ffc, OP_FLD, F0 + 15, 15, 0, 0, 248, 0 },        /* c.fld fa5,248(a5) */
	{ 0x5ffc, OP_LW, 15, 15, 0, 0, 124, 0 },              /* c.lw a5,124(a5) */
	{ 0x7ffc, OP_LD, 15, 15, 0, 0, 248, 0 },              /* c.ld a5,248(a5) */
	{ 0xbffc, OP_FSD, SINK, 15, F0 + 15, 0, 248, 0 },     /* c.fsd fa5,248(a5) */
	{ 0xdffc, OP_SW, SINK, 15, 15, 0, 124, 0 },           /* c.sw a5,124(a5) */
	{ 0xfffc, OP_SD, SINK, 15, 15, 0, 248, 0 },           /* c.sd a5,248(a5) */
	{ 0x0001, OP_ADDI, SINK, 0, 0, 0, 0, 0 },             /* c.nop */
	{ 0x1501, OP_ADDI, 10, 10, 0, 0, -32, 0 },            /* c.addi a0,-32 */
	{ 0x2501, OP_ADDIW, 10, 10, 0, 0, 0, 0 },             /* c.addiw a0,0 */
	{ 0x557d, OP_ADDI, 10, 0, 0, 0, -1, 0 },              /* c.li a0,-1 */
	{ 0x7101, OP_ADDI, 2, 2, 0, 0, -512, 0 },             /* c.addi16sp -512 */
	{ 0x7501, OP_LUI, 10, 0, 0, 0, -131072, 0 },          /* c.lui a0,0xfffe0 */
	{ 0x91fd, OP_SRLI, 11, 11, 0, 0, 63, 0 },             /* c.srli a1,63 */
	{ 0x85fd, OP_SRAI, 11, 11, 0, 0, 31, 0 },             /* c.srai a1,31 */
	{ 0x99fd, OP_ANDI, 11, 11, 0, 0, -1, 0 },             /* c.andi a1,-1 */
	{ 0x8d91, OP_SUB, 11, 11, 12, 0, 0, 0 },              /* c.sub a1,a2 */
	{ 0x9db1, OP_ADDW, 11, 11, 12, 0, 0, 0 },             /* c.addw a1,a2 */
	{ 0xb001, OP_JAL, SINK, 0, 0, 0, -2048, 0 },          /* c.j .-2048 */
	{ 0xd001, OP_BEQ, SINK, 8, 0, 0, -256, 0 },           /* c.beqz s0,.-256 */
	{ 0xeffd, OP_BNE, SINK, 15, 0, 0, 254, 0 },           /* c.bnez a5,.+254 */
	{ 0x0026, OP_PI, SINK, 0, 0, 0, 1, 0 },               /* c.slli zero,9 */
	{ 0x107e, OP_XHINT, SINK, 0, 0, 0, 63, 0 },         /* c.slli zero,63 */
	{ 0x157e, OP_SLLI, 10, 10, 0, 0, 63, 0 },             /* c.slli a0,63 */
	{ 0x357e, OP_FLD, F0 + 10, 2, 0, 0, 504, 0 },         /* c.fldsp fa0,504 */
	{ 0x557e, OP_LW, 10, 2, 0, 0, 252, 0 },               /* c.lwsp a0,252 */
	{ 0x757e, OP_LD, 10, 2, 0, 0, 504, 0 },               /* c.ldsp a0,504 */
	{ 0x8502, OP_JALR, SINK, 10, 0, 0, 0, 0 },            /* c.jr a0 */
	{ 0x852e, OP_ADD, 10, 0, 11, 0, 0, 0 },               /* c.mv a0,a1 */
	{ 0x9002, OP_EBREAK, SINK, 0, 0, 0, 0, 0 },           /* c.ebreak */
	{ 0x9502, OP_JALR, 1, 10, 0, 0, 0, 0 },               /* c.jalr a0 */
	{ 0x952e, OP_ADD, 10, 10, 11, 0, 0, 0 },              /* c.add a0,a1 */
	{ 0xbfaa, OP_FSD, SINK, 2, F0 + 10, 0, 504, 0 },      /* c.fsdsp fa0,504 */
	{ 0xdfaa, OP_SW, SINK, 2, 10, 0, 252, 0 },            /* c.swsp a0,252 */
	{ 0xffaa, OP_SD, SINK, 2, 10, 0, 504, 0 },            /* c.sdsp a0,504 */
};

TEST(operands_land_where_they_belong)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		const struct sample *s = &samples[i];
		struct inst in = decode_raw_inst(s->raw);
		print_message("%08x\n", s->raw);
		assert_int_equal(in.op, s->op);
		assert_int_equal(in.rd, s->rd);
		assert_int_equal(in.rs1, s->rs1);
		assert_int_equal(in.rs2, s->rs2);
		assert_int_equal(in.rs3, s->rs3);
		assert_int_equal(in.imm, s->imm);
		assert_int_equal(in.rm, s->rm);
		assert_int_equal(in.len, (s->raw & 3) == 3 ? 4 : 2);
	}
}

TEST(reserved_encodings_are_illegal)
{
	static const uint32_t reserved[] = {
		0x0000,     /* all zeros */
		0x0004,     /* c.addi4spn with immediate 0 */
		0x8c40 | 1 << 12, /* quadrant 0, funct3 100: Zcb has no more than c.sh */
		0x2001,     /* c.addiw zero */
		0x6101,     /* c.addi16sp 0 */
		0x6501,     /* c.lui a0,0 */
		0x9c79,     /* quadrant 1, 64-bit arithmetic 3, after c.not */
		0x9c7d,
		0x4002,     /* c.lwsp zero */
		0x6002,     /* c.ldsp zero */
		0x8002,     /* c.jr zero */
		0xffffffff, /* all ones */
		0x00007003, /* load funct3 111 */
		0x02005013 | 1 << 26, /* srli with a bit of funct6 set */
		0x0200501b, /* srliw by 32 */
		0x00002063, /* branch funct3 010 */
		0x00104073, /* system funct3 100 */
		0x30200173, /* mret with rd */
		0x10200073, /* sret */
		0x06000053, /* fadd.q */
		0x60301013, /* after cpop */
		0x28605013, /* orc with another pattern */
		0x6a005033 | 1 << 25, /* ror with a bit of funct7 set */
		0x0e006033, /* between czero.eqz and czero.nez */
		0x1000302f | 1 << 20, /* lr.d with rs2 */
	};
	for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++) {
		print_message("%08x\n", reserved[i]);
		struct inst in = decode_raw_inst(reserved[i]);
		assert_int_equal(in.op, OP_ILLEGAL);
		assert_int_equal(in.rd, REG_SINK);
		assert_int_equal(in.len, (reserved[i] & 3) == 3 ? 4 : 2);
	}
}

/* An RV64GC machine's decoding of each extension's instructions: of hints, the base encoding. */
TEST(an_old_machine_knows_no_extension)
{
	unsigned refused[EXT_COUNT] = {0};
	uint64_t random = 1;
	static const struct {
		uint32_t match, mask;
	} rows[] = {
#define OP(id, name, match, format, ...) {match, (uint32_t)MASK_##format},
#include "core/isa/rv64.def"
	};
	for (size_t i = 0; i < 200 * (sizeof rows / sizeof *rows) + 0x10000; i++) {
		const size_t row = i / 200;
		random = random * 6364136223846793005u + 1442695040888963407u;
		const uint32_t raw =
			row < sizeof rows / sizeof *rows
				? rows[row].match | ((uint32_t)(random >> 32) & ~rows[row].mask)
				: (uint32_t)(i - 200 * (sizeof rows / sizeof *rows));
		struct inst old, in = decode_raw_inst(raw);
		const enum extension e = inst_extension(&in);
		inst_decode_rv64gc(raw, &old);
		refused[e]++;
		assert_int_equal(inst_extension(&old), EXT_NONE);
		assert_int_equal(old.len, in.len);
		assert_int_equal(old.raw, in.raw);
		assert_int_equal(old.klass, op_info[old.op].klass);
		if (e == EXT_NONE)
			assert_memory_equal(&old, &in, sizeof in);
		else if (e == EXT_ZIHINTPAUSE)
			assert_int_equal(old.op, OP_FENCE);
		else if (e == EXT_ZICBOP)
			assert_true(old.op == OP_ORI && old.rd == SINK && old.rs1 == in.rs1);
		else
			assert_true(old.op == OP_ILLEGAL && old.rd == SINK);
	}
	for (unsigned e = 0; e < EXT_COUNT; e++)
		if (!refused[e])
			fail_msg("nothing of %s was met", extension_name((enum extension)e));
	struct inst sh = decode_raw_inst(0x20c5a533), zcb = decode_raw_inst(0x9dd1),
		    mul = decode_raw_inst(0x02c585b3);
	assert_string_equal(extension_name(inst_extension(&sh)), "zba");
	assert_string_equal(extension_name(inst_extension(&zcb)), "zcb");
	assert_string_equal(extension_name(inst_extension(&mul)), "rv64gc");
}

/* An unsupported instruction names its extension; a CSR names the extension of the CSR
 * instructions. */
TEST(missing_extensions_have_names)
{
	static const struct {
		uint32_t raw;
		const char *name;
	} rows[] = {
		{0x100022f3, "supervisor mode"}, /* csrr t0, sstatus */
		{0x5a8022f3, "supervisor mode"},
		{0x300022f3, NULL},              /* mstatus */
		{0xc00022f3, NULL},
		{0x008022f3, "v"},               /* vstart */
		{0x00f022f3, "v"},
		{0x010022f3, NULL},
		{0x007022f3, NULL},
		{0xc20022f3, "v"},
		{0xc22022f3, "v"},
		{0xc23022f3, NULL},
		{0x015022f3, "zkr"},
		{0x10200073, "supervisor mode"}, /* sret */
		{0x6081, "zcmop"},
		{0x00000013, NULL},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct inst in = decode_raw_inst(rows[i].raw);
		const char *name = inst_missing_extension(&in);
		if (rows[i].name && name)
			assert_string_equal(name, rows[i].name);
		else
			assert_ptr_equal(name, rows[i].name);
	}
}

TEST(classes_and_flags_agree)
{
	for (unsigned op = 1; op < OP_COUNT; op++) {
		const struct op_info *info = &op_info[op];
		print_message("%s\n", info->mnemonic);
		bool memory = info->flags & (OPF_LOAD | OPF_STORE);
		assert_int_equal(memory, info->mem_bytes != 0);
		assert_int_equal(memory, info->klass == CLASS_LOAD || info->klass == CLASS_STORE ||
		                         info->klass == CLASS_AMO);
		assert_int_equal(info->klass == CLASS_SYSTEM, (info->flags & OPF_SERIAL) != 0);
		if (info->flags & OPF_INDIRECT)
			assert_true(info->flags & OPF_JUMP);
	}
	struct inst call = decode_raw_inst(0x000080e7), ret = decode_raw_inst(0x00008067),
		    jump = decode_raw_inst(0x00058067);
	assert_true(inst_pushes_ras(&call) && !inst_pops_ras(&call));
	assert_true(inst_pops_ras(&ret) && !inst_pushes_ras(&ret));
	assert_false(inst_pops_ras(&jump) || inst_pushes_ras(&jump));
}

TEST(register_names_go_both_ways)
{
	for (int reg = 0; reg < REG_SINK; reg++)
		assert_int_equal(reg_from_name(reg_name((unsigned)reg)), reg);
	assert_int_equal(reg_from_name("fp"), REG_FP);
	assert_int_equal(reg_from_name("x31"), 31);
	assert_int_equal(reg_from_name("f0"), REG_F0);
	static const char *const wrong[] = {"x32", "f32", "x01", "x", "a8", "", "-", "x1z", "s12"};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(reg_from_name(wrong[i]), -1);
}
