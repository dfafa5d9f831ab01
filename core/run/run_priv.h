/* Shared by the files of core/run/.
 *
 * Layers, each using only those below: run.c (forward commands), reverse.c, replay.c -> travel.c
 * (to a recorded cycle) -> advance.c (the one loop that moves the machine) -> watch.c (hits of a
 * cycle) -> stops.c (the table), history.c (snapshots), interval_summary.c (what may have happened
 * between them). hook_position.c and timeline.c stand beside them.
 *
 * Re-execution is muted: only listeners of our own hear it. Forward motion that a person asked for
 * is heard by all, also where it repeats recorded history. */
#ifndef CYCLOPS_CORE_RUN_RUN_PRIV_H
#define CYCLOPS_CORE_RUN_RUN_PRIV_H

#include "core/pipe/pipe.h"
#include "core/run/run.h"
#include "core/run/timeline_record.h"

enum {
	SPACING = 131072,      /* cycles between the newest snapshots, unless told otherwise */
	POLL_CYCLES = 4096,    /* between looks at the clock */
	FOCUS_NEAREST = 512,   /* cycles from a place looked at to the nearest snapshot before it */
	FOCUS_PLACES = 24,     /* most snapshots placed on the way to one place */
	FOCUS_MAX = 48,        /* kept around all the places looked at */
	/* no gap between snapshots grows beyond its age / AGE_SHARE by thinning, */
	AGE_SHARE = 8,
	FAR_NS = 40000000,     /* nor beyond what takes this long to execute again */
};

#define DEFAULT_BUDGET ((size_t)432 << 20)

/* ---- stop points ---- */
struct stop_entry {
	struct stop_point sp;
	uint64_t value;     /* of a watched register or value as last seen */
	uint8_t *bytes;     /* owned; [sp.size] watched memory as last seen */
	bool readable;      /* that memory was mapped then */
	bool touched;       /* by an event of this cycle */
	/* the edges of its call, in this cycle: [1], its end, stops forwards, [0], its beginning,
	 * backwards */
	bool crossed[2];
	bool left;          /* its last hit was there */
	bool deleted;       /* while moving: goes when the motion is over */
	struct event event; /* that touched it */
	uint64_t hit_cycle; /* of its last hit in this motion, UINT64_MAX: none */
};

/* ---- history ---- */
struct kept {
	struct snapshot *s; /* owned */
	/* owned; of what followed, up to the next one. NULL: nothing is known of that */
	struct interval_summary *summary;
	uint64_t cycle, insts, next_seq;
	uint64_t ns;        /* to get here from the machine's beginning, as estimated */
	bool focus;         /* near a place that was looked at; else one of the regular ones */
};

struct history {
	/* owned; [count], by cycle; none of two the same. kept[0] is the beginning */
	struct kept *kept;
	size_t count, room;
	uint64_t newest;    /* cycle: how far the machine ever got */
	uint64_t newest_ns; /* the same, as estimated, of the newest snapshot */
	uint64_t spacing;   /* cycles, what regular snapshots of now keep from each other */
	/* of the time between the last two regular ones, as estimated: what keeping one cost */
	double cost_share;
	bool pressed;       /* for what that is they stand farther apart than one wants to wait */
	size_t budget;      /* bytes that snapshots may hold beside the guest's memory */
	bool spent;         /* it was too small for what age leaves */
	/* of the snapshots kept, not counting what they share (machine_held_bytes) */
	size_t own_bytes;
	size_t guest_bytes; /* the most that the guest's memory ever took */
	/* bytes ever taken by the machine (machine_taken_bytes) when the last regular one was kept
	 */
	uint64_t copied;
	uint64_t taken, reexecuted;
};

/* What may have happened between two snapshots: interval_summary.c. */
struct interval_summary {
	uint64_t code[FETCHED_BLOCKS / 64];       /* bit by block, see struct pipe's `fetched` */
	uint64_t rose[STATS_ROOM / 64];           /* bit by word of struct stats */
	uint64_t stores;                          /* bit by the low bits of the page */
};

