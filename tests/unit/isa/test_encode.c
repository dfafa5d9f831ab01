/* core/isa/encode.h against the decoder, row by row, and against the GNU assembler. */
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/isa/encode.h"
#include "tests/cases.h"
#include "tests/encode.h"

static bool encode_insts_are_equal(const struct inst *a, const struct inst *b)
{
	return a->op == b->op && a->len == b->len && a->klass == b->klass && a->rd == b->rd &&
	       a->rs1 == b->rs1 && a->rs2 == b->rs2 && a->rs3 == b->rs3 && a->rm == b->rm &&
	       a->imm == b->imm;
}

TEST(every_row_comes_back)
{
	enum { TRIES = 2000 };
	uint64_t random = 1;
	for (unsigned op = 1; op < OP_COUNT; op++) {
		const struct encoding *row = &encodings[op];
		unsigned tried = 0;
		if ((row->match & 3) != 3)
			continue; /* has no 4-byte form */
		for (unsigned i = 0; i < TRIES; i++) {
			struct inst in, back;
			uint32_t raw = ((uint32_t)hash_splitmix64_next(&random) & ~row->mask) |
			               row->match,
				 out = 0;
			inst_decode(raw, &in);
			if (in.op != op)
				continue; /* a special case of it, with a row of its own */
			if (op == OP_FENCE && in.imm == 0x10)
				continue; /* without the bits that are no operands it is pause */
			tried++;
			if (!inst_encode(&in, &out))
				fail_msg("%s: 0x%x is not encoded", op_info[op].mnemonic, raw);
			inst_decode(out, &back);
			if (!encode_insts_are_equal(&in, &back))
				fail_msg("%s: 0x%x comes back as 0x%x", op_info[op].mnemonic, raw,
				         out);
			/* Reserved bits of fences are no operands. */
			if (op != OP_FENCE && op != OP_FENCE_I)
				assert_int_equal(out, raw);
		}
		assert_true(tried >= TRIES / 2);
	}
}

TEST(compressed_forms_come_back)
{
	unsigned tried = 0;
	/* Steps of 11, prime to the sizes of fields, meet each kind of form. */
	for (uint32_t raw = 0; raw < 0x10000; raw += 11) {
		struct inst in, back;
		uint32_t out = 0;
		inst_decode(raw, &in);
		if ((raw & 3) == 3 || in.op == OP_ILLEGAL)
			continue;
		tried++;
		assert_true(inst_encode(&in, &out));
		inst_decode(out, &back);
		assert_true(encode_insts_are_equal(&in, &back));
	}
	assert_true(tried > 3000);
}

