/* The pipeline's state, shared by the stages and read by views.
 *
 * struct pipe holds constants and pointers into the arena (set once by pipe_place); all state that
 * changes is in the arena. Rings are {head, count} with power-of-two capacity; bitmaps have one bit
 * per reorder-buffer position.
 *
 * Stages run in the order writeback, commit, issue, dispatch, fetch. Commit takes only what was
 * complete pipe.commit_delay cycles ago, issue what was dispatched in an earlier cycle, and so on,
 * so every stage uses last cycle's state; writeback runs first so that results completing in cycle
 * t can be used by instructions issuing in t (full bypass). */
#ifndef CYCLOPS_CORE_PIPE_PIPE_H
#define CYCLOPS_CORE_PIPE_PIPE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/defs/stats.h"
#include "core/isa/exec.h"
#include "core/pipe/frontend/bpred.h"
#include "core/pipe/memdep.h"
#include "core/pipe/memory/cache.h"
#include "core/pipe/plugin.h"
#include "core/pipe/port.h"
#include "core/pipe/probe.h"
#include "core/pipe/uop.h"
#include "core/pipe/xprof/xprof_state.h"

struct config;
struct prof;

/*       id, parameter of its count, name */
#define FU_POOLS(P) \
	P(INT, fu_int, "int") \
	P(IMULDIV, fu_imuldiv, "imuldiv") \
	P(FADD, fu_fadd, "fadd") \
	P(FMULDIV, fu_fmuldiv, "fmuldiv") \
	P(MEM, fu_mem, "mem") \
	P(DIV, fu_div, "div")

enum fu_pool {
#define P(id, field, name) FU_##id,
	FU_POOLS(P)
#undef P
	FU_POOL_COUNT,
	FU_NONE = FU_POOL_COUNT
};

enum { FU_UNITS_MAX = 16 };

struct fu_unit {
	uint64_t busy_until; /* first cycle in which it can take another instruction */
	uint64_t seq;        /* of the instruction that it took last */
};

/* A set of units of each pool, as bitmaps. */
struct fu_units {
	uint16_t pool[FU_POOL_COUNT + 1];
};

/* How an operation class uses the units: from the configuration. */
struct class_timing {
	uint32_t pool;     /* enum fu_pool */
	uint16_t latency;  /* cycles until dependants may issue */
	uint16_t occupancy; /* cycles until the unit can take another */
};
struct class_timing class_timing(const struct config *cfg, enum op_class klass);

/* All loads that retry, if L1D refused each in the last cycle. Until something changes that a
 * refusal depends on, they are counted as refused again without an access. Known within a run of
 * cycles only. */
struct refusals {
	uint64_t until;     /* one of them may be accepted in this cycle; 0: not known */
	uint64_t changes;   /* mem.changes before they were refused */
	uint64_t registers; /* refused for lack of a miss register */
	uint64_t targets;   /* refused because the line's register has all its targets */
	uint64_t begun_registers, begun_targets; /* what mem counted before */
};

/* Uop slots at the largest reorder buffer and fetch queue that a configuration may ask for. */
enum { UOP_SLOTS_MAX = 8192 };
static_assert(((UOP_SLOTS_MAX - 1) << 2 | 3) < NO_LINK, "a slot and an operand fit a link");

/* Ready instructions, of windows of more than 128 entries. */
struct ready_summary {
	uint32_t words; /* bit i: word i of the bitmap of all pools is nonzero */
	uint32_t count[FU_POOL_COUNT + 1]; /* by pool */
};

/* Positions of the largest reorder buffer. */
enum { ROB_MAX = 1024 };

enum { WHEEL_LOG2 = 9, WHEEL = 1 << WHEEL_LOG2 };