/* What the events of a motion are compared with. */
struct watch {
	bool heed;              /* stop points */
	bool each_cycle;        /* something must be looked at after every cycle */
	uint64_t registers;     /* bit by number: watched */
	commit_goal *goal;
	const struct event_filter *goal_of; /* what it is asked of; borrowed */
	void *goal_ctx;
	uint64_t seq;           /* whose fetch ends the motion, 0: none */
	int listener[8];
	unsigned listeners;
	/* found in this cycle */
	bool pending;           /* a stop point was touched */
	bool goal_met;          /* or the instruction fetched */
	uint64_t goal_pc, goal_seq;
};

struct run {
	struct machine *m;      /* borrowed */
	bool keeps_history;
	struct run_options options;
	struct stop_entry **stop; /* owned; [stop_count], by id */
	size_t stop_count, stop_room;
	int last_id;
	struct run_stop_info also[RUN_ALSO_MAX]; /* [also_count]; see run_also_hit() */
	unsigned also_count;    /* may be more than fit */
	struct history hist;
	struct timeline_record timeline;
	struct watch watch;
	/* since when the machine notes where it went: see interval_summary.c */
	uint64_t noted[STATS_ROOM];
	uint64_t cuts;          /* times that recorded history ceased to hold */
	/* owned; [cut_count], those that matter to who has not looked since: see hook_position.c */
	struct run_cut *cut;
	size_t cut_count, cut_room;
	/* cycle since which all that listen have heard each cycle of this motion */
	uint64_t heard_from;
	bool moving;            /* a condition that asks for another motion is refused */
	run_progress *progress;
	void *progress_ctx;
	run_meter *meter;
	void *meter_ctx;
	uint64_t metered; /* the cycle up to which it was told, in this motion */
	uint64_t poll_cycle;    /* when to look at the clock */
	uint64_t poll_ns;       /* when to report */
};

/* ---- stops.c ---- */
void stops_free(struct run *r);
/* Removes what was deleted while moving, and temporary stop points hit at `cycle`; disables those
 * whose call was left then. */
void stops_sweep(struct run *r, uint64_t cycle, struct run_stop_info *out);

/* ---- watch.c ---- */
/* What goals are asked of, if nothing else is said. */
extern const struct event_filter run_commits;
/* Starts to listen for what w->heed, goal and seq ask; false with *err if memory is short. */
bool watch_arm(struct run *r, struct err *err);
void watch_disarm(struct run *r);
/* What is watched is compared with the present from now on. */
void watch_rebase(struct run *r);
void watch_new_cycle(struct watch *w);
/* Whether the cycle just done hits a stop point; then fills *out. `counting`: hits are counted and
 * ignored ones passed over. */
bool watch_hit(struct run *r, bool counting, struct run_stop_info *out);

/* ---- history.c ---- */
bool history_begin(struct run *r); /* drops all; the first snapshot. False: no memory for it */
void history_free(struct run *r);
/* Keeps a snapshot of now, if there is none of this cycle; false if memory is out. */
bool history_keep(struct run *r, bool focus);
/* Index of the latest snapshot at or before a cycle >= the first. */
size_t history_at(const struct run *r, uint64_t cycle);
/* Cycle in which forward motion should keep the next snapshot: behind the last regular one a
 * regular one, and where old ones have become few, one for the time that somebody is about. */
uint64_t history_due(const struct run *r);
bool history_keep_due(struct run *r);
/* The machine was changed in this cycle: drops what lies after. */
void history_cut(struct run *r, uint64_t cycle);
/* Drops what holds no state of an attachment that was there: attached in the past, it hears what
 * follows again. */
void history_serve(struct run *r);
/* Gives up half of what is kept, for host memory; false if only the beginning is left. */
bool history_reclaim(struct run *r);
/* A copy of now that no thinning touches; NULL if memory is out, for which history has been given
 * up. */
struct snapshot *history_copy(struct run *r);

