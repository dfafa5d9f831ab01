/* Counters of an instrumented program: their addresses, and what each counts. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_COUNTERS_H
#define CYCLOPS_LOADER_INSTRUMENT_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/instrument/kinds.h"
#include "loader/program.h"

#define COUNTERS_SECTION ".cyclops.counters"
#define COUNTERS_MAGIC UINT64_C(0x344e554f43435943) /* "CYCCOUN4" */

/* The section: COUNTERS_MAGIC, then for each kind this header and its counters. */
struct counters_header {
	uint64_t kind, memory, words, count;
	int64_t type;
	uint64_t flags;
};

enum { COUNTERS_WHOLE = 1, COUNTERS_ATOMIC = 2 };

/* The place that a counter counts; addresses in the original program. */
struct counter {
	/* of a block: its first instruction; of an edge: the branch or jump; of a path: its
	 * function */
	uint64_t at;
	/* of a block: after its last instruction; of an edge: its target; of a path: 0, see
	 * path_profile.h */
	uint64_t to;
};

struct counters {
	enum instrument_kind kind;
	int type;         /* of its profile instructions; -1: plain code */
	/* Its code requires that its flag changes only at flags' places: elsewhere, state from the
	 * beginning of a path or procedure would be missing, and code at its end would write
	 * anywhere. */
	bool whole;
	bool atomic;      /* no thread's count gets lost at a switch */
	uint64_t memory;  /* address of the first, in the new program */
	uint64_t words;   /* of each: the count, and each metric's sum */
	uint64_t count;
	const struct counter *all; /* [count], borrowed from the program's file */
};

/* The counters of the n-th kind (from 0) in p. False if there are no more, or p is not
 * instrumented. */
bool program_counters(const struct program *p, unsigned n, struct counters *out);
/* The same for a given kind. */
bool program_counters_of(const struct program *p, enum instrument_kind kind, struct counters *out);

#endif
