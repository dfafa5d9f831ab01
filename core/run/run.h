/* Run control: stepping, breakpoints and time travel on one machine.
 *
 * Everything stops at cycle boundaries. Reverse is restore-and-re-execute: history keeps snapshots,
 * denser near the present, thinned with age until the way from one to the next takes a small part
 * of a second, and below a memory budget; after a reverse command denser ones stand around the
 * place reached. Guest output and input are not repeated by re-execution (core/os/os.h).
 *
 * `history` spans [first cycle, newest cycle reached]; being earlier than newest is "in the past".
 * Changing the machine (run_change) cuts the later history; the machine repeats the change when
 * re-execution comes to that cycle: a cycle has one state, however it is reached.
 *
 * Listeners (machine_listen) and alarms (machine_alarm) are called during run_cycles, run_insts,
 * run_until and run_continue, also where these repeat recorded history; re-execution on the way to
 * a target is muted. Changes that they request by machine_change_later() cut history in the middle
 * of the motion, which goes on. The journal repeats a hook's changes, so a hook must not make them
 * again: it calls run_first_time(). */
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
	bool history;           /* false: no snapshots, reverse commands fail with *err */
	size_t budget_bytes;    /* host memory for snapshots besides the guest's own; 0 = 432 MiB */
	uint64_t first_spacing; /* cycles between the newest snapshots; 0 = chosen */
	/* backward searches re-execute all intervals, even those that can't hit a stop point: for
	 * comparisons */
	bool search_all;
};

/* m is started, and borrowed; takes the first snapshot. */
struct run *run_new(struct machine *m, const struct run_options *opt);
void run_free(struct run *r);

/* ---- stop points ---- */
enum stop_kind {
	STOP_POINT_PC,      /* an instruction at addr passes `stage` */
	STOP_POINT_MEMORY,  /* committed bytes [addr, addr + size) change */
	STOP_POINT_REG,     /* a committed register changes */
	STOP_POINT_VALUE,   /* value(ctx, m) changes: any expression, statistic or hardware field */
	STOP_POINT_EVENT,   /* an event that passes `filter` */
	STOP_POINT_MICRO    /* the co-processor executes the microinstruction at addr */
};

enum stop_stage { STAGE_COMMIT, STAGE_FETCH, STAGE_DISPATCH };

/* Word of the machine from which a watched value is computed. */
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
	unsigned n; /* REG: number; COUNTER: byte offset in struct stats */
};
enum { STOP_SOURCES_MAX = 6 };

typedef bool stop_condition(void *ctx, const struct machine *m);
typedef bool stop_event_condition(void *ctx, const struct machine *m, const struct event *ev);
typedef uint64_t stop_value(void *ctx, const struct machine *m);

struct stop_point {
	int id;                 /* 1, 2, ..., internal: -1, -2, ...: given by run_add_stop */
	enum stop_kind kind;
	enum stop_stage stage;
	uint64_t addr, size;
	unsigned thread; /* os_thread_number() of its thread; 0: any */
	unsigned reg;
	struct event_filter filter;
	stop_value *value;
	/* 0: value() is called after each cycle; else it depends on these sources only, and is
	 * called when they change */
	unsigned sources;
	struct stop_source source[STOP_SOURCES_MAX]; /* [sources] */
	stop_condition *condition; /* NULL: always; evaluated at the end of the cycle */
	/* STOP_POINT_EVENT, NULL: always; evaluated for each event after its cycle */
	stop_event_condition *event_condition;
	/* addresses of the first instruction of its call and after the last */
	uint64_t edge[2];
	/* called for each instruction that commits at an edge, sets sp or calls the system: whether
	 * the call begins, or has ended; NULL: the stop point belongs to no call */
	stop_event_condition *edges;
	/* argument of value and the conditions; owned by the caller, released through free_ctx */
	void *ctx;
	void (*free_ctx)(void *ctx);
	char text[96];          /* name given by the user: "find", "words.c:41", "sim.ipc" */
	char condition_text[128];
	bool enabled, temporary;
	bool internal;          /* of the inspector's own: run_stop_at() leaves it out */
	int set;                /* temporary ones of one set are deleted together; 0: no set */
	/* STOP_POINT_PC: its code does not exist yet; the finder, also in the middle of a motion,
	 * sets addr */
	bool pending;
	uint64_t ignore;        /* hits still to pass over (counts down going forward) */
	uint64_t hits;          /* stops and ignored hits, going forward */
};

/* Copies *sp, gives it an id and returns that id; 0 if memory is short. A stop point at commit
 * doesn't fire for instructions on a wrong path; at fetch and dispatch it does. Hits of several
 * stop points in one cycle are one stop. Watched values are compared at the ends of cycles, first
 * with their value when the motion begins.
 *
 * Hits and ignore counts are counted in forward motion, again where it repeats recorded history.
 * Backwards neither counts; a temporary stop point that stops a motion, in either direction, is
 * deleted. A stop point of a call stops a motion where it leaves the call, in either direction,
 * and is then disabled. An internal one is not added in the middle of a motion. */
