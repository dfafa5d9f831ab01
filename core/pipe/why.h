/* Why an instruction is where it is: one cause, the same in `why`, in every view and in the CPI stack.
 *
 * A pure function of the state: asking changes nothing. */
#ifndef CYCLOPS_CORE_PIPE_WHY_H
#define CYCLOPS_CORE_PIPE_WHY_H

#include <stddef.h>
#include <stdint.h>

#include "core/pipe/pipe.h"

/*     id, CPI stack field, short words for a table cell */
#define WHYS(W) \
	W(MOVING, frontend, "moving on")                  /* nothing holds it: advances next cycle */ \
	W(FETCHING, frontend, "being fetched")            /* L1I latency */ \
	W(DECODE_TURN, frontend, "decode's turn")         /* older instructions in the fetch queue go first */ \
	W(ROB_FULL, structural, "reorder buffer full") \
	W(LSQ_FULL, structural, "load/store queue full") \
	W(IQ_FULL, structural, "issue queue full") \
	W(SERIAL_BEFORE, serial, "window must drain")     /* it is serialising */ \
	W(SERIAL_AFTER, serial, "behind serialising")     /* an older serialising instruction */ \
	W(FAULT_BEFORE, serial, "behind a fault") \
	W(OPERAND, depend, "operand")                     /* other = producer */ \
	W(IN_ORDER, depend, "older not issued")           /* in-order issue; other = the one in front */ \
	W(UNIT, structural, "no free unit")               /* other = who holds it */ \
	W(ISSUE_WIDTH, structural, "issue slots taken") \
	W(HEAD_ONLY, order, "waits to be oldest")         /* atomics */ \
	W(STORE_ADDRESS, order, "older store's address")  /* other = the store */ \
	W(STORE_DATA, order, "older store's data")        /* other = the store */ \
	W(STORE_COMMIT, order, "partial overlap")         /* other = the store, which must reach the cache */ \
	W(OWN_DATA, depend, "its data operand")           /* a store's; other = producer */ \
	W(MSHR, structural, "no miss register") \
	W(EXECUTING, depend, "executing") \
	W(FORWARD, l1d, "forwarded") \
	W(L1, l1d, "L1D") \
	W(L2, l2, "L2") \
	W(MEMORY, mem, "memory") \
	W(TLB, tlb, "TLB miss") \
	W(COMMIT_DELAY, depend, "commit delay") \
	W(COMMIT_TURN, depend, "older not committed")     /* other = the head */ \
	W(WRITE_BUFFER, structural, "write buffer full") \
	W(SYSCALL, serial, "system call") \
	W(COMMITTED, base, "committed") \
	W(SQUASHED, badspec, "squashed")

enum why_id {
#define W(id, field, text) WHY_##id,
	WHYS(W)
#undef W
	WHY_COUNT
};

struct why {
	enum why_id id;
	uint64_t other; /* seq of the instruction waited for, 0 if none */
	uint64_t due;   /* cycle in which the wait ends, NO_CYCLE if unknown */
	uint8_t operand; /* register number for OPERAND and OWN_DATA */
	uint8_t pool;    /* enum fu_pool for UNIT */
};

extern const char *const why_text[WHY_COUNT];

/* The immediate cause for one uop in the pool. */
struct why uop_why(const struct pipe *p, const struct uop *u);

/* Adds `slots` unused commit slots of this cycle to the CPI stack, under the cause that holds the oldest
 * instruction, or, if the window is empty, what keeps it empty. Called by commit. */
void pipe_charge(struct pipe *p, uint64_t slots);

/* One line for people, down to the root cause:
 * "#81213 bne a3,a0 waits for a3 from #81212 add, which waits for a5 from #81211 ld: L2 hit, data in
 * 4 cycles". Returns buf. */
char *uop_why_line(const struct pipe *p, const struct uop *u, char *buf, size_t n);

/* The same for fetch: "fetch waits for the line at 0x105c0 from beyond the L1I, here in 23 cycles (cycle
 * 162)". Returns buf. */
char *pipe_fetch_line(const struct pipe *p, char *buf, size_t n);

#endif
