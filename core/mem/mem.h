/* Guest memory: a 64-bit byte-addressed space of 4 KiB pages, sparse, copy-on-write between
 * snapshots.
 *
 * Invariants: a page that a snapshot shares is never written; the first write after a snapshot
 * copies it. Pages inside a mapped region that were never written read as zero and take no host
 * memory. A small direct-mapped table of host page pointers, one tag for reading and one for
 * writing, makes the common access a compare and a load; a write tag is set only for pages that are
 * private, writable and not decoded as code.
 *
 * The regions (what is mapped, with which protection) belong to the snapshot as well.
 * Faults are answers here (false), never signals. */
#ifndef CYCLOPS_CORE_MEM_MEM_H
#define CYCLOPS_CORE_MEM_MEM_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/isa/inst.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Cyclops needs a little-endian host: it reads guest memory in place"
#endif
#if UINTPTR_MAX < UINT64_MAX && !defined __EMSCRIPTEN__
#error "Cyclops needs a 64-bit host: sizes of guest memory are in size_t"
#endif

enum { PAGE_LOG2 = 12, PAGE_BYTES = 1 << PAGE_LOG2 };
/* PROT_M: accessible only while the space is open to M-mode (mem_set_machine_mode), and then as the
 * other bits permit. */
enum mem_prot { PROT_R = 1, PROT_W = 2, PROT_X = 4, PROT_M = 8 };

/* The name of regions of which only written pages count (MAP_NORESERVE): while the space has
 * mem_limit_sparse() pages or more, writing a new page of theirs faults.
 */
#define MEM_SPARSE "sparse"
/* The name of regions that hold bytes of a file in memory: they count with any protection. */
#define MEM_FILE "memfd"

/* The guest's user address space ends here (Sv39: 256 GiB). Its loads and stores don't reach the
 * rest, up to MEM_END: firmware's memory, up to FIRMWARE_END; the shadow of user memory, with
 * profile flags; and from DEVICE_BASE on registers of devices, which are not memory.
 */
#define MEM_TOP (UINT64_C(1) << 38)
/* end of stack and mappings of a 32-bit program, whose own segments may lie anywhere in 4 GiB */
#define MEM_TOP_32 (UINT64_C(1) << 31)
#define MEM_END (UINT64_C(1) << 39)
#define FIRMWARE_BASE MEM_TOP
#define FIRMWARE_END SHADOW_BASE
#define DEVICE_BASE UINT64_C(0x7f00000000)

/* The shadow of the stack (pushpf, poppf): eight bytes, one per profile flag, for each 16 of the
 * whole user space, and for the 16 after its end. One region, mapped by the loader; only pages with
 * saved flags take memory. */
#define SHADOW_BASE UINT64_C(0x5000000000)
#define SHADOW_BYTES ((MEM_TOP >> 1) + PAGE_BYTES)

struct mem;
/* a snapshot of the whole space, which shares its pages by reference counts; owned by the caller */
struct mem_image;

struct mem *mem_new(void); /* an empty space; NULL if host memory is out */
void mem_free(struct mem *mem);
/* Decodes code as the parameter `isa` has it; ISA_ALL before. Call before the first fetch. */
void mem_set_isa(struct mem *mem, unsigned isa);
/* see MEM_SPARSE; a new space has no limit */
void mem_limit_sparse(struct mem *mem, uint64_t pages);

/* Sets the record, borrowed, in which a shortage of host memory is noted; NULL: none. */
struct host_memory;
void mem_tell_host_memory(struct mem *mem, struct host_memory *scarce);
/* Fills a reserve of `pages` pages and `nodes` nodes of the tree; false if host memory is out.
 * While it is full, no write that needs at most that much fails. */
bool mem_reserve(struct mem *mem, size_t pages, size_t nodes);

/* ---- the fast table: open so that accesses inline ---- */
enum { MEM_FAST_LOG2 = 8, MEM_FAST = 1 << MEM_FAST_LOG2 };
#define MEM_NO_TAG (~UINT64_C(0))

struct mem_fast {
	uint64_t read;  /* page number readable through offset, or MEM_NO_TAG */
	uint64_t write; /* page number writable through offset, or MEM_NO_TAG */
	/* from the guest's address of a byte to the host's; borrowed until the next map, unmap,
	 * snapshot or restore */
	uintptr_t offset;
	uint64_t unused;
};
static_assert(sizeof(struct mem_fast) == 32,
              "a power of two: entries are found by a shift and a mask");

enum { MEM_CODE_LOG2 = 8, MEM_CODE = 1 << MEM_CODE_LOG2 };

struct mem_code {
	uint64_t page;      /* page number, or MEM_NO_TAG */
	/* [PAGE_BYTES / 2 + 1], by parcel; len = 0: not decoded yet, or straddles the page. The
	 * last record is beyond the page and always zero: it ends a walk over the records. */
	struct inst *insts;
};

/* The head of struct mem, so that the inlines below can reach it. */
struct mem_head {
	struct mem_fast fast[MEM_FAST];
	struct mem_code code[MEM_CODE];
};