TEST(words_are_the_assemblers)
{
	assert_int_equal(ENC(ADDI, .rd = 10, .rs1 = 11, .imm = -3), 0xffd58513);
	assert_int_equal(ENC(SRAI, .rd = 1, .rs1 = 2, .imm = 63), 0x43f15093);
	assert_int_equal(ENC(SRAIW, .rd = 1, .rs1 = 2, .imm = 31), 0x41f1509b);
	assert_int_equal(ENC(LUI, .rd = 31, .imm = (int32_t)0x80000000), 0x80000fb7);
	assert_int_equal(ENC(SD, .rs1 = 2, .rs2 = 8, .imm = -16), 0xfe813823);
	assert_int_equal(ENC(BLTU, .rs1 = 5, .rs2 = 6, .imm = -4096), 0x8062e063);
	assert_int_equal(ENC(JAL, .rd = 1, .imm = 1048574), 0x7ffff0ef);
	assert_int_equal(ENC(AMOADD_D, .rd = 5, .rs1 = 6, .rs2 = 7, .rm = 3), 0x067332af);
	assert_int_equal(ENC(LR_W, .rd = 5, .rs1 = 6, .rm = 2), 0x140322af);
	assert_int_equal(ENC(CSRRS, .rd = 10, .imm = 0xc00), 0xc0002573);
	assert_int_equal(ENC(CSRRWI, .rm = 5, .imm = 2), 0x0022d073);
	assert_int_equal(ENC(FMADD_D, .rd = 1, .rs1 = 2, .rs2 = 3, .rs3 = 4, .rm = 7), 0x223170c3);
	assert_int_equal(ENC(FMADD_D, .rd = REG_F0 + 1, .rs1 = REG_F0 + 2, .rs2 = REG_F0 + 3,
	                     .rs3 = REG_F0 + 4, .rm = 7),
	                 0x223170c3);
	assert_int_equal(ENC(FSD, .rs1 = 2, .rs2 = REG_F0 + 9, .imm = 8), 0x00913427);
	assert_int_equal(ENC(FCVT_W_D, .rd = 10, .rs1 = REG_F0 + 10, .rm = 1), 0xc2051553);
	assert_int_equal(ENC(ECALL), 0x00000073);
	assert_int_equal(ENC(FENCE, .imm = 0x33), 0x0330000f);
	/* from the manuals: the assembler has neither Zicond nor Zcb */
	assert_int_equal(ENC(CZERO_EQZ, .rd = 10, .rs1 = 11, .rs2 = 12), 0x0ec5d533);
	assert_int_equal(ENC(CZERO_NEZ, .rd = 10, .rs1 = 11, .rs2 = 12), 0x0ec5f533);
	assert_int_equal(ENC_C(LBU, .rd = 10, .rs1 = 11, .imm = 3), 0x81e8);
	assert_int_equal(ENC_C(SH, .rs1 = 11, .rs2 = 10, .imm = 2), 0x8da8);
	assert_int_equal(ENC_C(MUL, .rd = 11, .rs1 = 11, .rs2 = 12), 0x9dd1);
	assert_int_equal(ENC_C(XORI, .rd = 11, .rs1 = 11, .imm = -1), 0x9df5);
	assert_int_equal(ENC(PREFETCH_R, .rs1 = 11, .imm = 2016), 0x7e15e013);
	assert_int_equal(ENC_C(JAL, .imm = -2048), 0xb001);
	assert_int_equal(ENC_C(BNE, .rs1 = 15, .imm = 254), 0xeffd);
	assert_int_equal(ENC_C(ADDI, .rd = 2, .rs1 = 2, .imm = -496), 0x7141);
	assert_int_equal(ENC_C(LD, .rd = 1, .rs1 = 2, .imm = 504), 0x70fe);
	assert_int_equal(ENC_C(JALR, .rs1 = 1), 0x8082);
}

/* ---- the GNU assembler ---- */
enum { WORDS_PER_OP = 40, TEXT_BYTES = 4 << 20, CODE_BYTES = 1 << 20 };

struct listing {
	char *text;         /* [TEXT_BYTES] */
	size_t n;
	struct inst *insts; /* text of each line */
	uint32_t *words;    /* what it is encoded as */
	unsigned count;
};

/* A line as the assembler reads it: distances from here instead of addresses. */
static void encode_append_asm_line(struct listing *l, const struct inst *in, uint32_t word)
{
	char line[128];
	inst_disasm(in, 0, line, sizeof line);
	if (strstr(line, "unknown"))
		return; /* a reserved rounding mode */
	if (in->op == OP_JAL || (inst_flags(in) & OPF_BRANCH)) {
		char *comma = strrchr(line, ','),
		     *target = comma ? comma + 1 : strchr(line, ' ') + 1;
		snprintf(target, (size_t)(line + sizeof line - target), ". + %d", in->imm);
	}
	l->insts[l->count] = *in;
	l->words[l->count++] = word;
	l->n += (size_t)snprintf(l->text + l->n, TEXT_BYTES - l->n, "%s\n", line);
	assert_true(l->n < TEXT_BYTES);
}

/* The assembler's bytes for all lines. */
static size_t encode_assemble_listing(const struct listing *l, uint8_t *code)
{
	char dir[] = "/tmp/test_encode.XXXXXX", path[64], command[256];
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/code.s", dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(l->text, 1, l->n, f), l->n);
	assert_int_equal(fclose(f), 0);
	snprintf(command, sizeof command,
	         "cd %s && riscv64-linux-gnu-as "
	         "-march=rv64gc_zba_zbb_zbc_zbkb_zbs_zfh_zihintpause_zicbop_zicbom_zicboz "
	         "-o code.o code.s && "
	         "riscv64-linux-gnu-objcopy -O binary -j .text code.o code",
	         dir);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof path, "%s/code", dir);
	f = fopen(path, "rb");
	assert_non_null(f);
	const size_t n = fread(code, 1, CODE_BYTES, f);
	fclose(f);
	snprintf(command, sizeof command, "rm -r %s", dir);
	assert_int_equal(system(command), 0);
	return n;
}

