/* Caches, TLBs, MSHRs, write buffer and the memory bus, working together: timing only, data stays
 * in guest memory.
 *
 * Non-blocking: an access returns at once with the cycle in which its data arrives. Lines carry the
 * cycle in which their fill arrives; an access to a line in flight waits for it (MSHR merge).
 * Write-back, write-allocate. Fills choose and evict their victim at the time of the miss.
 *
 * Latencies add up as: [TLB miss penalty] + L1 latency + [L2 latency + [memory latency + wait for
 * the bus + transfers]]. Memory answers any number of requests at once; the bus moves one line at a
 * time, in ceil(line / bus.bytes) * bus.cycles, and a transfer takes the first gap long enough from
 * the cycle in which it is ready; data is usable when the last transfer has arrived. Dirty lines
 * evicted from L2 take a transfer, too, from the cycle in which the miss that evicts them is known.
 * L1 <-> L2 transfers are part of l2.latency; dirty lines evicted from L1 settle in L2 at once. A
 * line is "in flight" for an access if it arrives after the cycle in which the access requests it.
 * All state lives in the arena. Cycles passed to one hierarchy never go back. */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_CACHE_H
#define CYCLOPS_CORE_PIPE_MEMORY_CACHE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/pipe/memory/cache_policy.h"
#include "core/pipe/memory/l2_limits.h"
#include "core/pipe/memory/tlb.h"
#include "core/pipe/memory/wbuf.h"

struct config;
struct replacement;
struct stage_counts;
struct stats;

enum mem_level {
	LEVEL_NONE,
	LEVEL_FORWARD, /* an older store in the load/store queue */
	LEVEL_BUFFER,  /* committed stores in the write buffer */
	LEVEL_L1,
	LEVEL_L2,
	LEVEL_MEMORY,
	LEVEL_COUNT
};

/* Whether an access that this level served began the fill of a line of L1: a miss, in the machine's
 * one meaning (core/README.md, "Hits and misses"). */
static inline bool level_is_miss(unsigned level, bool delayed)
{
	return level >= LEVEL_L2 && !delayed;
}

struct cache_line {
	uint64_t tag;        /* line address / line size, + 1; 0 if invalid */
	uint64_t flags : 8;  /* CL_* */
	uint64_t used : 56;  /* access clock, for LRU */
	/* cycle in which the fill is complete; in the past for a settled line */
	uint64_t ready;
};

enum {
	CL_DIRTY = 1,
	CL_FROM_MEMORY = 2, /* the last fill came from memory, not L2 */
	CL_PREFETCHED = 4   /* prefetched, and not used since */
};

enum cache_id { CACHE_L1I, CACHE_L1D, CACHE_L2 };

struct cache {
	struct cache_line *lines; /* [sets * ways], ways of a set adjacent */
	uint32_t sets, ways, line_log2, set_mask, line_bytes;
	uint32_t set_bytes;       /* of `lines` */
	enum cache_id id;
	const struct replacement *policy; /* replacement.h; NULL: LRU */
	/* state of policies other than LRU (core/pipe/memory/replace.h) */
	uint64_t *order;
	struct prefetcher prefetcher;
	/* marks written lines, for a cache that snapshots don't compare as a whole: L2 */
	struct arena_marks marks;
};

/* One outstanding L1D line miss. It holds a register in the cycles since <= now < ready. A miss of
 * the write buffer may wait for a register: then it starts when an earlier one, marked chained,
 * ends. */
struct mshr {
	uint64_t line;    /* byte address of the line; valid while ready > now */
	uint64_t since;
	uint64_t ready;   /* cycle in which it becomes free */
	uint32_t targets; /* accesses waiting for it, the first included */
	uint16_t level;   /* enum mem_level that serves it */
	uint16_t chained; /* 1: another miss takes the register over at `ready` */
	uint64_t held;    /* cycle in which l2.ports and l2.mshrs let it begin in L2; 0: at once */
	uint64_t waited;  /* cycles of the wait until `held` */
	uint64_t bus;     /* its last cycles: waits for the bus, and transfers */
	uint64_t seq, pc; /* of the access that began it, if hierarchy.synonyms; 0: none */
};

/* More than MSHR_MAX entries exist because misses that wait for a register are listed, too. */
enum { MSHR_MAX = 64, MSHR_ENTRIES = 4 * MSHR_MAX, BUS_MAX = 64 };

/* The bus is busy in the cycles from <= now < until. */
struct bus_booking {
	uint64_t from, until;
};

/* The line that the last access used. It is the most recent line of its set, and its page was
 * translated last: another access to the line needs no search, and changes no order. */
