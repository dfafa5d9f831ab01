/* Options of instrumentation, as users write them, and a summary of the result (instrument.h). */
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
	int type; /* profile type of the inserted code; -1: plain code */
};

struct instrument_options {
	struct instrument_what what[INSTRUMENT_AT_ONCE];
	unsigned count;
	/* of path+hw: statistics; NULL: cycles, misses of L1D */
	const char *metrics[INSTRUMENT_METRICS];
	/* of cct: distinguish callees of a procedure, but not its call sites */
	bool merge_sites;
	/* of cct: file into which the program writes the tree when it ends; NULL: none; borrowed */
	const char *cct_file;
	/* of cct: bytes for the tree, allocated as it grows; 0: INSTRUMENT_HEAP */
	uint64_t heap_bytes;
	/* of paths: distinguish paths with the same beginning by the loop edge taken before */
	bool latches;
	/* of paths: label all edges, not only those outside a spanning tree */
	bool simple;
	struct switch_options switches;
	/* comma-separated names and wildcards: only these, not these; NULL: all, none */
	const char *functions, *except;
	/* of paths and contexts: only counting is profile instructions, and tracking is plain
	 * code */
	bool steady;
	/* for programs with threads: counters are added to by one instruction each, and each stream
	 * has a calling context tree of its own */
	bool atomic;
};

/* Whether a kind needs the same flag at a function's entry and exit: its flags are switched at
 * functions' entries only. */
bool instrument_is_nested(enum instrument_kind kind);

/* Adds a comma-separated list of kinds, optionally with profile types: "bb", "bb=1,path=2". False
 * with *err, which names the nearest, and *o unchanged. */
bool instrument_add(struct instrument_options *o, const char *text, struct err *err);
/* Sets an option of profile switching or counting: units methods
 * loops
 * blocks
 * none, checks PERIOD:LENGTH, min-loop N, on, steady, atomic (no values). instrument_add() takes
 * them too, as "units=loops". False with *err, and *o unchanged. */
bool instrument_set(struct instrument_options *o, const char *name, const char *value,
                    struct err *err);
/* Checks that all options are compatible. False with *err. */
bool instrument_check(const struct instrument_options *o, struct err *err);
/* Turns kinds that were added into profile instructions: "bb=1,path=2". False with *err, and *o
 * unchanged. */
bool instrument_type(struct instrument_options *o, const char *text, struct err *err);

/* Sets where the labels of paths are: "chords", outside a spanning tree, or "simple", on all edges.
 * False with *err. */
bool instrument_labels(struct instrument_options *o, const char *text, struct err *err);

/* Sets the room for call records, in MB: "64". False with *err, and *o unchanged. */
bool instrument_heap(struct instrument_options *o, const char *text, struct err *err);

/* Summary of an instrumentation. */
struct instrument_summary {
	uint32_t functions, insts;
	uint64_t counters;
	uint32_t left_by[LEFT_WHY_COUNT]; /* functions left alone, or cut, by reason */
	uint32_t hashed;   /* functions that count paths in hash tables */
	uint32_t flags;    /* places with profile flags */
	uint32_t controlled; /* functions with such places */
	uint32_t spilled;  /* places that had to save registers */
	uint64_t code_before, code_after; /* bytes */
};

/* The default metrics of path+hw. */
extern const char *const instrument_metrics[INSTRUMENT_METRICS];

#endif
