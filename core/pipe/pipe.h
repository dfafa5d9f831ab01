/* The pipeline's state, as the stages share it and as views read it.
 *
 * struct pipe holds pointers into the arena (set once by pipe_place) and nothing that changes; all
 * that changes is behind them. Rings are {head, count} with power-of-two capacity; bitmaps have one
 * bit per reorder-buffer position.
 *
 * Stages run in the order writeback, commit, issue, dispatch, fetch. Commit takes only what was
 * complete pipe.commit_delay cycles ago, issue what was dispatched in an earlier cycle, and so on,
 * so every stage sees last cycle's state; writeback runs first so that results completing in cycle
 * t can be used by instructions issuing in t (full bypass). */
#ifndef CYCLOPS_CORE_PIPE_PIPE_H
#define CYCLOPS_CORE_PIPE_PIPE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/defs/counts.h"
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
	uint64_t busy_until; /* first cycle in which it can take another */
	uint64_t seq;        /* whom it took last */
};

/* Some units of each pool, as bitmaps. */
struct fu_units {
	uint16_t pool[FU_POOL_COUNT + 1];
};

/* How an operation class uses the units: from the configuration. */
struct class_timing {
	uint32_t pool;     /* enum fu_pool */
	uint16_t latency;  /* cycles until dependants may issue */
	uint16_t occupancy; /* cycles until the unit takes another */
};
struct class_timing class_timing(const struct config *cfg, enum op_class klass);

/* Uop slots at the largest reorder buffer and fetch queue that a configuration may ask for. */
enum { UOP_SLOTS_MAX = 8192 };
static_assert(((UOP_SLOTS_MAX - 1) << 2 | 3) < NO_LINK, "a slot and an operand fit a link");

enum { WHEEL_LOG2 = 9, WHEEL = 1 << WHEEL_LOG2 };

/* Rows of the slot stack. */
enum slot_row {
#define SLOT(field, ...) SLOT_##field,
#include "core/defs/slots.def"
#undef SLOT
	SLOT_COUNT,
	/* empty behind a wrong prediction that has not resolved: a row gets them when it does */
	SLOT_UNRESOLVED = SLOT_COUNT
};

/* Why decode went no further in a cycle. */
enum decode_stop {
	DECODE_EMPTY,     /* the next one has not arrived from fetch */
	DECODE_WIDTH,     /* decode_width left the queue */
	DECODE_ROB,       /* no room in the reorder buffer, ... */
	DECODE_LSQ,
	DECODE_IQ,
	DECODE_SERIAL,    /* around a serialising instruction */
	DECODE_FLAG,      /* a profile flag is not known yet */
	DECODE_MISFETCH,  /* fetch was sent elsewhere by a plain instruction */
	DECODE_PROFILE,   /* the same by an instruction of Xprof's */
	DECODE_FAULT,     /* behind a fault on the right path */
	DECODE_STOP_COUNT
};

/* Results that are written in a cycle, into the integer and the floating-point registers: of
 * instructions that have issued, loads on their way excepted. */
enum { WRITE_CYCLES = 256, WRITE_FILES = 2 };

struct write_slot {
	uint64_t cycle; /* whom `used` is about */
	uint32_t used[WRITE_FILES];
};

enum trap_blame {
	BLAME_NONE,
	BLAME_FIRMWARE, /* since an interrupt or mret */
	BLAME_VSAMPLE   /* since the value sampler's handler returned */
};

/* Why fetch brought no more instructions in a cycle. */
enum fetch_end {
	/* it brought fetch_width, or as many as the queue had room for, and its lines have more */
	FETCH_END_WIDTH,
	FETCH_END_TAKEN, /* a branch predicted taken, or an instruction of Xprof's */
	FETCH_END_LINE,
	/* one of these two, in what fetch_width had left for this cycle: a wider fetch has no such
	   cycle */
	FETCH_END_REST
};

/* Scalars of the pipeline; in the arena. */
struct pipe_state {
	uint64_t cycle;       /* cycles done; while stages run: the current cycle */
	uint64_t signals_at;  /* first in which signals must be looked at (core/pipe/signals.h) */
	uint64_t next_seq;
	uint32_t slot_next;   /* where the search for a free uop slot begins */

