/* Counts by tuple, and the error of one such profile against another (Sastry, Bodik, Smith, section
 * 5.3.1).
 *
 * Tuples and pcs keep the order in which they were first counted, so that results of a walk depend
 * on nothing else. A pc includes its stream's tag (compressor.h), so streams with different tags
 * have separate profiles.
 *
 * Invariants: a pc's count is the sum of its tuples', total that of all; a tuple is in exactly one
 * chain, its pc's. */
#ifndef CYCLOPS_CORE_PROF_SAMPLER_TUPLE_PROFILE_H
#define CYCLOPS_CORE_PROF_SAMPLER_TUPLE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/prof/sampler/compressor.h"
#include "core/prof/sampler/tuple_stream.h"

enum { TUPLE_NONE = UINT32_MAX };

struct tuple_count {
	struct tuple tuple;
	uint64_t count;
	uint32_t pc;   /* number of its pc's entry */
	/* number of the pc's next tuple, in the order of their first counts; TUPLE_NONE: no more */
	uint32_t next;
};

struct pc_count {
	uint64_t pc;   /* with the tag, as in struct tuple */
	uint64_t count;
	uint32_t first, last; /* of its tuples */
	uint32_t values;      /* number of its tuples */
};

/* An open hash table: numbers of entries by the hash of their keys. */
struct tuple_slots {
	uint32_t *at; /* [count], owned; TUPLE_NONE: free */
	size_t count; /* a power of two, or 0 */
};

struct tuple_profile {
	struct tuple_count *tuple; /* [tuples], owned */
	struct pc_count *pc;       /* [pcs], owned */
	uint32_t tuples, pcs, tuple_room, pc_room;
	uint64_t total;            /* of all counts */
	struct tuple_slots tuple_slots, pc_slots;
	struct tuple_memory memory;
};

/* Empty, in the caller's storage. */
void tuple_profile_init(struct tuple_profile *p, struct tuple_memory memory);
void tuple_profile_deinit(struct tuple_profile *p);
/* Removes all counts, but keeps the memory. */
void tuple_profile_clear(struct tuple_profile *p);

/* Adds `count` to this tuple. False if memory is out: nothing is counted. Sums have 64 bits and
 * wrap. */
bool tuple_profile_add(struct tuple_profile *p, struct tuple t, uint64_t count);

/* NULL: never counted. Borrowed until something is added. */
const struct tuple_count *tuple_profile_find(const struct tuple_profile *p, struct tuple t);
/* `pc` includes the tag. */
const struct pc_count *tuple_profile_find_pc(const struct tuple_profile *p, uint64_t pc);

/* Selects a profile's relevant part (5.3.1). A pc is selected if it was executed at least min_count
 * times and its sufficiently invariant tuples make up at least the part `covered` of that; a tuple
 * is sufficiently invariant if it makes up at least the part `invariant` of its pc's executions.
 * Selected are the sufficiently invariant tuples of selected pcs. */
struct tuple_thresholds {
	uint64_t min_count;
	double invariant, covered; /* 0 to 1 */
	int tag;                   /* only this stream; -1: all */
};

/* The paper's: 1000, 0.10, 0.40. */
extern const struct tuple_thresholds tuple_thresholds_paper;

struct tuple_error {
	double error;       /* 0 to 1; NAN: nothing is selected */
	uint64_t pcs, tuples; /* selected ones */
	uint64_t weight;    /* executions of the selected tuples */
	uint64_t total;     /* executions of all pcs of the stream, in the ideal profile */
	uint64_t unseen;    /* selected pcs that the estimate has no count of */
};

/* Averages, over the tuples selected in the ideal profile, the difference between their invariances
 * in the two profiles, weighted by their counts in the ideal one. "From both profiles we discard"
 * tuples that are not selected, and the ideal profile alone selects: a tuple that is invariant only
 * in the estimate has no difference of its own, but counts in its pc's executions there, of which
 * invariance is a fraction. In a pc that the estimate does not have, tuples have an invariance of
 * 0. */
void tuple_profile_error(const struct tuple_profile *ideal, const struct tuple_profile *estimate,
                         const struct tuple_thresholds *limits, struct tuple_error *out);
/* The same for `n` estimates at once: walks the ideal profile, which may be much larger, only once.
 */
void tuple_profile_errors(const struct tuple_profile *ideal,
                          const struct tuple_profile *const *estimate, size_t n,
                          const struct tuple_thresholds *limits, struct tuple_error *out);

#endif
