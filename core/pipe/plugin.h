/* Plug-ins: parts of the machine from outside the core, in place of built-in ones. Kinds: branch
 * predictors, predictors of targets, replacement policies, prefetchers, predictors of profile
 * flags, and stages of the stream sampler's compressor.
 *
 * A plug-in is functions over state that it declares: tables of integers of a given width. The
 * tables lie in the machine's arena, so snapshots, hashes, checkpoints and steps backwards include
 * them. A plug-in's results must depend on its tables and its arguments only: re-execution calls it
 * again and relies on equal results. It keeps no other state, so one plug-in may serve several
 * machines, one after the other or by turns.
 *
 * Each has a place. A parameter with the value `external` selects a plug-in; machine_new_with()
 * needs exactly the plug-ins that the configuration selects. The stages' parameter is a list of
 * components: each `external` in it is a plug-in.
 *
 * A plug-in that fails, or returns an invalid result, ends the run with that cycle
 * (MACHINE_BROKEN): no plug-in is called again, and the rest of the cycle uses default results. The
 * message lies in the arena, too. */
#ifndef CYCLOPS_CORE_PIPE_PLUGIN_H
#define CYCLOPS_CORE_PIPE_PLUGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"

struct config;
struct stats;
struct outcome;
struct outcomes; /* core/pipe/frontend/outcomes.h */
struct message;

/*       id, field of its parameter, the value that selects a plug-in, name, required function */
#define PLUGIN_PLACES(P)                                                                           \
	P(PREDICTOR, bpred_kind, BPRED_EXTERNAL, "branch predictor", predict)                      \
	P(INDIRECT, bpred_indirect, TARGETS_EXTERNAL, "predictor of indirect targets", target)     \
	P(BTB, btb_kind, TARGETS_EXTERNAL, "branch target buffer", target)                         \
	P(L1I_REPLACEMENT, l1i_replacement, REPLACE_EXTERNAL, "replacement policy of L1I", victim) \
	P(L1D_REPLACEMENT, l1d_replacement, REPLACE_EXTERNAL, "replacement policy of L1D", victim) \
	P(L2_REPLACEMENT, l2_replacement, REPLACE_EXTERNAL, "replacement policy of L2", victim)    \
	P(L1I_PREFETCHER, l1i_prefetch, PREFETCH_EXTERNAL, "prefetcher of L1I", access)            \
	P(L1D_PREFETCHER, l1d_prefetch, PREFETCH_EXTERNAL, "prefetcher of L1D", access)            \
	P(L2_PREFETCHER, l2_prefetch, PREFETCH_EXTERNAL, "prefetcher of L2", access)               \
	P(FLAGS, xprof_predictor, XPROF_EXTERNAL, "profile flag predictor", flag)                  \
	P(STAGE, sampler_compressor, 0, "compressor stage",                                        \
	  take) /* `external` is part of a list */                                                 \
	P(STAGE_2, sampler_compressor, 0, "second compressor stage", take)                         \
	P(STAGE_3, sampler_compressor, 0, "third compressor stage", take)                          \
	P(STAGE_4, sampler_compressor, 0, "fourth compressor stage", take)

enum plugin_place {
#define P(id, ...) PLUGIN_##id,
	PLUGIN_PLACES(P)
#undef P
	PLUGIN_COUNT
};

/* PLUGIN_NO_ENTRY: see struct plugin_flag. PLUGIN_DRAINED_MAX: messages that a stage may drain in a
 * row. */
#define PLUGIN_NO_ENTRY UINT32_MAX
enum { PLUGIN_DRAINED_MAX = 1 << 16 };
enum {
	PLUGIN_TABLES_MAX = 16,
	PLUGIN_ENTRIES_MAX = 1 << 22,
	PLUGIN_LINES_MAX = 16,
	PLUGIN_WAYS_MAX = 64,
	PLUGIN_SCRATCH_MAX = 8 /* entries of scratch tables that a call may write */
};

/* One declared table. Entries are 0 .. 2^bits - 1, or -2^(bits-1) .. 2^(bits-1) - 1 if signed;
 * those of 64 bits are always signed. */
struct plugin_table {
	const char *name;
	uint32_t count;     /* entries, 1..PLUGIN_ENTRIES_MAX */
	uint8_t bits;       /* 1..64 */
	bool is_signed;
	/* scratch: only predict(), target() and fetched() write it, and a squash restores what they
	 * wrote for the instructions that it removes */
	bool scratch;
	const int64_t *init; /* [inits] initial values of the entries, repeated; NULL: 0 */
	uint32_t inits;
};

