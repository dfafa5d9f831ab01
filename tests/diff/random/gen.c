/* Writes a RISC-V program of random blocks.
 *
 *   gen FIRST COUNT FILE [on|off|erased]
 *
 * With a fourth word Xprof is mixed in (enum gen_xprof).
 *
 * Block i is made from seed FIRST + i alone: it fills scratch memory, loads every register with a
 * constant from the pool, runs random instructions, and writes a struct record of registers, fcsr
 * and a digest of the memory to standard output. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/diff/random/items.h"
#include "tests/diff/random/layout.h"

static_assert(SAVE == GP_BASE - 2048, "the record is reached from gp");
static_assert(sizeof(struct record) < SCRATCH - SAVE, "the record lies before scratch memory");

enum { POOL_FACTOR, POOL_ADDEND, POOL_FIRST_FREE };

#define BOX(v) (UINT64_C(0xffffffff00000000) | (v))
#define BOX_HALF(v) (UINT64_C(0xffffffffffff0000) | (v))

/* Boundary values: integers, doubles, boxed and badly boxed floats and halves. */
static const uint64_t corners[] = {
	0,
	1,
	2,
	3,
	UINT64_MAX,
	UINT64_MAX - 1,
	INT64_MAX,
	UINT64_C(1) << 63,
	(UINT64_C(1) << 63) + 1,
	INT32_MAX,
	UINT32_MAX,
	UINT64_C(1) << 31,
	UINT64_C(1) << 32,
	UINT64_C(0xffffffff80000000),
	UINT64_C(0xffffffff7fffffff),
	0x7fff,
	0x8000,
	0xff,
	0x80,
	63,
	64,
	31,
	32,
	UINT64_C(0x3ff0000000000000),
	UINT64_C(0xbff0000000000000),
	UINT64_C(0x4000000000000000),
	UINT64_C(0x3fe0000000000000),
	UINT64_C(0x3ff8000000000000),
	UINT64_C(0x4004000000000000),
	UINT64_C(0x8000000000000000),
	UINT64_C(0x7ff0000000000000),
	UINT64_C(0xfff0000000000000),
	UINT64_C(0x7ff8000000000000),
	UINT64_C(0x7ff0000000000001),
	UINT64_C(0xfff8000000000123),
	UINT64_C(0x0000000000000001),
	UINT64_C(0x000fffffffffffff),
	UINT64_C(0x0010000000000000),
	UINT64_C(0x800fffffffffffff),
	UINT64_C(0x7fefffffffffffff),
	UINT64_C(0xffefffffffffffff),
	UINT64_C(0x3ff0000000000001),
	UINT64_C(0x3fefffffffffffff),
	UINT64_C(0x41dfffffffc00000),
	UINT64_C(0x41e0000000000000),
	UINT64_C(0xc1e0000000000000),
	UINT64_C(0xc1e0000000200000),
	UINT64_C(0x41efffffffe00000),
	UINT64_C(0x43e0000000000000),
	UINT64_C(0xc3e0000000000000),
	UINT64_C(0x43f0000000000000),
	UINT64_C(0x47efffffe0000000),
	UINT64_C(0x47effffff0000000),
	UINT64_C(0x3810000000000000),
	UINT64_C(0x380fffffffffffff),
	UINT64_C(0x36a0000000000000),
	UINT64_C(0x3690000000000000),
	UINT64_C(0x3ff0000010000000),
	UINT64_C(0x3ff0000030000000),
	BOX(0x00000000),
	BOX(0x80000000),
	BOX(0x3f800000),
	BOX(0xbf800000),
	BOX(0x40000000),
	BOX(0x3f000000),
	BOX(0x3fc00000),
	BOX(0x40200000),
	BOX(0x7f800000),
	BOX(0xff800000),
	BOX(0x7fc00000),
	BOX(0x7f800001),
	BOX(0xffc00123),
	BOX(0x00000001),
	BOX(0x007fffff),
	BOX(0x00800000),
	BOX(0x807fffff),
	BOX(0x7f7fffff),
	BOX(0xff7fffff),
	BOX(0x3f800001),
	BOX(0x3f7fffff),
	BOX(0x4effffff),
	BOX(0x4f000000),
	BOX(0xcf000000),
	BOX(0xcf000001),
	BOX(0x4f7fffff),
	BOX(0x4f800000),
	BOX(0x5f000000),
	BOX(0xdf000000),
	BOX(0x5f800000),
	UINT64_C(0x3f800000),
	UINT64_C(0xfffffffe3f800000),
	UINT64_C(0x7fffffff3f800000),
	BOX_HALF(0x0000),
	BOX_HALF(0x8000),
	BOX_HALF(0x3c00),
	BOX_HALF(0xbc00),
	BOX_HALF(0x3c01),
	BOX_HALF(0x4000),
	BOX_HALF(0x7c00),
	BOX_HALF(0xfc00),
	BOX_HALF(0x7e00),
	BOX_HALF(0x7c01),
	BOX_HALF(0x0001),
	BOX_HALF(0x03ff),
	BOX_HALF(0x0400),
	BOX_HALF(0x7bff),
	BOX_HALF(0xfbff),
	UINT64_C(0xfffffffffffe3c00),
};

