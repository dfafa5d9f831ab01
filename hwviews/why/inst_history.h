/* What happened to one instruction, from its fetch until now: prediction, data, squash, cost.
 *
 * Gathered by going through recorded history once more, so that tables are told as they were when
 * they were asked. The machine is as before. */
#ifndef CYCLOPS_HWVIEWS_WHY_INST_HISTORY_H
#define CYCLOPS_HWVIEWS_WHY_INST_HISTORY_H

#include "core/base/err.h"
#include "core/pipe/pipe.h"

struct session;

/* Who decided where fetch went on behind a control instruction. */
enum believed {
	BELIEVED_BIMODAL,
	BELIEVED_TWO_LEVEL,
	BELIEVED_PERCEPTRON,
	BELIEVED_PLUGIN,
	BELIEVED_ALWAYS,       /* bpred.kind says the same of all */
	BELIEVED_FORESEEN,     /* perfect prediction knew */
	BELIEVED_GUESS,        /* perfect prediction could not know */
	BELIEVED_RETURN_STACK,
	BELIEVED_TARGETS       /* a jump's: the branch target buffer */
};

struct inst_history_prediction {
	bool there;            /* it was looked up */
	uint64_t cycle, next;  /* where fetch went on */
	bool taken;            /* the direction; jumps: always */
	bool target_known;     /* else fetch went straight on, whatever the direction */
	enum believed by;
	bool bimodal_taken, two_level_taken; /* what each table said, of the kinds that have it */
	uint8_t bimodal, two_level, chooser; /* counters as they were, 0 to 3 */
	uint32_t history;      /* that the look-up used, the youngest in bit 0 */
	int sum;               /* a perceptron's */
};

/* Fetch was sent elsewhere, or the window emptied. */
enum inst_history_cause {
	CAUSE_NONE,
	CAUSE_MISPREDICTION,
	CAUSE_REPLAY,          /* of a load, for its own sake */
	/* of a load, which an older store's address showed to have been too early */
	CAUSE_ORDER,
	CAUSE_DECODE,          /* it corrected fetch */
	CAUSE_FETCHED_AGAIN,   /* code or firmware's way back: what follows is fetched again */
	CAUSE_INTERRUPT,       /* firmware's; no instruction's */
	CAUSE_VSAMPLE,         /* the value sampler's interrupt; no instruction's */
	CAUSE_HAND             /* a change by hand, or another that the machine makes no event of */
};

struct story {
	struct uop uop;        /* when it left, or now */
	bool left;
	struct inst_history_prediction prediction;
	/* decode sent fetch to `right` in this cycle; NO_CYCLE: it didn't */
	uint64_t corrected, right;
	uint64_t dropped;      /* instructions out of the fetch queue for it */
	uint64_t accessed;     /* went to memory, NO_CYCLE: it hasn't */
	uint64_t latency;      /* cycles from then on */
	struct uop store;      /* that it was forwarded from; seq 0: none */
	uint64_t resolved;     /* its outcome became known, NO_CYCLE: it hasn't */

	/* If it squashed others, or with them itself: */
	enum inst_history_cause did;
	uint64_t squashed_at;
	/* instructions that had been dispatched, itself included if replayed; in the fetch queue */
	uint64_t squashed, unfetched;
	uint64_t goes_on;      /* cycle of the first dispatch after that; NO_CYCLE: none yet */

	enum inst_history_cause by;   /* why it was squashed itself */
	struct uop culprit;    /* who did that; seq 0: nobody in particular */
};

/* False with *err if history doesn't hold what it needs, or the way was interrupted. `seq` need not
 * be in the pool any more. */
bool inst_history_gather(const struct session *s, uint64_t seq, struct story *out, struct err *err);

/* why_line() of the instruction as it left, however long ago; of one in flight, as it is. False
 * with *err as above. */
bool inst_history_line(const struct session *s, const struct story *y, char *buf, size_t n,
                struct err *err);
/* Calls put with each line that is worth telling, without a newline. */
void inst_history_tell(const struct session *s, const struct story *y,
                void (*put)(void *ctx, const char *line), void *ctx);

#endif
