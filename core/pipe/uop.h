/* One instruction in flight, from fetch until well after it has left.
 *
 * Uops live in a pool in the arena and are named by slot. A slot is taken at fetch in ring order
 * (slots still in flight are skipped) and keeps its contents after commit or squash until the ring comes
 * round, so that views see the recent past without any recording.
 *
 * Small fields are 16 bits wide where 8 would do: a store through a character type may alias anything, and
 * the compiler would reload every pointer after it. */
#ifndef CYCLOPS_CORE_PIPE_UOP_H
#define CYCLOPS_CORE_PIPE_UOP_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/isa/exec.h"
#include "core/pipe/bpred.h"

#define NO_SLOT UINT16_MAX
#define NO_LINK UINT16_MAX
#define NO_CYCLE UINT64_MAX /* a stamp that has not happened */

/*         name, letter in the pipeline diagram, meaning */
#define UOP_STATES(S) \
	S(FREE, ' ', "never used") \
	S(FETCHED, 'F', "in the fetch queue") \
	S(WAITING, 'D', "dispatched, waits for operands") \
	S(READY, 'D', "operands there, not issued yet") \
	S(EXECUTING, 'X', "on a functional unit (memory operations: address generation)") \
	S(ADDRESS, 'A', "address known, waits to enter the memory system") \
	S(MEMORY, 'M', "in the memory system") \
	S(DONE, 'W', "complete, waits to commit") \
	S(RETIRED, 'C', "committed") \
	S(SQUASHED, 'x', "removed: on a path that was not taken")

enum uop_state {
#define S(id, letter, help) UOP_##id,
	UOP_STATES(S)
#undef S
	UOP_STATE_COUNT
};

enum {
	UF_WRONG_PATH = 1 << 0,  /* dispatched behind an unresolved misprediction on the right path */
	UF_MISPREDICT = 1 << 1,  /* its outcome differs from where fetch went: it will squash */
	UF_MISFETCH = 1 << 2,    /* decode corrected fetch here */
	UF_ADDR_KNOWN = 1 << 3,  /* address generation finished */
	UF_DATA_READY = 1 << 4,  /* a store's data operand is there */
	UF_TLB_MISS = 1 << 5,
	UF_SERVED = 1 << 8,      /* its system call has been served */
	UF_IN_FILTER = 1 << 9,   /* counted in the store filter */
	UF_EXECUTED = 1 << 10    /* has been dispatched */
};

/* Why a uop is not further along: found while simulating where it is cheap, else by uop_why(). */
enum mem_wait {
	MEM_WAIT_NONE,
	MEM_WAIT_DATA,    /* the forwarding store's data is not there */
	MEM_WAIT_PARTIAL, /* a store overlaps only partly: it must reach the cache first */
	MEM_WAIT_MSHR     /* no miss register */
};

struct uop {
	/* from fetch on */
	uint64_t seq;       /* 1, 2, 3, ... in fetch order; 0 = slot never used */
	uint64_t pc;        /* byte address */
	uint64_t pred_next; /* where fetch (or decode's correction) went after it */
	struct inst inst;
	uint64_t fetch_cycle; /* entered the fetch queue */
	uint64_t avail_cycle; /* the L1I delivered it: may be decoded from the next cycle */
	struct bpred_mark mark; /* control instructions only */
	uint16_t op_flags;  /* enum op_flag of inst */
	uint16_t flags;     /* UF_* */
	uint16_t state;     /* enum uop_state */
	uint16_t trap;      /* enum trap: of the fetch, or raised at dispatch; taken at commit */

	/* from dispatch on; until then the slot keeps its last tenant's */
	uint64_t dispatch_cycle;
	uint64_t old_rd;       /* undo: previous dispatch-point value of inst.rd */
	uint64_t old_reserved; /* this and the next two: of instructions in uop_changes_csrs() only */
	uint16_t old_fcsr;
	uint16_t raised;       /* fflags after it, as of dispatch */
	uint16_t old_rename;   /* producer of inst.rd before this one */
	uint16_t rob_pos;      /* position in the reorder buffer ring */
	uint16_t dep_next[3];  /* next consumer in each producer's list: slot << 2 | operand; NO_LINK ends */
	uint16_t pool;         /* enum fu_pool that it needs */

	/* dispatch fills this part with zeros first, up to result */
	union {
		struct exec exec;
		struct { /* the same, for short names */
			uint64_t next_pc;   /* where the program goes; shown from completion on */
			uint64_t addr;      /* effective byte address; of a fetch fault: the pc */
			uint64_t store_old; /* undo: bytes replaced in memory */
			uint64_t store_new;
			uint8_t size;       /* bytes of its access */
			bool stored;        /* wrote guest memory at dispatch */
			bool taken;         /* conditional branch: actual direction */
		};
	};
	uint64_t src_seq[3];   /* seq of the producer of each source; 0: value was committed */
	uint64_t wait_seq;     /* store that a load waits for (mem_wait), or forwarded from */
	uint16_t pending;      /* bit i: source i not there yet */
	uint16_t level;        /* enum mem_level that serves its access */
	uint16_t mem_wait;     /* enum mem_wait */
	uint64_t result;       /* value written to inst.rd */

	/* dispatch fills this part with ones first: NO_CYCLE, NO_SLOT, NO_LINK */
	uint64_t ready_cycle;  /* last operand arrived */
	uint64_t issue_cycle;
	uint64_t mem_cycle;    /* entered the memory system */
	uint64_t done_cycle;   /* completes or completed; set in advance when known */
	uint64_t end_cycle;    /* retired or squashed (squashed in the fetch queue: set, too) */
	uint16_t src_slot[3];  /* slot of each source's producer, NO_SLOT if the value was committed */
	uint16_t dep_head;     /* consumers of this uop's result */
	uint16_t lsq_pos;      /* position in the load/store queue ring, NO_SLOT if none */
	uint16_t wheel_slot;   /* where it is in the wheel, NO_SLOT if nowhere */
	uint16_t unit;         /* unit in the pool; NO_SLOT if none yet */
	uint16_t ones_end;
};

static_assert(offsetof(struct uop, addr) == offsetof(struct uop, exec.addr) &&
              offsetof(struct uop, store_new) == offsetof(struct uop, exec.store_new) &&
              offsetof(struct uop, size) == offsetof(struct uop, exec.size) &&
              offsetof(struct uop, taken) == offsetof(struct uop, exec.taken), "two views of one record");

struct uop_state_info {
	const char *name; /* lower case */
	char letter;
	const char *help;
};

extern const struct uop_state_info uop_state_info[UOP_STATE_COUNT];

static inline bool uop_in_flight(const struct uop *u)
{
	return u->state > UOP_FREE && u->state < UOP_RETIRED;
}

/* It may change the floating-point flags, a CSR or the reservation. */
static inline bool uop_changes_csrs(const struct uop *u)
{
	return u->op_flags & (OPF_SERIAL | OPF_FP | OPF_ATOMIC);
}

static inline bool uop_in_window(const struct uop *u)
{
	return u->state > UOP_FETCHED && u->state < UOP_RETIRED;
}

#endif
