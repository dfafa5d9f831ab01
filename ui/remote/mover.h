/* Shared state of external debuggers: a session, the place where they see the program, the
 * breakpoints and watchpoints that they insert, and motions from place to place. */
#ifndef CYCLOPS_UI_REMOTE_MOVER_H
#define CYCLOPS_UI_REMOTE_MOVER_H

#include "core/os/signal_state.h"
#include "core/os/thread_state.h"
#include "ui/console/command.h"
#include "ui/console/spot.h"
#include "ui/console/step_goals.h"
#include "ui/console/stop_hits.h"

/* Reasons for a halt. */
enum halt_kind {
	HALT_STEP, /* at the goal; also reasons for which debuggers have no word */
	HALT_SWBREAK,
	HALT_HWBREAK,
	HALT_WATCH, /* addr: of the watchpoint */
	HALT_RWATCH,
	HALT_AWATCH,
	HALT_INTERRUPT,
	HALT_BEGIN,  /* of history */
	HALT_ALONE,  /* all threads that were not held have ended */
	HALT_SIGNAL, /* the program ends by this signal, and can still be inspected */
	HALT_KILLED, /* the program has ended by the signal */
	HALT_EXITED,
	HALT_FAILED /* a motion could not begin; reason in `why` */
};

struct halt {
	enum halt_kind kind;
	uint64_t addr;  /* of the breakpoint or watchpoint */
	int number;     /* signal, as Linux numbers them, or exit status */
	uint32_t tid;   /* the thread of the stop; 0: the running one */
	/* of HALT_STEP: the session's own stop point that caused the halt, 0: none */
	int stop_id;
	enum stop_reason reason; /* of run control */
	struct err why; /* of HALT_FAILED; else the event at stop_id */
};

enum { POINTS_MAX = 512, POINT_TYPES = 5, WATCH_BYTES_MAX = 4096 };

/* A breakpoint or watchpoint. */
struct point {
	unsigned type;    /* 0 software, 1 hardware breakpoint, 2 write, 3 read, 4 access */
	bool conditional; /* `holds` and `stops` decide on each hit */
	uint64_t addr, size;
	int id;        /* of the stop point that implements it */
	uint64_t seen; /* digest of the bytes, set by points_look() */
	bool arrival;  /* the address is not executable: stop on jumps to it */
	bool internal; /* users do not see it */
};

/* The signal before which the program stands. */
struct mover_signal {
	unsigned number; /* as Linux numbers them; 0: none */
	bool ended;      /* the program has ended by it */
	bool edited;     /* the debugger has set `info` */
	struct signal_info info;
};

/* The session's own stop points that were hit in one cycle. */
struct own_hits {
	bool forward;          /* the motion that met them */
	uint64_t cycle;
	int newest;            /* id of the youngest stop point then */
	struct stop_hits hits; /* reason STOPPED_DONE: reported */
};

struct mover {
	struct session *s; /* borrowed */
	struct console *c; /* borrowed */
	struct spot *at; /* borrowed: the console's, ui/console/here.h */
	struct point point[POINTS_MAX]; /* [points] */
	unsigned points;
	uint64_t signals;    /* bit n-1: signal n stops the program before it acts */
	int signal_stop;     /* their stop point; 0: only fatal signals stop the program */
	struct mover_signal before;
	/* signal to deliver when the program resumes: Linux's number, 0: none, -1: the signal
	 * pending at the place */
	int deliver;
	/* [OS_THREADS] by entry of the table, bit n-1: signal n. Signals for threads that don't
	 * execute next: sent when the next motion forwards begins, then `sent`, which don't stop */
	uint64_t to_send[OS_THREADS], sent[OS_THREADS];
	/* [OS_THREADS] by entry of the table: the signal that stopped the thread, which has not
	 * resumed since; signo 0: none */
	struct signal_info stopped[OS_THREADS];
	uint64_t lo, hi;     /* of the last step over a range */
	/* the thread that steps; 0: the one that executes next */
	uint64_t stepped;
	/* threads that the next motion forwards holds, bit n: entry n of the table */
	uint64_t held;
	int switch_stop;     /* stop point at changes of the running thread; 0: none held */
	struct halt halt;    /* the last one */
	struct own_hits own;
	struct run_stop_info info; /* of the last leg of run control */
	bool commanded;      /* by a console command, which reports the stop */
	bool quiet;          /* drop the console's output */
	bool told_end;       /* the signal that ends the program has been reported */
	bool gone;           /* the program's end has been reported */
	bool moved;          /* by a cyclops command; the debugger has no report yet */
	/* True: a motion from a breakpoint passes this breakpoint. False: the motion stops there at
	 * once unless the debugger has removed the breakpoint. */
	bool steps_off;
	/* A watchpoint stops before the instruction that hits it, backwards after it: the debugger
	 * removes it and steps over the instruction. */
	bool watches_early;
	int input; /* descriptor that mover_input() reads */
	char input_bytes[4096];
	void *ctx; /* of the callbacks below; each may be NULL */
	/* Called on long motions back: true to stop. */
	bool (*wants_stop)(void *ctx);
	/* The machine was interrupted: true to resume the motion. */
	bool (*resumes)(void *ctx);
	/* True if the condition of a breakpoint may hold at v->at. No side effects. */
	bool (*holds)(void *ctx, const struct point *p);
	/* True if the point stops at v->at: before the instruction of a breakpoint, after that of a
	 * watchpoint. Called for conditional points only. */
	bool (*stops)(void *ctx, const struct point *p, bool forward);
};