/* The GNU assembler turns our disassembly of our encoder's words into the same words. */
static void the_assembler_agrees(const char *options, void (*fill)(struct listing *))
{
	if (system("command -v riscv64-linux-gnu-as >/dev/null 2>&1") != 0)
		skip();
	struct listing l = {.text = malloc(TEXT_BYTES),
	                    .insts = calloc(0x20000, sizeof *l.insts),
	                    .words = calloc(0x20000, sizeof *l.words)};
	uint8_t *code = malloc(CODE_BYTES);
	size_t at = 0;
	assert_true(l.text && l.insts && l.words && code);
	l.n = (size_t)sprintf(l.text, "%s", options);
	fill(&l);
	const size_t n = encode_assemble_listing(&l, code);
	for (unsigned i = 0; i < l.count; i++) {
		struct inst in;
		uint32_t word = 0;
		assert_true(at + l.insts[i].len <= n);
		memcpy(&word, code + at, l.insts[i].len);
		inst_decode(word, &in);
		if (word != l.words[i] &&
		    !(in.len == 2 && encode_insts_are_equal(&in, &l.insts[i])))
			fail_msg("line %u, %s: 0x%x, the assembler has 0x%x", i + 1,
			         op_info[l.insts[i].op].mnemonic, l.words[i], word);
		at += in.len;
	}
	assert_int_equal(at, n);
	free(l.text);
	free(l.insts);
	free(l.words);
	free(code);
}

static void fill_with_words(struct listing *l)
{
	uint64_t random = 7;
	for (unsigned op = 1; op < OP_COUNT; op++) {
		const struct encoding *row = &encodings[op];
		const bool zicond = op == OP_CZERO_EQZ || op == OP_CZERO_NEZ;
		if ((row->match & 3) != 3 || op == OP_PBLEN || op == OP_XHINT || zicond)
			continue; /* the assembler doesn't know them */
		for (unsigned i = 0; i < WORDS_PER_OP; i++) {
			struct inst in;
			uint32_t word;
			inst_decode(((uint32_t)hash_splitmix64_next(&random) & ~row->mask) |
			                    row->match,
			            &in);
			if (op >= OP_CSRRW && op <= OP_CSRRCI) {
				static const int32_t both_know[] = {1,     2,     3,     0x305,
				                                    0x341, 0x7c0, 0xc00, 0xc02};
				in.imm = both_know[i % 8];
			}
			if (op == OP_FCVT_D_W || op == OP_FCVT_D_WU || op == OP_FCVT_D_S ||
			    op == OP_FCVT_D_H || op == OP_FCVT_S_H)
				in.rm = 0; /* they never round */
			if (op == OP_FENCE)
				in.imm &= 0xff; /* other bits are reserved */
			if (in.op == op && !(inst_flags(&in) & OPF_HINT)) {
				assert_true(inst_encode(&in, &word));
				encode_append_asm_line(l, &in, word);
			}
		}
	}
	assert_true(l->count > 4000);
}

TEST(the_assembler_writes_the_same_words)
{
	the_assembler_agrees(".option norvc\n.option norelax\n", fill_with_words);
}

static void fill_with_parcels(struct listing *l)
{
	for (uint32_t raw = 1; raw < 0x10000; raw += 3) {
		struct inst in;
		inst_decode(raw, &in);
		const bool shift = in.op == OP_SLLI || in.op == OP_SRLI || in.op == OP_SRAI;
		/* Instructions without an effect are hints, or have another mnemonic. */
		const bool hint = ((shift || in.op == OP_ADDI) && !in.imm) ||
		                  (in.rd == REG_SINK && in.op != OP_EBREAK &&
		                   !(inst_flags(&in) & (OPF_CONTROL | OPF_STORE)));
		if ((raw & 3) != 3 && in.op != OP_ILLEGAL && !hint &&
		    inst_extension(&in) != EXT_ZCB) /* which the assembler doesn't know */
			encode_append_asm_line(l, &in, raw);
	}
	assert_true(l->count > 10000);
}

