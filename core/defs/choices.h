/* Choices and limits of parameters (params.def) that more than one room uses. */
#ifndef CYCLOPS_CORE_DEFS_CHOICES_H
#define CYCLOPS_CORE_DEFS_CHOICES_H

/* Most instructions that any stage takes in a cycle: bounds pipe.fetch_width, decode_width,
 * issue_width and commit_width, and so all arrays for one cycle. */
enum { PIPE_WIDTH_MAX = 16 };

/* bpred.kind, in its order */
enum bpred_kind {
	BPRED_BIMODAL,
	BPRED_TWOLEVEL,
	BPRED_GSHARE,
	BPRED_COMBINED,
	BPRED_TAKEN,
	BPRED_NOTTAKEN,
	BPRED_EXTERNAL, /* a plug-in (core/pipe/plugin.h) */
	BPRED_PERCEPTRON,
	/* perfect prediction (core/pipe/frontend/perfect_bpred.h), which needs no targets and no
	 * return stack */
	BPRED_PERFECT
};

#endif
