/* Guests that the functional loop's tests run in both ways. */
#ifndef CYCLOPS_TESTS_UNIT_ISA_FUNCTIONAL_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_ISA_FUNCTIONAL_FIXTURE_H

#include <stdint.h>
#include <string.h>

#include "core/isa/functional.h"
#include "core/mem/mem.h"
#include "tests/cases.h"
#include "tests/diff/fp/operands.h"
#include "tests/encode.h"

static const struct functional_env env = {.time_div = 10};
enum { CODE = 0x10000, DATA = 0x20000, TIME_DIV = 10 };
enum { A0 = 10, A1 = 11, A2 = 12 };

struct world {
	struct mem *mem;
	struct hart h;
	uint64_t fault;
};

static inline void world_init(struct world *w)
{
	*w = (struct world){ .mem = mem_new(), .h = { .pc = CODE, .reserved = RESERVED_NONE } };
	assert_non_null(w->mem);
	assert_true(mem_map(w->mem, CODE, 2 * PAGE_BYTES, PROT_R | PROT_W | PROT_X, "code"));
	assert_true(mem_map(w->mem, DATA, PAGE_BYTES, PROT_R | PROT_W, "data"));
}

static inline void functional_fixture_write_code(struct world *w, uint64_t addr, const void *code,
                                                 size_t n)
{
	assert_true(mem_poke(w->mem, addr, code, n));
}

/* a0 = 50000; do { a1 += a0; store and reload it; } while (--a0); ecall. 5 instructions a round. */
static const uint32_t loop[] = {
	0x0000c537, /* lui a0,12 */
	0x3505051b, /* addiw a0,a0,848: 50000 */
	0x00a585b3, /* add a1,a1,a0 */
	0x00b63023, /* sd a1,0(a2) */
	0x00063583, /* ld a1,0(a2) */
	0xfff50513, /* addi a0,a0,-1 */
	0xfe0518e3, /* bnez a0,.-16 */
	0x00000073, /* ecall */
};

enum { LOOP_INSTS = 2 + 5 * 50000 };

static inline void functional_fixture_write_loop(struct world *w)
{
	functional_fixture_write_code(w, CODE, loop, sizeof(loop));
	w->h.r[A2] = DATA;
}

static inline struct op_set functional_fixture_all_ops(void)
{
	struct op_set all;
	memset(&all, 0xff, sizeof all);
	return all;
}

static inline uint64_t functional_fixture_next_random(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15;
	uint64_t z = (*state ^ *state >> 30) * 0xbf58476d1ce4e5b9;
	return (z ^ z >> 27) * 0x94d049bb133111eb;
}

/* Random words, registers that often point into code or data: wild jumps, faults, code overwriting
 * itself. */
static inline void functional_fixture_fill_garbage(struct world *w, uint64_t seed)
{
	uint64_t random = seed;
	world_init(w);
	for (unsigned at = 0; at < 2 * PAGE_BYTES; at += 4) {
		uint32_t raw;
		do
			raw = (uint32_t)(functional_fixture_next_random(&random) >> 16);
		while ((raw & 3) != 3 && functional_fixture_next_random(&random) % 2 == 0);
		functional_fixture_write_code(w, CODE + at, &raw, 4);
	}
	for (unsigned reg = 1; reg < REG_SINK; reg++) {
		static const uint64_t bases[] = {
			0, CODE, DATA, CODE + PAGE_BYTES, DATA + PAGE_BYTES / 2, UINT64_MAX};
		uint64_t v = functional_fixture_next_random(&random);
		w->h.r[reg] = v % 8 < 6 ? bases[v % 8] + (v >> 16) % 64 : v;
	}
}

#endif