struct last_line {
	uint64_t addr;  /* byte address of the line */
	/* line and translation are available from this cycle on; UINT64_MAX if there is no last
	 * line */
	uint64_t ready;
	uint32_t index; /* into lines; valid for L1D only */
};

/* Lines and pages that warming accessed last in their sets, so that one more access to them changes
 * no order; a slot serves several whole sets. Valid while `clock` equals the hierarchy's. */
enum { RECENT_LINES = 1024, RECENT_PAGES = 64 };
struct recent {
	uint64_t line[RECENT_LINES]; /* number + 1, doubled, + 1 if it is dirty; 0: none */
	uint64_t page[RECENT_PAGES]; /* number + 1; 0: none */
};
struct recent_accesses {
	uint64_t clock;
	struct recent code, data;
};

struct hierarchy_state {
	uint64_t clock;            /* LRU clock */
	uint64_t bus_free;         /* first cycle from which the bus has no bookings */
	struct bus_booking bus[BUS_MAX]; /* [bus_count], by time, disjoint, neighbours joined */
	uint32_t bus_count;
	uint32_t mshr_count;
	/* [mshr_count], the rest is zero; some may have ended already */
	struct mshr mshr[MSHR_ENTRIES];
	uint64_t port_cycle;       /* with l1d.ports: the cycle of port_used */
	uint64_t port_used;        /* accesses to L1D that began in it */
	struct wbuf wbuf;
	struct last_line last_l1i, last_l1d;
	struct last_page last_ipage, last_dpage;
};

struct hierarchy {
	const struct config *cfg; /* borrowed */
	struct stats *stats;      /* in the arena */
	struct stage_counts *counts;    /* the first part of stats */
	struct hierarchy_state *st;
	struct recent_accesses *recent;
	struct arena_marks recent_marks;
	struct cache l1i, l1d, l2;
	struct tlb itlb, dtlb;
	struct l2_limits *l2_limits; /* NULL: there is none */
	/* cycles that the last access to L2 waited for a port and a register */
	uint64_t l2_waited;
	/* when the last access to L2 began, if it was delayed; 0: it was not */
	uint64_t l2_held;
	struct plugin_bank *plugins; /* borrowed; NULL: none */
	/* number of events after which a refused load may be accepted: a fill of L1D, bytes in the
	 * write buffer, a change of the window's stores, in one of the lines `refused`; not in the
	 * arena, as the two below */
	uint64_t changes;
	/* bit i: a refused load touches a line whose number is i modulo 64 */
	uint64_t refused;
	uint64_t full_until; /* all miss registers are held before this cycle */
	/* refused loads so far, as in the statistics, which stages don't read */
	uint64_t refused_registers, refused_targets;
	/* some cache has a prefetcher or a plug-in for replacement: accesses go through
	 * hierarchy_heed_*() */
	bool heeds;
	uint64_t pc;              /* pc of the current access, if `heeds` */
	/* owner of the current access, for miss registers, if `synonyms` */
	uint64_t owner_seq, owner_pc;
	/* copied out of cfg by hierarchy_place */
	bool perfect_l1i, perfect_l1d, perfect_l2; /* every access hits */
	uint32_t l1i_latency, l1d_latency, l2_latency, mem_latency, tlb_penalty, forward_latency;
	uint32_t transfer;        /* cycles of the bus per L2 line */
	uint32_t mshr_limit, target_limit, wbuf_limit;
	uint32_t l1d_ports, l2_ports, l2_mshrs; /* 0: unlimited */
	/* bytes: misses conflict if their lines are equal modulo this; 0: none do */
	uint64_t synonyms;
};

struct access {
	/* cycle in which the data arrives; of a refused load, before which it is refused again if
	 * nothing else changes */
	uint64_t ready;
	/* cycles until the address is translated; walk and bus are at most UINT16_MAX */
	uint16_t walk;
	/* last cycles, in which a line from memory waits for the bus and is transferred */
	uint16_t bus;
	enum mem_level level : 8; /* where the data comes from */
	/* false: no MSHR, target slot or write-buffer entry free; retry in a later cycle: nothing
	 * happened, except that a load's refusal was counted */
	bool accepted;
	bool tlb_miss;
	/* the line is in flight: an accepted access waits for it, as a delayed hit; a refused load
	 * found all its targets taken (l1d.mshr_targets) */
	bool on_way;
};
static_assert(sizeof(struct access) == 16, "returned in registers");

void hierarchy_place(struct hierarchy *h, const struct config *cfg, struct stats *stats,
                     struct arena *a);
void hierarchy_reset(struct hierarchy *h);

