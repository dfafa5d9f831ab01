/* A buffer of code and the encoders that write into it; encodings come from rv64.def. */
#ifndef CYCLOPS_TESTS_DIFF_RANDOM_EMIT_H
#define CYCLOPS_TESTS_DIFF_RANDOM_EMIT_H

#include <stddef.h>
#include <stdint.h>

#include "core/isa/inst.h"

struct code {
	uint16_t *parcels; /* owned */
	size_t count, capacity;
};

/* A row of rv64.def. */
struct row {
	enum op op;
	uint32_t match, mask;
};

extern const struct row rows[OP_COUNT];

/* Integer registers by number. */
enum { X0, RA, SP, GP, TP, T0, T1, T2, S0, S1, A0, A1, A2, A3, A4, A5, A6, A7, S2 };

static inline size_t here(const struct code *c)
{
	return c->count * 2; /* bytes from the start of the text */
}

void emit16(struct code *c, uint32_t parcel);
void emit32(struct code *c, uint32_t word);

/* Encoders; offsets and immediates in bytes as the assembler takes them. */
uint32_t enc_r(enum op op, unsigned rd, unsigned rs1, unsigned rs2);
uint32_t enc_i(enum op op, unsigned rd, unsigned rs1, int imm);
uint32_t enc_s(enum op op, unsigned rs2, unsigned rs1, int imm);
uint32_t enc_b(enum op op, unsigned rs1, unsigned rs2, long offset);
uint32_t enc_j(unsigned rd, long offset);
uint32_t enc_u(enum op op, unsigned rd, uint32_t imm);
uint32_t enc_c_j(long offset);
uint32_t enc_c_branch(bool not_zero, unsigned reg, long offset);

/* lui + addiw: any 32-bit value, sign-extended. */
void emit_li32(struct code *c, unsigned rd, uint32_t value);
/* auipc + jalr through `via`, linking to `link`, to a byte offset in the text. */
void emit_far_jump(struct code *c, unsigned link, unsigned via, size_t target);

/* Overwrites 4 bytes emitted earlier. */
void patch32(struct code *c, size_t at, uint32_t word);
void patch16(struct code *c, size_t at, uint32_t parcel);

#endif
