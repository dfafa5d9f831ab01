/* Why an instruction waits: one cause, the same in `why`, in every view and in the CPI stack.
 *
 * A pure function of the state. */
#ifndef CYCLOPS_CORE_PIPE_WHY_H
#define CYCLOPS_CORE_PIPE_WHY_H

#include <stddef.h>
#include <stdint.h>

#include "core/pipe/pipe.h"

/* id, CPI stack field; texts for users: hwviews/why/why_phrases.def */
#define WHYS(W)                                                                                    \
	W(MOVING, frontend)       /* nothing: it advances next cycle */                            \
	W(FETCHING, frontend)     /* L1I latency */                                                \
	W(DECODE_TURN, frontend)  /* older instructions in the fetch queue are first */            \
	W(DECODE_WIDTH, frontend) /* decode took others */                                         \
	W(ROB_FULL, structural)                                                                    \
	W(LSQ_FULL, structural)                                                                    \
	W(IQ_FULL, structural)                                                                     \
	W(DECODE_TAKEN, structural) /* completing out of order; other = the next to issue */       \
	W(SERIAL_BEFORE, serial) /* it is serialising: the window must drain */                    \
	W(SERIAL_AFTER, serial)  /* an older serialising instruction */                            \
	W(FAULT_BEFORE, serial)                                                                    \
	W(FLAG,                                                                                    \
	  frontend) /* decode needs a profile flag from a poppf; other = the poppf */              \
	W(OPERAND, depend)  /* other = producer */                                                 \
	W(IN_ORDER, depend) /* in-order issue; other = the next to issue */                        \
	W(UNIT, structural) /* none is free; other = user of the first to become free; due = the   \
	                       earliest cycle of its turn */                                       \
	W(ISSUE_WIDTH, structural)                                                                 \
	W(WAW,                                                                                     \
	  depend) /* other = an older instruction that would write the same register later */      \
	W(WRITE_PORT, structural) /* of the registers: none is free when it would write, or, for a \
	                             load, writes */                                               \
	W(STAGE,                                                                                   \
	  structural) /* other = the access that waits to enter the memory stage */                \
	W(WRITTEN_OPERAND, depend) /* no forwarding: other = the producer of an operand, which is  \
	                              not written */                                               \
	W(EARLY_BRANCH, depend)    /* it resolves in decode: other = the producer of an operand */ \
	W(MISS_BEFORE, mem) /* other = the load that misses and holds the memory stage; its row is \
	                       that of the load's level */                                         \
	W(HEAD_ONLY, order) /* atomics wait to be the oldest */                                    \
	W(STORE_ADDRESS, order) /* other = the store */                                            \
	W(STORE_PREDICTED,                                                                         \
	  order) /* the same, but lsq.predictor predicts a conflict; other = the store */          \
	W(STORE_DATA, order) /* other = the store */                                               \
	W(STORE_COMMIT,                                                                            \
	  order)            /* partial overlap; other = the store, which must reach the cache */   \
	W(OWN_DATA, depend) /* a store's; other = producer */                                      \
	W(MSHR, structural)                                                                        \
	W(LINE, mem) /* a load: its line is in flight, with all targets of its register taken */   \
	W(L1D_PORT, structural) /* for a load, or a store at commit */                             \
	W(L2_HELD,                                                                                 \
	  l2) /* a load, in the memory system: L2 has no port or miss register for it yet */       \
	W(EXECUTING, depend)                                                                       \
	W(AGEN, depend) /* computes its address */                                                 \
	/* a load in the memory system, by its part in this cycle: load_part() below */            \
	W(FORWARD, l1d)  /* other = the store */                                                   \
	W(BUFFERED, l1d) /* forwarded by the write buffer */                                       \
	W(L1, l1d)                                                                                 \
	W(L2, l2)                                                                                  \
	W(MEMORY, mem)                                                                             \
	W(BUS, mem)                                                                                \
	W(TLB, tlb)                                                                                \
	W(COMMIT_DELAY, depend)                                                                    \
	W(COMMIT_TURN, depend) /* other = the head */                                              \
	W(WRITTEN, depend)     /* completing out of order; other = the head */                     \
	W(WRITE_BUFFER, structural)                                                                \
	W(SYSCALL, serial)                                                                         \
	W(INTERRUPT, serial) /* firmware's wfi */                                                  \
	W(DEVICE, serial)    /* firmware's access to a device's register */                        \
	W(MRET, serial)      /* return from firmware */                                            \
	W(FAULT, depend)     /* complete, the oldest: it faults when it commits */                 \
	W(FAULTED, depend)   /* it has faulted, which ended the program */                         \
	W(COMMITTED, base)                                                                         \
	W(INTERPRETED, base) /* committed by the value sampler's handler, which interpreted it */  \
	W(DROPPED, base)     /* at decode: its profile flag was off */                             \
	W(CONTROL, base)     /* acted at decode */                                                 \
	W(SQUASHED, badspec)                                                                       \
	W(REPLAY_ORDER,                                                                            \
	  badspec) /* squashed by its own replay trap; other = the store that it passed */         \
	W(REPLAY_SIZE, badspec)    /* other = the store that overlaps it in part */         \
	W(REPLAY_SYNONYM, badspec) /* other = owner of the line in flight; 0: none */              \
	W(REPLAY_BEHIND, badspec)  /* squashed by the replay of an older load, other */

enum why_id {
#define W(id, field) WHY_##id,
	WHYS(W)
#undef W
	WHY_COUNT
};

struct why {
	enum why_id id;
	uint64_t other; /* seq of the instruction waited for, 0 if none */
	/* cycle in which the wait ends (COMMITTED and later rows: ended), NO_CYCLE if unknown */
	uint64_t due;
	uint8_t operand; /* register number for OPERAND and OWN_DATA; profile flag for FLAG */
	uint8_t pool;    /* enum fu_pool for UNIT */
};

/* The immediate cause for one uop in the pool. */
struct why uop_why(const struct pipe *p, const struct uop *u);

/* The row of the CPI stack for an unused commit slot of this cycle or, completing out of order, an
 * issue slot: as an offset in the statistics. */
size_t pipe_charge_row(const struct pipe *p);
/* Adds `slots` unused commit slots of this cycle to the CPI stack, under the cause that holds the
 * oldest instruction, or keeps the window empty. Called by commit; completing out of order, after
 * issue. */
void pipe_charge(struct pipe *p, uint64_t slots);

/* The state of fetch. */
enum fetch_why_id {
	FETCH_ENDED,      /* the program has ended */
	FETCH_NOWHERE,    /* nothing may be executed at addr */
	FETCH_HELD,       /* the value sampler's handler runs; continues at addr after it */
	FETCH_REDIRECTED, /* to addr, from cycle `due` on */
	FETCH_QUEUE_FULL,
	FETCH_PORT,       /* data uses the only memory port until `due` */
	FETCH_LINE,       /* the line at addr is in flight from beyond the L1I */
	FETCH_GOES_ON,    /* at addr */
	FETCH_WHY_COUNT
};

struct fetch_why {
	enum fetch_why_id id;
	uint64_t addr; /* byte address, 0 if none */
	uint64_t due;  /* cycle, NO_CYCLE if none */
};

struct fetch_why pipe_fetch_why(const struct pipe *p);

#endif
