/* One instruction in flight, from fetch until well after it has left.
 *
 * Uops live in a pool in the arena and are named by slot. A slot is taken at fetch in ring order
 * (slots still in flight are skipped) and keeps its contents after commit or squash until the ring
 * comes round, so that views see the recent past without any recording.
 *
 * Small fields that stages write are 16 bits wide where 8 would do: a store through a character
 * type may alias anything, and the compiler would reload every pointer after it. */
#ifndef CYCLOPS_CORE_PIPE_UOP_H
#define CYCLOPS_CORE_PIPE_UOP_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/isa/exec.h"
#include "core/pipe/frontend/bpred_state.h"
#include "core/pipe/replay.h"

#define NO_SLOT UINT16_MAX
#define NO_LINK UINT16_MAX
#define NO_CYCLE UINT64_MAX /* a stamp that has not happened */

/*         name, as people read it, meaning */
#define UOP_STATES(S) \
	S(FREE, "free", "never used") \
	S(FETCHED, "fetched", "in the fetch queue") \
	S(WAITING, "waiting", "dispatched, waits for operands") \
	S(READY, "ready", "operands there, not issued yet") \
	S(EXECUTING, "executing", "on a functional unit (memory operations: address generation)") \
	S(ADDRESS, "address", "address known, waits to enter the memory system") \
	S(MEMORY, "memory", "in the memory system") \
	S(DONE, "done", "complete, waits to commit") \
	S(RETIRED, "retired", "committed") \
	S(SQUASHED, "squashed", "removed: on a path that was not taken") \
	S(DROPPED, "dropped", "a profile instruction, dropped at decode: its flag was off") \
	S(CONTROL, "acted", "profile control, which acted at decode and went no further")

enum uop_state {
#define S(id, letter, help) UOP_##id,
	UOP_STATES(S)
#undef S
	UOP_STATE_COUNT
};

enum {
	/* dispatched (or dropped) behind an unresolved misprediction on the right path */
	UF_WRONG_PATH = 1 << 0,
	UF_MISPREDICT = 1 << 1,  /* its outcome differs from where fetch went: it will squash */
	/* decode corrected fetch here; with UF_SKIPS: the block that it skipped was out of date */
	UF_MISFETCH = 1 << 2,
	UF_ADDR_KNOWN = 1 << 3,  /* address generation finished */
	UF_DATA_READY = 1 << 4,  /* a store's data operand is there */
	UF_TLB_MISS = 1 << 5,
	/* lsq.predictor holds it back: until the store src.seq[2], or all, have addresses */
	UF_PREDICTED_WAIT = 1 << 6,
	UF_SKIPS = 1 << 7,       /* leader of a block of profile instructions that fetch skipped */
	UF_SERVED = 1 << 8,      /* its system call has been served */
	UF_IN_FILTER = 1 << 9,   /* counted in the store filter */
	UF_EXECUTED = 1 << 10,   /* has been dispatched */
	UF_MACHINE = 1 << 11,    /* fetched in M-mode: firmware */
	/* an access to a device's register: serialises, and happens when it commits */
	UF_DEVICE = 1 << 12,
	UF_NOT_PREDICTED = 1 << 13, /* a profile branch that fetch expected to be dropped */
	/* fetch skipped its block, but the flag was on: decode corrected that */
	UF_FLAG_MISS = 1 << 14,
	UF_FLAG_SEEN = 1 << 15,  /* decode has found its flag on */
	/* known before dispatch */
	UF_FROM_FETCH = UF_MACHINE | UF_DEVICE | UF_SKIPS | UF_NOT_PREDICTED | UF_FLAG_MISS
};

/* Why a uop is not further along: found while simulating where it is cheap, else by uop_why(). */
enum mem_wait {
	MEM_WAIT_NONE,
	MEM_WAIT_DATA,    /* the forwarding store's data is not there */
	MEM_WAIT_PARTIAL, /* a store overlaps only partly: it must reach the cache first */
	MEM_WAIT_MSHR,    /* no miss register */
	MEM_WAIT_OWN,     /* a store, completing out of order: its own data is not written yet */
	MEM_WAIT_BUFFER,  /* the same: the write buffer is full */
	MEM_WAIT_L1PORT,  /* no port of L1D */
	/* a load in the memory system, whose data has come: no write port of the registers */
	MEM_WAIT_PORT
};