	/* fetch */
	uint64_t fetch_pc;
	uint64_t fetch_line;      /* line address held or waited for, UINT64_MAX if none */
	uint64_t fetch_ready;     /* cycle in which it is there */
	/* cycle in which the page of the line that is waited for is translated */
	uint64_t fetch_walk;
	uint64_t redirect_until;  /* misprediction penalty: no fetch before this cycle */
	uint32_t fetchq_head, fetchq_count;
	uint16_t fetch_blocked;    /* fetched into nowhere: nothing more until a redirect */
	uint16_t fetch_waits;      /* 1: the line is on its way */
	/* the empty window is due to a squash (CPI stack): 1, for a replay trap 1 + enum replay, or
	 * to a switch of threads: AFTER_SWITCH */
	uint16_t after_squash;
	/* enum trap_blame: whom the empty window is due to, until the program is back */
	uint16_t after_trap;
	uint16_t fetched;          /* as uop.fetched, of the line held or waited for */
	/* which has the hart: os_thread_number() less 1, at most UINT16_MAX */
	uint16_t thread;
	/* a fault on the right path was dispatched: nothing after it may */
	uint16_t dispatch_blocked;

	/* window */
	uint32_t rob_head, rob_count;
	uint32_t lsq_head, lsq_count;
	uint32_t iq_count;        /* dispatched, not issued */
	uint16_t spec_slot;       /* oldest unresolved right-path misprediction, NO_SLOT if none */
	uint16_t flags_stamp;     /* of the next uop: see uop.flags_around */
	/* decode has met an instruction of Xprof's: until then nothing of it can have changed */
	uint16_t xprof_seen;
	/* decode's last instruction was a `mark`: it is about the next one */
	uint16_t mark_next;
	/* flags have changed: 2: since the last one entered the window, 1: before it */
	uint16_t flags_fresh;
	uint16_t serial_slot;     /* serialising instruction in the window, NO_SLOT if none */
	uint16_t rerun_replays;   /* traps that the load `again` has taken */

	/* why instructions stayed where they were in the last cycle in which stages ran */
	/* enum fetch_end, of the last cycle in which fetch brought some */
	uint16_t fetch_ended;
	uint16_t slot_row;        /* enum slot_row to which dispatch slots went, if any was empty */
	uint16_t decode_stop;     /* enum decode_stop */
	/* 1: fetch stands still until redirect_until because of an instruction of Xprof's */
	uint16_t sent_back;
	/* instructions that decode dropped in this cycle; 0 between cycles */
	uint16_t dropped;
	/* bit i: denied_count[i] ready instructions found no unit of pool i */
	uint16_t denied;
	uint16_t denied_count[FU_POOL_COUNT];
	/* ready instructions that found no write port for when they would need it */
	uint16_t port_denied[WRITE_FILES];
	uint64_t issue_cycle;     /* the cycle that is */
	uint64_t width_cycle;     /* last cycle in which issue_width instructions issued */

	uint32_t mem_retries;     /* uops in state ADDRESS */
	uint32_t unknown_stores;  /* stores in the queue whose address is unknown */
	uint64_t last_commit_cycle;
	/* whose squash was the last: the mispredicted instruction, the load that is replayed, or
	 * what an interrupt or a change waited for */
	uint64_t squash_pc;
	/* out-of-order completion: a load misses, and nothing issues before this cycle */
	uint64_t memory_until;
	uint16_t miss_slot;       /* that load */
	/* seq that the load will have which is fetched again for a replay trap; 0: none, or it is
	 * in the window */
	uint64_t again;

	/* committed state */
	uint64_t commit_pc;       /* next instruction to commit */
	uint64_t creg[REG_COUNT];
	uint64_t cfcsr;
	struct outcome outcome;

	uint16_t rename[REG_COUNT + 1]; /* slot of the youngest producer, NO_SLOT: committed */
	/* the last row: instructions that need no unit */
	struct fu_unit fu[FU_POOL_COUNT + 1][FU_UNITS_MAX];
	/* bit i: unit i may be held for more than the cycle it started in */
	uint16_t fu_held[FU_POOL_COUNT + 1];
	uint16_t held_pools;      /* bit i: fu_held[i] has bits */
	/* known store addresses in the queue, counted by (addr >> 3) & 255 */
	uint16_t store_filter[256];
};