/* Initialises a mover in zeroed storage. */
void mover_init(struct mover *v, struct session *s, struct console *c);
/* Applies a change at the place; an end of the program in the same cycle is undone. False with
 * *err. */
bool mover_change(struct mover *v, const struct change *c, struct err *err);
/* The session was restarted. */
void mover_restarted(struct mover *v);

/* The halt in run control's words. */
struct run_stop_info mover_info(const struct mover *v);

/* Supplies the program's input (os_input_fn); ctx: the mover. Waiting for input can be interrupted.
 */
int64_t mover_input(void *ctx, const void **bytes);

/* ---- motion.c ---- */
void motion_step(struct mover *v);
/* Moves until the program leaves [v->lo, v->hi). */
void motion_range(struct mover *v);
void motion_continue(struct mover *v);
/* Moves by n cycles to the end of one, backwards if n is negative; only the ends of history stop
 * it. */
void motion_cycles(struct mover *v, int64_t n);
void motion_back_step(struct mover *v);
void motion_back_continue(struct mover *v);

/* ---- insts.c ---- */
void motion_insts(struct mover *v, uint64_t n);
void motion_back_insts(struct mover *v, uint64_t n);

/* ---- lines.c: by source lines, from the call at `level`, 0: the innermost ---- */
enum line_motion {
	LINE_NEXT,     /* over calls */
	LINE_INTO,     /* into the first called function with lines */
	LINE_OUT,      /* out of the function */
	LINE_OVER_CALL, /* one instruction, over calls */
	LINE_UNTIL,     /* to a line further on, or out of the function */
	LINE_TO         /* to one of g's places, or out of the function */
};
/* g: receives the motion's goal, with the results of LINE_OUT; has the places of LINE_TO. NULL: no
 * places, not needed. */
void motion_line(struct mover *v, enum line_motion how, unsigned level, struct goal *g);
/* Moves to the beginning of the line, or of the previous one; LINE_OUT: to the function's call. */
void motion_back_line(struct mover *v, enum line_motion how, unsigned level, struct goal *g);

/* ---- signals.c ---- */
/* Sets v->signals. False: memory is short. */
bool signals_arm(struct mover *v, uint64_t set);

/* ---- held.c ---- */
/* Ends a hold that lasts. */
void held_release(struct mover *v);

/* ---- points.c ---- */
/* Inserts *g and sets its id; reuses an equal point. False with *err. */
bool points_insert(struct mover *v, struct point *g, struct err *err);
void points_remove(struct mover *v, const struct point *like);
void points_clear(struct mover *v);
bool points_owns(const struct mover *v, int id);
/* The breakpoint at which an instruction would stop, NULL: none. */
const struct point *points_break(const struct mover *v, uint64_t pc, bool arrival);
/* The watchpoint that u hits, NULL: none. */
const struct point *points_watch(const struct mover *v, const struct uop *u);
/* Sets `seen` of all write watchpoints. */
void points_look(struct mover *v);
/* The first write watchpoint whose bytes differ from `seen`; NULL: none. */
const struct point *points_changed(const struct mover *v);
/* The point of a stop point's id, NULL: none. */
const struct point *points_by_id(const struct mover *v, int id);

#endif
