/* Shared by the files of core/run/.
 *
 * Layers, each using only those below: run.c (forward commands), reverse.c, replay.c -> travel.c
 * (to a recorded cycle) -> advance.c (the one loop that moves the machine) -> watch.c (hits of a
 * cycle) -> stop_index.c (stop points by address), stops.c (the table), history.c (snapshots),
 * interval_summary.c (events possible between them). hook_position.c and timeline.c are next to
 * them.
 *
 * Re-execution is muted: only our own listeners receive its events. Forward motion that the user
 * asked for reaches all listeners, also where it repeats recorded history. */
#ifndef CYCLOPS_CORE_RUN_RUN_PRIV_H
#define CYCLOPS_CORE_RUN_RUN_PRIV_H

#include "core/pipe/pipe.h"
#include "core/run/run.h"
#include "core/run/timeline_record.h"

enum {
	SPACING = 131072,      /* cycles between the newest snapshots, unless configured */
	POLL_CYCLES = 4096,    /* between looks at the clock */
	FOCUS_NEAREST = 512,   /* cycles from a place reached to the nearest snapshot before it */
	FOCUS_PLACES = 24,     /* most snapshots placed on the way to one place */
	FOCUS_MAX = 48,        /* kept around all places reached */
	/* no gap between snapshots grows beyond its age / AGE_SHARE by thinning, */
	AGE_SHARE = 8,
	FAR_NS = 40000000,     /* nor beyond this time of re-execution */
};

#define DEFAULT_BUDGET ((size_t)432 << 20)

/* ---- stop points ---- */
struct stop_entry {
	struct stop_point sp;
	uint64_t value;     /* of a watched register or value as last seen */
	uint8_t *bytes;     /* owned; [sp.size] watched memory as last seen */
	bool readable;      /* true if the memory was mapped then */
	bool touched;       /* by an event of this cycle */
	/* its call's edges in this cycle: [1]: the end, which stops forward motions; [0]: the
	 * beginning, which stops backward ones */
	bool crossed[2];
	bool left;          /* its last hit was at such an edge */
	bool loose;         /* pending when the motion began: its address may change */
	bool deleted;       /* deleted while moving: freed when the motion is over */
	struct event event; /* the event that touched it */
	uint64_t hit_cycle; /* of its last hit in this motion, UINT64_MAX: none */
};

/* Stop points of events are all at address 0. */
enum stop_index_kind {
	STOPS_BY_PC,
	STOPS_BY_EDGE,
	STOPS_BY_MEMORY,
	STOPS_BY_EVENT,
	STOP_INDEXES
};
enum { STOP_INDEX_BITS = 16384 };

struct stop_span {
	uint64_t lo, last; /* bytes, last inclusive */
	uint64_t reach;    /* the greatest `last` of this span and of those before it */
	size_t entry;      /* number in the table */
	unsigned edge;     /* STOPS_BY_EDGE: 0 or 1 */
};

struct stop_index {
	struct stop_span *all; /* [count], owned: by lo */
	size_t count, room;
	uint64_t filter[STOP_INDEX_BITS / 64]; /* bit by the low bits of the address */
};

/* ---- history ---- */
struct kept {
	struct snapshot *s; /* owned */
	/* owned; of the cycles up to the next snapshot. NULL: unknown */
	struct interval_summary *summary;
	uint64_t cycle, insts, next_seq;
	uint64_t ns;        /* estimated host time from the machine's beginning to here */
	bool focus;         /* near a place reached; else a regular one */
};

struct history {
	/* owned; [count], ascending by cycle, no two the same. kept[0] is the beginning */
	struct kept *kept;
	size_t count, room;
	uint64_t newest;    /* the last cycle ever reached */
	uint64_t newest_ns; /* kept.ns of the newest snapshot */
	uint64_t spacing;   /* cycles between regular snapshots at present */
	/* cost of the last regular snapshot, as an estimated share of the time since the one
	 * before */
	double cost_share;
	bool pressed;       /* because of that share, going back takes longer than PATIENCE_NS */
	size_t budget;      /* bytes that snapshots may hold besides the guest's memory */
	bool spent;         /* the budget was too small for the snapshots that age leaves */
	/* of the snapshots kept, without what they share (machine_held_bytes) */
	size_t own_bytes;
	size_t guest_bytes; /* the most that the guest's memory ever took */
	/* bytes ever taken by the machine (machine_taken_bytes) when the last regular one was kept
	 */
	uint64_t copied;
	uint64_t taken, reexecuted;
};

/* Events possible between two snapshots: interval_summary.c. */
struct interval_summary {
	uint64_t code[FETCHED_BLOCKS / 64];       /* bit by block, see struct pipe's `fetched` */
	uint64_t rose[STATS_ROOM / 64];           /* bit by word of struct stats */
	uint64_t stores;                          /* bit by the low bits of the page */
};

