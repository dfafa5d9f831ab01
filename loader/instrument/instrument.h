/* Instrumentation of finished executables: code that counts, put in by the editor, and where its
 * counters are.
 *
 * Counters are 64-bit words, or several each, in the program's memory. A section of the new file,
 * which is not loaded, has a table for each kind that says what each of its counters counts, so
 * that whoever has the file can read a machine's memory as a profile.
 *
 * Several kinds may be put into one program, each as plain code or as profile instructions of its
 * own type. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_INSTRUMENT_H
#define CYCLOPS_LOADER_INSTRUMENT_INSTRUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "loader/instrument/skipped_functions.h"
#include "loader/instrument/switches.h"
#include "loader/program.h"

/*   id, name, what is counted */
#define INSTRUMENT_KINDS(K)                                                                        \
	K(NOTHING, "nothing", "nothing: the code is laid out again as it was")                     \
	K(BB, "bb", "how often each basic block is entered")                                       \
	K(EDGE, "edge",                                                                            \
	  "how often each branch is taken, and not taken, each direct jump, and where dispatch "   \
	  "tables and computed gotos lead")                                                        \
	K(PATH, "path",                                                                            \
	  "how often each path through a procedure is executed (Ammons, Ball and Larus, section "  \
	  "2)")                                                                                    \
	K(PATH_HW, "path+hw",                                                                      \
	  "the same, and what two statistics of the machine add on each path (section 3)")         \
	K(CALLGRAPH, "callgraph", "who calls whom how often: arcs from call sites to procedures")  \
	K(CCT, "cct",                                                                              \
	  "how often each procedure is called in each context: a calling context tree (section "   \
	  "4)")                                                                                    \
	K(CCT_HW, "cct+hw",                                                                        \
	  "the same, and what two statistics of the machine add in each context (section 4.3)")    \
	K(CCT_PATH, "cct+path", "how often each path is executed in each context")

enum instrument_kind {
#define K(id, name, help) INSTRUMENT_##id,
	INSTRUMENT_KINDS(K)
#undef K
	INSTRUMENT_KIND_COUNT
};

extern const char *const instrument_name[INSTRUMENT_KIND_COUNT],
	*const instrument_help[INSTRUMENT_KIND_COUNT];

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

/* A new program in whose file *file, of *n bytes and malloc'd, the summary's numbers are true; file
 * and sum may be NULL. NULL with *err. p stays the caller's. */
struct program *instrument_program(const struct program *p, const struct instrument_options *o,
                                   struct instrument_summary *sum, void **file, size_t *n,
                                   struct err *err);
/* The same as an editor (loader/launch.h); ctx is a struct instrument_options. */
struct program *instrument_edit(struct program *p, void *ctx, struct err *err);

/* The metrics of path+hw, if nothing is said. */
extern const char *const instrument_metrics[INSTRUMENT_METRICS];

/* What a counter counts: places in the program as it was. */
struct counter {
	/* of a block: its first instruction; of an edge: the branch or jump; of a path: its
	 * function */
	uint64_t at;
	/* of a block: behind its last instruction; of an edge: where it leads; of a path: 0, see
	 * path_profile.h */
	uint64_t to;
};

struct counters {
	enum instrument_kind kind;
	int type;         /* of its profile instructions; -1: plain code */
	/* Its code reckons that its flag changes nowhere but at flags' places: what a path or a
	 * procedure began with is not there otherwise, and its end would write anywhere. */
	bool whole;
	uint64_t memory;  /* address of the first, in the new program */
	uint64_t words;   /* of each: how often, and what each metric has added */
	uint64_t count;
	const struct counter *all; /* [count], borrowed from the program's file */
};

/* What the n-th kind (from 0) that was put into p counts. False if there are no more, or p is not
 * instrumented. */
bool program_counters(const struct program *p, unsigned n, struct counters *out);
/* The same of one kind, wherever it is. */
bool program_counters_of(const struct program *p, enum instrument_kind kind, struct counters *out);

#endif
