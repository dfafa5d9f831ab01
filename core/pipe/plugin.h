/* Plug-ins: parts of the machine from outside the core, in place of built-in ones. There are branch
 * predictors, replacement policies, prefetchers, predictors of profile flags, and stages of the
 * stream sampler's compressor.
 *
 * A plug-in is functions over state that it declares: tables of whole numbers of so many bits. The
 * tables lie in the machine's arena, so snapshots, hashes, checkpoints and steps backwards have
 * them right by construction. What a plug-in answers must follow from its tables and its arguments
 * alone: re-execution calls it again, and counts on the same answers. It keeps nothing of its own,
 * so one may serve several machines, one after the other or by turns.
 *
 * Each has a place. Parameters say `external` where a plug-in decides; machine_new_with() wants
 * exactly those that the configuration names. The stages' parameter is a text: it says `external`
 * among other components, once for each plug-in, where it stands.
 *
 * A plug-in that fails, or answers what can't be, ends the run with that cycle (MACHINE_BROKEN): no
 * plug-in is called any more, and what the machine still does in this cycle goes by the simplest
 * answer. The message lies in the arena too. */
#ifndef CYCLOPS_CORE_PIPE_PLUGIN_H
#define CYCLOPS_CORE_PIPE_PLUGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/err.h"

struct config;
struct stats;
struct outcome;
struct message;

/*       id, field of its parameter, the value that asks for a plug-in, what it is called, its
 *         function that must be there */
#define PLUGIN_PLACES(P)                                                                           \
	P(PREDICTOR, bpred_kind, BPRED_EXTERNAL, "branch predictor", predict)                      \
	P(L1I_REPLACEMENT, l1i_replacement, REPLACE_EXTERNAL, "replacement policy of L1I", victim) \
	P(L1D_REPLACEMENT, l1d_replacement, REPLACE_EXTERNAL, "replacement policy of L1D", victim) \
	P(L2_REPLACEMENT, l2_replacement, REPLACE_EXTERNAL, "replacement policy of L2", victim)    \
	P(L1I_PREFETCHER, l1i_prefetch, PREFETCH_EXTERNAL, "prefetcher of L1I", access)            \
	P(L1D_PREFETCHER, l1d_prefetch, PREFETCH_EXTERNAL, "prefetcher of L1D", access)            \
	P(L2_PREFETCHER, l2_prefetch, PREFETCH_EXTERNAL, "prefetcher of L2", access)               \
	P(FLAGS, xprof_predictor, XPROF_EXTERNAL, "profile flag predictor", flag)                  \
	P(STAGE, sampler_compressor, 0, "compressor stage",                                        \
	  take) /* the value is part of a text */                                                  \
	P(STAGE_2, sampler_compressor, 0, "second compressor stage", take)                         \
	P(STAGE_3, sampler_compressor, 0, "third compressor stage", take)                          \
	P(STAGE_4, sampler_compressor, 0, "fourth compressor stage", take)

enum plugin_place {
#define P(id, ...) PLUGIN_##id,
	PLUGIN_PLACES(P)
#undef P
	PLUGIN_COUNT
};

/* PLUGIN_NO_ENTRY: struct plugin_flag. PLUGIN_DRAINED_MAX: messages in a row that a stage may
 * drain. */
#define PLUGIN_NO_ENTRY UINT32_MAX
enum { PLUGIN_DRAINED_MAX = 1 << 16 };
enum {
	PLUGIN_TABLES_MAX = 16,
	PLUGIN_ENTRIES_MAX = 1 << 22,
	PLUGIN_LINES_MAX = 16,
	PLUGIN_WAYS_MAX = 64
};

/* One declared table. Entries are 0 .. 2^bits - 1, or -2^(bits-1) .. 2^(bits-1) - 1 if signed; of
 * 64 bits always signed. */
struct plugin_table {
	const char *name;
	uint32_t count;     /* entries, 1..PLUGIN_ENTRIES_MAX */
	uint8_t bits;       /* 1..64 */
	bool is_signed;
	const int64_t *init; /* [inits] what the entries begin with, over and over; NULL: 0 */
	uint32_t inits;
};

