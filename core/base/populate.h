/* A hint to the host that all of this memory will be written soon. The host then maps all pages at
 * once; page faults on first touch would take as long as reading a program's file. Optional. */
#ifndef CYCLOPS_CORE_BASE_POPULATE_H
#define CYCLOPS_CORE_BASE_POPULATE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

static inline void populate_memory(void *memory, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
	const uintptr_t page = 4096, from = ((uintptr_t)memory + page - 1) & -page,
			to = ((uintptr_t)memory + bytes) & -page;
	if (from < to)
		madvise((uint8_t *)memory + (from - (uintptr_t)memory), to - from,
		        MADV_POPULATE_WRITE);
#else
	(void)memory, (void)bytes;
#endif
}

#endif
