#include "core/pipe/memory/tlb.h"

#include <string.h>

#include "core/mem/mem.h"

void tlb_place(struct tlb *t, const char *name, int64_t sets, int64_t ways, int64_t page_bytes,
               struct arena *a)
{
	t->sets = (uint32_t)sets;
	t->ways = (uint32_t)ways;
	t->set_bytes = t->ways * (uint32_t)sizeof *t->entries;
	t->set_mask = t->sets - 1;
	t->page_log2 = (uint32_t)__builtin_ctzll((uint64_t)page_bytes);
	t->bare = MEM_TOP >> t->page_log2;
	t->shadow = SHADOW_BASE >> t->page_log2;
	t->shadow_pages = ((SHADOW_BASE + SHADOW_BYTES - 1) >> t->page_log2) - t->shadow + 1;
	t->entries = arena_take(a, name, (size_t)t->sets * t->ways, sizeof *t->entries);
}

void tlb_clear(struct tlb *t)
{
	memset(t->entries, 0, (size_t)t->sets * t->ways * sizeof *t->entries);
}