/* A plug-in's tables in one machine. */
struct plugin_state {
	const struct plugin_table *table; /* [count], borrowed from the plug-in */
	void *at[PLUGIN_TABLES_MAX];      /* in the arena; entries of 1, 2, 4 or 8 bytes */
	unsigned count;
	/* what a call may compute, in its own measure (lua.hook_budget) */
	uint64_t steps;
};

/* A conditional branch. */
struct plugin_branch {
	uint64_t pc;
	/* outcomes of branches before it, the youngest in bit 0, bpred.history of them; as they
	 * were known when it was fetched */
	uint32_t history;
	bool taken, predicted; /* of update() only */
};

/* A line of the set in which a line must go. All are valid: empty ways are filled first. Clocks
 * only order events. */
struct plugin_way {
	uint64_t addr;      /* byte address of the line */
	uint64_t used;      /* clock of its last use, the fill included */
	uint64_t inserted;  /* clock of its fill */
	bool dirty;
};

/* An access as a cache sees it, wrong paths included. Loads that are turned away are heard of when
 * they succeed; what the write buffer or an older store serves, never. */
struct plugin_access {
	uint64_t pc;        /* of the instruction; of a fetch, the address fetched from */
	/* byte address of the first byte; in the second line of two, that line's */
	uint64_t addr;
	uint64_t line;      /* number of the line: address / line size */
	uint32_t set;
	bool hit;           /* the line is there; one on its way counts as a miss */
	bool prefetched;    /* the first use of a line that was prefetched, there or on its way */
	bool store;
};

/* A profile instruction, for a predictor of its flag. */
struct plugin_flag {
	uint64_t pc;        /* of its prefix */
	uint32_t type;      /* of its flag */
	/* set * bdt.ways + way of its block's descriptor; PLUGIN_NO_ENTRY: flag() is asked for the
	 * instruction alone, or decoded() of a block without one */
	uint32_t entry;
	/* instructions of that block, as far as the descriptor knows (flag), or up to this one
	 * (decoded) */
	uint32_t count;
	/* of flag(): what fetch has seen last, a setpf, a resetpf or what a poppf brought. Taken
	 * back by squashes */
	bool bit;
	/* of decoded() only */
	bool on;            /* the flag, as decode has it */
	bool expected;      /* fetch did not take it to be off */
	uint64_t leader;    /* pc of the first instruction of its block */
};

/* Every function takes ctx first, and ends with a struct err *: false with a message that says
 * where it failed. Those that are not needed at its place are NULL. Borrowed by the machine until
 * its end. */
struct plugin {
	const char *name;   /* for messages: a file's, say */
	const struct plugin_table *table; /* [tables] */
	unsigned tables;
	/* of its code: checkpoints of a machine go on with the same plug-ins only */
	uint64_t digest;
	void *ctx;
	/* Branch predictor. predict: at fetch, wrong paths included; may not change the tables, and
	 * views ask it too. update, which may be NULL: when a branch commits. */
	bool (*predict)(void *ctx, const struct plugin_state *s, const struct plugin_branch *b,
	                bool *taken, struct err *err);
	bool (*update)(void *ctx, struct plugin_state *s, const struct plugin_branch *b,
	               struct err *err);
	/* Replacement policy. victim: which of the ways goes. used, which may be NULL: of every use
	 * of a line, and of its fill. */
	bool (*victim)(void *ctx, struct plugin_state *s, uint32_t set,
	               const struct plugin_way *way, uint32_t ways, uint32_t *out, struct err *err);
	bool (*used)(void *ctx, struct plugin_state *s, uint32_t set, uint32_t way, bool fill,
	             struct err *err);
	/* Prefetcher. access: line[PLUGIN_LINES_MAX] are the numbers of lines to bring in, *lines
	 * of them, 0 when it is called. */
	bool (*access)(void *ctx, struct plugin_state *s, const struct plugin_access *a,
	               uint64_t *line, uint32_t *lines, struct err *err);
	/* Profile flag predictor. flag: at fetch, wrong paths included, of the leader of a block
	 * that could be skipped, and of a branch if xprof.bpred says so; may not change the tables,
	 * and views ask it too. decoded, which may be NULL: of each profile instruction when decode
	 * knows its flag, wrong paths included; nothing is taken back, as with the built-in bits.
	 */
	bool (*flag)(void *ctx, const struct plugin_state *s, const struct plugin_flag *f, bool *on,
	             struct err *err);
	bool (*decoded)(void *ctx, struct plugin_state *s, const struct plugin_flag *f,
	                struct err *err);
	/* Stage of the compressor (core/prof/sampler/compressor.h). take: *sent, *out goes on; else
	 * the stage keeps what came. drain, which may be NULL: the next message of what it keeps,
	 * if there is one. Counts are 1 to RANGE_TIME. */
	bool (*take)(void *ctx, struct plugin_state *s, const struct message *in,
	             struct message *out, bool *sent, struct err *err);
	bool (*drain)(void *ctx, struct plugin_state *s, struct message *out, bool *sent,
	              struct err *err);
};