/* The rest is random; floats of moderate size are frequent, so that not all arithmetic ends in NaN
 * or zero. */
static void fill_pool(uint64_t pool[POOL_ENTRIES])
{
	struct gen g = { .rng = 1 };
	pool[POOL_FACTOR] = UINT64_C(6364136223846793005);
	pool[POOL_ADDEND] = UINT64_C(1442695040888963407);
	size_t n = POOL_FIRST_FREE;
	for (size_t i = 0; i < sizeof(corners) / sizeof(*corners); i++)
		pool[n++] = corners[i];
	for (; n < POOL_ENTRIES; n++) {
		uint64_t bits = gen_random(&g);
		unsigned near = gen_below(&g, 16) - 8u;
		switch (gen_below(&g, 5)) {
		case 0:
			pool[n] = bits;
			break;
		case 3:
			pool[n] = BOX_HALF((bits & 0x83ff) | (uint64_t)(15 + near) << 10);
			break;
		case 1:
			pool[n] = (uint64_t)((int64_t)bits >> gen_below(&g, 64));
			break;
		case 2:
			pool[n] = (bits & UINT64_C(0x800fffffffffffff)) | (uint64_t)(1023 + near)
			                                                          << 52;
			break;
		default:
			pool[n] = BOX((bits & 0x807fffff) | (uint64_t)(uint8_t)(127 + near) << 23);
			break;
		}
	}
}

static void emit_pointer(struct code *c, unsigned rd, uint32_t address)
{
	emit_li32(c, rd, address);
}

static void emit_load_pool(struct code *c, unsigned rd, unsigned entry)
{
	emit32(c, enc_i(OP_LD, rd, TP, 8 * (int)entry - 2048));
}

/* Fills scratch memory from the seed in a0; links through ra; uses a0..a4. */
static void emit_fill(struct code *c)
{
	emit_load_pool(c, A1, POOL_FACTOR);
	emit_load_pool(c, A2, POOL_ADDEND);
	emit_pointer(c, A3, SCRATCH);
	emit_pointer(c, A4, SCRATCH + SCRATCH_BYTES);
	size_t top = emit_text_offset(c);
	emit32(c, enc_r(OP_MUL, A0, A0, A1));
	emit32(c, enc_r(OP_ADD, A0, A0, A2));
	emit32(c, enc_s(OP_SD, A0, A3, 0));
	emit32(c, enc_i(OP_ADDI, A3, A3, 8));
	emit32(c, enc_b(OP_BNE, A3, A4, (int)(top - emit_text_offset(c))));
	emit32(c, enc_i(OP_JALR, X0, RA, 0));
}

/* Finishes the record (digest) and writes it out; links through ra; uses a0..a7. */
static void emit_finish(struct code *c)
{
	emit_load_pool(c, A1, POOL_FACTOR);
	emit_pointer(c, A3, SCRATCH);
	emit_pointer(c, A4, SCRATCH + SCRATCH_BYTES);
	emit32(c, enc_i(OP_ADDI, A0, X0, 0));
	size_t top = emit_text_offset(c);
	emit32(c, enc_i(OP_LD, A2, A3, 0));
	emit32(c, enc_i(OP_ADDI, A3, A3, 8));
	emit32(c, enc_r(OP_XOR, A0, A0, A2));
	emit32(c, enc_r(OP_MUL, A0, A0, A1));
	emit32(c, enc_i(OP_SRLI, A2, A0, 32));
	emit32(c, enc_r(OP_XOR, A0, A0, A2));
	emit32(c, enc_b(OP_BNE, A3, A4, (int)(top - emit_text_offset(c))));
	emit32(c, enc_s(OP_SD, A0, GP, (int)offsetof(struct record, digest) - 2048));
	emit32(c, enc_i(OP_ADDI, A0, X0, 1));
	emit_pointer(c, A1, SAVE);
	emit32(c, enc_i(OP_ADDI, A2, X0, sizeof(struct record)));
	emit32(c, enc_i(OP_ADDI, A7, X0, 64));
	emit32(c, encodings[OP_ECALL].match);
	emit32(c, enc_i(OP_JALR, X0, RA, 0));
}

static void emit_prologue(struct gen *g, uint32_t seed, size_t fill)
{
	struct code *c = &g->code;
	emit_pointer(c, GP, GP_BASE);
	emit_pointer(c, TP, TP_BASE);
	emit_li32(c, A0, seed);
	emit_far_jump(c, RA, T0, fill);
	for (unsigned reg = 0; reg < 64; reg++) {
		unsigned entry = POOL_FIRST_FREE + gen_below(g, POOL_ENTRIES - POOL_FIRST_FREE);
		if (reg >= 32)
			emit32(c, enc_i(OP_FLD, reg & 31, TP, 8 * (int)entry - 2048));
		else if (reg != X0 && reg != GP && reg != TP)
			emit_load_pool(c, reg, entry);
	}
	gen_bases(g);
	emit32(c, enc_csri(OP_CSRRWI, X0, gen_below(g, 5), 2)); /* frm */
	emit32(c, enc_csri(OP_CSRRWI, X0, gen_below(g, 4) ? 0 : gen_below(g, 32), 1)); /* fflags */
}

