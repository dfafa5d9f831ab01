/* State of Xprof in the pipeline (xprof.h): profile flags at fetch and decode. */
#ifndef CYCLOPS_CORE_PIPE_XPROF_XPROF_STATE_H
#define CYCLOPS_CORE_PIPE_XPROF_XPROF_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/pipe/xprof/bdt.h"

enum { PROFILE_TYPES_MAX = 8 };

/* Fetch strategies for control instructions that are profile instructions (Vaswani III.B.2). */
enum xprof_bpred { XPROF_IGNORED_UPDATE, XPROF_FLAG, XPROF_PREDICTION_BIT };

/* In the arena. */
struct xprof_state {
#define STATE STATE_FIELD
#include "core/pipe/xprof/xprof_state.def"
#undef STATE
};

struct plugin_bank;

struct xprof {
	bool enabled;
	enum xprof_bpred bpred;
	struct xprof_state *st;
	struct bdt bdt;
	struct plugin_bank *plugins; /* borrowed; set by the caller. NULL: prediction bits */
};

#endif