/* An instruction fetch of the line that holds pc, starting in cycle now. A hit is ready at
 * now + l1i.latency - 1: with latency 1 the instructions enter the fetch queue in this same cycle.
 */
struct access hierarchy_fetch(struct hierarchy *h, uint64_t pc, uint64_t now);

/* Removes the line that holds pc from L1I, resident or in flight. */
void hierarchy_drop_code(struct hierarchy *h, uint64_t pc);

/* A load of size bytes whose address is known in cycle now; a hit is ready at now + l1d.latency,
 * one whose bytes are all in the write buffer at now + lsq.forward_latency, using neither TLB nor
 * L1D. An access that crosses a line takes the later of both lines. Refused, and
 * counted: l1d.mshr_full, if it misses and no register is free; l1d.line_full, if the line is in
 * flight and its register takes no more targets. */
struct access hierarchy_load(struct hierarchy *h, uint64_t addr, unsigned size, uint64_t now);
/* The bits in `refused` of the lines of these bytes. */
static inline uint64_t hierarchy_lines(const struct hierarchy *h, uint64_t addr, unsigned size)
{
	const uint64_t bit = 1;
	return bit << (addr >> h->l1d.line_log2 & 63) |
	       bit << ((addr + size - 1) >> h->l1d.line_log2 & 63);
}

static inline void hierarchy_note_refused(struct hierarchy *h, uint64_t addr, unsigned size)
{
	h->refused |= hierarchy_lines(h, addr, size);
}

/* Counts a change of these bytes, if it may concern a refused load. */
static inline void hierarchy_note_change(struct hierarchy *h, uint64_t addr, unsigned size)
{
	if (__builtin_expect(h->refused != 0, 0))
		h->changes += (h->refused & hierarchy_lines(h, addr, size)) != 0;
}

/* Counts loads that are refused once more for lack of a register, and of a target. */
void hierarchy_refuse_again(struct hierarchy *h, uint64_t registers, uint64_t targets);

/* A committed store: joins the entry of the write buffer that holds its line, or takes one; refused
 * if none is free (commit waits, and counts l1d.write_buffer_full). A new entry drains in the
 * background: it allocates the line as a load would (needing an MSHR, for which it waits inside the
 * buffer, in time not in retries; it takes no target slot) and marks it dirty. A store across two
 * lines needs the resources of both. `ready` is when the entry becomes free. */
struct access hierarchy_store(struct hierarchy *h, uint64_t addr, unsigned size, uint64_t now);

/* With l1d_ports: true if this store, or load, accesses L1D, not only the write buffer. */
bool hierarchy_asks_l1d(const struct hierarchy *h, uint64_t addr, unsigned size, uint64_t now,
                        bool store);
/* True if a port of L1D is free in cycle now; else counts a wait. */
bool hierarchy_port_left(struct hierarchy *h, uint64_t now);
/* Cycles that the line at this byte address, if in flight to L1D, waited for l2.ports and l2.mshrs;
 * at most UINT16_MAX. */
uint16_t hierarchy_l2_waited(const struct hierarchy *h, uint64_t addr, uint64_t now);
void hierarchy_take_port(struct hierarchy *h, uint64_t now);
/* True if all ports of L1D are taken in a cycle, past or future; counts nothing. */
static inline bool hierarchy_ports_taken(const struct hierarchy *h, uint64_t cycle)
{
	return h->l1d_ports && h->st->port_cycle == cycle && h->st->port_used == h->l1d_ports;
}

/* True if the write buffer can take this store in cycle now. Changes nothing. */
bool hierarchy_store_fits(const struct hierarchy *h, uint64_t addr, unsigned size, uint64_t now);

/* Sets the owner of the following accesses; seq 0: none. For hierarchies with `synonyms`. */
static inline void hierarchy_own(struct hierarchy *h, uint64_t seq, uint64_t pc)
{
	h->owner_seq = seq;
	h->owner_pc = pc;
}

/* With `synonyms`: the miss in flight, the first begun if there are several, that conflicts with a
 * miss that this load would begin in cycle now; NULL if none, or if it would begin none. Borrowed
 * until the next access; changes nothing. */
const struct mshr *hierarchy_synonym(const struct hierarchy *h, uint64_t addr, unsigned size,
                                     uint64_t now);


/* bytes = sets * ways * line bytes, all but ways powers of two. */
void cache_place(struct cache *c, const char *name, int64_t bytes, int64_t ways, int64_t line_bytes,
                 struct arena *a);
void cache_clear(struct cache *c);

/* For views: address of the line held by lines[set * ways + way]. */
uint64_t cache_line_addr(const struct cache *c, uint32_t set, uint32_t way);

#endif
