#include "tests/diff/random/emit.h"

#include <stdlib.h>

enum {
#define FORMAT(id, mask, ...) MASK_##id = (int)mask,
#include "core/isa/rv64.def"
};

const struct row rows[OP_COUNT] = {
#define OP(id, mnemonic, match_bits, format, ...) \
	[OP_##id] = { .op = OP_##id, .match = match_bits, .mask = (uint32_t)MASK_##format },
#include "core/isa/rv64.def"
};

void emit16(struct code *c, uint32_t parcel)
{
	if (c->count == c->capacity) {
		c->capacity = c->capacity ? 2 * c->capacity : 65536;
		c->parcels = realloc(c->parcels, c->capacity * sizeof(*c->parcels));
		if (!c->parcels)
			abort();
	}
	c->parcels[c->count++] = (uint16_t)parcel;
}

void emit32(struct code *c, uint32_t word)
{
	emit16(c, word & 0xffff);
	emit16(c, word >> 16);
}

static uint32_t field(long v, unsigned high, unsigned low, unsigned at)
{
	return ((uint32_t)v >> low & ((UINT32_C(2) << (high - low)) - 1)) << at;
}

static void check_range(long offset, long limit)
{
	if (offset < -limit || offset >= limit || (offset & 1))
		abort();
}

uint32_t enc_r(enum op op, unsigned rd, unsigned rs1, unsigned rs2)
{
	return rows[op].match | rd << 7 | rs1 << 15 | rs2 << 20;
}

uint32_t enc_i(enum op op, unsigned rd, unsigned rs1, int imm)
{
	return rows[op].match | rd << 7 | rs1 << 15 | field(imm, 11, 0, 20);
}

uint32_t enc_s(enum op op, unsigned rs2, unsigned rs1, int imm)
{
	return rows[op].match | rs2 << 20 | rs1 << 15 | field(imm, 11, 5, 25) | field(imm, 4, 0, 7);
}

uint32_t enc_b(enum op op, unsigned rs1, unsigned rs2, long offset)
{
	check_range(offset, 4096);
	return rows[op].match | rs1 << 15 | rs2 << 20 | field(offset, 12, 12, 31) | field(offset, 10, 5, 25) |
	       field(offset, 4, 1, 8) | field(offset, 11, 11, 7);
}

uint32_t enc_j(unsigned rd, long offset)
{
	check_range(offset, 1 << 20);
	return rows[OP_JAL].match | rd << 7 | field(offset, 20, 20, 31) | field(offset, 10, 1, 21) |
	       field(offset, 11, 11, 20) | field(offset, 19, 12, 12);
}

uint32_t enc_u(enum op op, unsigned rd, uint32_t imm)
{
	return rows[op].match | rd << 7 | (imm & 0xfffff000);
}

uint32_t enc_c_j(long offset)
{
	check_range(offset, 2048);
	return 0xa001 | field(offset, 11, 11, 12) | field(offset, 4, 4, 11) | field(offset, 9, 8, 9) |
	       field(offset, 10, 10, 8) | field(offset, 6, 6, 7) | field(offset, 7, 7, 6) | field(offset, 3, 1, 3) |
	       field(offset, 5, 5, 2);
}

uint32_t enc_c_branch(bool not_zero, unsigned reg, long offset)
{
	check_range(offset, 256);
	return (not_zero ? 0xe001u : 0xc001u) | (reg & 7) << 7 | field(offset, 8, 8, 12) | field(offset, 4, 3, 10) |
	       field(offset, 7, 6, 5) | field(offset, 2, 1, 3) | field(offset, 5, 5, 2);
}

void emit_li32(struct code *c, unsigned rd, uint32_t value)
{
	emit32(c, enc_u(OP_LUI, rd, value + 0x800));
	emit32(c, enc_i(OP_ADDIW, rd, rd, (int)(value & 0xfff)));
}

void emit_far_jump(struct code *c, unsigned link, unsigned via, size_t target)
{
	long offset = (long)target - (long)here(c);
	emit32(c, enc_u(OP_AUIPC, via, (uint32_t)offset + 0x800));
	emit32(c, enc_i(OP_JALR, link, via, (int)(offset & 0xfff)));
}

void patch16(struct code *c, size_t at, uint32_t parcel)
{
	c->parcels[at / 2] = (uint16_t)parcel;
}

void patch32(struct code *c, size_t at, uint32_t word)
{
	patch16(c, at, word & 0xffff);
	patch16(c, at + 2, word >> 16);
}