/* Writes of a call to scratch tables. plugin_get() returns them, the tables get them later. */
struct plugin_scratch {
	unsigned count;
	struct {
		uint32_t table, index;
		int64_t value;
	} write[PLUGIN_SCRATCH_MAX];
};

/* A plug-in's tables in one machine. */
struct plugin_state {
	const struct plugin_table *table; /* [count], borrowed from the plug-in */
	void *at[PLUGIN_TABLES_MAX];      /* in the arena; entries of 1, 2, 4 or 8 bytes */
	unsigned count;
	/* limit of a call's work, in the plug-in's own unit (lua.hook_budget) */
	uint64_t steps;
	struct plugin_scratch *scratch; /* NULL: this call may not write scratch tables */
};

/* Histories at the prediction of a control instruction. */
struct plugin_history {
	/* outcomes of up to OUTCOMES_MAX branches before it, of the whole program, as known or
	 * predicted then; NULL if the direction is not a plug-in's */
	const struct outcomes *outcomes;
	uint32_t head;
	/* the path before it, in fetch order: core/pipe/frontend/speculated.h */
	uint32_t path_head;
	const struct outcomes *path;
};

/* A control instruction. */
struct plugin_control {
	uint64_t pc;
	bool branch, indirect; /* conditional branch; jump to a register. Neither: a direct jump */
	bool call;             /* it pushes a return address */
	bool returns;          /* the return stack predicts it */
	/* for fetched(): as predicted; resolved() and committed(): as it is. Not for target() */
	bool taken;
	uint64_t next;         /* pc of the next instruction; for target(): pc + length */
	uint64_t predicted;    /* what fetch took that to be, or decode for a direct one */
	struct plugin_history history;
};

/* A conditional branch. */
struct plugin_branch {
	uint64_t pc;
	/* outcomes of the bpred.history branches before it, the youngest in bit 0, as predicted or
	 * known when it was fetched */
	uint32_t bits;
	struct plugin_history history;
	bool taken, predicted; /* for update() only */
};

/* A line of a set from which a victim is chosen. All are valid: empty ways are filled first. Clocks
 * only order events. */
struct plugin_way {
	uint64_t addr;      /* byte address of the line */
	uint64_t used;      /* clock of its last use, the fill included */
	uint64_t inserted;  /* clock of its fill */
	bool dirty;
};

/* An access of a cache, wrong paths included. A load that must retry is reported when it succeeds;
 * accesses served by the write buffer or an older store are not. */
struct plugin_access {
	uint64_t pc;        /* of the instruction; of a fetch, the address fetched from */
	/* byte address of the first byte; in the second line of two, that line's */
	uint64_t addr;
	uint64_t line;      /* number of the line: address / line size */
	uint32_t set;
	bool hit;           /* the line is present; one in flight counts as a miss */
	bool prefetched;    /* the first use of a prefetched line, present or in flight */
	bool store;
	uint64_t cycle;     /* set by plugins_access() */
};

/* The access for which a line is used, filled or evicted. */
struct plugin_moment {
	uint64_t pc;        /* as in struct plugin_access */
	uint64_t cycle;     /* of the machine, which stands still in functional warm-up */
};

/* A profile instruction, for a predictor of its flag. */
struct plugin_flag {
	uint64_t pc;        /* of its prefix */
	uint32_t type;      /* of its flag */
	/* set * bdt.ways + way of its block's descriptor; PLUGIN_NO_ENTRY: none, or flag() is about
	 * the instruction alone */
	uint32_t entry;
	/* instructions of that block: in the descriptor (flag), or up to this one (decoded) */
	uint32_t count;
	/* for flag(): the flag as fetch last met it, by a setpf, a resetpf or a poppf's value.
	 * Squashes restore it */
	bool bit;
	/* for decoded() only */
	bool on;            /* the flag at decode */
	bool expected;      /* false if fetch predicted the flag to be off */
	uint64_t leader;    /* pc of the first instruction of its block */
};

/* A plug-in. Every function takes ctx first and a struct err * last, and returns false with a
 * message that includes the place of the failure. Functions that its place does not need are NULL.
 * Borrowed by the machine until its end. */
