/* The profiling co-processor for firmware: its registers (`cyclops help microcode` describes them),
 * programs in headers of `cyclops microcode -o`, and the pc tables that mask instructions. */
#ifndef CYCLOPS_FIRMWARE_COP_H
#define CYCLOPS_FIRMWARE_COP_H

#include "firmware.h"

#define COP_BASE (DEVICE_BASE + 0x100000)
#define COP_CONTROL (COP_BASE + 0x000)
#define COP_STATUS (COP_BASE + 0x008)
#define COP_RESUME (COP_BASE + 0x010)
#define COP_CLASSES (COP_BASE + 0x018)
#define COP_SHIFT (COP_BASE + 0x020)
#define COP_MASK (COP_BASE + 0x028)
#define COP_MATCH (COP_BASE + 0x030)
#define COP_TABLES (COP_BASE + 0x038)
#define COP_INVALIDATE (COP_BASE + 0x040)
#define COP_CLEAR_DATA (COP_BASE + 0x048)
#define COP_CLEAR_HIGH (COP_BASE + 0x050)
#define COP_CLEAR_LOW (COP_BASE + 0x058)
#define COP_FLUSH (COP_BASE + 0x060)
#define COP_WAITING (COP_BASE + 0x068)
#define COP_DROPPED (COP_BASE + 0x070)
#define COP_LOST (COP_BASE + 0x078)
#define COP_LFSR (COP_BASE + 0x080)
#define COP_ENGINE (COP_BASE + 0x088)
#define COP_SIZES (COP_BASE + 0x090)
#define COP_EVERY (COP_BASE + 0x098)
#define COP_V(i) (COP_BASE + 0x100 + 8 * (i))
#define COP_K(i) (COP_BASE + 0x180 + 8 * (i))
#define COP_X(i) (COP_BASE + 0x200 + 8 * (i))
#define COP_B(i) (COP_BASE + 0x240 + 8 * (i))
#define COP_T(i) (COP_BASE + 0x280 + 8 * (i))
#define COP_START(i) (COP_BASE + 0x300 + 8 * (i))
#define COP_FIELDS(i) (COP_BASE + 0x400 + 8 * (i))
#define COP_CODE (COP_BASE + 0x10000)
#define COP_CAM (COP_BASE + 0x20000)
#define COP_VALID (COP_BASE + 0x28000)
#define COP_DATA (COP_BASE + 0x30000)
#define COP_HIGH (COP_BASE + 0x40000)
#define COP_LOW (COP_BASE + 0x50000)
#define COP_RECORD(i) (COP_BASE + 0x60000 + 64 * (i)) /* of the sample buffer: header, then fields */

#define COP_RUN 1 /* COP_CONTROL */
#define COP_TAG 2
#define COP_HALT 4
#define COP_HALTED 1 /* COP_STATUS */
#define COP_IDLE 2
#define COP_FAULT(status) ((status) >> 8 & 0xff)
#define COP_MASK_HIGH 1 /* COP_TABLES */
#define COP_MASK_LOW 2

/* Two words of 32 bits of an array, from an even one on. */
static inline uint64_t cop_pair(uint64_t array, unsigned word)
{
	return DEVICE_REGISTER(array + 4 * word);
}

/* ---- its sizes: of DEVICE_REGISTER(COP_SIZES) ---- */
static inline unsigned cop_size_cam(uint64_t sizes)
{
	return sizes >> 16 & 0xffff;
}

static inline unsigned cop_size_data(uint64_t sizes)
{
	return sizes >> 32 & 0xffff;
}

static inline unsigned cop_size_filter(uint64_t sizes)
{
	return 1u << (sizes >> 48 & 0xff);
}

static inline unsigned cop_size_hashes(uint64_t sizes)
{
	return (unsigned)(sizes >> 56);
}

/* ---- loading ---- */
struct cop_program {
	const uint64_t (*code)[2];
	unsigned count; /* microinstructions */
	const uint16_t *start, *fields; /* [32] */
	const uint64_t *v, *k;          /* [16] */
	const uint16_t *x, *b, *t;      /* [8] */
};

/* From a header that `cyclops microcode -o` wrote: COP_PROGRAM(value_profile, VALUE_PROFILE) */
#define COP_PROGRAM(name, NAME) \
	((struct cop_program){name##_code, NAME##_COUNT, name##_start, name##_fields, name##_v, name##_k, name##_x, name##_b, name##_t})

static inline void cop_put16(uint64_t at, const uint16_t *from, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		DEVICE_REGISTER(at + 8 * i) = from[i];
}

/* Loads a program into a stopped co-processor. The caller then selects the tagged classes, and starts it. */
static inline void cop_load(const struct cop_program *p)
{
	for (unsigned i = 0; i < p->count; i++) {
		DEVICE_REGISTER(COP_CODE + 16 * i) = p->code[i][0];
		DEVICE_REGISTER(COP_CODE + 16 * i + 8) = p->code[i][1];
	}
	for (unsigned i = 0; i < 16; i++) {
		DEVICE_REGISTER(COP_V(i)) = p->v[i];
		DEVICE_REGISTER(COP_K(i)) = p->k[i];
	}
	cop_put16(COP_X(0), p->x, 8);
	cop_put16(COP_B(0), p->b, 8);
	cop_put16(COP_T(0), p->t, 8);
	cop_put16(COP_START(0), p->start, 32);
	cop_put16(COP_FIELDS(0), p->fields, 32);
}

/* ---- masking ---- */
/* Sets the bits that pc's hashes select: the table (COP_HIGH or COP_LOW) masks the instruction at
 * pc from now on. */
static inline void cop_mask(uint64_t table, uint64_t pc, uint64_t sizes)
{
	const uint64_t p = pc >> 1;
	for (unsigned i = 0; i < cop_size_hashes(sizes); i++) {
		const uint64_t bit = (p ^ p >> (5 + 2 * i)) & (cop_size_filter(sizes) - 1);
		DEVICE_REGISTER(table + 8 * (bit / 64)) |= UINT64_C(1) << bit % 64;
	}
}
#endif
