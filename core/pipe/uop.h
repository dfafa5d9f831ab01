/* One instruction in flight, from fetch until well after it has left.
 *
 * Uops live in a pool in the arena and are identified by slot. A slot is taken at fetch in ring
 * order (slots still in flight are skipped) and keeps its contents after commit or squash until it
 * is reused, so that views show the recent past without any recording.
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
#define NO_CYCLE UINT64_MAX /* time of an event that has not happened */

/* id, name for users, meaning */
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
	/* dispatched (or dropped) after an unresolved misprediction of the right path */
	UF_WRONG_PATH = 1 << 0,
	UF_MISPREDICT = 1 << 1,  /* its outcome differs from where fetch went: it will squash */
	/* decode corrected fetch here; with UF_SKIPS: the block that it skipped was out of date */
	UF_MISFETCH = 1 << 2,
	UF_ADDR_KNOWN = 1 << 3,  /* address generation finished */
	UF_DATA_READY = 1 << 4,  /* a store's data operand is available */
	/* a load had its operands, and waited for the address of an older store */
	UF_WAITED_FOR_ADDRESSES = UF_DATA_READY,
	UF_TLB_MISS = 1 << 5,
	/* lsq.predictor holds it until the store src.seq[2], or all older stores, have addresses */
	UF_PREDICTED_WAIT = 1 << 6,
	UF_SKIPS = 1 << 7,       /* leader of a block of profile instructions that fetch skipped */
	UF_SERVED = 1 << 8,      /* its system call has been served */
	UF_IN_FILTER = 1 << 9,   /* counted in the store filter */
	UF_EXECUTED = 1 << 10,   /* has been dispatched */
	UF_MACHINE = 1 << 11,    /* fetched in M-mode: firmware */
	/* an access to a device's register: serialises, and takes effect at commit */
	UF_DEVICE = 1 << 12,
	UF_NOT_PREDICTED = 1 << 13, /* a profile branch that fetch expected to be dropped */
	/* fetch skipped its block, but the flag was on: decode corrected it */
	UF_FLAG_MISS = 1 << 14,
	UF_FLAG_SEEN = 1 << 15,  /* decode has found its flag on */
	/* known before dispatch */
	UF_FROM_FETCH = UF_MACHINE | UF_DEVICE | UF_SKIPS | UF_NOT_PREDICTED | UF_FLAG_MISS
};

/* Why an access waits: recorded where that is cheap; uop_why() computes the rest. */
enum mem_wait {
	MEM_WAIT_NONE,
	MEM_WAIT_DATA,    /* the forwarding store's data is not available */
	MEM_WAIT_PARTIAL, /* a store overlaps only partly: it must reach the cache first */
	MEM_WAIT_MSHR,    /* no miss register */
	MEM_WAIT_LINE,    /* its line is in flight, and all targets of its register are taken */
	MEM_WAIT_OWN,     /* a store, completing out of order: its own data is not written yet */
	MEM_WAIT_BUFFER,  /* the same: the write buffer is full */
	MEM_WAIT_L1PORT,  /* no port of L1D */
	/* a load in the memory system whose data has arrived: no write port of the registers */
	MEM_WAIT_PORT
};

enum { FETCHED_LEVEL = 0xff, FETCHED_TLB_MISS = 1 << 8 };

/* Cycles of events, NO_CYCLE if they have not happened. */
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

/* Operands: rs1, rs2, rs3. Loads and stores have no rs3: their third is the store for which a store
 * set makes them wait; it is never pending. */
struct uop_sources {
	uint64_t seq[3];  /* of the producer; 0: the value was committed */
	uint16_t pending; /* bit i: operand i is not available yet */
	uint16_t slot[3]; /* of the producer; NO_SLOT if the value was committed */
	/* next consumer in each producer's list: slot << 2 | operand; NO_LINK ends */
	uint16_t next[4];
};

/* Operand i is source i, except SOURCE_LATER, a store's data: source 1, not needed to issue. */
enum { SOURCE_LATER = 3, SOURCES_TO_ISSUE = 7 };

static inline unsigned operand_source(unsigned operand)
{
	return operand == SOURCE_LATER ? 1 : operand;
}

/* Dispatch-point state that its dispatch replaced; with exec.store_old all that a squash must
 * restore. */
struct uop_undo {
	uint64_t rd;       /* previous value of inst.rd */
	uint64_t reserved; /* this and fcsr: only if uop_changes_csrs() */
	uint16_t fcsr;
	uint16_t rename;   /* producer of inst.rd before this one */
};

/* Access to memory, from address generation on. */
struct uop_access {
	uint64_t wait_seq; /* store that a load waits for (wait), or forwarded from */
	uint16_t level;    /* enum mem_level that served it */
	uint16_t wait;     /* enum mem_wait */
	/* enum replay: the trap that squashed this very load; see uop_partner() */
	uint8_t replay;
	uint8_t delayed;   /* 1: its line was on its way: a delayed hit */
	/* replay traps of this load, when it was fetched before and, with `replay`, this time */
	uint16_t replays;
};