static void emit_epilogue(struct code *c, uint32_t seed, size_t finish)
{
	for (unsigned reg = 1; reg < 32; reg++)
		emit32(c, enc_s(OP_SD, reg, GP,
		                (int)offsetof(struct record, x) + 8 * ((int)reg - 1) - 2048));
	for (unsigned reg = 0; reg < 32; reg++)
		emit32(c, enc_s(OP_FSD, reg, GP,
		                (int)offsetof(struct record, f) + 8 * (int)reg - 2048));
	emit32(c, enc_i(OP_CSRRS, T0, X0, 3)); /* frcsr t0 */
	emit32(c, enc_s(OP_SD, T0, GP, (int)offsetof(struct record, fcsr) - 2048));
	emit_li32(c, T0, seed);
	emit32(c, enc_s(OP_SD, T0, GP, (int)offsetof(struct record, seed) - 2048));
	emit_far_jump(c, RA, T0, finish);
}

static bool write_elf(const char *path, const struct code *c, size_t entry)
{
	static uint64_t data[DATA_BYTES / 8];
	fill_pool(data + (POOL - DATA) / 8);
	uint64_t text_at = 4096, data_at = (text_at + emit_text_offset(c) + 4095) & ~UINT64_C(4095);
	const struct {
		Elf64_Ehdr file;
		Elf64_Phdr segments[2];
	} head = {
		.file =
			{
				.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
	                                    ELFDATA2LSB, EV_CURRENT},
				.e_type = ET_EXEC,
				.e_machine = EM_RISCV,
				.e_version = EV_CURRENT,
				.e_entry = TEXT + entry,
				.e_phoff = sizeof(Elf64_Ehdr),
				.e_flags = EF_RISCV_RVC | EF_RISCV_FLOAT_ABI_DOUBLE,
				.e_ehsize = sizeof(Elf64_Ehdr),
				.e_phentsize = sizeof(Elf64_Phdr),
				.e_phnum = 2,
			},
		.segments =
			{
				{PT_LOAD, PF_R | PF_W | PF_X, text_at, TEXT, TEXT,
	                         emit_text_offset(c), emit_text_offset(c), 4096},
				{PT_LOAD, PF_R | PF_W, data_at, DATA, DATA, sizeof(data),
	                         sizeof(data), 4096},
			},
	};
	FILE *f = fopen(path, "wb");
	if (!f)
		return false;
	bool ok = fwrite(&head, sizeof(head), 1, f) == 1 &&
	          fseek(f, (long)text_at, SEEK_SET) == 0 &&
	          fwrite(c->parcels, 2, c->count, f) == c->count &&
	          fseek(f, (long)data_at, SEEK_SET) == 0 && fwrite(data, sizeof(data), 1, f) == 1;
	return fclose(f) == 0 && ok && chmod(path, 0755) == 0;
}

int main(int argc, char **argv)
{
	static const char *const modes[] = {
		[XPROF_ON] = "on", [XPROF_OFF] = "off", [XPROF_ERASED] = "erased"};
	enum gen_xprof xprof = XPROF_NONE;
	for (unsigned i = XPROF_ON; argc == 5 && i <= XPROF_ERASED; i++)
		if (!strcmp(argv[4], modes[i]))
			xprof = (enum gen_xprof)i;
	if (argc != 4 && !xprof) {
		fprintf(stderr, "usage: gen FIRST COUNT FILE [on|off|erased]\n");
		return 2;
	}
	uint32_t first = (uint32_t)strtoul(argv[1], NULL, 10),
		 count = (uint32_t)strtoul(argv[2], NULL, 10);
	struct gen g = { .keep = KEEP_ALWAYS, .xprof = xprof };
	size_t fill = emit_text_offset(&g.code);
	emit_fill(&g.code);
	size_t finish = emit_text_offset(&g.code);
	emit_finish(&g.code);
	size_t entry = emit_text_offset(&g.code);
	for (uint32_t seed = first; seed != first + count; seed++) {
		g.rng = seed;
		emit_prologue(&g, seed, fill);
		for (unsigned k = 0; xprof && k < 8; k++)
			gen_hint(&g, (xprof == XPROF_ON ? 24 : 16) + k);
		gen_items(&g, 80 + gen_below(&g, 160));
		emit_epilogue(&g.code, seed, finish);
	}
	emit32(&g.code, enc_i(OP_ADDI, A0, X0, 0));
	emit32(&g.code, enc_i(OP_ADDI, A7, X0, 93));
	emit32(&g.code, encodings[OP_ECALL].match);
	bool ok = write_elf(argv[3], &g.code, entry);
	if (!ok)
		perror(argv[3]);
	free(g.code.parcels);
	return !ok;
}
