#include "tests/diff/random/emit.h"

#include <stdlib.h>

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

/* The rest after lui or auipc: the low 12 bits as the number that addi adds. */
static int32_t emit_low12(uint32_t value)
{
	return (int32_t)(value << 20) >> 20;
}

void emit_li32(struct code *c, unsigned rd, uint32_t value)
{
	emit32(c, enc_u(OP_LUI, rd, value + 0x800));
	emit32(c, enc_i(OP_ADDIW, rd, rd, emit_low12(value)));
}

void emit_far_jump(struct code *c, unsigned link, unsigned via, size_t target)
{
	long offset = (long)target - (long)emit_text_offset(c);
	emit32(c, enc_u(OP_AUIPC, via, (uint32_t)offset + 0x800));
	emit32(c, enc_i(OP_JALR, link, via, emit_low12((uint32_t)offset)));
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
