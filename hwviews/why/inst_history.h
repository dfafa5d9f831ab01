/* The history of one instruction, from its fetch until now: prediction, data, squash, cost.
 *
 * Gathered by re-execution of recorded history, in which tables have their former contents. The
 * session's machine is unchanged. */
#ifndef CYCLOPS_HWVIEWS_WHY_INST_HISTORY_H
#define CYCLOPS_HWVIEWS_WHY_INST_HISTORY_H

#include "core/base/err.h"
#include "core/pipe/frontend/predictor.h"
#include "core/pipe/pipe.h"

struct session;

/* The source of the next fetch address after a control instruction. */
enum believed {
	BELIEVED_PREDICTOR,    /* the direction predictor, of a branch */
	BELIEVED_FORESEEN,     /* perfect prediction had the outcome */
	BELIEVED_GUESS,        /* perfect prediction could not have the outcome */
	BELIEVED_RETURN_STACK,
	BELIEVED_TARGETS       /* a jump's: the branch target buffer */
};

struct inst_history_prediction {
	bool there;            /* it was looked up */
	uint64_t cycle, next;  /* next: the next fetch address */
	bool taken;            /* the direction; true for jumps */
	bool target_known;     /* false: fetch continued sequentially, whatever the direction */
	enum believed by;
	/* of a branch: what the direction is made of, the believed one first, as at the look-up */
	struct predictor_part part[PREDICTOR_PARTS_MAX];
	unsigned parts;
	const char *predictor; /* "two-level": the believed part, or the predictor */
	uint32_t history;      /* used by the look-up, the youngest in bit 0 */
};

/* Causes of a redirect of fetch, or a flush of the window. */
enum inst_history_cause {
	CAUSE_NONE,
	CAUSE_MISPREDICTION,
	CAUSE_REPLAY,          /* of a load, due to itself */
	/* of a load that read too early: an older store had the same address */
	CAUSE_ORDER,
	CAUSE_DECODE,          /* decode corrected fetch */
	CAUSE_FETCHED_AGAIN,   /* changed code, or firmware's return: later instructions are fetched
	                        * again */
	CAUSE_INTERRUPT,       /* firmware's interrupt; due to no instruction */
	CAUSE_VSAMPLE,         /* the value sampler's interrupt; due to no instruction */
	CAUSE_HAND             /* a change by the user, or one for which the machine has no event */
};

struct story {
	struct uop uop;        /* state when it left, or now */
	bool left;
	struct inst_history_prediction prediction;
	/* decode redirected fetch to `right` in this cycle; NO_CYCLE: never */
	uint64_t corrected, right;
	uint64_t dropped;      /* instructions that the correction dropped from the fetch queue */
	uint64_t accessed;     /* cycle of its memory access; NO_CYCLE: none yet */
	uint64_t latency;      /* cycles from that access on */
	struct uop store;      /* the store that forwarded to it; seq 0: none */
	uint64_t resolved;     /* cycle in which its outcome was known; NO_CYCLE: not yet */

	/* If the instruction squashed others, or itself, too: */
	enum inst_history_cause did;
	uint64_t squashed_at;
	/* squashed: instructions that had been dispatched, including itself if replayed; unfetched:
	 * in the fetch queue */
	uint64_t squashed, unfetched;
	uint64_t goes_on;      /* first dispatch after the squash; NO_CYCLE: none yet */

	enum inst_history_cause by;   /* cause of its own squash */
	struct uop culprit;    /* the instruction that squashed it; seq 0: none in particular */
};

/* False with *err if history lacks the cycles, or re-execution was interrupted. `seq` may have left
 * the pool. */
bool inst_history_gather(const struct session *s, uint64_t seq, struct story *out, struct err *err);

/* why_line() of the instruction when it left, or, in flight, of its present state. False with *err
 * as above. */
bool inst_history_line(const struct session *s, const struct story *y, char *buf, size_t n,
                struct err *err);
/* Calls put with each line of the story, without a newline. */
void inst_history_tell(const struct session *s, const struct story *y,
                void (*put)(void *ctx, const char *line), void *ctx);

#endif