enum { FETCHED_LEVEL = 0xff, FETCHED_TLB_MISS = 1 << 8 };

/* Cycles in which things happened, NO_CYCLE if they haven't. */
struct uop_when {
	uint64_t fetch;    /* entered the fetch queue */
	uint64_t avail;    /* the L1I delivered it: may be decoded from the next cycle */
	uint64_t dispatch;
	uint64_t ready;    /* last operand arrived */
	uint64_t issue;
	uint64_t mem;      /* entered the memory system */
	uint64_t done;     /* completes or completed; set in advance when known */
	uint64_t end;      /* retired or squashed (squashed in the fetch queue: set, too) */
};

/* Its operands: rs1, rs2, rs3. Of a load or store, which have no rs3, the third is the store for
 * which a store set makes it wait; it is never pending. */
struct uop_sources {
	uint64_t seq[3];  /* of the producer; 0: the value was committed */
	uint16_t pending; /* bit i: operand i not there yet */
	uint16_t slot[3]; /* of the producer; NO_SLOT if the value was committed */
	/* next consumer in each producer's list: slot << 2 | operand; NO_LINK ends */
	uint16_t next[4];
};

/* An operand is a source, but for a store's data, which is source 1 and not needed to issue. */
enum { SOURCE_LATER = 3, SOURCES_TO_ISSUE = 7 };

static inline unsigned operand_source(unsigned operand)
{
	return operand == SOURCE_LATER ? 1 : operand;
}

/* What its dispatch replaced at the dispatch point; with exec.store_old all that a squash has to
 * put back. */
struct uop_undo {
	uint64_t rd;       /* previous value of inst.rd */
	uint64_t reserved; /* this and fcsr: of instructions in uop_changes_csrs() only */
	uint16_t fcsr;
	uint16_t rename;   /* producer of inst.rd before this one */
};

/* Its access to memory, from address generation on. */
struct uop_access {
	uint64_t wait_seq; /* store that a load waits for (wait), or forwarded from */
	uint16_t level;    /* enum mem_level that serves it */
	uint16_t wait;     /* enum mem_wait */
	/* enum replay: the trap that squashed this very load; see uop_partner() */
	uint16_t replay;
	/* traps that this load has taken: as it was fetched before, and with `replay` this time */
	uint16_t replays;
};

/* Where it is in the window's structures; NO_SLOT where it is not. */
struct uop_place {
	uint16_t rob;   /* position in the reorder buffer ring */
	uint16_t pool;  /* enum fu_pool that it needs */
	uint16_t lsq;   /* position in the load/store queue ring */
	uint16_t wheel; /* slot of the wheel, while is_due() is true (core/pipe/window.h) */
	uint16_t unit;  /* unit in the pool; none yet: NO_SLOT */
};

struct uop {
	/* Set at fetch. Aligned so that the place of a slot is cheap to compute: 320 bytes are 5
	 * << 6. */
	_Alignas(64) uint64_t seq;       /* 1, 2, 3, ... in fetch order; 0 = slot never used */
	uint64_t pc;        /* byte address, of the prefix if there is one */
	uint64_t pred_next; /* where fetch (or decode's correction) went after it */
	struct inst inst;
	struct bpred_mark mark; /* instructions with OPF_REDIRECT only */
	struct uop_when when;
	uint16_t op_flags;  /* enum op_flag of inst */
	uint16_t flags;     /* UF_* */
	/* enum uop_state. Written by every stage: a constant of 16 bits takes two instructions, for
	 * some hosts are slow at one */
	uint32_t state;
	uint8_t trap;       /* enum trap: of the fetch, or raised at dispatch; taken at commit */
	uint8_t prefix_len; /* bytes of the prefix fused with it */
	uint8_t profile_type; /* of the prefix, if there is one */
	/* profile flags that decode of an Xprof or serialising instruction met: see
	 * uop_flags_before() */
	uint8_t flags_before;
	/* where devices hear of what is decoded: enum mem_level that served its line, and
	 * FETCHED_TLB_MISS */
	uint16_t fetched;
	uint16_t thread;    /* whose it is: pipe_state.thread */