/* The encoder may choose any of several equal encodings. */
TEST(the_assembler_writes_the_same_parcels)
{
	the_assembler_agrees(".option norelax\n", fill_with_parcels);
}

/* Redirects each branch and jump. */
TEST(distances_are_changed_in_place)
{
	unsigned changed = 0;
	for (uint32_t raw = 1; raw < 0x10000; raw++) {
		struct inst in, back;
		uint32_t word;
		inst_decode(raw, &in);
		if ((raw & 3) == 3 || (in.op != OP_JAL && !(inst_flags(&in) & OPF_BRANCH)))
			continue;
		const int32_t reach = in.op == OP_JAL ? 2048 : 256;
		for (int32_t offset = -reach; offset < reach;
		     offset += in.op == OP_JAL ? 134 : 14) {
			assert_true(inst_retarget(&in, offset, &word));
			inst_decode(word, &back);
			assert_int_equal(back.imm, offset);
			back.imm = in.imm;
			assert_true(encode_insts_are_equal(&in, &back));
			changed++;
		}
		assert_false(inst_retarget(&in, reach, &word));
		assert_false(inst_retarget(&in, -reach - 2, &word));
		assert_false(inst_retarget(&in, 7, &word));
	}
	assert_true(changed > 100000);
}

static void encode_expect_refusal(struct inst in)
{
	uint32_t raw = 0x5eed;
	if (inst_encode(&in, &raw))
		fail_msg("%s is encoded as 0x%x", op_info[in.op].mnemonic, raw);
	assert_int_equal(raw, 0x5eed);
}

TEST(what_has_no_encoding_is_refused)
{
#define REFUSE(operation, length, ...)                                                             \
	encode_expect_refusal((struct inst){.op = OP_##operation, .len = length, __VA_ARGS__})
	REFUSE(ADDI, 4, .rd = 1, .imm = 2048);
	REFUSE(ADDI, 4, .rd = 1, .imm = -2049);
	REFUSE(ADDI, 4, .rd = REG_F0, .imm = 1);
	REFUSE(ADDI, 4, .rd = 1, .rs2 = 1);
	REFUSE(SLLI, 4, .rd = 1, .imm = 64);
	REFUSE(SLLIW, 4, .rd = 1, .imm = 32);
	REFUSE(LUI, 4, .rd = 1, .imm = 4095);
	REFUSE(BEQ, 4, .imm = 4096);
	REFUSE(BEQ, 4, .imm = 3);
	REFUSE(JAL, 4, .imm = 1 << 20);
	REFUSE(FADD_D, 4, .rd = 1, .rm = 8);
	REFUSE(CSRRW, 4, .imm = 4096);
	REFUSE(SLTI, 4, .rd = 0, .rs1 = 0, .imm = 4); /* pblen */
	REFUSE(XHINT, 4, .imm = 9);
	REFUSE(PREFETCH_R, 4, .rs1 = 1, .imm = 31);
	REFUSE(ORI, 4, .rd = 0, .rs1 = 1, .imm = 33); /* prefetch.r */
	REFUSE(LHU, 2, .rd = 10, .rs1 = 11, .imm = 1);
	REFUSE(ILLEGAL, 4);
	REFUSE(ADDI, 2, .rd = 1, .rs1 = 1, .imm = 32);
	REFUSE(ADDI, 2, .rd = 1, .rs1 = 3, .imm = 1);
	REFUSE(LD, 2, .rd = 1, .rs1 = 3);
	REFUSE(BEQ, 2, .rs1 = 7);
	REFUSE(MUL, 2, .rd = 1, .rs1 = 1, .rs2 = 1); /* x8 to x15 */
	REFUSE(DIV, 2, .rd = 11, .rs1 = 11, .rs2 = 12);
}