static inline struct mem_fast *mem_fast_entry(struct mem *mem, uint64_t addr)
{
	return &((struct mem_head *)(void *)mem)->fast[(addr >> PAGE_LOG2) & (MEM_FAST - 1)];
}

static inline uint8_t *mem_fast_byte(const struct mem_fast *f, uint64_t addr)
{
	return (uint8_t *)(f->offset + (uintptr_t)addr);
}

/* Makes the entry point to the bytes of page pn. */
static inline void mem_fast_point(struct mem_fast *f, uint64_t pn, const uint8_t *bytes)
{
	f->offset = (uintptr_t)bytes - (uintptr_t)(pn << PAGE_LOG2);
}

/* Slow paths: page crossing, first touch, copy-on-write, code pages, faults. n is 1, 2, 4 or 8. */
bool mem_load_slow(struct mem *mem, uint64_t addr, unsigned n, uint64_t *out);
bool mem_store_slow(struct mem *mem, uint64_t addr, unsigned n, uint64_t value);

/* True if all n bytes at addr lie on the page of `tag`, a tag of addr's own fast entry. The last
 * byte decides: if it lies on the next page, that page has another entry and can't have this one's
 * tag. */
static inline bool mem_tag_covers(uint64_t tag, uint64_t addr, unsigned n)
{
	return __builtin_expect(tag == (addr + n - 1) >> PAGE_LOG2, 1);
}

/* Loads n bytes (1, 2, 4, 8; a compile-time constant inlines best), zero-extended. False on a
 * fault: *out is unchanged. */
static inline bool mem_load(struct mem *mem, uint64_t addr, unsigned n, uint64_t *out)
{
	const struct mem_fast *f = mem_fast_entry(mem, addr);
	if (mem_tag_covers(f->read, addr, n)) {
		uint64_t v = 0;
		memcpy(&v, mem_fast_byte(f, addr), n);
		*out = v;
		return true;
	}
	/* A variable of our own, not *out: the caller's may then stay in a register. */
	uint64_t slow;
	if (!mem_load_slow(mem, addr, n, &slow))
		return false;
	*out = slow;
	return true;
}

/* Stores the low n bytes of value; false if that needs the slow path. */
static inline bool mem_store_fast(struct mem *mem, uint64_t addr, unsigned n, uint64_t value)
{
	const struct mem_fast *f = mem_fast_entry(mem, addr);
	if (!mem_tag_covers(f->write, addr, n))
		return false;
	memcpy(mem_fast_byte(f, addr), &value, n);
	return true;
}

/* Stores the low n bytes of value. False on a fault, or if host memory is out, which is then noted
 * in `scarce`: nothing is written. */
static inline bool mem_store(struct mem *mem, uint64_t addr, unsigned n, uint64_t value)
{
	return mem_store_fast(mem, addr, n, value) || mem_store_slow(mem, addr, n, value);
}

/* ---- blocks, with the guest's permissions (system calls) ---- */
/* All or nothing: false and no effect if any byte may not be read or written. */
bool mem_read(struct mem *mem, uint64_t addr, void *buf, size_t n);
bool mem_write(struct mem *mem, uint64_t addr, const void *buf, size_t n);
/* Copies a NUL-terminated string of at most n-1 bytes; false on a fault or if it is longer. */
bool mem_read_string(struct mem *mem, uint64_t addr, char *buf, size_t n);

/* ---- without permissions (loader, debugger, views); unmapped bytes fail ---- */
bool mem_peek(const struct mem *mem, uint64_t addr, void *buf, size_t n);
bool mem_poke(struct mem *mem, uint64_t addr, const void *buf, size_t n);

/* Restores the bytes that a store replaced, in the shadow, too. */
static inline void mem_put_back(struct mem *mem, uint64_t addr, unsigned n, uint64_t value)
{
	if (!mem_store(mem, addr, n, value))
		(void)mem_poke(mem, addr, &value, n);
}

/* Address of the first page at or above addr written since it was mapped, or MEM_END. All other
 * mapped pages are zero: saving a space needs only these. */
uint64_t mem_next_touched(const struct mem *mem, uint64_t addr);

/* ---- the shadow ---- */
/* True if a byte of the shadow exists: it is mapped, and so is the memory that it shadows, or the
 * byte right below that, where an empty stack would grow. So the shadow takes at most half the
 * memory that the guest has. */
bool mem_has_shadow(const struct mem *mem, uint64_t addr);

static inline bool mem_is_shadow(uint64_t addr)
{
	return addr - SHADOW_BASE < SHADOW_BYTES;
}

/* ---- regions ---- */
struct mem_region {
	uint64_t start, end; /* bytes, page-aligned, end exclusive */
	unsigned prot;       /* enum mem_prot */
	char name[24];       /* "text", "heap", "stack", "mmap", ... for messages */
};

/* Maps zeroed pages over whatever was there. start and length are page-aligned and below MEM_END.
 * False if there are too many regions or the range is absurd: nothing changes. */
