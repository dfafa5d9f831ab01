/* State of the branch predictor (bpred.h): its tables, the target buffer (btb.h), the return stack
 * (ras.h), and the record of its prediction in each instruction. */
#ifndef CYCLOPS_CORE_PIPE_FRONTEND_BPRED_STATE_H
#define CYCLOPS_CORE_PIPE_FRONTEND_BPRED_STATE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct config;
struct predictor;
struct speculated;
struct speculated_record;

struct btb_entry {
	uint64_t tag;    /* pc >> 1, 0 if invalid */
	uint64_t target; /* byte address */
	uint64_t used;   /* lookup clock, for LRU */
};

/* The old entry of the target buffer that an instruction in flight changed. */
struct btb_change {
	struct btb_entry old;
	uint64_t index; /* into btb */
};

/* The scalars of the predictor that live in the arena beside its tables. */
struct bpred_state {
	uint64_t btb_clock;
	/* index of the next free entry, wraps; the stack overwrites its oldest entry */
	uint32_t ras_top;
	uint32_t ras_count; /* valid entries, at most ras.size */
	uint32_t btb_changes; /* changes logged, wraps; the log is a ring */
	/* 1: bpred.index_shift=0, and all of the program's instructions are words */
	uint32_t words;
};

struct bpred {
	const struct config *cfg; /* borrowed from the machine */
	const struct predictor *by; /* bpred.kind (predictor.h) */
	bool perfect;             /* the predictor foresees: fetch looks nothing up */
	/* the predictor has a function `retired`, or there is `speculated` */
	bool tells;
	/* branches are looked up by another function than that of the default predictor */
	bool other;
	/* a plug-in has the targets of indirect jumps, or is the target buffer */
	bool indirect_external, btb_external;
	bool own_history;         /* the predictor has a function `shifted` */
	/* copied out of cfg by bpred_place: this and the masks below */
	bool learn_at_commit;     /* bpred.update=commit or fetch */
	/* the kind has histories, with bpred.update=fetch; shifts_outcomes: without */
	bool history_at_fetch;
	bool shifts_outcomes;
	/* low bits of an address that no index uses, without st->words: bpred_index() */
	uint32_t index_shift;
	/* table size - 1 */
	uint32_t bimodal_mask, l1_mask, l2_mask, meta_mask, btb_mask;
	uint32_t mark_most[3];    /* largest values of mark.bimodal, l2 and meta */
	uint32_t history_bits;    /* bpred.history */
	uint32_t history_mask;    /* history_bits ones */
	uint32_t btb_ways;        /* 0: no branch target buffer */
	uint32_t ras_size;        /* 0: no return stack */
	struct plugin_bank *plugins; /* borrowed; set by the caller */
	struct bpred_state *st;
	uint8_t *bimodal;         /* [bpred.bimodal_size], 2-bit counters, 0..3 */
	uint32_t *history;        /* [bpred.l1_size], youngest outcome in bit 0 */
	uint8_t *l2;              /* [bpred.l2_size], 2-bit counters */
	uint8_t *meta;            /* [bpred.meta_size], 2-bit, >= 2 chooses the two-level side */
	size_t own_bytes;         /* of the predictor's own table */
	void *own;                /* the predictor's own table; NULL: it has none */
	struct btb_entry *btb;    /* [btb.sets * btb.ways], ways of a set adjacent */
	/* [btb_log_mask + 1], at least pipe.rob_size: one for each instruction in the window */
	struct btb_change *btb_log;
	uint32_t btb_log_mask;
	uint64_t *ras;            /* [ras.size] return addresses */
	/* with a plug-in for branches or targets (speculated.h); NULL: none */
	struct speculated *speculated;
	struct speculated_record *records; /* [record_mask + 1] */
	uint32_t record_mask;
};

/* The address bits of which indices are made. */
static inline uint64_t bpred_index(const struct bpred *b, uint64_t pc)
{
	return pc >> (b->index_shift + b->st->words);
}

/* Sets whether the loaded program has only 4-byte instructions. */
static inline void bpred_set_words(struct bpred *b, bool words, int64_t index_shift)
{
	b->st->words = !index_shift && words;
}

/* Counter tables that several predictors use. */
enum { SHARED_BIMODAL = 1, SHARED_TWO_LEVEL = 2, SHARED_CHOOSER = 4 };

/* State that a prediction used or changed: enough to learn from the outcome and to undo
 * speculation. Part of each uop, so kept small. */
struct bpred_mark {
	/* the return stack's entry that the instruction overwrote or popped; valid if BPM_RAS. With
	 * a plug-in: the history passed to it */
	uint64_t ras_value;
	/* table indices used, up to bpred.mark_most; indices of the predictor's own table come
	 * first */
	uint32_t bimodal, l2, meta;
	uint32_t history_index;
	/* value before this branch shifted in; valid if BPM_HISTORY or predictor.keeps_history */
	uint32_t old_history;
	/* entry that gave the target, if BPM_BTB_HIT; the change's number, if BPM_BTB_LEARNT */
	uint32_t btb;
	uint16_t ras_top, ras_count; /* before this instruction; valid if BPM_RAS */
	uint16_t flags;             /* BPM_* */
	uint16_t record;            /* 1 + its index in bpred.records; 0: none */
};
static_assert(sizeof(struct bpred_mark) <= 40, "every uop carries one");

enum {
	BPM_BIMODAL_TAKEN = 1, /* prediction of each component */
	BPM_L2_TAKEN = 2,
	BPM_USED_L2 = 4,       /* the direction came from the two-level side */
	BPM_BTB_HIT = 8,
	BPM_FORESEEN = BPM_BTB_HIT, /* of a perfect prediction: not a guess */
	BPM_HISTORY = 16,      /* history was shifted speculatively */
	BPM_RAS = 32,          /* the return stack was pushed or popped */
	BPM_FROM_RAS = 64,     /* the target came from the return stack: it was popped */
	BPM_TAKEN = 128,       /* direction predicted (jumps: always) */
	BPM_BTB_LEARNT = 256,  /* the target buffer learnt at dispatch */
	BPM_COUNTED = 512,     /* counters changed at dispatch; old values follow */
	BPM_BIMODAL_SHIFT = 10, /* 2 bits each */
	BPM_L2_SHIFT = 12,
	BPM_META_SHIFT = 14
};

#endif
