/* Ends of steps by source lines or calls: predicates over committed instructions for run_until and
 * run_back_until.
 *
 * Forwards, calls and returns are counted from the start; the canonical frame address shows when
 * longjmp leaves a frame without returning. Backwards, a predicate sees intervals in any order, so
 * it uses only the instruction and the registers. A step in the program passes over firmware; a
 * step in firmware ends where the program continues. A signal's handler counts as a call. */
#ifndef CYCLOPS_UI_CONSOLE_STEP_GOALS_H
#define CYCLOPS_UI_CONSOLE_STEP_GOALS_H

#include "core/run/run.h"
#include "hwviews/session/session.h"
#include "loader/dwarf/inlined.h"

struct goal {
	const struct session *s;
	/* byte range of the line, or of a function without lines */
	uint64_t lo, hi;
	struct source_line line;       /* of that range; 0: none */
	uint64_t from;                 /* address at which the frame is when the step begins */
	uint64_t fn_lo, fn_hi;         /* the function */
	uint64_t caller_lo, caller_hi; /* the function that called it; 0, 0 if unknown */
	uint64_t cfa;                  /* of the frame */
	struct inlined inlined;        /* around it; the frame is of the innermost */
	uint64_t pass_lo, pass_hi;     /* code of an inlined function that is passed over */
	int64_t depth;                 /* calls below the frame; negative: it has returned */
	bool firmware;                 /* the step starts in M-mode */
	/* the stepping thread; instructions of others don't count. As in pipe_state.thread, and as
	 * numbered in the guest */
	uint16_t thread;
	uint32_t tid;
	bool away; /* at the goal, but without the hart: ends when the thread has it again */
	bool gone; /* the thread has ended on the way */
	/* the program reached the goal, and firmware runs before it continues */
	bool met;
	/* the frame is gone without a return: the function that jumps out of it; 0, 0: it is not */
	uint64_t jump_lo, jump_hi;
	bool forth_only;               /* until: jumps back don't count */
	bool into;                     /* steps into inlined functions */
	bool enters;                   /* ended at the start of one, to be entered */
	const uint64_t *target;        /* [targets], borrowed: addresses, any of which ends it */
	size_t targets;
	bool own_frame;                /* reached in the frame only, not in functions it calls */
	uint64_t a[2], fa[2];          /* finish: a0, a1, fa0 and fa1, for the return value */
};

/* Initialises a goal from the present place of the selected thread; `level` chooses a call frame, 0
 * the innermost. */
void goal_init(struct goal *g, const struct session *s, unsigned level);
/* If the frame is of an inlined function, makes it a goal for goal_next that ends in the function
 * around. Else false, and *g is unchanged. */
bool goal_leave_inlined(struct goal *g);
/* True if a breakpoint stops the goal's thread at pc anyway, and reports it, as soon as the
 * instruction before has committed: no goal ends there. */
bool goal_is_breakpoint(const struct goal *g, uint64_t pc);
/* Bounds of the function around pc; [pc, pc + 1) if none is known. */
void step_goals_function(const struct session *s, uint64_t pc, uint64_t *lo, uint64_t *hi);
bool step_goals_same_line(const struct source_line *a, const struct source_line *b);
/* Registers 0 to count - 1 right after ev's instruction committed. Call at the end of that
 * cycle. */
void step_goals_registers(const struct machine *m, const struct event *ev, uint64_t *r,
                          unsigned count);
/* The stack pointer right after ev's instruction committed. Call at the end of that cycle. */
uint64_t step_goals_sp(const struct machine *m, const struct event *ev);
/* The call frames then, innermost first; returns their number, at most max. */
size_t step_goals_frames(const struct session *s, const struct machine *m, const struct event *ev,
                         struct frame *out, size_t max);

/* These have the type commit_goal; ctx is a struct goal. */
bool goal_next(void *ctx, const struct machine *m, const struct event *ev);
bool goal_next_instruction(void *ctx, const struct machine *m, const struct event *ev);
bool goal_finish(void *ctx, const struct machine *m, const struct event *ev);
bool goal_reach(void *ctx, const struct machine *m, const struct event *ev); /* target */
/* target is next to commit at the end of the cycle: no instruction after it has committed */
bool goal_wait(void *ctx, const struct machine *m, const struct event *ev);
/* target, in functions that the frame calls, too, unless own_frame; or the frame is left */
bool goal_reach_within(void *ctx, const struct machine *m, const struct event *ev);
/* for reverse-nexti */
bool goal_instruction_before(void *ctx, const struct machine *m, const struct event *ev);
/* for reverse-finish: the frame's function was called there, or its inlined code begins next */
bool goal_called(void *ctx, const struct machine *m, const struct event *ev);

#endif