/* ---- interval_summary.c ---- */
/* What is in flight now, at the beginning; owned by the caller. NULL if memory is short: anything
 * may happen behind it. */
struct interval_summary *interval_new(const struct machine *m);
/* Adds what happened in the other's interval; NULL either: returns NULL and frees `to`. */
struct interval_summary *interval_join(struct interval_summary *to,
                                       const struct interval_summary *more);

/* Notes what happens from here on. */
void interval_begin(struct run *r);
/* Adds what was noted to the last snapshot's summary, if the machine is behind it. */
void interval_note(struct run *r);

/* Whether a stop point may be hit between the snapshot with this index and `end`, which lies at
 * most where the next one does. */
bool interval_may_hit(const struct run *r, size_t index, const struct snapshot *end);

/* ---- timeline.c ---- */
/* The machine's run begins, or goes on with what a checkpoint has said of it. */
void timeline_begin(struct run *r);
void timeline_free(struct run *r);
/* The machine has come here, from anywhere: takes a point that is due. */
void timeline_pass(struct run *r);
/* Behind this cycle nothing holds. */
void timeline_cut(struct run *r, uint64_t cycle);
/* A motion is over. */
void timeline_rest(struct run *r);

/* ---- hook_position.c ---- */
/* What was recorded behind this cycle ceases to hold. */
void hook_position_cut(struct run *r, uint64_t cycle);

/* ---- run.c ---- */
/* Cuts history where listeners have changed the recorded past. */
void run_changed(struct run *r);

/* ---- advance.c ---- */
enum advance_end {
	ADVANCE_REACHED,  /* until_cycle or until_insts */
	ADVANCE_HIT,      /* a stop point */
	ADVANCE_GOAL,     /* the goal said so, or the instruction was fetched */
	ADVANCE_STOPPED,  /* the machine did */
	ADVANCE_ASKED,    /* a listener or alarm asked for it */
	ADVANCE_INTERRUPT, /* or host memory is out: the machine is MACHINE_STARVED */
	ADVANCE_INPUT,
	ADVANCE_STALLED
};

struct advance {
	uint64_t until_cycle, until_insts;
	bool record;   /* a motion that a person sees: snapshots as time passes, hits count */
	uint64_t shown_cycle; /* what progress reports instead of the present, 0: the present */
	uint64_t place[FOCUS_PLACES]; /* [places] cycles in which to keep a snapshot, ascending */
	unsigned places, placed;
	run_look_fn *each;    /* NULL: nobody; else this is called behind each cycle, */
	/* or, unless every is 0, those that are `base` and a multiple of it, and until_cycle */
	uint64_t every, base;
	void *each_ctx;
};

enum advance_end advance(struct run *r, struct advance *a, struct run_stop_info *out);
/* Places on the way to `to` whose distances from it halve. */
void advance_place(struct advance *a, uint64_t from, uint64_t to);

/* Around every motion. False with *err if one is under way. */
bool motion_begin(struct run *r, struct err *err);
/* Fills what is left of *out; always true. */
bool motion_end(struct run *r, enum stop_reason reason, struct run_stop_info *out);
enum stop_reason motion_reason(enum advance_end end);

/* ---- travel.c ---- */
/* Fails with *err if there is no history. */
bool travel_possible(const struct run *r, struct err *err);
/* To a recorded cycle, muted and without stop points. False: interrupted on the way. */
bool travel_to(struct run *r, uint64_t cycle);
/* Begins a motion that may end where it began: *here is a copy of the present, owned by the caller.
 */
bool travel_depart(struct run *r, struct snapshot **here, struct err *err);
/* Ends it at `cycle`, or at *here if that is UINT64_MAX or the way there is interrupted; frees
 * *here. Always true. */
bool travel_land(struct run *r, struct snapshot *here, uint64_t cycle, enum stop_reason reason,
                 struct run_stop_info *out);
/* As the machine was in a snapshot. */
void travel_back(struct run *r, const struct snapshot *s);
/* In the one of history with this index. */
void travel_restore(struct run *r, size_t index);

#endif
