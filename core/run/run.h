/* Run control: stepping, breakpoints and time travel on one machine.
 *
 * Everything stops at cycle boundaries. Reverse is restore-and-re-execute: history keeps snapshots,
 * denser near the present, thinned with age until the way from one to the next takes a small part
 * of a second, and below a memory budget; after a reverse command denser ones stand around the
 * place a person looks at. Guest output and input are not repeated by re-execution (core/os/os.h).
 *
 * `history` spans [first cycle, newest cycle reached]; being earlier than newest is "in the past".
 * Changing the machine (run_change) cuts what lies after; the machine repeats it when re-execution
 * comes to that cycle: a cycle has one state, however it is reached.
 *
 * Listeners (machine_listen) and alarms (machine_alarm) hear what run_cycles, run_insts, run_until
 * and run_continue do, also where that repeats recorded history; what is re-executed to get
 * somewhere is muted. What they ask for there by machine_change_later() cuts history in the middle
 * of the motion, which goes on. A hook, whose changes the journal repeats, must not do its work
 * again there: it asks run_first_time(). */
#ifndef CYCLOPS_CORE_RUN_RUN_H
#define CYCLOPS_CORE_RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/defs/events.h"
#include "core/machine/change.h"
#include "core/machine/machine.h"

struct run;

struct run_options {
	bool history;           /* false: no snapshots, reverse commands fail and say why */
	size_t budget_bytes;    /* host memory for snapshots beside the guest's own; 0 = 432 MiB */
	uint64_t first_spacing; /* cycles between the newest snapshots; 0 = chosen */
	/* backwards, also where no stop point can have been hit: for comparisons */
	bool search_all;
};

/* The machine is started; takes the first snapshot. `m` is borrowed. */
struct run *run_new(struct machine *m, const struct run_options *opt);
void run_free(struct run *r);

/* ---- stop points ---- */
enum stop_kind {
	STOP_POINT_PC,      /* an instruction at addr passes `stage` */
	STOP_POINT_MEMORY,  /* committed bytes [addr, addr + size) change */
	STOP_POINT_REG,     /* a committed register changes */
	STOP_POINT_VALUE,   /* value(ctx, m) changes: any expression, statistic or hardware field */
	STOP_POINT_EVENT,   /* an event that `filter` lets through */
	STOP_POINT_MICRO    /* the co-processor executes the microinstruction at addr */
};

enum stop_stage { STAGE_COMMIT, STAGE_FETCH, STAGE_DISPATCH };

/* What a watched value follows from: words of the machine. */
enum stop_source_kind {
	SOURCE_REG,
	SOURCE_PC,
	SOURCE_ROB,
	SOURCE_LSQ,
	SOURCE_FETCHQ,
	SOURCE_COUNTER
};
struct stop_source {
	enum stop_source_kind kind;
	unsigned n; /* REG: its number; COUNTER: its place in struct stats, in bytes */
};
enum { STOP_SOURCES_MAX = 6 };

typedef bool stop_condition(void *ctx, const struct machine *m);
typedef bool stop_event_condition(void *ctx, const struct machine *m, const struct event *ev);
typedef uint64_t stop_value(void *ctx, const struct machine *m);

struct stop_point {
	int id;                 /* 1, 2, ...: given by run_add_stop */
	enum stop_kind kind;
	enum stop_stage stage;
	uint64_t addr, size;
	unsigned thread; /* os_thread_number() of the one that it is about; 0: any */
	unsigned reg;
	struct event_filter filter;
	stop_value *value;
	/* 0: value() is asked after each cycle; else it follows from these, and is asked when they
	 * change */
	unsigned sources;
	struct stop_source source[STOP_SOURCES_MAX]; /* [sources] */
	stop_condition *condition; /* NULL: always; evaluated at the end of the cycle */
	/* STOP_POINT_EVENT, NULL: always; asked of each event after its cycle */
	stop_event_condition *event_condition;
	/* first and behind the last instruction of the call that it is about: */
	uint64_t edge[2];
	/* asked of each that commits there whether that call begins, or has ended; NULL: it is
	 * about none */
	stop_event_condition *edges;
	/* of value and the conditions; owned by the caller, released through free_ctx */
	void *ctx;
	void (*free_ctx)(void *ctx);
	char text[96];          /* how the person named it: "find", "words.c:41", "sim.ipc" */
	char condition_text[128];
	bool enabled, temporary;
	int set;                /* temporary ones of one set go together; 0: it is of none */
	/* STOP_POINT_PC: what it names is not there yet; whoever finds it, also in the middle of a
	 * motion, sets addr */
	bool pending;
	uint64_t ignore;        /* hits to pass over from now on (counts down going forward) */
	uint64_t hits;          /* times it stopped or was ignored, going forward */
};

/* Copies *sp, gives it an id and returns that id; 0 if memory is short. A stop point at commit
 * doesn't fire for instructions on a wrong path; at fetch and dispatch it does. What several stop
 * points find in one cycle is one stop. Watched things are compared at the ends of cycles, and at
 * first with what they are when a motion begins.
 *
 * Hits and ignore counts are counted in forward motion, again where it repeats recorded history.
 * Backwards neither counts; a temporary stop point that stops a motion, in either direction, is
 * deleted. One that is about a call stops a motion where it leaves the call, in either direction,
 * and is disabled then. */