/* Positions in the window's structures; NO_SLOT: none. */
struct uop_place {
	uint16_t rob;   /* position in the reorder buffer ring */
	uint16_t pool;  /* enum fu_pool that it needs */
	uint16_t lsq;   /* position in the load/store queue ring */
	/* slot of the wheel, while uop_is_in_wheel() is true (core/pipe/window.h) */
	uint16_t wheel;
	uint16_t unit;  /* unit in the pool; none yet: NO_SLOT */
};

struct uop {
	/* Set at fetch. Aligned so that the address of a slot is cheap to compute: 320 bytes are 5
	 * << 6. */
	_Alignas(64) uint64_t seq;       /* 1, 2, 3, ... in fetch order; 0 = slot never used */
	uint64_t pc;        /* byte address, of the prefix if there is one */
	uint64_t pred_next; /* predicted next pc, by fetch or decode's correction */
	struct inst inst;
	struct bpred_mark mark; /* instructions with OPF_REDIRECT only */
	struct uop_when when;
	uint16_t op_flags;  /* enum op_flag of inst */
	uint16_t flags;     /* UF_* */
	/* enum uop_state. 32 bits, as every stage writes it: compilers store a 16-bit constant in
	 * two instructions, because one is slow on some hosts */
	uint32_t state;
	uint8_t trap;       /* enum trap: of fetch, or raised at dispatch; taken at commit */
	uint8_t prefix_len; /* bytes of the prefix fused with it */
	uint8_t profile_type; /* of the prefix, if there is one */
	/* profile flags before an Xprof or serialising instruction, at decode: see
	 * uop_flags_before() */
	uint8_t flags_before;
	/* only if a device observes decode: enum mem_level that served its line, and
	 * FETCHED_TLB_MISS */
	uint16_t fetched;
	uint16_t thread;    /* its thread: pipe_state.thread */

	/* Set at dispatch; until then the slot keeps its previous uop's. */
	struct exec exec;   /* its effects; exec.next_pc is shown from completion on */
	struct uop_access mem;
	struct uop_sources src;
	struct uop_undo undo;
	uint64_t result;    /* value written to inst.rd */
	struct uop_place at;
	uint16_t users;     /* first consumer of its result, until that is available; as src.next */
	uint16_t raised;    /* fflags after it, as of dispatch */
	/* profile flags, bit k for type k; low byte: after its predecessor in the window; high
	 * byte: after itself */
	uint16_t flags_around;
	/* with UF_SKIPS, set at fetch: instructions that fetch skipped after it */
	uint16_t skipped;
	/* of a load in the memory system: cycles until its address was translated */
	uint16_t walk;
	/* of such a load: its last cycles, in which its line waits for the bus and is transferred;
	 * walk, bus and held are at most UINT16_MAX */
	uint16_t bus;
	uint16_t held;      /* cycles that its line waited for l2.ports and l2.mshrs */
	uint64_t marked;    /* its own seq if a `mark` precedes it; any other value: none does */
};

static_assert(sizeof(struct uop) == 320, "a handful of instructions for each slot's address");

struct uop_state_info {
	const char *name, *help;
};

extern const struct uop_state_info uop_state_info[UOP_STATE_COUNT];

/* Bytes in memory, including the prefix. */
static inline unsigned uop_len(const struct uop *u)
{
	return u->inst.len + u->prefix_len;
}

/* Profile flags before a decoded uop. */
static inline unsigned uop_flags_before(const struct uop *u)
{
	return u->op_flags & (OPF_XPROF | OPF_SERIAL) ? u->flags_before : u->flags_around >> 8;
}

/* True if decode met a `mark` just before it. */
static inline bool uop_is_marked(const struct uop *u)
{
	return u->marked == u->seq;
}

/* True if it never entered a stage: the value sampler's handler interpreted it
 * (core/pipe/interrupt/interpret.h). Its times up to issue all equal the cycle in which its
 * interpretation began; a dispatched uop issues later than it is dispatched. */
static inline bool uop_is_interpreted(const struct uop *u)
{
	return u->state == UOP_RETIRED && u->when.issue == u->when.dispatch;
}

/* True if its own replay trap squashed it. */
static inline bool uop_was_replayed(const struct uop *u)
{
	return u->state == UOP_SQUASHED && (u->flags & UF_EXECUTED) && u->mem.replay != REPLAY_NONE;
}

/* Seq of the access with which a replayed load conflicted; 0: no instruction's. Kept in store_old,
 * which a load does not use. */
static inline uint64_t uop_partner(const struct uop *u)
{
	return u->exec.store_old;
}

/* That access's pc, valid even when it has left the window; 0: no instruction's. Kept in store_new,
 * which a load does not use. */
static inline uint64_t uop_partner_pc(const struct uop *u)
{
	return u->exec.store_new;
}

/* True if it faults if it ever commits. TRAP_ECALL and later traps are served instead. */
static inline bool uop_faults(const struct uop *u)
{
	return u->trap != TRAP_NONE && u->trap < TRAP_ECALL;
}

static inline bool uop_in_flight(const struct uop *u)
{
	return u->state > UOP_FREE && u->state < UOP_RETIRED;
}

/* Flags of instructions that may change the floating-point flags, a CSR or the reservation. */
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