/* Conditions that the events of a motion are compared with. */
struct watch {
	bool heed;              /* compare with stop points, too */
	bool each_cycle;        /* some condition must be evaluated after every cycle */
	bool values;            /* some stop point compares a value, which no event touches */
	uint64_t registers;     /* watched ones, bit by number */
	commit_goal *goal;
	const struct event_filter *goal_of; /* its events; borrowed */
	void *goal_ctx;
	uint64_t seq;           /* instruction whose fetch ends the motion, 0: none */
	int listener[9];
	unsigned listeners;
	/* found in this cycle */
	bool pending;           /* a stop point was touched */
	int first_id, last_id;  /* touched ones lie between; all if `values` */
	bool goal_met;          /* the goal is met, or the instruction fetched */
	uint64_t goal_pc, goal_seq;
};

struct run {
	struct machine *m;      /* borrowed */
	bool keeps_history;
	struct run_options options;
	struct stop_entry **stop; /* owned; [stop_count], by id */
	size_t stop_count, stop_room;
	bool deleted_stops;     /* some stop points are deleted, and not freed yet */
	int last_id;
	int last_internal_id; /* counts down */
	struct stop_index index[STOP_INDEXES]; /* of this motion */
	size_t indexed_stops;   /* in the indexes; later ones were added during the motion */
	bool keeps_temporary;   /* run_keep_temporary() */
	bool loose_stops;       /* some stop points are loose */
	struct run_stop_info also[RUN_ALSO_MAX]; /* [also_count]; see run_also_hit() */
	unsigned also_count;    /* may exceed RUN_ALSO_MAX */
	struct history hist;
	struct timeline_record timeline;
	struct watch watch;
	/* statistics at the last interval_begin(): see interval_summary.c */
	uint64_t noted[STATS_ROOM];
	uint64_t cuts;          /* times that recorded history was cut */
	/* owned; [cut_count], those that a hook may not have seen: see hook_position.c */
	struct run_cut *cut;
	size_t cut_count, cut_room;
	/* cycle in which this motion began; listeners have received all events since */
	uint64_t heard_from;
	bool moving;            /* a motion is under way: another one is refused */
	run_progress *progress;
	void *progress_ctx;
	char work[48];          /* run_work(); empty: none */
	run_meter *meter;
	void *meter_ctx;
	uint64_t metered; /* last cycle reported to it in this motion */
	uint64_t poll_cycle;    /* when to look at the clock */
	uint64_t poll_ns;       /* when to report */
};

/* ---- stops.c ---- */
void stops_free(struct run *r);
/* Removes stop points deleted while moving, and temporary ones hit at `cycle`; disables those whose
 * call was left then. */
void stops_sweep(struct run *r, uint64_t cycle, struct run_stop_info *out);

/* ---- stop_index.c ---- */
/* Fills the indexes with the stop points as they are; false if memory is short. */
bool stop_index_build(struct run *r);
void stop_index_free(struct run *r);
/* Whether a stop point may be at one of the bytes [lo, last]; false is certain. */
bool stop_index_may_hold(const struct run *r, enum stop_index_kind kind, uint64_t lo,
                         uint64_t last);
typedef void stop_index_fn(struct run *r, struct stop_entry *e, unsigned edge,
                           const struct machine *m, const struct event *ev);
/* Calls fn for each stop point at one of the bytes [lo, last]; a stop point added during the motion
 * included. */
void stop_index_each(struct run *r, enum stop_index_kind kind, const struct machine *m,
                     const struct event *ev, uint64_t lo, uint64_t last, stop_index_fn *fn);

/* ---- watch.c ---- */
/* The default filter of goals: commits. */
extern const struct event_filter run_commits;
/* Adds listeners for w->heed, goal and seq; false with *err if memory is short. */
bool watch_arm(struct run *r, struct err *err);
void watch_disarm(struct run *r);
/* Resets the watched values to the present ones. */
void watch_rebase(struct run *r);
void watch_new_cycle(struct watch *w);
/* Whether the cycle just done hits a stop point; then fills *out. `counting`: counts hits and
 * passes over ignored ones. */
bool watch_hit(struct run *r, bool counting, struct run_stop_info *out);

/* ---- history.c ---- */
bool history_begin(struct run *r); /* drops all; takes the first snapshot. False: out of memory */
void history_free(struct run *r);
/* Keeps a snapshot of the present, unless there is one of this cycle; false if memory is out. */
bool history_keep(struct run *r, bool focus);
/* Index of the latest snapshot at or before a cycle >= the first. */
size_t history_at(const struct run *r, uint64_t cycle);
/* Cycle in which forward motion should keep the next snapshot: a regular one, or one for the
 * present place if old snapshots have become few there. */
