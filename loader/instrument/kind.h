/* What the kinds of instrumentation share (loader/instrument/instrument.h). */
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
	/* [sum->functions], owned: registers that the kind wants to itself, until it is in */
	uint32_t *reserved;
	/* Of the kind that is being put in. */
	enum instrument_kind kind;
	int type;                /* of its profile instructions; -1: plain code */
	struct counter *counters; /* [counter_count], owned */
	size_t counter_count, counter_room;
	uint64_t words;          /* of each counter */
	uint64_t memory;         /* address of the first counter */
	uint8_t *wanted;         /* [sum->functions], owned: whether functions are instrumented */
	enum switch_units units; /* of flags: not UNITS_UNSAID */
	struct switch_plan *plan; /* where profile flags change; NULL: there are none */
	struct skipped_function *left; /* [left_count], owned */
	size_t left_count, left_room;
};

typedef bool put_fn(struct edit *e, uint32_t i, const struct edit_code *code, unsigned n,
                    struct err *err);

/* n counters more, all for the same two places; the number of the first in *first. False with *err
 * if memory is out. */
bool job_counters(struct job *j, uint64_t at, uint64_t to, uint64_t n, uint64_t *first);

/* What is left alone in f, or done otherwise: people read it. False with *err if memory is out. */
bool job_leave(struct job *j, const struct edit_function *f, enum skip_reason why);

/* What matters where instruction i is, behind it, and where it leads when it is taken. */
uint32_t job_live_at(const struct job *j, uint32_t i);
uint32_t job_live_behind(const struct job *j, uint32_t i);
uint32_t job_live_taken(const struct job *j, uint32_t i);

/* Keeps what later kinds put into a function off a register that this kind uses from the function's
 * beginning to its end: for them it matters everywhere in it. Kinds that do so are put in first. */
void job_reserve(struct job *j, const struct edit_function *f, unsigned reg);

/* Whether a function is to be instrumented. */
bool job_wants(const struct job *j, const struct edit_function *f);
/* Whether i calls what returns once more, from another function: setjmp() and its kin. */
bool job_returns_twice(const struct job *j, uint32_t i);
/* Whether the kind's flag may change right before i, other than where its function is entered: what
 * is counted ends and begins there. */
bool job_is_switched(const struct job *j, uint32_t i);
/* Whether the flag changes at such places and nowhere else within a function. If not, what belongs
 * together can't be profile instructions. */
bool job_is_steady(const struct job *j);
/* Whether the flag with which function f was entered holds until it is left: not if somebody may
 * come back to it from anywhere. Of kinds that instrument_is_nested(). */
bool job_keeps_flag(const struct job *j, uint32_t f);

/* kind_edge.c: edges of jumps through registers, before all other counters of the kind. */
bool count_ways(struct job *j);
/* kind_path.c */
bool count_paths(struct job *j);
/* kind_callgraph.c */
bool count_arcs(struct job *j);
/* kind_cct.c */
bool count_contexts(struct job *j);

#endif