int run_add_stop(struct run *r, const struct stop_point *sp);
bool run_delete_stop(struct run *r, int id);
struct stop_point *run_stop(struct run *r, int id); /* NULL if there is none */
/* i-th stop point in order of id, NULL behind the last. */
const struct stop_point *run_stop_at(const struct run *r, unsigned i);

/* ---- moving ---- */
enum stop_reason {
	STOPPED_DONE,      /* the goal was reached */
	STOPPED_BREAK,     /* at a stop point */
	STOPPED_EXIT,      /* the guest exited, was killed, or faulted: see machine_status() */
	STOPPED_STARVED,   /* the host lacks what the next cycle needs: machine_lacks() */
	STOPPED_INTERRUPT, /* run_interrupt() */
	STOPPED_BEGIN,     /* backwards: the beginning of history */
	STOPPED_INPUT,     /* waiting for guest input was interrupted */
	STOPPED_ASKED,     /* a listener or an alarm asked for it: machine_request_stop() */
	/* nothing was committed for run_stop_info.waited cycles, and nothing will be:
	   core/run/stall.h */
	STOPPED_STALLED
};

/* Where a call is left: at its end, backwards at its beginning. */
enum stop_left { LEFT_NOTHING, LEFT_END, LEFT_BEGIN };

struct run_stop_info {
	enum stop_reason reason;
	int stop_id;         /* the stop point hit (the lowest id if several) */
	uint64_t pc;         /* of the instruction that hit it; 0 if not about one */
	uint64_t seq;
	uint64_t old_value, new_value; /* of a watchpoint */
	uint64_t waited;     /* STOPPED_STALLED: cycles */
	bool by_event;       /* the stop point was one for events: */
	/* the first in this cycle that hit it; its slot means nothing any more */
	struct event event;
	bool temporary_deleted;
	/* the call that the stop point is about was left, and it is disabled: */
	enum stop_left left;
	bool only_left;      /* it was hit by nothing else */
};

/* What else was hit in the cycle in which the last motion stopped at a stop point, in order of id:
 * up to RUN_ALSO_MAX, of how many *count says; borrowed until the next motion. */
enum { RUN_ALSO_MAX = 15 };
const struct run_stop_info *run_also_hit(const struct run *r, unsigned *count);

/* Called while moving, at least every 20 ms or so, with the cycle reached, for progress displays.
 * Returning true interrupts. */
typedef bool run_progress(void *ctx, uint64_t cycle);
void run_set_progress(struct run *r, run_progress *fn, void *ctx);
/* Told of all cycles that were simulated, executed again ones too, every few thousand while moving
 * and at the end. Returning false interrupts: that depends on nothing but these cycles. */
typedef bool run_meter(void *ctx, uint64_t cycles);
void run_set_meter(struct run *r, run_meter *fn, void *ctx);
/* What r simulates is told to whoever is told of `of`. */
void run_share_meter(struct run *r, const struct run *of);
/* Whether a motion is under way. */
bool run_moving(const struct run *r);

/* Decides at each committed instruction (in commit order), or at each event that is asked for,
 * whether a step is over: next, finish, until. */
typedef bool commit_goal(void *ctx, const struct machine *m, const struct event *ev);

/* Each returns false with *err if it cannot begin (history off, target out of range); then nothing
 * moved. An interrupted motion backwards has moved nothing either, nor has one for which host
 * memory ran out; one forwards stops where it is. `stops`: heed stop points on the way. Forward
 * motion within recorded history replays it. */
bool run_cycles(struct run *r, uint64_t n, bool stops, struct run_stop_info *out, struct err *err);
bool run_insts(struct run *r, uint64_t n, bool stops, struct run_stop_info *out, struct err *err);
bool run_until(struct run *r, commit_goal *goal, void *ctx, struct run_stop_info *out,
               struct err *err);
/* The same of events that the filter lets through; it is borrowed for the call. */
bool run_until_event(struct run *r, const struct event_filter *of, commit_goal *goal, void *ctx,
                     struct run_stop_info *out, struct err *err);
bool run_continue(struct run *r, struct run_stop_info *out, struct err *err);

bool run_back_cycles(struct run *r, uint64_t n, struct run_stop_info *out, struct err *err);
/* To the latest earlier cycle that committed something and left at least n of the present's
 * instructions uncommitted. */
bool run_back_insts(struct run *r, uint64_t n, struct run_stop_info *out, struct err *err);
/* To the latest earlier cycle in which goal was true of a commit, or that hit a stop point. goal
 * must not depend on what it was asked before: history is searched in pieces, the latest first. */
bool run_back_until(struct run *r, commit_goal *goal, void *ctx, struct run_stop_info *out,
                    struct err *err);
bool run_back_until_event(struct run *r, const struct event_filter *of, commit_goal *goal,
                          void *ctx, struct run_stop_info *out, struct err *err);
