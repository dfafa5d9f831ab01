/* A direction predictor: one const descriptor and its functions, in predict_NAME.c, and a
 * row of core/defs/kinds.h.
 *
 * Functions take the predictor's state (bpred_state.h): counter tables that predictors share, and a
 * table of its own. The indices that a prediction used go into the branch's mark, which learning
 * and views read. predict() is the only code that predicts, for fetch as for views, and changes
 * nothing but the mark.
 *
 * A new predictor follows predict_taken.c, if it needs no tables, or predict_perceptron.c. Only the
 * default one is also called without a pointer (bpred.c). */
#ifndef CYCLOPS_CORE_PIPE_FRONTEND_PREDICTOR_H
#define CYCLOPS_CORE_PIPE_FRONTEND_PREDICTOR_H

#include <stddef.h>

#include "core/base/state_ranges.h"
#include "core/isa/functional.h"
#include "core/pipe/frontend/bpred_state.h"

struct bpred_warm;

/* A conditional branch to predict. */
struct predictor_query {
	uint64_t pc;
	const struct inst *in;
	bool view;  /* for a view: a plug-in that fails does not end the run */
	bool fetch; /* for fetch: a plug-in's scratch tables keep what it writes */
};

/* A number that a prediction is made of, for views. */
struct predictor_part {
	const char *name;  /* as a column of view bpred: "two_level" */
	const char *title; /* "two-level" */
	const char *noun;  /* "two-level counter" */
	int value;
	const char *chosen; /* of a chooser: the part that it believes; else NULL */
	enum { PART_NUMBER, PART_NOT_TAKEN, PART_TAKEN } says;
	bool by_history; /* it depends on the history */
};
enum { PREDICTOR_PARTS_MAX = 4 };

struct predictor {
	const char *title; /* in views: "two-level" */
	/* in words, for predictors without parts: the reason of a prediction */
	const char *believed;
	unsigned shared;    /* set of SHARED_*: tables that it uses */
	bool history;       /* it uses the history registers */
	bool keeps_history; /* predict() sets mark.old_history to the history that it used */
	bool foresees;      /* fetch calls pipe_predict_perfectly() in its place */
	/* Returns the bytes of its own table, and sets the largest values of indices in a mark
	 * (mark_most), if not the shared tables'. NULL: it has none. */
	size_t (*place)(struct bpred *b);
	/* Fills the mark's indices and flags, and BPM_TAKEN if it predicts taken. The mark is zero
	 * before. */
	void (*predict)(const struct bpred *b, const struct predictor_query *q,
	                struct bpred_mark *mark);
	/* Learns from the outcome. With bpred.update=dispatch, it notes its changes in the mark,
	 * with BPM_COUNTED, and undo() restores them; a LATE row needs none of this. NULL: it
	 * learns nothing. */
	void (*learn)(struct bpred *b, bool taken, struct bpred_mark *mark);
	void (*undo)(struct bpred *b, const struct bpred_mark *mark);
	/* Shift an outcome into the predictor's own histories, and undo that, as the machine's
	 * histories do. NULL: it has none. */
	void (*shifted)(struct bpred *b, bool taken, struct bpred_mark *mark);
	void (*unshifted)(struct bpred *b, const struct bpred_mark *mark);
	/* Called when a conditional branch commits, whatever bpred.update is. May be NULL. */
	void (*retired)(struct bpred *b, uint64_t pc, bool taken, const struct bpred_mark *mark);
	/* Faster functions for functional warming: one for a branch, and one that trains the
	 * branches of a group. NULL: warming predicts and learns as above. */
	warm_control_fn *warm;
	void (*warm_settle)(struct bpred_warm *w);
	/* Lists the parts of the prediction that a mark records, the believed one first, with their
	 * present values; returns how many. NULL: there are none. */
	unsigned (*parts)(const struct bpred *b, const struct bpred_mark *mark,
	                  struct predictor_part out[PREDICTOR_PARTS_MAX]);
	/* The history that a look-up used, if not that of bpred_history_used(). */
	uint32_t (*history_used)(const struct bpred *b, const struct bpred_mark *mark);
	/* One more row of view bpred: its words, and its number, in the column of the part. */
	struct {
		const char *words, *part;
		int (*value)(const struct bpred *b);
	} row;
	/* Lists the valid ranges of its own table. NULL: any contents are valid. */
	void (*ranges)(const struct bpred *b, struct ranges *rs);
};

#endif
