/* Prefetchers: lines brought in before anything asks for them (l1i.prefetch, l1d.prefetch,
 * l2.prefetch).
 *
 * A prefetcher hears of each access of its cache when the access takes place, wrong paths included,
 * and asks for lines. A line that is not there takes the way of a demand miss that begins with the
 * access: through a free miss register (L1D), L2 and the bus, into the cache as the line used last.
 * It is dropped if no register is free, or if its page is neither that of the access nor, for L1,
 * in the TLB. L1's requests are accesses of L2 to everybody there, its prefetcher included; L2's
 * are not.
 *
 * next-line is Smith's tagged prefetch (Computing Surveys 1982): a miss, and the first use of a
 * prefetched line, ask for the lines behind. stride is the reference prediction table of Chen and
 * Baer (IEEE Transactions on Computers 1995), by the address of the instruction: in its steady
 * state an entry asks for the addresses that follow. The table lies in the arena. */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_PREFETCH_H
#define CYCLOPS_CORE_PIPE_MEMORY_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>

struct access;
struct arena;
struct cache;
struct cache_line;
struct hierarchy;

/* The choices of the parameters, in this order. */
enum prefetch_kind { PREFETCH_NONE, PREFETCH_NEXT_LINE, PREFETCH_EXTERNAL, PREFETCH_STRIDE };

enum stride_state { STRIDE_INITIAL, STRIDE_TRANSIENT, STRIDE_STEADY, STRIDE_NONE };

struct stride_entry {
	uint64_t pc;     /* 0: none */
	uint64_t last;   /* byte address of its last access */
	int64_t stride;  /* bytes */
	uint64_t state;  /* enum stride_state */
};

struct prefetcher {
	enum prefetch_kind kind;
	uint32_t degree;            /* lines, or strides, ahead */
	uint32_t mask;              /* entries of the table - 1 */
	struct stride_entry *table; /* by pc >> 1; only of STRIDE */
	uint64_t *issued, *useful, *late, *dropped; /* statistics */
};

/* What an access finds in its cache before it changes anything there. */
struct heard {
	bool store;
	unsigned lines;  /* 1, or 2 if it crosses; 0: nobody wants to know */
	struct heard_line {
		uint64_t number, addr;
		bool asked;      /* the cache is asked for this line, not the write buffer */
		bool hit;        /* there */
		bool prefetched; /* a prefetch brought it, and this is its first use */
	} line[2];
};

/* For hierarchy_place() and hierarchy_reset(). */
void prefetch_place(struct hierarchy *h, struct arena *a);
void prefetch_reset(struct hierarchy *h);

/* As hierarchy_fetch(), hierarchy_load() and hierarchy_store(), heard by prefetchers; pc: the
 * instruction's. */
struct access hierarchy_heed_fetch(struct hierarchy *h, uint64_t pc, uint64_t now);
struct access hierarchy_heed_load(struct hierarchy *h, uint64_t pc, uint64_t addr, unsigned size,
                                  uint64_t now);
struct access hierarchy_heed_store(struct hierarchy *h, uint64_t pc, uint64_t addr, unsigned size,
                                   uint64_t now);

/* Around an access in functional warm-up: prefetches take no time then, and are not counted. */
void prefetch_begin(const struct cache *c, uint64_t addr, unsigned size, uint64_t now,
                    struct heard *out);
void prefetch_warm(struct hierarchy *h, struct cache *c, const struct heard *heard);

/* L2 was asked for this address in cycle `at` and found `line` as it is here, or NULL. */
void prefetch_l2(struct hierarchy *h, uint64_t addr, struct cache_line *line, uint64_t at,
                 uint64_t now, bool timed);

#endif
