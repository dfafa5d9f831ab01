/* The oracle: exact counts of committed instructions, to compare profilers with. It models no
 * hardware: it costs the machine nothing and sees everything, wrong paths too.
 *
 * It counts the program's instructions; of firmware's only the number. It counts without timing too
 * (fast-forward, functional mode), everything but levels and latencies. Parameters oracle.* select
 * the tables.
 *
 *   instructions   how often each committed
 *   edges          at each branch and jump, how often it led to each successor; basic blocks
 *                  follow from instructions and edges
 *   contexts       a calling context tree, as Ammons, Ball and Larus define it (section 4.1): a
 *                  node for each procedure called in a context, call sites kept apart; a call of
 *                  a procedure that is active already leads back to its node, so the tree is at
 *                  most as deep as there are procedures
 *   values         results of instructions; addresses of loads and stores; both with their counts
 *   loads          levels that served them, and latencies from the memory system
 *   replays        replay traps by load, partner and type
 *   speculation    instructions dispatched, squashed and sent to memory, right path or not
 *
 * A call is a jump that writes a link register (ra, t0), a return one that jumps to a link
 * register. A return pops the top frame if it leads to that frame's return address, else the frames
 * whose stack pointer is not above the present one, up to one whose return address it leads to: so
 * longjmp() comes back to the context of its setjmp(). A tail call is any way to a procedure's
 * first instruction without a link, except branches and direct jumps of the procedure itself: its
 * callee takes the place of the procedure that it leaves, with the same caller and site.
 * oracle_procedures() sets where procedures begin; without it, a tail call is just a jump.
 *
 * Streams. Each thread, each handler and each coroutine has a stack and a root of its own below the
 * program's root (ORACLE_ROOT). Threads and handlers are the system's (struct os_stream). The
 * handler's frame lies on the stack that it interrupts, until its return, or until a jump
 * (siglongjmp) to below it. A coroutine is recognised by its stack: sp is loaded, or set to an
 * address outside the present stack, and then a return or an indirect jump leads
 *   - to the return address and sp of a call that waits on another stack: that stack continues;
 *   - to where sp is that of a call on the present stack, or on another one: a longjmp();
 *   - else within the present stack: as a return does; or to a new stack, with a root of its own.
 *     An old stack that began at the same sp is dropped then.
 * A call on another stack, by a procedure that sets sp and calls, stays in its caller's context.
 *
 * State: tables in chunks that snapshots share, and struct oracle_head. The oracle is an attachment
 * of its machine (core/prof/common/attachment.h), so counts are right when the machine goes back.
 * Memory is bounded by oracle.memory, divided among the tables in use; a full table goes on
 * counting for its entries, and counts all else as lost. It does the same if the host's memory is
 * out. Nothing else is allocated in a cycle.
 *
 * Invariant: each table's counts and losses sum to its observations, `told` (oracle_check). */
#ifndef CYCLOPS_CORE_PROF_ORACLE_ORACLE_H
#define CYCLOPS_CORE_PROF_ORACLE_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/prof/oracle/oracle_store.h"
#include "core/prof/oracle/oracle_table.h"

struct config;
struct inst;
struct os_stream;
struct prof;

/*   id, extra words, name of its contents */
#define ORACLE_TABLES(T) \
	T(INSTS, 0, "instructions") \
	T(EDGES, 0, "edges") \
	T(ARCS, 0, "calls in a context") \
	T(VALUES, 0, "values") \
	T(ADDRESSES, 0, "addresses") \
	T(LOADS, 9, "loads") \
	T(REPLAYS, 1, "replay traps") \
	T(SPECULATION, 4, "speculative instructions")

enum oracle_table_id {
#define T(id, more, name) ORACLE_##id,
	ORACLE_TABLES(T)
#undef T
	ORACLE_TABLE_COUNT,
	/* Arrays: in lost[] and told[] only. */
	ORACLE_NODES = ORACLE_TABLE_COUNT,
	ORACLE_FRAMES,
	ORACLE_LOST_COUNT
};

