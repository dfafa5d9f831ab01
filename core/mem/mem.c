/* Accesses of the guest and of observers: the slow half of loads and stores, and blocks. */
#include "core/mem/mem_priv.h"

#include <assert.h>
#include <stdlib.h>

#include "core/base/alloc.h"

static_assert(offsetof(struct mem, head) == 0, "the inlines in mem.h rely on it");
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "loads and stores copy host words");

/* Contents of every page that was never written. */
static const uint8_t zeros[PAGE_BYTES];

struct mem *mem_new(void)
{
	struct mem *mem = alloc_zeroed(1, sizeof *mem);
	if (!mem)
		return NULL;
	mem->space.pool =
		pool_new(sizeof(struct page), sizeof(struct node), sizeof(struct region));
	if (!mem->space.pool) {
		free(mem);
		return NULL;
	}
	mem->closed = PROT_M;
	mem->sparse_limit = UINT64_MAX;
	mem_flush(mem);
	return mem;
}

void mem_set_isa(struct mem *mem, unsigned isa)
{
	mem->isa = isa;
}

void mem_limit_sparse(struct mem *mem, uint64_t pages)
{
	mem->sparse_limit = pages;
}

void mem_free(struct mem *mem)
{
	if (!mem)
		return;
	code_leave(mem, 0, PAGE_COUNT);
	space_release(&mem->space);
	free(mem->coded.page);
	free(mem->spare);
	free(mem);
}

void mem_tell_host_memory(struct mem *mem, struct host_memory *scarce)
{
	mem->space.pool->scarce = scarce;
}

bool mem_reserve(struct mem *mem, size_t pages, size_t nodes)
{
	return pool_reserve(mem->space.pool, pages, nodes);
}

void mem_flush(struct mem *mem)
{
	for (unsigned i = 0; i < MEM_FAST; i++) {
		mem->head.fast[i].read = mem->recent[i].read = MEM_NO_TAG;
		mem->head.fast[i].write = mem->recent[i].write = MEM_NO_TAG;
	}
	for (unsigned i = 0; i < MEM_CODE; i++)
		mem->head.code[i].page = MEM_NO_TAG;
	for (unsigned i = 0; i < STRADDLES; i++)
		mem->straddle[i].pc = MEM_NO_TAG;
	mem->hint.end = 0;
}

void mem_flush_write_tags(struct mem *mem)
{
	for (unsigned i = 0; i < MEM_FAST; i++)
		mem->head.fast[i].write = mem->recent[i].write = MEM_NO_TAG;
}

void mem_set_machine_mode(struct mem *mem, bool machine)
{
	const uint64_t first = MEM_TOP >> PAGE_LOG2;
	mem->closed = machine ? 0 : PROT_M;
	if (machine)
		return;
	/* Pages with PROT_M begin at `first`. MEM_NO_TAG is larger, too, and stays. */
	for (unsigned i = 0; i < 2 * MEM_FAST; i++) {
		struct mem_fast *f = i < MEM_FAST ? &mem->head.fast[i]
		                                  : &mem->recent[i - MEM_FAST];
		if (f->read >= first || f->write >= first)
			f->read = f->write = MEM_NO_TAG;
	}
	for (unsigned i = 0; i < MEM_CODE; i++)
		if (mem->head.code[i].page >= first)
			mem->head.code[i].page = MEM_NO_TAG;
	for (unsigned i = 0; i < STRADDLES; i++)
		if (mem->straddle[i].pc >= MEM_TOP)
			mem->straddle[i].pc = MEM_NO_TAG;
}

void mem_guard(struct mem *mem, uint64_t addr)
{
	mem->guard = addr;
	if (addr)
		mem_flush_write_tags(mem);
}

static bool mem_is_guarded(const struct mem *mem, uint64_t addr, unsigned n)
{
	return mem->guard && addr < mem->guard + 8 && addr + n > mem->guard;
}

/* True if page pn may be written even at the limit: it exists, or its region is not MEM_SPARSE. */
static bool mem_can_create_page(const struct mem *mem, uint64_t pn)
{
	const struct mem_region *r = regions_find(mem->space.regions, pn << PAGE_LOG2);
	return !r || r->start > pn << PAGE_LOG2 || strcmp(r->name, MEM_SPARSE) != 0 ||
	       tree_find(&mem->space, pn);
}