uint64_t history_due(const struct run *r);
bool history_keep_due(struct run *r);
/* Drops history after this cycle, in which the machine was changed. */
void history_cut(struct run *r, uint64_t cycle);
/* Drops snapshots that lack the state of an attachment made after them: attached in the past, it
 * gets the following events again. */
void history_serve(struct run *r);
/* Drops half of the snapshots to free host memory; false if only the beginning is left. */
bool history_reclaim(struct run *r);
/* A snapshot of the present that is never thinned; NULL if memory is out even after giving up
 * history. */
struct snapshot *history_copy(struct run *r);

/* ---- interval_summary.c ---- */
/* Caller-owned copy of in-flight instructions at the start. NULL on out of memory: then assume
 * nothing about later events. */
struct interval_summary *interval_new(const struct machine *m);
/* Merges `more` into `to`; if either is NULL, frees `to` and returns NULL. */
struct interval_summary *interval_join(struct interval_summary *to,
                                       const struct interval_summary *more);

/* Starts noting at the present. */
void interval_begin(struct run *r);
/* Adds what was noted to the last snapshot's summary, if the machine is past that snapshot. */
void interval_note(struct run *r);

/* Whether a stop point may be hit between the snapshot with this index and `end`, which is at most
 * the next one. */
bool interval_may_hit(const struct run *r, size_t index, const struct snapshot *end);

/* ---- timeline.c ---- */
/* Starts the machine's timeline, or continues that of its checkpoint. */
void timeline_begin(struct run *r);
void timeline_free(struct run *r);
/* Takes a point if one is due here; call wherever the machine arrives. */
void timeline_pass(struct run *r);
/* Drops what lies after this cycle. */
void timeline_cut(struct run *r, uint64_t cycle);
/* Call when a motion is over. */
void timeline_rest(struct run *r);

/* ---- hook_position.c ---- */
/* Records that history after this cycle was cut. */
void hook_position_cut(struct run *r, uint64_t cycle);

/* ---- run.c ---- */
/* Cuts history if listeners have changed the recorded past. */
void run_changed(struct run *r);

/* ---- advance.c ---- */
enum advance_end {
	ADVANCE_REACHED,  /* until_cycle, until_insts or until_own */
	ADVANCE_HIT,      /* a stop point */
	ADVANCE_GOAL,     /* the goal was met, or the instruction was fetched */
	ADVANCE_STOPPED,  /* the machine stopped */
	ADVANCE_ASKED,    /* a listener or alarm asked for it */
	ADVANCE_INTERRUPT, /* or host memory is out: the machine is MACHINE_STARVED */
	ADVANCE_INPUT,
	ADVANCE_STALLED
};

struct advance {
	uint64_t until_cycle, until_insts; /* machine_committed() */
	uint64_t until_own;                /* machine_insts(); 0: no limit */
	bool record;   /* a visible motion: takes snapshots on the way, counts hits */
	uint64_t shown_cycle; /* what progress reports instead of the present, 0: the present */
	uint64_t place[FOCUS_PLACES]; /* [places] cycles in which to keep a snapshot, ascending */
	unsigned places, placed;
	run_look_fn *each;    /* called after each cycle; NULL: none; */
	/* unless every is 0, only at multiples of it from `base`, and at until_cycle */
	uint64_t every, base;
	void *each_ctx;
};

enum advance_end advance(struct run *r, struct advance *a, struct run_stop_info *out);
/* Sets places on the way to `to`, each at half the distance of the one before. */
void advance_place(struct advance *a, uint64_t from, uint64_t to);

/* Call around every motion. False with *err if one is under way. */
bool motion_begin(struct run *r, struct err *err);
/* Fills the rest of *out; always true. */
bool motion_end(struct run *r, enum stop_reason reason, struct run_stop_info *out);
enum stop_reason motion_reason(enum advance_end end);

/* ---- travel.c ---- */
/* Fails with *err if there is no history. */
bool travel_possible(const struct run *r, struct err *err);
/* Goes to a recorded cycle, muted and without stop points. False: interrupted on the way. */
bool travel_to(struct run *r, uint64_t cycle);
/* Begins a motion that may return to its start: *here is a copy of the present, owned by the
 * caller. */
bool travel_depart(struct run *r, struct snapshot **here, struct err *err);
/* Ends the motion at `cycle`, or at *here if cycle is UINT64_MAX or the way is interrupted; frees
 * *here. Always true. */
bool travel_land(struct run *r, struct snapshot *here, uint64_t cycle, enum stop_reason reason,
                 struct run_stop_info *out);
/* Restores a snapshot. */
void travel_back(struct run *r, const struct snapshot *s);
/* Restores history's snapshot with this index. */
void travel_restore(struct run *r, size_t index);

#endif