/* keys and words:
 *   INSTS        pc, 0                   aux: length in bytes | ORACLE_ENDS_BLOCK
 *   EDGES        pc, successor's         aux: enum oracle_edge
 *   ARCS         site, callee | node << ORACLE_CALLEE_BITS      aux: node that it leads to, or
 *                ORACLE_NO_NODE
 *   VALUES       pc, result
 *   ADDRESSES    pc, byte address
 *   LOADS        pc, 0                   more: by enum mem_level, then cycles in all, most cycles,
 *                                        delayed hits
 *   REPLAYS      pc, partner's | enum replay << ORACLE_TRAP_SHIFT     more: instructions squashed
 *   SPECULATION  pc, 0                   count: dispatched; more: enum oracle_speculation */
enum { ORACLE_LENGTH = 0xff, ORACLE_ENDS_BLOCK = 0x100 };
enum { ORACLE_TRAP_SHIFT = 60 };
/* A node that there was no room for. */
#define ORACLE_NO_NODE UINT32_MAX
enum { ORACLE_BEGINS = 1 << 11 }; /* words */
enum { ORACLE_CALLEE_BITS = 40, ORACLE_NODES_MAX = 1 << (64 - ORACLE_CALLEE_BITS) };
enum oracle_edge {
	EDGE_TAKEN,
	EDGE_NOT_TAKEN,
	EDGE_JUMP,
	EDGE_INDIRECT,
	EDGE_CALL,
	EDGE_RETURN,
	EDGE_KINDS
};
enum oracle_load { LOAD_CYCLES = 6, LOAD_MOST, LOAD_DELAYED };
enum oracle_speculation { SPEC_WRONG_PATH, SPEC_SQUASHED, SPEC_ACCESSED, SPEC_ACCESSED_WRONG };

/* The site of a stream's root: odd, as no call is. */
#define ORACLE_ROOT(thread, coroutine, signal)                                                     \
	((uint64_t)(thread) << 9 | (uint64_t)(coroutine) << 8 | (uint64_t)(signal) << 1 | 1)
static inline bool oracle_is_root(uint64_t site)
{
	return site & 1;
}
static inline unsigned oracle_root_thread(uint64_t site)
{
	return (unsigned)(site >> 9);
}
/* 0: no handler's */
static inline unsigned oracle_root_signal(uint64_t site)
{
	return site >> 1 & 0x7f;
}
static inline bool oracle_root_coroutine(uint64_t site)
{
	return site >> 8 & 1;
}

/* A context. The root, node 0, is where the program began; parents have smaller numbers than their
 * children. */
struct oracle_node {
	uint64_t callee;  /* first instruction of the procedure */
	uint64_t site;    /* call that made it; of the root: 0; ORACLE_ROOT() */
	uint64_t calls;   /* to it, recursive ones included */
	uint64_t insts;   /* committed in it, not in its callees */
	uint32_t parent;  /* of the root: itself */
	uint32_t depth;
};

#define ORACLE_NONE UINT32_MAX

/* A procedure that has not returned, or a handler. */
struct oracle_frame {
	uint64_t back;    /* where it returns to */
	uint64_t sp;      /* at the call; UINT64_MAX if not known */
	uint32_t node;    /* context of the caller, or of what is interrupted */
	uint32_t below;   /* the frame below it; free: the next free one; ORACLE_NONE */
	uint32_t bytes;   /* of the call; 0: a handler */
	uint32_t left;    /* of a handler: oracle_head.left of the interrupted code */
};

/* A stack that the hart is not on. */
struct oracle_stack {
	uint64_t sp, start; /* as in struct oracle_head */
	uint32_t node, top, beyond, beyond_why, thread;
	uint32_t running;   /* 1: its thread will go on with it */
	uint32_t next;      /* in its list; ORACLE_NONE */
	uint32_t left;
};

/* All state but the tables; saved and hashed as bytes. */
struct oracle_head {
	uint64_t insts;       /* the program's, seen */
	uint64_t functional;  /* of these, without timing */
	uint64_t firmware;    /* left out */
	uint64_t lost[ORACLE_LOST_COUNT]; /* observations not counted */
	/* observations in all, lost ones included; of INSTS: insts */
	uint64_t told[ORACLE_LOST_COUNT];
	uint64_t lost_all;
	uint64_t starved;     /* of those lost, because the host's memory was out */
	uint64_t sp;          /* UINT64_MAX before the program set it */
	uint64_t start;       /* of the present stack: the highest sp; UINT64_MAX: not known */
	uint64_t top;         /* its topmost frame; ORACLE_NONE */
	uint64_t thread;      /* that has the hart */
	uint64_t left;        /* 1: sp may be another stack's */
	uint64_t parked, free_stack, free_frame; /* first of their lists; ORACLE_NONE */
	uint64_t stacks, frames_used; /* ever in use */
	uint64_t node;        /* present context */
	uint64_t pending;     /* instructions in it not yet added to its node */
	uint64_t nodes;
	uint64_t frames;      /* procedures active, on all stacks */
	/* on the present stack: procedures called while there was no room for a frame */
	uint64_t beyond;
	uint64_t beyond_why;  /* enum oracle_outcome */
	uint32_t count[ORACLE_TABLE_COUNT + 1]; /* entries; the last: unused */
};