/* True if page pn does not exist and would exceed the limit. */
static bool one_too_many(const struct mem *mem, uint64_t pn)
{
	return __builtin_expect(mem->space.pages >= mem->sparse_limit, 0) &&
	       !mem_can_create_page(mem, pn);
}

/* The page, owned for writing; its entries in the fast table and `recent` are updated. NULL if host
 * memory is out or the page would exceed the limit. The caller has checked that it is mapped. */
static struct page *mem_own(struct mem *mem, uint64_t pn)
{
	if (one_too_many(mem, pn))
		return NULL;
	struct page *p = tree_own_page(&mem->space, pn);
	if (p) {
		struct mem_fast *const entry[] = {mem_fast_entry(mem, pn << PAGE_LOG2),
		                                  mem_recent_entry(mem, pn)};
		for (unsigned i = 0; i < 2; i++)
			if (entry[i]->read == pn)
				mem_fast_point(entry[i], pn, p->bytes);
	}
	return p;
}

static const uint8_t *page_bytes(const struct mem *mem, uint64_t pn)
{
	const struct page *p = tree_find(&mem->space, pn);
	return p ? p->bytes : zeros;
}

/* Bytes from addr to the end of its page, at most n. */
static size_t in_page(uint64_t addr, size_t n)
{
	size_t left = PAGE_BYTES - (addr & (PAGE_BYTES - 1));
	return n < left ? n : left;
}

/* True if [addr, addr + n) is mapped with all of prot; with prot 0, in any mode. */
static bool mem_range_allows(const struct mem *mem, uint64_t addr, size_t n, unsigned prot)
{
	return n <= UINT64_MAX - addr &&
	       regions_allow(mem->space.regions, addr, addr + n, prot, prot ? mem->closed : 0);
}

static void copy_out(const struct mem *mem, uint64_t addr, uint8_t *to, size_t n)
{
	while (n) {
		size_t part = in_page(addr, n);
		memcpy(to, page_bytes(mem, addr >> PAGE_LOG2) + (addr & (PAGE_BYTES - 1)), part);
		addr += part;
		to += part;
		n -= part;
	}
}

/* Writes mapped bytes; false and no effect if a page can't be owned. */
static bool copy_in(struct mem *mem, uint64_t addr, const uint8_t *from, size_t n)
{
	/* Owning a page has no visible effect: owning all of them first makes the write all or
	 * nothing. */
	for (uint64_t at = addr, left = n; left;) {
		if (!mem_own(mem, at >> PAGE_LOG2))
			return false;
		size_t part = in_page(at, left);
		at += part;
		left -= part;
	}
	while (n) {
		size_t part = in_page(addr, n);
		unsigned off = addr & (PAGE_BYTES - 1);
		struct page *p = tree_find(&mem->space, addr >> PAGE_LOG2);
		assert(p && p->refs == 1);
		memcpy(p->bytes + off, from, part);
		if (p->code)
			code_written(mem, addr >> PAGE_LOG2, p, off, part);
		addr += part;
		from += part;
		n -= part;
	}
	return true;
}

bool mem_load_slow(struct mem *mem, uint64_t addr, unsigned n, uint64_t *out)
{
	uint64_t v = 0, pn = addr >> PAGE_LOG2;
	unsigned off = addr & (PAGE_BYTES - 1);
	if (off + n > PAGE_BYTES) {
		if (!mem_range_allows(mem, addr, n, PROT_R))
			return false;
		copy_out(mem, addr, (uint8_t *)&v, n);
		*out = v;
		return true;
	}
	struct mem_fast *f = mem_fast_entry(mem, addr), *recent = mem_recent_entry(mem, pn);
	if (recent->read == pn) {
		*f = *recent;
	} else {
		if (!(mem_prot_hinted(mem, addr) & PROT_R))
			return false;
		/* shared zeros if never written, hence no write tag */
		mem_fast_point(f, pn, page_bytes(mem, pn));
		f->read = pn;
		f->write = MEM_NO_TAG;
		*recent = *f;
	}
	memcpy(&v, mem_fast_byte(f, addr), n);
	*out = v;
	return true;
}

/* True if addr may be stored to. In M-mode code may be, too: firmware may change a program's
 * code. */
