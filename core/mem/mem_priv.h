/* Common structures of core/mem: pages, the tree that finds them, the tree of regions.
 *
 * The space is a tree of reference-counted nodes over the page number, 7 bits a level; a snapshot
 * is one more reference to the root. A node or page may be written only if it and every node above
 * it have one reference ("owned"); tree_own_page() copies those that have more. Nodes never change
 * their place in the space, so a node may cache the sum over its subtree.
 *
 *   page number  25   21 20        14 13         7 6          0
 *               [ root  | height 2   | height 1   | leaf       ]
 *
 * Invariants:
 * - A live write tag means: the page is owned, holds no decoded code, and neither it nor a node
 * above it has a valid digest or sum.
 * - A code tag names the decoded records of the page that the tree holds now, and it is executable.
 * - Only pages of the present hold decoded code, and mem.coded lists them: it is the present's,
 * never history's.
 * - A cached straddling instruction lies on two pages that both hold decoded code, so that no store
 *   reaches their bytes unnoticed.
 *
 * No file here aborts: if host memory runs out, an access or mapping fails, which struct
 * host_memory then notes, or a snapshot is NULL, and the space stays as it was. */
#ifndef CYCLOPS_CORE_MEM_MEM_PRIV_H
#define CYCLOPS_CORE_MEM_MEM_PRIV_H

#include "core/mem/mem.h"
#include "core/mem/pool.h"

enum {
	NODE_LOG2 = 7,
	NODE_FAN = 1 << NODE_LOG2,
	TREE_HEIGHT = 3,      /* of the root; leaves, whose children are pages, are at 0 */
	REGIONS_MAX = 65536,
	/* bytes; mem_find_free() stays above it, so that null pointers with an offset fault */
	LOWEST_FREE = 65536,
	STRADDLES = 16,
	CODE_PARCELS = PAGE_BYTES / 2,
	CODE_STORES_MAX = 1024, /* stores into a decoded page before its code is discarded */
	PAGE_COUNT = MEM_END >> PAGE_LOG2
};

struct page {
	uint32_t refs;
	uint32_t code_stores; /* since code was attached */
	uint64_t digest;      /* of bytes, 0 if all are zero; meaningful if digest_valid */
	bool digest_valid;
	bool anonymous;       /* its region's bytes come from no file: mem_discard() frees it */
	uint32_t coded;       /* with code: index in mem.coded.page */
	struct inst *code;    /* [CODE_PARCELS + 1], owned; NULL until something is fetched */
	uint8_t bytes[PAGE_BYTES];
};

struct node {
	uint32_t refs;
	bool sum_valid;
	bool anonymous; /* a page below may be; false: none is */
	uint64_t sum;           /* of the digests of all pages below, see hash.c */
	/* struct page at height 0, else struct node; NULL: untouched */
	void *child[NODE_FAN];
};

/* A node of the tree of regions: disjoint; neighbours of equal name and protection are merged, so
 * that one space has the same regions whatever its history. Written only while refs is 1. */
struct region {
	uint32_t refs;
	uint32_t height; /* of its subtree, as count, first, last, hole and sum */
	struct region *side[2]; /* subtrees at lower and at higher addresses; NULL: empty */
	struct mem_region r;
	size_t count;
	uint64_t first, last; /* addresses where its regions begin, and end */
	uint64_t hole;        /* bytes: the largest gap between two regions */
	struct mem_extent sum;
};

/* A whole address space: the guest's present one, or a snapshot's. */
struct space {
	struct node *root; /* NULL: no page was ever touched */
	struct region *regions; /* NULL: nothing is mapped */
	struct pool *pool; /* a reference; shared by the space and its snapshots */
	size_t reach;      /* bytes of nodes and pages below root */
	size_t pages;      /* number of pages below root */
};

struct mem_image {
	struct space space;
	/* the only space it may be restored into: decoded code moves between pages */
	const struct mem *owner;
};

/* A record outside any page's records; a walk from it meets an undecoded one and stops. */
struct lone_inst {
	struct inst inst, end[2];
};

struct straddle {
	uint64_t pc; /* or MEM_NO_TAG */
	struct lone_inst at;
};

struct mem {
	struct mem_head head;
	/* Pages accessed recently, whose entries in the fast table others have replaced: those of
	 * arrays that lie a multiple of MEM_FAST pages apart, for one. Each has what the fast table
	 * had, and changes with it. By mem_recent_entry(). */
	struct mem_fast recent[MEM_FAST];
	struct space space;
	struct mem_region hint; /* the region that the last slow access hit; end 0: none */
	struct straddle straddle[STRADDLES];
	/* a record that could not be cached; valid until the next fetch */
	struct lone_inst scratch;
	unsigned isa;    /* code is decoded as this one's (core/isa/inst.h) */
	uint64_t sparse_limit; /* pages: at this number, MEM_SPARSE regions get no new ones */
	uint64_t guard; /* byte address of mem_guard(), 0: none */
	unsigned closed; /* PROT_M while M-mode pages may not be accessed, else 0 */
	struct code_list {
		/* owned; [count], numbers of the present's pages with decoded code, unordered */
		uint64_t *page;
		size_t count, room;
	} coded;
	struct inst *spare; /* the last discarded code, readable until the next fetch; owned */
};