/* To the latest earlier cycle that hit a stop point. */
bool run_back_continue(struct run *r, struct run_stop_info *out, struct err *err);

/* Any cycle from the first to (forwards) wherever the program gets to. */
bool run_goto_cycle(struct run *r, uint64_t cycle, struct run_stop_info *out, struct err *err);
/* To the end of the cycle in which the instruction with this seq was fetched. */
bool run_goto_seq(struct run *r, uint64_t seq, struct run_stop_info *out, struct err *err);

/* Safe in a signal handler: ends the motion within 50 ms, wherever it is. Does nothing while none
 * is under way. */
void run_interrupt(struct run *r);

/* ---- history ---- */
struct run_history {
	uint64_t first_cycle, newest_cycle;
	unsigned snapshots;
	/* host memory held by snapshots beside what the present holds itself */
	size_t bytes;
	/* of host answers, changes and what modules answered: as long as it is recorded, no budget
	 * bounds it */
	size_t journal_bytes;
	uint64_t snapshots_taken, cycles_reexecuted;
	uint64_t spacing;        /* cycles between the newest ones */
	/* of the run's time, as estimated, not measured: what the last of them cost; 0: not known
	 * yet */
	double cost_share;
	/* that is much, though they stand farther apart for it: the guest writes all over its
	 * memory */
	bool pressed;
	bool spent;              /* the budget has taken some that age would have left */
	uint64_t changes;        /* by hand, in all that is recorded */
	uint64_t changes_before; /* of them, up to the present */
	/* how often what was recorded ceased to hold: run_change(), run_reset() */
	uint64_t cuts;
};
void run_history(const struct run *r, struct run_history *out);
/* run_history's bytes counted by going through everything, for tests: equal, unless somebody else
 * keeps snapshots of the machine, whose pages are not found here. SIZE_MAX if memory is out. */
size_t run_recount(const struct run *r);
/* Cycle of the i-th snapshot, oldest first; UINT64_MAX behind the last. */
uint64_t run_snapshot_cycle(const struct run *r, unsigned i);
/* Changes the machine by hand at the present place: what was recorded after it is dropped. False
 * with *err, and nothing changed or dropped, if it can't be made, or during a motion. */
bool run_change(struct run *r, const struct change *c, struct err *err);
/* The machine was replaced or restored from a checkpoint: history begins here. */
void run_reset(struct run *r, struct machine *m);

/* ---- hooks ---- */
enum { RUN_SPANS = 8 };

/* Which cycles somebody has heard. Zeroed by its owner, one for each listener or alarm; changed by
 * run_first_time() only. */
struct hook_position {
	unsigned spans;
	struct {
		uint64_t from, to; /* cycles from + 1 .. to */
	} span[RUN_SPANS + 1];     /* [spans], by cycle, apart */
	uint64_t cuts;             /* of history, when last looked at */
	uint64_t cycle, restored;  /* asked about last: */
	bool first;
};

/* Asked by a listener or an alarm each time that it is called, before anything else: whether the
 * cycle being told is told to it for the first time in the history that now holds, which is when a
 * hook does its work. It answers the same for all events of a cycle. What a cut took away was never
 * heard; nor were recorded cycles in which it did not listen yet: a hook that is set in the past
 * does its work on the way to the newest cycle, and what it changes there cuts. (Once it has heard
 * more than RUN_SPANS stretches of history, the shortest gap between two counts as heard.) */
bool run_first_time(struct run *r, struct hook_position *h);

/* Re-executes [from, to) of recorded history with a listener, then returns to the present place;
 * the machine is as before. The listener changes nothing; it ends the way by
 * machine_request_stop(). For scrolling a pipeline diagram back and for trace export. */
bool run_replay(struct run *r, uint64_t from, uint64_t to, const struct event_filter *filter,
                event_fn *fn, void *ctx, struct err *err);

/* The same, and `each` is called with the machine as it was at `from`, and then behind each cycle,
 * when its events have been told. */
typedef void run_look_fn(void *ctx, const struct machine *m);
bool run_replay_cycles(struct run *r, uint64_t from, uint64_t to, const struct event_filter *filter,
                       event_fn *fn, run_look_fn *each, void *ctx, struct err *err);

/* The same without events, and fn is called at `from`, behind each cycle that lies a multiple of
 * width behind the first one of core/run/timeline.h, and at `to`. */
bool run_sample(struct run *r, uint64_t from, uint64_t to, uint64_t width, run_look_fn *fn,
                void *ctx, struct err *err);

/* The cycle in which an instruction that has been fetched was: the machine is as before. False with
 * *err if that isn't recorded or the way there was interrupted. */
bool run_fetched(struct run *r, uint64_t seq, uint64_t *cycle, struct err *err);

/* Calls fn with the machine as it was at the end of a recorded cycle, then returns to the present
 * place as run_replay() does. fn changes nothing. False with *err, and fn not called, if that cycle
 * isn't recorded or the way there was interrupted. */
bool run_look(struct run *r, uint64_t cycle, run_look_fn *fn, void *ctx, struct err *err);

#endif
