/* What debuggers from outside have in common: a session, the place where they see the program, the
 * breakpoints and watchpoints that they insert, and motions from place to place. */
#ifndef CYCLOPS_UI_REMOTE_MOVER_H
#define CYCLOPS_UI_REMOTE_MOVER_H

#include "ui/console/command.h"
#include "ui/remote/spot.h"

/* Why the program stands still. */
enum halt_kind {
	HALT_STEP,      /* where it was to go; and whatever debuggers have no word for */
	HALT_SWBREAK,
	HALT_HWBREAK,
	HALT_WATCH,     /* addr: what was written */
	HALT_RWATCH,
	HALT_AWATCH,
	HALT_INTERRUPT,
	HALT_BEGIN,     /* of history */
	HALT_SIGNAL,    /* the program ends by this signal, and can still be looked at */
	HALT_KILLED,    /* it has ended by it */
	HALT_EXITED,
	HALT_FAILED     /* a motion could not begin: why says */
};

struct halt {
	enum halt_kind kind;
	uint64_t addr;  /* of a breakpoint or watchpoint: the point's */
	int number;     /* signal, as Linux numbers them, or exit status */
	uint32_t tid;   /* the thread that stopped it; 0: the one that runs */
	/* of HALT_STEP: the session's own stop point that stopped it, 0: none did */
	int stop_id;
	struct err why;
};

enum { POINTS_MAX = 512, POINT_TYPES = 5, WATCH_BYTES_MAX = 4096 };

/* A breakpoint or watchpoint. */
struct point {
	unsigned type;       /* 0 software, 1 hardware breakpoint, 2 write, 3 read, 4 access */
	bool conditional;    /* whether to stop is asked each time */
	uint64_t addr, size;
	int id;              /* of the stop point that stands for it */
	uint64_t seen;       /* digest of its bytes, by points_look() */
	bool arrival;        /* nothing can be executed there: jumps to it count */
};

struct mover {
	struct session *s;   /* borrowed */
	struct console *c;   /* borrowed */
	struct spot at;
	struct point point[POINTS_MAX]; /* [points] */
	unsigned points;
	uint64_t lo, hi;     /* of the last step over a range */
	/* the thread whose steps are made; 0: the one that is about to execute */
	uint64_t stepped;
	struct halt halt;    /* the last one */
	bool quiet;          /* what the console says goes to nobody */
	bool told_end;       /* the debugger knows by which signal the program ends */
	bool gone;           /* and that it has ended */
	bool moved;          /* by a command of ours: the debugger does not know where it is */
	/* A motion from a breakpoint goes on from there: without, who has not lifted it stays. */
	bool steps_off;
	int input;           /* descriptor of what the program reads by mover_input() */
	char input_bytes[4096];
	void *ctx;           /* of the three that follow; each may be NULL */
	/* Asked on long ways back: whether to stop. */
	bool (*wants_stop)(void *ctx);
	/* The machine was interrupted: whether the motion goes on. */
	bool (*resumes)(void *ctx);
	/* Whether the point stops here, where v->at is: before the instruction of a breakpoint,
	 * behind that of a watchpoint. Those that are not conditional are not asked about. */
	bool (*stops)(void *ctx, const struct point *p, bool forward);
};

/* In zeroed storage. */
void mover_init(struct mover *v, struct session *s, struct console *c);
/* The session begins anew. */
void mover_restarted(struct mover *v);

/* What the program reads (os_input_fn); ctx: the mover. Who wants it to stop comes through while it
 * waits. */
int64_t mover_input(void *ctx, const void **bytes);

/* ---- motion.c ---- */
void motion_step(struct mover *v);
/* Until the program leaves [v->lo, v->hi). */
void motion_range(struct mover *v);
void motion_continue(struct mover *v);
/* To the end of the nth cycle from the present one on, backwards if n is negative; nothing stops it
 * but the ends of history. */
void motion_cycles(struct mover *v, int64_t n);
void motion_back_step(struct mover *v);
void motion_back_continue(struct mover *v);

/* ---- lines.c: as far as a source line goes, from the call at `level`, 0: the innermost ---- */
enum line_motion {
	LINE_NEXT,     /* over calls */
	LINE_INTO,     /* into the first function with lines that is called */
	LINE_OUT,      /* out of the function */
	LINE_OVER_CALL /* an instruction, calls whole */
};
void motion_line(struct mover *v, enum line_motion how, unsigned level);
/* To the beginning of the line, or of the one before; LINE_OUT: to the call of the function. */
void motion_back_line(struct mover *v, enum line_motion how, unsigned level);

/* ---- points.c ---- */
/* Inserts *g, whose id it sets; one that is there is as good. False with *err. */
bool points_insert(struct mover *v, struct point *g, struct err *err);
void points_remove(struct mover *v, const struct point *like);
void points_clear(struct mover *v);
bool points_owns(const struct mover *v, int id);
/* The breakpoint at which an instruction would stop, NULL: none. */
const struct point *points_break(const struct mover *v, uint64_t pc, bool arrival);
/* The watchpoint that u hits, NULL: none. */
const struct point *points_watch(const struct mover *v, const struct uop *u);
/* Remembers what is at all write watchpoints, */
void points_look(struct mover *v);
/* and the first of them where something else is now; NULL: none. */
const struct point *points_changed(const struct mover *v);
/* That of a stop point's id, NULL: none. */
const struct point *points_by_id(const struct mover *v, int id);

#endif