/* ---- tree.c ---- */
/* The page, or NULL if it was never touched. pn < PAGE_COUNT, as everywhere here. */
struct page *tree_find(const struct space *s, uint64_t pn);
/* The page, owned: created zeroed or copied as needed, its digest no longer valid. A copy takes
 * over the decoded code: the guest runs on here, while the snapshot's page may never run again.
 * NULL if host memory is out. */
struct page *tree_own_page(struct space *s, uint64_t pn);
/* The place of a page in an owned leaf, created if needed; NULL if host memory is out. */
struct page **tree_own_slot(struct space *s, uint64_t pn);
/* First touched page >= pn, or PAGE_COUNT. */
uint64_t tree_next(const struct space *s, uint64_t pn);
/* Calls fn for each touched page of [first, last), in their order. */
void tree_each(const struct space *s, uint64_t first, uint64_t last,
               void (*fn)(void *ctx, struct page *p), void *ctx);
/* Makes tree_clear() of pages [first, last) safe from running out of memory; false if it is out. */
bool tree_prepare_clear(struct space *s, uint64_t first, uint64_t last);
void tree_clear(struct space *s, uint64_t first, uint64_t last);
/* Drops the anonymous pages of [first, last), after calling fn for each. False if host memory is
 * out: nothing changed. */
bool tree_discard(struct space *s, uint64_t first, uint64_t last,
                  void (*fn)(void *ctx, struct page *p), void *ctx);
/* Marks page pn, which is owned, as anonymous. */
void tree_note_anonymous(struct space *s, uint64_t pn);
/* Drops this space's reference to a page; the caller clears its slot. */
void tree_release_page(struct space *s, struct page *p);
void tree_walk(const struct space *s, const struct ledger_walk *w);

/* Add, or drop, a reference to a tree and its regions. */
struct space space_share(const struct space *s);
void space_release(struct space *s);

/* ---- region.c ---- */
void regions_release(struct pool *pool, struct region *n);
size_t regions_count(const struct region *root);
size_t regions_bytes(const struct region *root);
void regions_walk(const struct region *n, const struct ledger_walk *w);
/* Reserves memory for `changes` calls of regions_put(), which add `extra` regions together; false
 * (nothing changed) if these would be too many, or host memory is out. */
bool regions_reserve(const struct space *s, size_t changes, size_t extra);
/* Maps [start, end) as `name`, or unmaps it if name is NULL. Reserve before: a region for the name,
 * and one for each end that falls inside a region. */
void regions_put(struct space *s, uint64_t start, uint64_t end, unsigned prot, const char *name);
/* The first region that ends above addr; NULL if none. Borrowed until the next change. */
const struct mem_region *regions_find(const struct region *n, uint64_t addr);
/* The first region of another protection in [addr, end); NULL if none. Borrowed likewise. */
const struct mem_region *regions_next_other(const struct region *n, uint64_t addr, uint64_t end,
                                            unsigned prot);
/* Whether no byte of the region came from a file. */
bool region_is_anonymous(const struct mem_region *r);
/* Whether each byte of [start, end) is mapped with all of `prot` and none of `without`. */
bool regions_allow(const struct region *root, uint64_t start, uint64_t end, unsigned prot,
                   unsigned without);

/* Protection of the page at addr in the present mode, 0 if unmapped or closed; remembers the
 * region.
 */
static inline unsigned mem_prot_hinted(struct mem *mem, uint64_t addr)
{
	if (addr < mem->hint.start || addr >= mem->hint.end) {
		const struct mem_region *r = regions_find(mem->space.regions, addr);
		if (!r || addr < r->start)
			return 0;
		mem->hint = *r;
	}
	return mem->hint.prot & mem->closed ? 0 : mem->hint.prot;
}

/* ---- mem.c ---- */
static inline struct mem_fast *mem_recent_entry(struct mem *mem, uint64_t pn)
{
	return &mem->recent[(pn ^ pn >> MEM_FAST_LOG2 ^ pn >> 2 * MEM_FAST_LOG2) & (MEM_FAST - 1)];
}

/* Empties the tables of host pointers: call after mapping or restoring. */
void mem_flush(struct mem *mem);
void mem_flush_write_tags(struct mem *mem);

/* ---- code.c ---- */
/* Frees the decoded code of pages [first, last), which are about to be dropped or moved. */
void code_leave(struct mem *mem, uint64_t first, uint64_t last);
/* The same of one page; mem: struct mem. */
void code_leave_page(void *mem, struct page *p);
/* Moves decoded code to pages of `to` with the same bytes; `to` is about to become the present. */
void code_move(struct mem *mem, const struct space *to);
/* Drops the decoded records of the n bytes just written at off to p, which is page pn. */
void code_written(struct mem *mem, uint64_t pn, struct page *p, unsigned off, size_t n);

#endif