bool mem_map(struct mem *mem, uint64_t start, uint64_t length, unsigned prot, const char *name);
bool mem_unmap(struct mem *mem, uint64_t start, uint64_t length);
/* Makes pages of the range zero again (MADV_DONTNEED), except those that came from a file. Takes as
 * long as it frees pages. False if host memory is out: nothing changes. */
bool mem_discard(struct mem *mem, uint64_t start, uint64_t length);
/* Changes protection of wholly mapped ranges; false if a part is unmapped. */
bool mem_protect(struct mem *mem, uint64_t start, uint64_t length, unsigned prot);
/* Moves pages with their contents (mremap). */
bool mem_move(struct mem *mem, uint64_t from, uint64_t to, uint64_t length);
/* Highest free range of length bytes that ends at or below `below`, or 0. Never below 64 KiB. */
uint64_t mem_find_free(const struct mem *mem, uint64_t length, uint64_t below);
bool mem_is_mapped(const struct mem *mem, uint64_t start, uint64_t length);
/* Protection of the page at addr, 0 if unmapped. */
unsigned mem_prot_at(const struct mem *mem, uint64_t addr);
/* The first region that ends above addr. To visit all regions: for (struct mem_region r = {0};
 * mem_next_region(mem, r.end, &r);) False: there is none, and *r is unchanged. */
bool mem_next_region(const struct mem *mem, uint64_t addr, struct mem_region *r);
size_t mem_region_count(const struct mem *mem);

/* Mapped memory in a range. */
struct mem_extent {
	uint64_t bytes;   /* of it */
	uint64_t counted; /* of these: accessible or a file's, and not MEM_SPARSE */
	uint64_t dense;   /* of these: not MEM_SPARSE */
	unsigned prot;    /* enum mem_prot; union of all regions' */
	unsigned common;  /* their intersection; all bits if there are none */
};
/* [start, end); takes no longer for a large range. */
struct mem_extent mem_extent(const struct mem *mem, uint64_t start, uint64_t end);

/* Opens pages with PROT_M to accesses, or closes them; a new space is closed. Not part of a
 * snapshot: call again after restoring one. */
void mem_set_machine_mode(struct mem *mem, bool machine);
/* Makes stores of the guest into the 8 bytes at addr, a multiple of 8, fault; 0: none. Not part of
 * a snapshot: call again after restoring one. */
void mem_guard(struct mem *mem, uint64_t addr);

/* ---- snapshots ---- */
/* O(1) in the size of the guest; NULL if host memory is out. */
struct mem_image *mem_snapshot(struct mem *mem);
/* Restores img, which must be a snapshot of this very space. Can't fail. Code stays decoded in
 * pages that the space and img share, or whose bytes are equal. */
void mem_restore(struct mem *mem, const struct mem_image *img);
void mem_image_free(struct mem_image *img); /* may outlive its space */
/* Exact host bytes that only its snapshots hold. Decoded code, which only the present has, is not
 * included. */
size_t mem_held_bytes(const struct mem *mem);
/* Host bytes ever allocated, including page copies and released ones. */
uint64_t mem_taken_bytes(const struct mem *mem);
/* Visits every block of a space, or of an image, for a recount. */
struct ledger_walk;
void mem_walk(const struct mem *mem, const struct ledger_walk *w);
void mem_image_walk(const struct mem_image *img, const struct ledger_walk *w);
/* True if two snapshots of one space share [addr, addr + n): it was not written or mapped in
 * between. */
bool mem_image_same(const struct mem_image *a, const struct mem_image *b, uint64_t addr,
                    uint64_t n);
/* Digest of contents and regions; equal spaces give equal digests whatever their history (a page of
 * zeros equals a page never touched). */
uint64_t mem_hash(const struct mem *mem);
/* Host bytes of its present pages and tree nodes; snapshots share some. */
size_t mem_bytes(const struct mem *mem);

/* ---- decoded code ---- */
/* The decoded instruction at an even pc, or NULL if it may not be executed there (a fetch fault).
 * Decodes on first use. The record is borrowed until memory is next mapped or restored; a store
 * over the instruction's bytes sets its len to 0 (and leaves the rest until the next fetch), so
 * that stale records never survive a store. A straddling instruction's record lies alone, followed
 * by records of len 0. */
const struct inst *mem_fetch_slow(struct mem *mem, uint64_t pc);

static inline const struct inst *mem_fetch(struct mem *mem, uint64_t pc)
{
	const struct mem_code *c =
		&((struct mem_head *)(void *)mem)->code[(pc >> PAGE_LOG2) & (MEM_CODE - 1)];
	if (__builtin_expect(c->page == pc >> PAGE_LOG2, 1)) {
		const struct inst *in = &c->insts[(pc & (PAGE_BYTES - 1)) >> 1];
		if (__builtin_expect(in->len != 0 && !(pc & 1), 1))
			return in;
	}
	return mem_fetch_slow(mem, pc);
}

#endif