enum { AFTER_SWITCH = 1 + REPLAY_COUNT };

enum { FETCHED_LOG2 = 6, FETCHED_BLOCKS = 4096 };

struct pipe {
	struct event_sink events; /* in here, and first: watched stages ask it all the time */
	struct probes probes;
	/* What the stages know of the world. */
	const struct config *cfg;
	struct stats *stats;
	struct stage_counts *counts; /* the beginning of them, which stages count */
	struct mem *ram;       /* the guest's memory */
	const struct os_port *os;
	struct prof *prof;     /* devices; only profiling variants call them */
	/* in the place of predictors, policies, prefetchers and a compressor's stage; NULL: none;
	 * while it is placed */
	const struct plugins *given;
	const volatile sig_atomic_t *interrupt; /* not 0: end the run soon */

	struct stat_memo memo;
	uint64_t checks;       /* of debug builds so far */

	struct pipe_state *st;
	struct hart *hart;     /* dispatch-point state */
	struct uop *pool;      /* [pool_size] */
	uint32_t pool_size;    /* power of two */
	uint32_t pool_mask;    /* pool_size - 1 */
	uint16_t *fetchq;      /* [fetchq_mask + 1] slots, oldest at fetchq_head */
	uint32_t fetchq_mask;
	uint16_t *rob;         /* [rob_mask + 1] slots */
	/* the same as addresses, of windows of up to 64 entries: only while cycles run */
	struct uop *rob_uop[64];
	uint32_t rob_mask;
	uint32_t rob_words;    /* 64-bit words in a bitmap over positions */
	uint16_t *lsq;         /* [lsq_mask + 1] slots */
	uint32_t lsq_mask;     /* at least 63 */
	/* [(FU_POOL_COUNT + 1) * rob_words] operands there, not issued; by pool */
	uint64_t *ready;
	/* [FU_POOL_COUNT + 1] bit i: word i of the pool's may be set; if rob_words is more than 1
	 */
	uint32_t *ready_words;
	uint64_t *retry;       /* [rob_words] state ADDRESS */
	/* [lsq_words] by position in the load/store queue: stores with unknown address */
	uint64_t *unknown;
	uint32_t lsq_words;
	/* [WHEEL * rob_words] by cycle & (WHEEL - 1): something becomes due */
	uint64_t *wheel;
	/* [WHEEL] bit i: word i of the cycle's may be set; if rob_words is more than 1 */
	uint64_t *wheel_words;
	/* [WRITE_CYCLES] by cycle & (WRITE_CYCLES - 1); NULL: ports are unlimited */
	struct write_slot *writes;
	struct class_timing timing[CLASS_COUNT];
	uint16_t fu_count[FU_POOL_COUNT + 1]; /* units; 1 for the last, which is never taken */
	/* limits, as the stages compare them */
	uint32_t fetch_width, fetch_lines, fetchq_limit, decode_width, issue_width, commit_width,
		rob_limit, lsq_limit, iq_limit;
	uint32_t slots;        /* pipe_slots() */
	enum slot_row fetch_full; /* the row if fetch brings no more though it might */
	uint64_t line_mask;    /* bytes of an L1I line - 1 */
	bool in_order, speculate, replay_size, fetch_past_taken;
	/* in order, but for completion: there is no reorder buffer that costs anything */
	bool unordered;
	bool issue_rules;      /* write ports, or unordered: see core/pipe/scoreboard.h */
	bool waw_unit;         /* pipe.waw */
	uint32_t retire_limit; /* instructions that may leave in a cycle */
	uint32_t memory_stage; /* cycles from completion until a result is written; not a load's */
	uint32_t write_ports[WRITE_FILES]; /* UINT32_MAX: unlimited */
	bool bdt_fence;        /* fence.i empties the block descriptor table */
	uint32_t bpred_penalty, lsq_forward; /* cycles */
	uint32_t to_commit[2]; /* [is a load] cycles from completion on */
	uint32_t decode_to_commit; /* of what waits for nothing, until its slot is charged */
	uint32_t commit_extra; /* enum op_flag of instructions with more to do at commit */
	struct fu_units fu_all; /* a bit for each unit */
	struct bpred bpred;
	struct xprof xprof;    /* profile instructions and flags */
	struct memdep memdep;  /* which loads wait for older stores */
	struct hierarchy mem;  /* caches, TLBs, bus */
	struct plugin_bank plugins;
	/* [a block of code, by the low bits of its number]: fetch has asked for a line that begins
	 * in it. No state but an observation, for run control to clear and to read
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

/* First cycle in which a complete uop may commit, if its turn has come. */
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

/* Whose slots the CPI stack charges: the next to commit, or, completing out of order, the next to
 * issue. NULL: there is none. */
static inline const struct uop *pipe_next_to_go(const struct pipe *p)
{
	if (p->unordered) /* all that is older has issued */
		return p->st->iq_count ? pipe_rob_at(p, p->st->rob_count - p->st->iq_count) : NULL;
	return p->st->rob_count ? pipe_rob_at(p, 0) : NULL;
}

extern const char *const fu_pool_name[FU_POOL_COUNT];

/* Places the pipeline's state; p->cfg and what stands beside it there are set by the caller before.
 */
void pipe_place(struct pipe *p, struct arena *a);
void pipe_reset(struct pipe *p);

/* Most bytes of an instruction with its prefix. */
enum { XPROF_BYTES_MAX = 8 };

/* Bytes that fetch takes at once for what begins at pc: an instruction, with its prefix if it has
 * one; 2 where nothing may be executed. */
unsigned pipe_fetch_length(struct pipe *p, uint64_t pc);

/* Brings up to date what a serialising instruction, or a system call, may read of time and
 * counters. */
void pipe_set_counters(struct pipe *p, const struct inst *in);
/* The hart is another thread's: its registers are committed, and fetch begins there, os.switch
 * cycles later. The window is empty. */
void pipe_switch_thread(struct pipe *p);
/* An interrupt, between two instructions: the pipeline is emptied, and firmware begins. `wanted` as
 * for trap_enter(). */
void pipe_interrupt(struct pipe *p, uint64_t wanted);

/* Fetch holds no line, and begins anew wherever it goes. */
static inline void pipe_drop_line(struct pipe_state *st)
{
	st->fetch_line = UINT64_MAX;
	st->fetch_ended = FETCH_END_TAKEN;
}

/* Dispatch slots of a cycle: what core/defs/slots.def counts. */
uint32_t pipe_slots(const struct config *cfg);
/* The counter of a row of the slot stack. */
static inline uint64_t *pipe_slot_counter(struct stage_counts *s, enum slot_row row)
{
	return (uint64_t *)(void *)((uint8_t *)s + offsetof(struct stage_counts, slot_wrong_path)) +
	       row;
}

/* The counter of the cycles in which units of a pool were taken. */
static inline uint64_t *pipe_unit_cycles(struct stage_counts *s, enum fu_pool pool)
{
#define P(id, field, name)                                                                         \
	static_assert(offsetof(struct stage_counts, busy_##field) ==                               \
	                      offsetof(struct stage_counts, busy_fu_int) +                         \
	                              sizeof(uint64_t) * FU_##id,                                  \
	              "in their order");
	FU_POOLS(P)
#undef P
	return (uint64_t *)(void *)((uint8_t *)s + offsetof(struct stage_counts, busy_fu_int)) +
	       pool;
}

/* core/pipe/squash.c: removes all but the `keep` oldest instructions of the window and everything
 * fetched, taking back what they did; execution and fetch go on at next_pc in cycle fetch_from.
 * row: which of the slot stack the removed ones go to. Returns the number of dispatched
 * instructions removed. */
uint32_t pipe_squash(struct pipe *p, uint32_t keep, uint64_t next_pc, uint64_t fetch_from,
                     enum slot_row row);
/* Empties the fetch queue only. */
void pipe_flush_fetch(struct pipe *p, uint64_t next_pc);
/* Serves the system call at the head of the window if it is due: false if it must be tried again.
 */
bool pipe_serve_syscall(struct pipe *p);

#endif