/* Why decode stopped in a cycle. */
enum decode_stop {
	DECODE_EMPTY,     /* the next one has not arrived from fetch */
	DECODE_WIDTH,     /* decode_width instructions left the queue */
	DECODE_ROB,       /* no room in the reorder buffer, ... */
	DECODE_LSQ,
	DECODE_IQ,
	DECODE_SERIAL,    /* a serialising instruction, or the one after it */
	DECODE_FLAG,      /* a profile flag is not known yet */
	DECODE_MISFETCH,  /* a plain instruction redirected fetch */
	DECODE_PROFILE,   /* an Xprof instruction redirected fetch */
	DECODE_FAULT,     /* after a fault on the right path */
	DECODE_STOP_COUNT
};

/* Results that are written in a cycle, into the integer and the floating-point registers, by issued
 * instructions except loads in flight. */
enum { WRITE_CYCLES = 256, WRITE_FILES = 2 };

struct write_slot {
	uint64_t cycle; /* the cycle of `used`; an older one: none used */
	uint32_t used[WRITE_FILES];
};

enum trap_blame {
	BLAME_NONE,
	BLAME_FIRMWARE, /* since an interrupt or mret */
	BLAME_VSAMPLE   /* since the value sampler's handler returned */
};

/* Why fetch stopped in a cycle. */
enum fetch_end {
	/* it filled fetch_width or the queue, and its lines have more */
	FETCH_END_WIDTH,
	FETCH_END_TAKEN, /* a branch predicted taken, or an Xprof instruction */
	FETCH_END_LINE,
	/* TAKEN or LINE, in a cycle after FETCH_END_WIDTH: it fetched the rest that a wider fetch
	 * would have included */
	FETCH_END_REST,
	FETCH_END_TARGET /* within a cycle: TAKEN, to another line, where fetch may go on */
};

/* Scalars of the pipeline; in the arena. */
struct pipe_state {
	uint64_t cycle;       /* cycles done; while stages run: the current cycle */
	/* first cycle in which signals must be checked (core/pipe/signals.h) */
	uint64_t signals_at;
	uint64_t next_seq;
	uint32_t slot_next;   /* where the search for a free uop slot begins */

	/* fetch */
	uint64_t fetch_pc;
	uint64_t fetch_line;      /* line address held or waited for, UINT64_MAX if none */
	uint64_t fetch_ready;     /* cycle in which the line has arrived */
	/* cycle in which the awaited line's page is translated */
	uint64_t fetch_walk;
	uint64_t redirect_until;  /* misprediction penalty: no fetch before this cycle */
	uint32_t fetchq_head, fetchq_count;
	/* fetched a non-executable address: nothing more until a redirect */
	uint16_t fetch_blocked;
	uint16_t fetch_waits;      /* 1: the line is in flight */
	/* why the window is empty (CPI stack): 1: a squash; 1 + enum replay: a replay trap;
	 * AFTER_SWITCH: a switch of threads */
	uint16_t after_squash;
	/* enum trap_blame: the cause of the empty window, until the program is back */
	uint16_t after_trap;
	uint16_t fetched;          /* as uop.fetched, of the line held or waited for */
	/* the thread on the hart: os_thread_number() less 1, at most UINT16_MAX */
	uint16_t thread;
	/* a fault on the right path was dispatched: nothing after it may be */
	uint16_t dispatch_blocked;

	/* window */
	uint32_t rob_head, rob_count;
	uint32_t lsq_head, lsq_count;
	uint32_t iq_count;        /* dispatched, not issued */
	uint16_t spec_slot;       /* oldest unresolved right-path misprediction, NO_SLOT if none */
	uint16_t flags_stamp;     /* of the next uop: see uop.flags_around */
	/* decode has met an Xprof instruction: before that Xprof's state is unchanged */
	uint16_t xprof_seen;
	/* decode's last instruction was a `mark`: it marks the next one */
	uint16_t mark_next;
	/* profile flags have changed: 2: since the last instruction entered the window, 1: before
	 * it */
	uint16_t flags_fresh;
	uint16_t serial_slot;     /* serialising instruction in the window, NO_SLOT if none */
	uint16_t rerun_replays;   /* replay traps that the load `again` has taken */