static bool mem_can_store_at(struct mem *mem, uint64_t addr)
{
	const unsigned prot = mem_prot_hinted(mem, addr);
	return (prot & PROT_W) || (!mem->closed && (prot & PROT_X));
}

bool mem_store_slow(struct mem *mem, uint64_t addr, unsigned n, uint64_t value)
{
	uint64_t pn = addr >> PAGE_LOG2;
	unsigned off = addr & (PAGE_BYTES - 1);
	if (off + n > PAGE_BYTES)
		return n <= UINT64_MAX - addr && mem_can_store_at(mem, addr) &&
		       mem_can_store_at(mem, addr + n - 1) &&
		       copy_in(mem, addr, (const uint8_t *)&value, n);
	struct mem_fast *f = mem_fast_entry(mem, addr), *recent = mem_recent_entry(mem, pn);
	if (recent->write == pn) {
		*f = *recent;
		memcpy(mem_fast_byte(f, addr), &value, n);
		return true;
	}
	if (!mem_can_store_at(mem, addr) || mem_is_guarded(mem, addr, n))
		return false;
	const unsigned prot = mem_prot_hinted(mem, addr);
	struct page *p = mem_own(mem, pn);
	/* the page reads as zeros already: a zero succeeds, since cbo.zero has checked before and
	 * must not fail */
	if (!p)
		return !(value << (64 - 8 * n)) && one_too_many(mem, pn);
	memcpy(p->bytes + off, &value, n);
	if (p->code) {
		code_written(mem, pn, p, off, n);
		return true;
	}
	mem_fast_point(f, pn, p->bytes);
	f->read = prot & PROT_R ? pn : MEM_NO_TAG;
	f->write = (prot & PROT_W) && pn != mem->guard >> PAGE_LOG2 ? pn : MEM_NO_TAG;
	*recent = *f;
	return true;
}

bool mem_read(struct mem *mem, uint64_t addr, void *buf, size_t n)
{
	if (!mem_range_allows(mem, addr, n, PROT_R))
		return false;
	copy_out(mem, addr, buf, n);
	return true;
}

bool mem_write(struct mem *mem, uint64_t addr, const void *buf, size_t n)
{
	return mem_range_allows(mem, addr, n, PROT_W) && copy_in(mem, addr, buf, n);
}

bool mem_read_string(struct mem *mem, uint64_t addr, char *buf, size_t n)
{
	while (n) {
		if (!(mem_prot_hinted(mem, addr) & PROT_R))
			return false;
		size_t part = in_page(addr, n);
		const uint8_t *from =
			page_bytes(mem, addr >> PAGE_LOG2) + (addr & (PAGE_BYTES - 1));
		const uint8_t *end = memchr(from, 0, part);
		if (end) {
			memcpy(buf, from, (size_t)(end - from) + 1);
			return true;
		}
		memcpy(buf, from, part);
		addr += part;
		buf += part;
		n -= part;
	}
	return false;
}

bool mem_peek(const struct mem *mem, uint64_t addr, void *buf, size_t n)
{
	if (!mem_range_allows(mem, addr, n, 0))
		return false;
	copy_out(mem, addr, buf, n);
	return true;
}

bool mem_poke(struct mem *mem, uint64_t addr, const void *buf, size_t n)
{
	return mem_range_allows(mem, addr, n, 0) && copy_in(mem, addr, buf, n);
}

bool mem_has_shadow(const struct mem *mem, uint64_t addr)
{
	const uint64_t of = ((addr - SHADOW_BASE) & ~UINT64_C(7)) << 1;
	return mem_is_shadow(addr) && mem_prot_at(mem, addr) &&
	       (mem_prot_at(mem, of) || (of && mem_prot_at(mem, of - 1)));
}

uint64_t mem_next_touched(const struct mem *mem, uint64_t addr)
{
	return tree_next(&mem->space, addr >> PAGE_LOG2) << PAGE_LOG2;
}

size_t mem_bytes(const struct mem *mem)
{
	return mem->space.reach;
}

size_t mem_held_bytes(const struct mem *mem)
{
	return mem->space.pool->ledger.bytes - mem->space.reach - regions_bytes(mem->space.regions);
}

uint64_t mem_taken_bytes(const struct mem *mem)
{
	return mem->space.pool->ledger.taken;
}

void mem_walk(const struct mem *mem, const struct ledger_walk *w)
{
	tree_walk(&mem->space, w);
}