struct plugin {
	const char *name;   /* for messages, such as a file's name */
	const struct plugin_table *table; /* [tables] */
	unsigned tables;
	/* hash of its code: a checkpoint resumes with the same plug-ins only */
	uint64_t digest;
	void *ctx;
	/* Branch predictor. predict: called at fetch, wrong paths included, and by views; may write
	 * scratch tables only. update, which may be NULL: called when a branch commits. */
	bool (*predict)(void *ctx, const struct plugin_state *s, const struct plugin_branch *b,
	                bool *taken, struct err *err);
	bool (*update)(void *ctx, struct plugin_state *s, const struct plugin_branch *b,
	               struct err *err);
	/* Predictor of targets. target: called at fetch, wrong paths included, for an instruction
	 * taken as predicted whose target the return stack does not have (INDIRECT: for indirect
	 * jumps only); writes the target to *to and *known, or leaves *known false. It may write
	 * scratch tables only. committed, which may be NULL: called when a control instruction
	 * commits. */
	bool (*target)(void *ctx, const struct plugin_state *s, const struct plugin_control *c,
	               uint64_t *to, bool *known, struct err *err);
	bool (*committed)(void *ctx, struct plugin_state *s, const struct plugin_control *c,
	                  struct err *err);
	/* Both of them; may be NULL. fetched: called for each control instruction after its
	 * prediction, wrong paths included; may write scratch tables only. Again with the right
	 * outcome after a wrong one, when what it wrote before is undone. resolved:
	 * called when its outcome is known, wrong paths included; squashes do not undo what it
	 * writes to other tables. */
	bool (*fetched)(void *ctx, const struct plugin_state *s, const struct plugin_control *c,
	                struct err *err);
	bool (*resolved)(void *ctx, struct plugin_state *s, const struct plugin_control *c,
	                 struct err *err);
	/* Replacement policy. victim: selects the way to evict. used, which may be NULL: called for
	 * every use of a line, and for its fill. */
	bool (*victim)(void *ctx, struct plugin_state *s, uint32_t set,
	               const struct plugin_way *way, uint32_t ways, struct plugin_moment m,
	               uint32_t *out, struct err *err);
	bool (*used)(void *ctx, struct plugin_state *s, uint32_t set, uint32_t way, bool fill,
	             struct plugin_moment m, struct err *err);
	/* Prefetcher. access: writes the numbers of *lines lines to prefetch to
	 * line[PLUGIN_LINES_MAX]; *lines is 0 at the call. */
	bool (*access)(void *ctx, struct plugin_state *s, const struct plugin_access *a,
	               uint64_t *line, uint32_t *lines, struct err *err);
	/* Profile flag predictor. flag: called at fetch, wrong paths included, for the leader of a
	 * block that could be skipped, and for a branch with xprof.bpred=prediction-bit, and by
	 * views; must not change the tables. decoded, which may be NULL: called for each profile
	 * instruction when decode has its flag, wrong paths included; squashes undo nothing, as
	 * with the built-in bits.
	 */
	bool (*flag)(void *ctx, const struct plugin_state *s, const struct plugin_flag *f, bool *on,
	             struct err *err);
	bool (*decoded)(void *ctx, struct plugin_state *s, const struct plugin_flag *f,
	                struct err *err);
	/* Stage of the compressor (core/prof/sampler/compressor.h). take: with *sent, *out is
	 * passed on; else the stage keeps the input. drain, which may be NULL: the next message
	 * that it keeps, if any. Counts are 1 to RANGE_TIME. */
	bool (*take)(void *ctx, struct plugin_state *s, const struct message *in,
	             struct message *out, bool *sent, struct err *err);
	bool (*drain)(void *ctx, struct plugin_state *s, struct message *out, bool *sent,
	              struct err *err);
};

/* Plug-ins of a machine; NULL: the built-in part. */
struct plugins {
	const struct plugin *at[PLUGIN_COUNT];
};

/* "branch predictor" and so on. */
const char *plugin_place_name(enum plugin_place place);
/* Reads or writes entry i < count of table t. plugin_put: value within
 * plugin_least()..plugin_most(). plugin_put_scratch: the same for a scratch table, in a call that
 * may write it; false: it has written PLUGIN_SCRATCH_MAX other entries. */