struct oracle {
	struct oracle_store store;       /* first: it is the attachment's */
	struct oracle_head head;
	struct oracle_table table[ORACLE_TABLE_COUNT];
	/* chunks, records */
	uint32_t nodes_first, nodes_max, frames_first, frames_max, stacks_first, stacks_max;
	bool edges, contexts, addresses, loads, replays, speculative;
	unsigned values;                 /* enum oracle_values */
	uint64_t *procedures;            /* [procedure_count], owned: see oracle_procedures() */
	/* owned: a bit for each code address, by its low bits; 0: no procedure begins there */
	uint64_t *begins;
	size_t procedure_count;
	uint64_t values_from, values_to; /* code addresses: [from, to) */
};

enum oracle_values { VALUES_OFF, VALUES_LOADS, VALUES_ALL };

/* ---- reading; d is machine_pipe(m)->prof. Without an oracle there is nothing: 0, NULL, false ----
 */
/* NULL if the machine has none. */
const struct oracle *oracle_of(const struct prof *d);
/* The program's instructions that committed since the machine began, timing or not. */
uint64_t oracle_total(const struct prof *d);
/* How often the instruction at pc committed. */
uint64_t oracle_count(const struct prof *d, uint64_t pc);
/* Whether this table is in use. */
bool oracle_has(const struct oracle *o, enum oracle_table_id id);
uint32_t oracle_entries(const struct oracle *o, enum oracle_table_id id);
/* Entry i < oracle_entries(); borrowed until the machine moves. */
const struct oracle_entry *oracle_entry(const struct oracle *o, enum oracle_table_id id,
                                        uint32_t i);
const char *oracle_table_name(unsigned id);
/* Node i < head.nodes, with its pending instructions. */
struct oracle_node oracle_node(const struct oracle *o, uint64_t i);
/* Digest of everything counted: equal pasts give equal values. */
uint64_t oracle_hash(const struct oracle *o);
/* NULL, or the invariant that is broken. Takes time that grows with the tables. */
const char *oracle_check(const struct oracle *o);

/* Sets where procedures begin, before the machine runs: addresses in rising order, with ORACLE_PART
 * for a part of a procedure that lies elsewhere, which is never a callee. Copied. Does nothing
 * without contexts; false if memory is out. */
enum { ORACLE_PART = 1 };
bool oracle_procedures(struct prof *d, const uint64_t *all, size_t n);

/* ---- for the oracle's own files ---- */
/* Counts an observation, as lost if the outcome is no entry. True if there is an entry. */
bool oracle_noted(struct oracle *o, unsigned id, enum oracle_outcome outcome);
/* oracle_contexts.c */
void oracle_begin(struct oracle *o, uint64_t pc);
void oracle_call(struct oracle *o, uint64_t site, uint64_t callee, uint64_t back);
void oracle_return(struct oracle *o, uint64_t to);
void oracle_stream(struct prof *d, const struct os_stream *s);
/* sp is set, by a load or from another register. */
void oracle_sets_sp(struct oracle *o, uint64_t sp, bool load);
/* With head.left, an indirect jump that is no call and no return: whether it leads to another
 * stack. */
bool oracle_leaves_stack(struct oracle *o, uint64_t to);
/* The instruction at pc, which is no call, leads to `to`, if indirect through a register. Enters
 * the callee if that is a tail call, else does nothing. */
void oracle_go_on(struct oracle *o, uint64_t pc, uint64_t to, bool indirect);
static inline bool oracle_may_begin(const struct oracle *o, uint64_t pc)
{
	return o->begins && o->begins[pc / 128 % ORACLE_BEGINS] >> pc / 2 % 64 & 1;
}
const char *oracle_contexts_check(const struct oracle *o);

#endif
