/* The paths counted by a program that is instrumented with kind path: section .cyclops.paths of its
 * file. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_PATH_PROFILE_H
#define CYCLOPS_LOADER_INSTRUMENT_PATH_PROFILE_H

#include "loader/edit/cfg.h"
#include "loader/instrument/counters.h"
#include "loader/instrument/path_table.h"
#include "loader/instrument/paths.h"
#include "loader/program.h"

#define PATHS_SECTION ".cyclops.paths"

enum path_where {
	PATHS_IN_COUNTERS, /* an array of the program's counters (struct counters) */
	PATHS_IN_TABLE,    /* a hash table of its own */
	PATHS_IN_RECORDS,  /* one in each record of a calling context tree */
};

/* A block; addresses in the original program. */
struct path_block {
	uint64_t start, end;
};

struct path_function {
	uint64_t at;       /* address */
	enum path_where where; /* where its table is */
	/* PATHS_IN_COUNTERS: its first counter (struct counters): counter first + k counts path k.
	 * Else path_place.at */
	uint64_t first;
	struct path_table table;
	struct path_graph graph; /* numbered */
	struct path_edge *edges; /* [graph.count], owned: of graph */
	/* [graph.vertices - CFG_BLOCKS], owned: of vertex CFG_BLOCKS and up; end 0: no block, but a
	 * meeting point of jumps through registers */
	struct path_block *blocks;
};

/* Whether path number k is only a part of an execution's path: it was cut elsewhere than at a back
 * edge. */
bool path_is_part(const struct path_function *f, uint64_t k);

struct path_profile {
	uint64_t count;
	struct path_function *functions; /* [count], owned: by address */
};

/* Reads the section. False if p counts no paths, or the section is damaged. */
bool program_paths(const struct program *p, struct path_profile *out);
void path_profile_free(struct path_profile *p);
/* Reads only the function at this address, much faster; *out is a profile of one function. False if
 * its paths are not counted. */
bool program_paths_at(const struct program *p, uint64_t at, struct path_profile *out);

/* A path that was executed. */
struct path_count {
	uint64_t function; /* of path_profile.functions */
	uint64_t path;
	uint64_t words[PATH_WORDS_MAX]; /* the count, and each metric's sum */
};

struct path_counts {
	uint64_t n;
	struct path_count *all; /* [n], owned: by function */
	uint64_t lost[PATH_WORDS_MAX]; /* of paths for which hash tables had no room */
	double possible;           /* paths of all functions */
};

/* Reads the arrays and hash tables; not those in records. c: the program's counters. Free with
 * path_counts_free(). False with *err if they cannot be read. */
bool path_counts_read(const struct path_profile *p, const struct counters *c, path_read_fn *read,
                      void *ctx, struct path_counts *out, struct err *err);
void path_counts_free(struct path_counts *c);
/* Adds a count to the list, whose capacity is *room. False: memory is out. */
bool path_counts_add(struct path_counts *c, size_t *room, uint64_t function, uint64_t path,
                     const uint64_t *words);


#endif
