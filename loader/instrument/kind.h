/* Shared by the kinds of instrumentation (loader/instrument/instrument.h). */
#ifndef CYCLOPS_LOADER_INSTRUMENT_KIND_H
#define CYCLOPS_LOADER_INSTRUMENT_KIND_H

#include "loader/edit/edit.h"
#include "loader/edit/writer.h"
#include "loader/instrument/counters.h"
#include "loader/instrument/instrument_options.h"

struct job {
	struct edit *e;
	const struct instrument_options *o;
	struct instrument_summary *sum;
	struct err *err;
	const struct edit_inst *insts;
	uint32_t count;
	uint32_t *live;          /* [count], owned */
	/* [sum->functions], owned: registers reserved by a kind, until all are put in */
	uint32_t *reserved;
	/* Of the current kind. */
	enum instrument_kind kind;
	int type;                /* of its profile instructions; -1: plain code */
	struct counter *counters; /* [counter_count], owned */
	size_t counter_count, counter_room;
	uint64_t words;          /* of each counter */
	uint64_t memory;         /* address of the first counter */
	uint8_t *wanted;         /* [sum->functions], owned: functions to instrument */
	enum switch_units units; /* of flags: not UNITS_UNSAID */
	struct switch_plan *plan; /* where profile flags change; NULL: no flags */
	struct skipped_function *left; /* [left_count], owned */
	size_t left_count, left_room;
};

typedef bool put_fn(struct edit *e, uint32_t i, const struct edit_code *code, unsigned n,
                    struct err *err);

/* job.c */
/* Adds n counters with the same `at` and `to`; *first receives the index of the first. False with
 * *err if memory is out. */
bool job_counters(struct job *j, uint64_t at, uint64_t to, uint64_t n, uint64_t *first);

/* Why no kind puts anything into f: its bytes contradict their metadata, it may continue in old
 * code, or it has blocks that no code may be put into. LEFT_WHY_COUNT: nothing forbids it. */
enum skip_reason job_untouched(const struct edit_function *f);
/* Records that f is left alone, or treated specially, for users. False with *err if memory is
 * out. */
bool job_leave(struct job *j, const struct edit_function *f, enum skip_reason why);

/* Live registers before instruction i, after it, and on its taken edge. */
uint32_t job_live_at(const struct job *j, uint32_t i);
uint32_t job_live_behind(const struct job *j, uint32_t i);
uint32_t job_live_taken(const struct job *j, uint32_t i);

/* Reserves a register in a function: it counts as live everywhere in it for later kinds. Kinds that
 * reserve are put in first. */
void job_reserve(struct job *j, const struct edit_function *f, unsigned reg);

/* Whether a function is to be instrumented. */
bool job_wants(const struct job *j, const struct edit_function *f);
/* Whether the kind's flag may change right before i, other than at its function's entry: counting
 * ends and restarts there. */
bool job_is_switched(const struct job *j, uint32_t i);
/* Whether the flag changes within a function only at such places. If not, code that must run
 * together cannot be profile instructions. */
bool job_is_steady(const struct job *j);
/* Whether the flag at the entry of function f holds until its exit: not if control may come back to
 * it from anywhere. For kinds with instrument_is_nested(). */
bool job_keeps_flag(const struct job *j, uint32_t f);

/* kind_edge.c: edges of jumps through registers; before all other counters of the kind. */
bool count_ways(struct job *j);
/* kind_path.c */
bool count_paths(struct job *j);
/* kind_callgraph.c */
bool count_arcs(struct job *j);
/* kind_cct.c */
bool count_contexts(struct job *j);

#endif
