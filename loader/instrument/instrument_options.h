/* What a person asks instrumentation for, and what came of it (instrument.h). */
#ifndef CYCLOPS_LOADER_INSTRUMENT_INSTRUMENT_OPTIONS_H
#define CYCLOPS_LOADER_INSTRUMENT_INSTRUMENT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "loader/instrument/kinds.h"
#include "loader/instrument/skipped_functions.h"
#include "loader/instrument/switches.h"

enum { INSTRUMENT_METRICS = 2, INSTRUMENT_AT_ONCE = 8, INSTRUMENT_HEAP = 64 << 20 };

struct instrument_what {
	enum instrument_kind kind;
	int type; /* what is put in becomes profile instructions of this type; -1: plain ones */
};

struct instrument_options {
	struct instrument_what what[INSTRUMENT_AT_ONCE];
	unsigned count;
	/* of path+hw: statistics; NULL: cycles, misses of L1D */
	const char *metrics[INSTRUMENT_METRICS];
	/* of cct: procedures that a procedure calls are told apart, its call sites are not */
	bool merge_sites;
	/* of cct: into which the program writes the tree when it ends; NULL: none; borrowed */
	const char *cct_file;
	/* of cct: room for the tree, which takes memory as it grows; 0: INSTRUMENT_HEAP */
	uint64_t heap_bytes;
	/* of paths: those that begin alike are told apart by where the loop went back from */
	bool latches;
	/* of paths: edges are labelled as they come, not only those that a spanning tree leaves
	 * over */
	bool simple;
	struct switch_options switches;
	/* names with commas between them, and wildcards: only these, not these; NULL: all, none */
	const char *functions, *except;
	/* of paths and contexts only what counts is profile instructions; what follows them is
	 * plain code */
	bool steady;
};

/* Whether what a kind does where a function is entered and where it is left belongs together: its
 * flags are switched at functions' entries alone. */
bool instrument_is_nested(enum instrument_kind kind);

/* Adds kinds as a person writes them, with commas between them: "bb", "bb=1,path=2" with profile
 * types. False with *err, which names the nearest, and *o as before. */
bool instrument_add(struct instrument_options *o, const char *text, struct err *err);
/* Sets one of what switches profiling: units methods|loops|blocks|none, checks PERIOD:LENGTH,
 * min-loop N, on, steady (no values). instrument_add() takes them too, as "units=loops". False with
 * *err, and *o as before. */
bool instrument_set(struct instrument_options *o, const char *name, const char *value,
                    struct err *err);
/* Whether all of it goes together; false with *err. */
bool instrument_check(const struct instrument_options *o, struct err *err);
/* Makes profile instructions of kinds that were added: "bb=1,path=2". False with *err, and *o as
 * before. */
bool instrument_type(struct instrument_options *o, const char *text, struct err *err);

/* Where the labels of paths lie, as a person says it: "chords", outside a spanning tree, or
 * "simple", on all edges. False with *err. */
bool instrument_labels(struct instrument_options *o, const char *text, struct err *err);

/* Room for call records, in MB: "64". False with *err, and *o as before. */
bool instrument_heap(struct instrument_options *o, const char *text, struct err *err);

/* What came of it. */
struct instrument_summary {
	uint32_t functions, insts;
	uint64_t counters;
	uint32_t left_by[LEFT_WHY_COUNT]; /* functions, by why they were left alone, or cut */
	uint32_t hashed;   /* functions whose paths are counted in hash tables */
	uint32_t flags;    /* places at which profile flags are switched */
	uint32_t controlled; /* functions with such */
	uint32_t spilled;  /* places where registers had to be saved */
	uint64_t code_before, code_after; /* bytes */
};

/* The metrics of path+hw, if nothing is said. */
extern const char *const instrument_metrics[INSTRUMENT_METRICS];

#endif
