/* A buffer of code to write into. */
#ifndef CYCLOPS_TESTS_DIFF_RANDOM_EMIT_H
#define CYCLOPS_TESTS_DIFF_RANDOM_EMIT_H

#include <stddef.h>
#include <stdint.h>

#include "tests/encode.h"

struct code {
	uint16_t *parcels; /* owned */
	size_t count, capacity;
};

/* Integer registers by number. */
enum { X0, RA, SP, GP, TP, T0, T1, T2, S0, S1, A0, A1, A2, A3, A4, A5, A6, A7, S2 };

static inline size_t emit_text_offset(const struct code *c)
{
	return c->count * 2; /* bytes from the start of the text */
}

void emit16(struct code *c, uint32_t parcel);
void emit32(struct code *c, uint32_t word);

/* lui + addiw: any 32-bit value, sign-extended. */
void emit_li32(struct code *c, unsigned rd, uint32_t value);
/* auipc + jalr through `via`, linking to `link`, to a byte offset in the text. */
void emit_far_jump(struct code *c, unsigned link, unsigned via, size_t target);

/* Overwrites 4 bytes emitted earlier. */
void patch32(struct code *c, size_t at, uint32_t word);
void patch16(struct code *c, size_t at, uint32_t parcel);

#endif
