/* Mapping and filling guest memory, for its tests. */
#ifndef CYCLOPS_TESTS_UNIT_MEM_MEM_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_MEM_MEM_FIXTURE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/mem/mem.h"
#include "tests/cases.h"

enum { RW = PROT_R | PROT_W, RX = PROT_R | PROT_X, RWX = RW | PROT_X };
enum { ADDI_A0_1 = 0x00150513, ADDI_A0_2 = 0x00250513, C_NOP = 0x0001 };
static const uint64_t AT = 0x10000;

static inline struct mem *mem_fixture_new_mapped(uint64_t start, uint64_t pages, unsigned prot)
{
	struct mem *mem = mem_new();
	assert_non_null(mem);
	assert_true(mem_map(mem, start, pages * PAGE_BYTES, prot, "test"));
	return mem;
}

#endif