bool plugin_put_scratch(const struct plugin_state *s, unsigned t, uint32_t i, int64_t value);
int64_t plugin_get(const struct plugin_state *s, unsigned t, uint32_t i);
void plugin_put(struct plugin_state *s, unsigned t, uint32_t i, int64_t value);
int64_t plugin_least(const struct plugin_table *t);
int64_t plugin_most(const struct plugin_table *t);
/* Bits of storage of its tables in hardware. */
uint64_t plugin_bits(const struct plugin *p);

/* ---- for the machine ---- */

/* In the arena, if there is any plug-in. */
struct plugin_record {
	uint64_t digest[PLUGIN_COUNT];
	uint64_t failed;
	char text[1024];  /* if failed: which plug-in, when, where, why */
};

/* A change of a scratch table that may be undone. All zero: none. */
struct scratch_change {
	uint8_t place; /* + 1 */
	uint8_t table;
	uint16_t unused;
	uint32_t index;
	int64_t old;
};

/* The plug-ins of one machine. */
struct plugin_bank {
	const struct plugin *at[PLUGIN_COUNT];
	struct plugin_state state[PLUGIN_COUNT];
	struct plugin_record *record;   /* NULL if there are no plug-ins */
	/* a ring of [changes_mask + 1]; NULL: no plug-in has scratch tables */
	struct scratch_change *change;
	uint32_t changes_mask;
	uint32_t *changes;              /* changes so far, wraps */
	struct outcome *outcome;        /* of the pipeline */
	const uint64_t *cycle;
	const struct stats *stats;
	bool any;
	bool warming;                   /* functional warm-up is under way */
	bool untimed;                   /* the machine runs without timing, at untimed_now */
	uint64_t untimed_now;           /* guest cycle */
};

/* Places the tables. The caller sets outcome, cycle and stats. */
void plugins_place(struct plugin_bank *b, const struct plugins *plugins, const struct config *cfg,
                   struct arena *a);
void plugins_reset(struct plugin_bank *b);

/* NULL, or a message if a table has an entry out of range. */
const char *plugins_state_error(const struct plugin_bank *b);
/* True if the record, loaded with an arena, is of these very plug-ins. */
bool plugins_same(const struct plugin_bank *b, struct err *err);

/* Call a plug-in. If it has failed or fails, results are defaults: not taken, way 0, no lines, flag
 * on, no message. */
/* fetch: scratch tables keep what it writes. */
bool plugins_predict(struct plugin_bank *b, const struct plugin_branch *branch, bool fetch);
/* The same for views: ignores failures. */
bool plugins_peek(const struct plugin_bank *b, const struct plugin_branch *branch);
void plugins_update(struct plugin_bank *b, const struct plugin_branch *branch);
/* False: it has no target. */
bool plugins_target(struct plugin_bank *b, enum plugin_place place, const struct plugin_control *c,
                    uint64_t *to);
/* All plug-ins for branches and targets. */
void plugins_fetched(struct plugin_bank *b, const struct plugin_control *c);
void plugins_resolved(struct plugin_bank *b, const struct plugin_control *c);
void plugins_committed(struct plugin_bank *b, const struct plugin_control *c);
/* Changes of scratch tables so far, and a return to an earlier number of them. */
uint32_t plugins_scratch_changes(const struct plugin_bank *b);
void plugins_scratch_undo(struct plugin_bank *b, uint32_t changes);
/* pc: of the access. */
uint32_t plugins_victim(struct plugin_bank *b, enum plugin_place place, uint32_t set,
                        const struct plugin_way *way, uint32_t ways, uint64_t pc);
void plugins_used(struct plugin_bank *b, enum plugin_place place, uint32_t set, uint32_t way,
                  bool fill, uint64_t pc);
uint32_t plugins_access(struct plugin_bank *b, enum plugin_place place,
                        const struct plugin_access *a, uint64_t *line);
bool plugins_flag(struct plugin_bank *b, const struct plugin_flag *f);
/* The same for views. */
bool plugins_peek_flag(const struct plugin_bank *b, const struct plugin_flag *f);
void plugins_decoded(struct plugin_bank *b, const struct plugin_flag *f);
/* k: index among the stages, from 0 on. */
bool plugins_take(struct plugin_bank *b, unsigned k, const struct message *in, struct message *out);
/* drained: messages drained before, in a row. */
bool plugins_drain(struct plugin_bank *b, unsigned k, struct message *out, unsigned drained);

#endif