	/* Set at dispatch; until then the slot keeps its last tenant's. */
	struct exec exec;   /* what it does; exec.next_pc is shown from completion on */
	struct uop_access mem;
	struct uop_sources src;
	struct uop_undo undo;
	uint64_t result;    /* value written to inst.rd */
	struct uop_place at;
	uint16_t users;     /* first consumer of its result, until that is there; as src.next */
	uint16_t raised;    /* fflags after it, as of dispatch */
	/* profile flags, bit k: type k: behind its predecessor in the window, and 8 bits higher
	 * behind itself */
	uint16_t flags_around;
	/* with UF_SKIPS, set at fetch: instructions that fetch skipped behind it */
	uint16_t skipped;
	/* of a load in the memory system: cycles until its address was translated */
	uint16_t walk;
	/* and cycles at the end in which its line waits for the bus and is on it; all three at most
	 * UINT16_MAX */
	uint16_t bus;
	uint16_t held;      /* and cycles that its line waited for l2.ports and l2.mshrs */
	uint64_t marked;    /* its own seq if a `mark` stands before it; anything else: none does */
};

static_assert(sizeof(struct uop) == 320, "a handful of instructions for each slot's address");

struct uop_state_info {
	const char *name, *help;
};

extern const struct uop_state_info uop_state_info[UOP_STATE_COUNT];

/* Bytes that it takes in memory, its prefix included. */
static inline unsigned uop_len(const struct uop *u)
{
	return u->inst.len + u->prefix_len;
}

/* Profile flags before it, of one that decode has seen. */
static inline unsigned uop_flags_before(const struct uop *u)
{
	return u->op_flags & (OPF_XPROF | OPF_SERIAL) ? u->flags_before : u->flags_around >> 8;
}

/* Whether decode has met a `mark` just before it. */
static inline bool uop_is_marked(const struct uop *u)
{
	return u->marked == u->seq;
}

/* Whether no stage has ever seen it: the value sampler's handler interpreted it
 * (core/pipe/interrupt/interpret.h). Its stamps before that of the memory system are all the cycle
 * in which that began; what is dispatched issues later. */
static inline bool uop_is_interpreted(const struct uop *u)
{
	return u->state == UOP_RETIRED && u->when.issue == u->when.dispatch;
}

/* Whether a replay trap of its own squashed it. */
static inline bool uop_was_replayed(const struct uop *u)
{
	return u->state == UOP_SQUASHED && (u->flags & UF_EXECUTED) && u->mem.replay != REPLAY_NONE;
}

/* Seq of the access with which a load conflicted that was replayed; 0: no instruction's. A load
 * overwrites no memory. */
static inline uint64_t uop_partner(const struct uop *u)
{
	return u->exec.store_old;
}

/* That access's address in code, known even when it has left the window; 0: no instruction's. A
 * load writes no memory. */
static inline uint64_t uop_partner_pc(const struct uop *u)
{
	return u->exec.store_new;
}

/* Whether it ends the program if it ever commits. What TRAP_ECALL and those behind it raise is
 * served. */
static inline bool uop_faults(const struct uop *u)
{
	return u->trap != TRAP_NONE && u->trap < TRAP_ECALL;
}

static inline bool uop_in_flight(const struct uop *u)
{
	return u->state > UOP_FREE && u->state < UOP_RETIRED;
}

/* Flags of what may change the floating-point flags, a CSR or the reservation. */
enum { OPF_CHANGES_CSRS = OPF_SERIAL | OPF_FP | OPF_ATOMIC };

static inline bool uop_changes_csrs(const struct uop *u)
{
	return u->op_flags & OPF_CHANGES_CSRS;
}

static inline bool uop_in_window(const struct uop *u)
{
	return u->state > UOP_FETCHED && u->state < UOP_RETIRED;
}

#endif