/* What a machine is given; NULL where it decides itself. */
struct plugins {
	const struct plugin *at[PLUGIN_COUNT];
};

/* "branch predictor" and so on. */
const char *plugin_place_name(enum plugin_place place);
/* An entry, i < count of table t. plugin_put: value within plugin_least()..plugin_most(). */
int64_t plugin_get(const struct plugin_state *s, unsigned t, uint32_t i);
void plugin_put(struct plugin_state *s, unsigned t, uint32_t i, int64_t value);
int64_t plugin_least(const struct plugin_table *t);
int64_t plugin_most(const struct plugin_table *t);
/* Storage that its tables take in hardware. */
uint64_t plugin_bits(const struct plugin *p);

/* ---- for the machine ---- */

/* In the arena, if there is any plug-in. */
struct plugin_record {
	uint64_t digest[PLUGIN_COUNT];
	uint64_t failed;
	char text[1024];  /* then: which, when, where, why */
};

/* The plug-ins of one machine. */
struct plugin_bank {
	const struct plugin *at[PLUGIN_COUNT];
	struct plugin_state state[PLUGIN_COUNT];
	struct plugin_record *record;   /* NULL if there are no plug-ins */
	struct outcome *outcome;        /* of the pipeline */
	const uint64_t *cycle;
	const struct stats *stats;
	bool any;
	bool warming;                   /* functional warm-up is under way */
	bool untimed;                   /* the machine runs without timing, at untimed_now */
	uint64_t untimed_now;           /* guest cycle */
};

/* outcome, cycle, stats are the caller's to set. */
void plugins_place(struct plugin_bank *b, const struct plugins *plugins, const struct config *cfg,
                   struct arena *a);
void plugins_reset(struct plugin_bank *b);

/* NULL, or what a table holds that its entries can't be. */
const char *plugins_state_error(const struct plugin_bank *b);
/* The record, which came with an arena from elsewhere, is one of these plug-ins. */
bool plugins_same(const struct plugin_bank *b, struct err *err);

/* Asks; what can't be asked, or fails, is answered: not taken, way 0, no lines, on, nothing goes
 * on. */
bool plugins_predict(struct plugin_bank *b, uint64_t pc, uint32_t history);
/* The same for views: nobody hears of a failure. */
bool plugins_peek(const struct plugin_bank *b, uint64_t pc, uint32_t history);
void plugins_update(struct plugin_bank *b, const struct plugin_branch *branch);
uint32_t plugins_victim(struct plugin_bank *b, enum plugin_place place, uint32_t set,
                        const struct plugin_way *way, uint32_t ways);
void plugins_used(struct plugin_bank *b, enum plugin_place place, uint32_t set, uint32_t way,
                  bool fill);
uint32_t plugins_access(struct plugin_bank *b, enum plugin_place place,
                        const struct plugin_access *a, uint64_t *line);
bool plugins_flag(struct plugin_bank *b, const struct plugin_flag *f);
/* The same for views. */
bool plugins_peek_flag(const struct plugin_bank *b, const struct plugin_flag *f);
void plugins_decoded(struct plugin_bank *b, const struct plugin_flag *f);
/* k: its number among the stages, from 0 on. */
bool plugins_take(struct plugin_bank *b, unsigned k, const struct message *in, struct message *out);
/* drained: messages that it has given in a row. */
bool plugins_drain(struct plugin_bank *b, unsigned k, struct message *out, unsigned drained);

#endif