	/* why instructions stayed where they were in the last cycle in which stages ran */
	/* enum fetch_end, of the last cycle that fetched instructions */
	uint16_t fetch_ended;
	/* enum slot_row to which empty dispatch slots were charged, if any */
	uint16_t slot_row;
	uint16_t decode_stop;     /* enum decode_stop */
	/* 1: an Xprof instruction stalls fetch until redirect_until */
	uint16_t sent_back;
	/* instructions that decode dropped in this cycle; 0 between cycles */
	uint16_t dropped;
	/* bit i: denied_count[i] ready instructions found no unit of pool i */
	uint16_t denied;
	uint16_t denied_count[FU_POOL_COUNT];
	/* ready instructions without a write port in the cycle in which they would write */
	uint16_t port_denied[WRITE_FILES];
	uint64_t issue_cycle;     /* cycle of the two above: the last in which issue ran */
	uint64_t width_cycle;     /* last cycle in which issue_width instructions issued */
	/* in order, completing in order, with the window nearly full or a misprediction in it.
	 * issue_row: enum slot_row that held issue when it last lost slots; issue_pc: its
	 * instruction; issue_full: cycles since then in which issue_width instructions issued, at
	 * most UINT16_MAX */
	uint16_t issue_row, issue_full;
	uint16_t issue_lost;      /* slots that issue left unused last, with instructions waiting */
	uint64_t issue_pc;

	uint32_t mem_retries;     /* uops in state ADDRESS */
	uint32_t unknown_stores;  /* stores in the queue whose address is unknown */
	uint64_t last_commit_cycle;
	/* cause of the last squash: pc of the mispredicted instruction, of the replayed load, or
	 * where fetch resumes after an interrupt or a change by hand */
	uint64_t squash_pc;
	/* out-of-order completion: a load has missed; nothing issues before this cycle */
	uint64_t memory_until;
	uint16_t miss_slot;       /* that load */
	/* unified_port: data uses the memory port before this cycle */
	uint64_t port_until;
	/* cycle after the last in which fetch found the memory port taken */
	uint64_t port_refused;
	/* seq that a load gets when it is fetched again after its replay trap; 0: none */
	uint64_t again;

	/* committed state */
	uint64_t commit_pc;       /* next instruction to commit */
	uint64_t creg[REG_COUNT];
	uint64_t cfcsr;
	struct outcome outcome;

	uint16_t rename[REG_COUNT + 1]; /* slot of the youngest producer, NO_SLOT: committed */
	/* the last row: instructions that need no unit */
	struct fu_unit fu[FU_POOL_COUNT + 1][FU_UNITS_MAX];
	/* bit i: unit i may be held for more than the cycle in which it started */
	uint16_t fu_held[FU_POOL_COUNT + 1];
	uint16_t held_pools;      /* bit i: fu_held[i] has bits */
	/* known store addresses in the queue, counted by (addr >> 3) & 255 */
	uint16_t store_filter[256];
};

enum { AFTER_SWITCH = 1 + REPLAY_COUNT };

enum { FETCHED_LOG2 = 6, FETCHED_BLOCKS = 4096 };

struct pipe {
	struct event_sink events; /* in here, and first: watched stages test it all the time */
	struct probes probes;
	/* The stages' environment. */
	const struct config *cfg;
	struct stats *stats;
	struct stage_counts *counts; /* the first part of stats: counted by stages */
	struct mem *ram;       /* the guest's memory */
	const struct os_port *os;
	struct prof *prof;     /* devices; only profiling variants call them */
	/* plug-ins for predictors, policies, prefetchers and compressor stages; NULL: none; read by
	 * pipe_place() only */
	const struct plugins *given;
	const volatile sig_atomic_t *interrupt; /* nonzero: end the run soon */

	struct stat_memo memo;
	struct refusals refusals;
	uint64_t checks;       /* calls of pipe_check() in debug builds */

