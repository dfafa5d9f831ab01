/* Common parts of tests of system calls without files. */
#ifndef CYCLOPS_TESTS_UNIT_OS_OS_CALLS_H
#define CYCLOPS_TESTS_UNIT_OS_OS_CALLS_H

#include "tests/unit/os/os_fixture.h"

static inline struct guest *os_calls_guest(void **state)
{
	return &((struct tree *)*state)->g;
}

static inline uint64_t os_calls_load_word(struct guest *g, uint64_t addr)
{
	uint64_t v = 0;
	assert_true(mem_load(g->mem, addr, 8, &v));
	return v;
}

enum { RW = PROT_R | PROT_W, ANON = LX_MAP_PRIVATE | LX_MAP_ANONYMOUS, K4 = PAGE_BYTES };
#define NO_FD UINT64_MAX

#endif
