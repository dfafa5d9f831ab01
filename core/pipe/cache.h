/* Caches, TLBs, MSHRs, write buffer and the memory bus: timing only, data stays in guest memory.
 *
 * Non-blocking: an access returns at once with the cycle in which its data will be there. L1 lines
 * carry the cycle in which their fill arrives; an access to a line on its way waits for it (MSHR
 * merge). Write-back, write-allocate, true LRU. Fills choose and evict their victim at the time of the
 * miss; a dirty victim takes its bus transfer then.
 *
 * Latencies add up as: [TLB miss penalty] + L1 latency + [L2 latency + [bus queue + memory latency +
 * transfers]]. The bus serves one line at a time; transfers of a line: ceil(line / bus.bytes) *
 * bus.cycles; data is usable when the last transfer has arrived. L1 <-> L2 transfers are part
 * of l2.latency. All state lives in the arena. */
#ifndef CYCLOPS_CORE_PIPE_CACHE_H
#define CYCLOPS_CORE_PIPE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/arena.h"
#include "core/config.h"
#include "core/stats.h"

enum mem_level { LEVEL_NONE, LEVEL_FORWARD, LEVEL_L1, LEVEL_L2, LEVEL_MEMORY, LEVEL_COUNT };

struct cache_line {
	uint32_t tag;   /* line address / sets, + 1; 0 if invalid */
	uint32_t flags; /* CL_* */
	uint64_t used;  /* access clock, for LRU */
	uint64_t ready; /* cycle in which the fill is complete; in the past for a settled line */
};

enum { CL_DIRTY = 1, CL_FROM_MEMORY = 2 /* the fill on its way comes from memory, not L2 */ };

struct cache {
	struct cache_line *lines; /* [sets * ways], ways of a set adjacent */
	uint32_t sets, ways, line_log2, set_mask;
};

struct tlb_entry {
	uint64_t tag;  /* page number + 1; 0 if invalid */
	uint64_t used;
};

struct tlb {
	struct tlb_entry *entries; /* [sets * ways] */
	uint32_t sets, ways, page_log2;
};

/* One outstanding L1D line miss. */
struct mshr {
	uint64_t line;    /* byte address of the line; valid while ready > now */
	uint64_t ready;   /* cycle in which it frees */
	uint32_t targets; /* accesses waiting for it, the first included */
	uint32_t level;   /* enum mem_level that serves it */
};

enum { MSHR_MAX = 64, WBUF_MAX = 64 };

struct hierarchy_state {
	uint64_t clock;            /* LRU clock */
	uint64_t bus_free;         /* first cycle in which the bus is free */
	struct mshr mshr[MSHR_MAX];
	uint64_t wbuf[WBUF_MAX];   /* cycle in which each write-buffer entry has drained */
	uint64_t wbuf_addr[WBUF_MAX]; /* for views */
};

struct hierarchy {
	const struct config *cfg; /* borrowed */
	struct stats *stats;      /* in the arena */
	struct hierarchy_state *st;
	struct cache l1i, l1d, l2;
	struct tlb itlb, dtlb;
};

struct access {
	bool accepted;       /* false: no MSHR (or target slot) free; retry in a later cycle, nothing happened
	                        except that l1d.mshr_full was counted */
	bool tlb_miss;
	enum mem_level level; /* where the data comes from */
	uint64_t ready;      /* cycle in which the data is there */
};

void hierarchy_place(struct hierarchy *h, const struct config *cfg, struct stats *stats, struct arena *a);
void hierarchy_reset(struct hierarchy *h);

/* An instruction fetch of the line that holds pc, starting in cycle now. A hit is ready at
 * now + l1i.latency - 1: with latency 1 the instructions enter the fetch queue in this same cycle. */
struct access hierarchy_fetch(struct hierarchy *h, uint64_t pc, uint64_t now);

/* A load of size bytes whose address is known in cycle now; a hit is ready at now + l1d.latency. An
 * access that crosses a line takes the later of both lines. */
struct access hierarchy_load(struct hierarchy *h, uint64_t addr, unsigned size, uint64_t now);

/* A committed store: goes to the write buffer; accepted = false if that is full (commit waits). The
 * buffer entry drains in the background: it allocates the line as a load would (needing an MSHR, for
 * which it waits inside the buffer, in time not in retries) and marks it dirty. */
struct access hierarchy_store(struct hierarchy *h, uint64_t addr, unsigned size, uint64_t now);

/* Earliest cycle after now in which a turned-away access could succeed (an MSHR or write-buffer
 * entry frees), for skipping idle cycles; UINT64_MAX if nothing is outstanding. */
uint64_t hierarchy_next_free(const struct hierarchy *h, uint64_t now);

/* Functional warm-up: the same lines and translations become resident, no time passes, no statistics. */
void hierarchy_warm_fetch(struct hierarchy *h, uint64_t pc);
void hierarchy_warm_data(struct hierarchy *h, uint64_t addr, unsigned size, bool store);

/* For views: address of the line held by lines[set * ways + way]. */
uint64_t cache_line_addr(const struct cache *c, uint32_t set, uint32_t way);

#endif