int run_add_stop(struct run *r, const struct stop_point *sp);
bool run_delete_stop(struct run *r, int id);
struct stop_point *run_stop(struct run *r, int id); /* NULL if there is none */
/* i-th stop point in order of id; NULL if i is too large. */
const struct stop_point *run_stop_at(const struct run *r, unsigned i);

/* Sets whether temporary stop points stay after they stopped a motion, until run_end_temporary():
 * for callers that continue from a hit. */
void run_keep_temporary(struct run *r, bool keep);
/* Deletes a temporary stop point, and those of its set; others stay. True if it was one. */
bool run_end_temporary(struct run *r, int id);

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
	/* no commit for run_stop_info.waited cycles, and none will follow: core/run/stall.h */
	STOPPED_STALLED
};

/* Where the call was left: at its end, backwards at its beginning. */
enum stop_left { LEFT_NOTHING, LEFT_END, LEFT_BEGIN };

struct run_stop_info {
	enum stop_reason reason;
	int stop_id;         /* the stop point hit (the lowest id if several) */
	uint64_t pc;         /* of the instruction that hit it; 0 if none */
	uint64_t seq;
	uint64_t old_value, new_value; /* of a watchpoint */
	uint64_t part;       /* of watched memory: the values are up to 8 bytes from this one on */
	uint64_t waited;     /* STOPPED_STALLED: cycles */
	bool by_event;       /* it is a stop point for events: */
	/* the first event of this cycle that hit it; its slot is no longer valid */
	struct event event;
	bool temporary_deleted;
	/* the stop point's call was left, and it is disabled: */
	enum stop_left left;
	bool only_left;      /* its only reason to stop */
};

/* Other stop points hit in the cycle in which the last motion stopped, in order of id: up to
 * RUN_ALSO_MAX; *count: how many there are. Borrowed until the next motion. */
enum { RUN_ALSO_MAX = 15 };
const struct run_stop_info *run_also_hit(const struct run *r, unsigned *count);

/* Called while moving, at least every 20 ms or so, with the cycle reached, for progress displays.
 * Returning true interrupts. */
typedef bool run_progress(void *ctx, uint64_t cycle);
void run_set_progress(struct run *r, run_progress *fn, void *ctx);
/* Reports work on copies of the machine, "what-if: 12 of 46", to that callback; NULL: it is over.
 * True, and the machine is interrupted, if the callback returns true, or did before. */
bool run_report(struct run *r, const char *work);
/* The last reported work; NULL: the machine itself moves. Borrowed until the next report. */
const char *run_work(const struct run *r);
/* Called with the number of cycles simulated, including re-execution, every few thousand cycles
 * while moving and at the end. Returning false interrupts the motion: reproducibly, as it depends
 * on these cycles alone. */
typedef bool run_meter(void *ctx, uint64_t cycles);
void run_set_meter(struct run *r, run_meter *fn, void *ctx);
/* Meters r's cycles with the meter of `of`. */
void run_share_meter(struct run *r, const struct run *of);
/* Whether a motion is under way. */
bool run_moving(const struct run *r);

/* Returns whether a step (next, finish, until) is over; called at each committed instruction, in
 * commit order, or at each event that passes the filter. */
typedef bool commit_goal(void *ctx, const struct machine *m, const struct event *ev);

/* Each returns false with *err if it cannot begin (history off, target out of range); then nothing
 * moved. An interrupted motion backwards has moved nothing either, nor has one for which host
 * memory ran out; one forwards stops where it is. `stops`: stop at stop points on the way. Forward
 * motion within recorded history replays it. */
bool run_cycles(struct run *r, uint64_t n, bool stops, struct run_stop_info *out, struct err *err);
/* Instructions of the program and of firmware: a step goes through both. */
bool run_insts(struct run *r, uint64_t n, bool stops, struct run_stop_info *out, struct err *err);
/* Instructions of the program, as sim.insts counts them. */
bool run_own_insts(struct run *r, uint64_t n, bool stops, struct run_stop_info *out,
                   struct err *err);
bool run_until(struct run *r, commit_goal *goal, void *ctx, struct run_stop_info *out,
               struct err *err);
/* The same for events that pass the filter, which is borrowed for the call. */
bool run_until_event(struct run *r, const struct event_filter *of, commit_goal *goal, void *ctx,
                     struct run_stop_info *out, struct err *err);
bool run_continue(struct run *r, struct run_stop_info *out, struct err *err);

bool run_back_cycles(struct run *r, uint64_t n, struct run_stop_info *out, struct err *err);
/* Goes to the latest earlier cycle that committed something and left at least n of the present's
 * instructions uncommitted. */
bool run_back_insts(struct run *r, uint64_t n, struct run_stop_info *out, struct err *err);
/* Goes to the latest earlier cycle in which goal was true of a commit, or that hit a stop point.
 * goal must not depend on earlier calls: history is searched in pieces, the latest first. */
bool run_back_until(struct run *r, commit_goal *goal, void *ctx, struct run_stop_info *out,
                    struct err *err);