	struct pipe_state *st;
	struct hart *hart;     /* dispatch-point state */
	struct uop *pool;      /* [pool_size] */
	uint32_t pool_size;    /* power of two */
	uint32_t pool_mask;    /* pool_size - 1 */
	uint16_t *fetchq;      /* [fetchq_mask + 1] slots, oldest at fetchq_head */
	uint32_t fetchq_mask;
	uint16_t *rob;         /* [rob_mask + 1] slots */
	/* the same as pointers, if RING_POINTERS (ring.h): valid only while cycles run */
	struct uop *rob_uop[ROB_MAX];
	uint32_t rob_mask;
	uint32_t rob_words;    /* 64-bit words in a bitmap over positions */
	uint16_t *lsq;         /* [lsq_mask + 1] slots */
	uint32_t lsq_mask;     /* at least 63 */
	/* [(FU_POOL_COUNT + 1) * rob_words] has operands, not issued; by pool. If rob_words > 2,
	 * rob_words more for all pools together. */
	uint64_t *ready;
	struct ready_summary *ready_sum; /* if rob_words > 2: fewer words are always visited */
	uint64_t *retry;       /* [rob_words] state ADDRESS */
	/* [lsq_words] by position in the load/store queue: stores with unknown address */
	uint64_t *unknown;
	uint32_t lsq_words;
	/* [WHEEL * rob_words] by cycle & (WHEEL - 1): instructions that become due */
	uint64_t *wheel;
	/* [WHEEL] bit i: word i of the cycle's bitmap is nonzero; if rob_words > 2 */
	uint64_t *wheel_words;
	/* [WRITE_CYCLES] by cycle & (WRITE_CYCLES - 1); NULL: ports are unlimited */
	struct write_slot *writes;
	struct class_timing timing[CLASS_COUNT];
	uint16_t fu_count[FU_POOL_COUNT + 1]; /* units; 1 for FU_NONE, which is never occupied */
	/* limits, as the stages compare them */
	uint32_t fetch_width, fetch_lines, fetchq_limit, decode_width, issue_width, commit_width,
		rob_limit, lsq_limit, iq_limit;
	uint32_t slots;        /* pipe_slots() */
	uint32_t fetch_full;   /* enum slot_row if only fetch_width or the queue limits fetch */
	uint64_t line_mask;    /* bytes of an L1I line - 1 */
	bool in_order, speculate, replay_size, fetch_past_taken;
	/* in-order issue, out-of-order completion: the reorder buffer costs nothing */
	bool unordered;
	bool issue_rules;      /* any rule of core/pipe/scoreboard.h holds back instructions */
	bool late_operands;    /* no forwarding, or branches resolve in decode */
	bool forwarding, unified_port;
	uint16_t resolve;      /* enum resolve */
	bool waw_unit;         /* pipe.waw */
	uint32_t retire_limit; /* instructions that may leave the reorder buffer per cycle */
	uint32_t memory_stage; /* cycles from completion until a result is written; loads: 0 */
	uint32_t write_ports[WRITE_FILES]; /* UINT32_MAX: unlimited */
	uint32_t bpred_penalty, lsq_forward; /* cycles */
	uint32_t to_commit[2]; /* [is a load] cycles from completion to commit */
	/* cycles of an instruction that never waits, until its slot is charged */
	uint32_t decode_to_commit;
	uint32_t commit_extra; /* enum op_flag of instructions with more to do at commit */
	struct fu_units fu_all; /* a bit for each unit */
	struct bpred bpred;
	struct xprof xprof;    /* profile instructions and flags */
	struct memdep memdep;  /* predicts which loads wait for older stores */
	struct hierarchy mem;  /* caches, TLBs, bus */
	struct plugin_bank plugins;
	/* [a block of code, by the low bits of its number]: 1 if fetch has requested a line that
	 * begins in it. Not state but an observation, cleared and read by run control
	 * (core/run/interval_summary.c). */
	uint8_t fetched[FETCHED_BLOCKS];
};

static inline void pipe_note_fetch(struct pipe *p, uint64_t addr)
{
	p->fetched[addr >> FETCHED_LOG2 & (FETCHED_BLOCKS - 1)] = 1;
}

