/* Where a step by source lines or calls is over: predicates over committed instructions for
 * run_until and run_back_until.
 *
 * Forwards, calls and returns are counted from the start; the canonical frame address tells when
 * longjmp leaves a frame without returning. Backwards a predicate sees intervals in any order, so
 * it goes by the instruction and the registers alone. A step in the program passes over firmware;
 * one in firmware ends where the program goes on. A signal's handler counts as a call. */
#ifndef CYCLOPS_UI_CONSOLE_STEP_GOALS_H
#define CYCLOPS_UI_CONSOLE_STEP_GOALS_H

#include "core/run/run.h"
#include "hwviews/session/session.h"
#include "loader/dwarf/inlined.h"

struct goal {
	const struct session *s;
	/* bytes: the stretch of a line, or the function without lines, where it is */
	uint64_t lo, hi;
	struct source_line line;       /* of that; 0: none */
	uint64_t fn_lo, fn_hi;         /* the function */
	uint64_t caller_lo, caller_hi; /* the function that called it; 0, 0 if unknown */
	uint64_t cfa;                  /* of the frame */
	struct inlined inlined;        /* around it: the frame is of the innermost of them */
	uint64_t pass_lo, pass_hi;     /* code of a function inlined into it that is passed over */
	int64_t depth;                 /* calls below the frame; negative: it has returned */
	bool firmware;                 /* it starts in M-mode */
	/* whose step it is: others' instructions don't count. As pipe_state.thread, and its number
	 * in the guest */
	uint16_t thread;
	uint32_t tid;
	bool away; /* it got there and gave the hart away: over when it has it again */
	bool gone; /* it has ended on the way */
	/* the program got there, and firmware runs before it goes on */
	bool met;
	bool forth_only;               /* until: jumps back don't count */
	bool into;                     /* calls of inlined functions are followed: */
	bool enters;                   /* it ended where one begins, which is to be entered */
	const uint64_t *target;        /* [targets], borrowed: addresses, one of which to reach */
	size_t targets;
	uint64_t a[2], fa[2];          /* finish: a0, a1, fa0 and fa1, for what was returned */
};

/* Of the present, in the thread that people look at; `level` chooses a call frame, 0 the innermost.
 */
void goal_init(struct goal *g, const struct session *s, unsigned level);
/* Where the frame is that of an inlined function: a goal for goal_next that ends in the one
 * outside. False, and as it was: it is not. */
bool goal_leave_inlined(struct goal *g);
/* The frame in which the step ended: several instructions commit in a cycle, so that the machine
 * may be in a call from the line that was reached. */
unsigned goal_level(const struct goal *g);

/* The stack pointer as it was when ev's instruction had just committed; at the end of that cycle.
 */
uint64_t step_goals_sp(const struct machine *m, const struct event *ev);

/* Each has the type commit_goal; ctx is a struct goal. */
bool goal_next(void *ctx, const struct machine *m, const struct event *ev);
bool goal_next_instruction(void *ctx, const struct machine *m, const struct event *ev);
bool goal_finish(void *ctx, const struct machine *m, const struct event *ev);
bool goal_reach(void *ctx, const struct machine *m, const struct event *ev); /* target */
/* target, or the frame is left */
bool goal_reach_within(void *ctx, const struct machine *m, const struct event *ev);
/* for reverse-next, reverse-until */
bool goal_line_before(void *ctx, const struct machine *m, const struct event *ev);
/* for reverse-nexti */
bool goal_instruction_before(void *ctx, const struct machine *m, const struct event *ev);
/* for reverse-finish: the frame's function was called there, or its inlined code begins behind */
bool goal_called(void *ctx, const struct machine *m, const struct event *ev);

#endif