bool run_back_until_event(struct run *r, const struct event_filter *of, commit_goal *goal,
                          void *ctx, struct run_stop_info *out, struct err *err);
/* Goes to the latest earlier cycle that hit a stop point. */
bool run_back_continue(struct run *r, struct run_stop_info *out, struct err *err);

/* Goes to any cycle from the first on; forwards as far as the program runs. */
bool run_goto_cycle(struct run *r, uint64_t cycle, struct run_stop_info *out, struct err *err);
/* Goes to the end of the cycle in which the instruction with this seq was fetched. */
bool run_goto_seq(struct run *r, uint64_t seq, struct run_stop_info *out, struct err *err);

/* Safe in a signal handler: ends the motion in progress, if any, within 50 ms. */
void run_interrupt(struct run *r);

/* ---- history ---- */
struct run_history {
	uint64_t first_cycle, newest_cycle;
	unsigned snapshots;
	/* host memory held by snapshots besides what the present holds itself */
	size_t bytes;
	/* of host answers, changes and module answers: kept with all recorded history, not limited
	 * by the budget */
	size_t journal_bytes;
	uint64_t snapshots_taken, cycles_reexecuted;
	uint64_t spacing;        /* cycles between the newest ones */
	/* cost of the last snapshot, as an estimated share of the run's time; 0: not known yet */
	double cost_share;
	/* the share stays high although snapshots are farther apart: the guest writes all over its
	 * memory */
	bool pressed;
	bool spent;              /* the budget has dropped some that age would have kept */
	uint64_t changes;        /* by hand, in all of recorded history */
	uint64_t changes_before; /* of them, up to the present */
	/* times that recorded history was cut: run_change(), run_reset() */
	uint64_t cuts;
};
void run_history(const struct run *r, struct run_history *out);
/* run_history's bytes counted by walking everything, for tests: equal, unless another owner keeps
 * snapshots of the machine, whose pages are not found here. SIZE_MAX if memory is out. */
size_t run_recount(const struct run *r);
/* Cycle of the i-th snapshot, oldest first; UINT64_MAX if i is too large. */
uint64_t run_snapshot_cycle(const struct run *r, unsigned i);
/* Changes the machine by hand at the present place: later history is dropped. False with *err, and
 * nothing changed or dropped, if the change can't be made, or during a motion. */
bool run_change(struct run *r, const struct change *c, struct err *err);
/* The machine was replaced or restored from a checkpoint: history begins here. */
void run_reset(struct run *r, struct machine *m);

/* ---- hooks ---- */
enum { RUN_SPANS = 8 };

/* Cycles that one listener or alarm has seen. Zeroed by its owner; changed by run_first_time()
 * only. */
struct hook_position {
	unsigned spans;
	struct {
		uint64_t from, to; /* cycles from + 1 .. to */
	} span[RUN_SPANS + 1];     /* [spans], by cycle, apart */
	uint64_t cuts;             /* run_history.cuts when last looked at */
	uint64_t cycle, restored;  /* of the last call: */
	bool first;
};

/* Whether the present cycle's events reach this hook for the first time in the present history;
 * only then the hook does its work. A listener or an alarm calls it first each time that it is
 * called; the result is the same for all events of a cycle. Cycles that a cut dropped count as
 * unseen; so do recorded cycles before the hook was set: a hook that is set in the past does its
 * work on the way to the newest cycle, and its changes there cut history. (After more than
 * RUN_SPANS stretches of history, the shortest gap between two counts as seen.) */
bool run_first_time(struct run *r, struct hook_position *h);

/* Re-executes [from, to) of recorded history with a listener, then returns to the present place;
 * the machine is as before. The listener must not change the machine; machine_request_stop() ends
 * the replay. For scrolling a pipeline diagram back and for trace export. */
bool run_replay(struct run *r, uint64_t from, uint64_t to, const struct event_filter *filter,
                event_fn *fn, void *ctx, struct err *err);

/* The same; also calls `each` with the machine as it was at `from`, and then after each cycle and
 * its events. */
typedef void run_look_fn(void *ctx, const struct machine *m);
bool run_replay_cycles(struct run *r, uint64_t from, uint64_t to, const struct event_filter *filter,
                       event_fn *fn, run_look_fn *each, void *ctx, struct err *err);

/* The same without events; calls fn at `from`, after each cycle at a multiple of width from the
 * first cycle of core/run/timeline.h, and at `to`. */
bool run_sample(struct run *r, uint64_t from, uint64_t to, uint64_t width, run_look_fn *fn,
                void *ctx, struct err *err);

/* Finds the cycle in which an instruction was fetched; the machine is unchanged. False with *err if
 * that isn't recorded or the search was interrupted. */
bool run_fetched(struct run *r, uint64_t seq, uint64_t *cycle, struct err *err);

/* Calls fn with the machine as it was at the end of a recorded cycle, then returns to the present
 * place as run_replay() does. fn must not change the machine. False with *err, and fn not called,
 * if that cycle isn't recorded or the way there was interrupted. */
bool run_look(struct run *r, uint64_t cycle, run_look_fn *fn, void *ctx, struct err *err);

#endif