static inline struct uop *pipe_uop(const struct pipe *p, uint16_t slot)
{
	return &p->pool[slot];
}

/* First cycle in which a complete uop may commit if it is the oldest. */
static inline uint64_t pipe_commit_from(const struct pipe *p, const struct uop *u)
{
	static_assert(OPF_LOAD == 1, "an index without a branch");
	return u->when.done + p->to_commit[u->op_flags & OPF_LOAD];
}

/* i-th oldest entry of each queue, i < its count. */
static inline struct uop *pipe_rob_at(const struct pipe *p, uint32_t i)
{
	return &p->pool[p->rob[(p->st->rob_head + i) & p->rob_mask]];
}

static inline struct uop *pipe_fetchq_at(const struct pipe *p, uint32_t i)
{
	return &p->pool[p->fetchq[(p->st->fetchq_head + i) & p->fetchq_mask]];
}

static inline struct uop *pipe_lsq_at(const struct pipe *p, uint32_t i)
{
	return &p->pool[p->lsq[(p->st->lsq_head + i) & p->lsq_mask]];
}

/* The uop with this seq if its slot still holds it, else NULL. */
struct uop *pipe_find(const struct pipe *p, uint64_t seq);

/* The instruction that the CPI stack charges for unused slots: the next to commit, or, completing
 * out of order, the next to issue. NULL: there is none. */
static inline const struct uop *pipe_next_to_go(const struct pipe *p)
{
	if (p->unordered) /* all older ones have issued */
		return p->st->iq_count ? pipe_rob_at(p, p->st->rob_count - p->st->iq_count) : NULL;
	return p->st->rob_count ? pipe_rob_at(p, 0) : NULL;
}

extern const char *const fu_pool_name[FU_POOL_COUNT];

/* Places the pipeline's state. The caller sets p->cfg and the other fields of the environment
 * before.
 */
void pipe_place(struct pipe *p, struct arena *a);
void pipe_reset(struct pipe *p);

/* Maximal bytes of an instruction with its prefix. */
enum { XPROF_BYTES_MAX = 8 };

/* Bytes of the instruction at pc, including its prefix if it has one, which fetch takes at once; 2
 * if pc is not executable. */
unsigned pipe_fetch_length(struct pipe *p, uint64_t pc);

/* Updates time and counters that a serialising instruction, or a system call, may read. */
void pipe_set_counters(struct pipe *p, const struct inst *in);
/* Adopts the registers of another thread, already in the hart, as committed state; fetch begins
 * there, os.switch cycles later. The window must be empty. */
void pipe_switch_thread(struct pipe *p);
/* Takes an interrupt, between two instructions: empties the pipeline and starts firmware. `wanted`
 * as for trap_enter(). */
void pipe_interrupt(struct pipe *p, uint64_t wanted);

/* Drops the line that fetch holds: it requests one again wherever it continues. */
static inline void pipe_drop_line(struct pipe_state *st)
{
	st->fetch_line = UINT64_MAX;
	st->fetch_ended = FETCH_END_TAKEN;
}

/* Dispatch slots per cycle, which core/defs/slots.def counts. */
uint32_t pipe_slots(const struct config *cfg);
/* core/pipe/squash.c: removes all but the `keep` oldest instructions of the window and the whole
 * fetch queue, and undoes their effects; execution and fetch continue at next_pc in cycle
 * fetch_from. row: the enum slot_row that the removed ones are charged to. Returns the number of
 * dispatched instructions removed. */
uint32_t pipe_squash(struct pipe *p, uint32_t keep, uint64_t next_pc, uint64_t fetch_from,
                     uint32_t row);
/* Empties the fetch queue only. */
void pipe_flush_fetch(struct pipe *p, uint64_t next_pc);
/* Serves the system call at the head of the window if it is due; false if it must be tried again.
 */
bool pipe_serve_syscall(struct pipe *p);

#endif
