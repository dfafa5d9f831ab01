/* State of predictor plug-ins that fetch changes and squashes restore: the history of the path, and
 * the plug-ins' scratch tables (core/pipe/plugin.h).
 *
 * Exists if a plug-in predicts branches or targets. Each control instruction that fetch looks up
 * has a record of the state before it. A squash returns to the record of the oldest instruction
 * that it removes; a wrong prediction to that of its own instruction, after which its outcome is
 * added; writes of predict() and target() for it stay. */
#ifndef CYCLOPS_CORE_PIPE_FRONTEND_SPECULATED_H
#define CYCLOPS_CORE_PIPE_FRONTEND_SPECULATED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/state_ranges.h"
#include "core/isa/inst.h"
#include "core/pipe/frontend/bpred_state.h"
#include "core/pipe/frontend/outcomes.h"

struct plugin_control;

struct speculated {
	/* one bit for each conditional branch, its outcome; four of the target for each indirect
	 * jump, returns included */
	struct outcomes path;
	uint32_t next; /* index of the next record */
	uint32_t unused;
};

struct speculated_record {
	uint32_t path;    /* path.head before the instruction */
	/* plugins_scratch_changes() before it, and before plug-ins' fetched() */
	uint32_t scratch, predicted;
};

/* A control instruction with its present or known outcome. */
struct speculated_control {
	uint64_t pc;
	const struct inst *in;
	bool taken;         /* jumps: always */
	uint64_t next;      /* pc of the next instruction */
	uint64_t predicted; /* what fetch took it to be */
};

/* For bpred_place() and bpred_reset(). */
void speculated_place(struct bpred *b, const struct config *cfg, struct arena *a);
void speculated_reset(struct bpred *b);
void speculated_ranges(const struct bpred *b, struct ranges *rs);

/* The path's head before the instruction of this mark; without a record, the present one. */
uint32_t speculated_path_head(const struct bpred *b, const struct bpred_mark *mark);
/* The instruction as plug-ins get it. */
struct plugin_control speculated_plugin_control(const struct bpred *b,
                                                const struct speculated_control *c,
                                                const struct bpred_mark *mark);

/* Makes the record of an instruction that fetch looks up. Call before plug-ins. */
void speculated_begin(struct bpred *b, struct bpred_mark *mark);
/* Adds a prediction to the path, and notifies the plug-ins. */
void speculated_fetched(struct bpred *b, const struct speculated_control *c,
                        const struct bpred_mark *mark);
/* Returns to the state before the instruction: it is squashed. */
void speculated_undo(struct bpred *b, const struct bpred_mark *mark);
/* Replaces the prediction by the outcome. Call after younger instructions were squashed. */
void speculated_repair(struct bpred *b, const struct speculated_control *c,
                       const struct bpred_mark *mark);

#endif
