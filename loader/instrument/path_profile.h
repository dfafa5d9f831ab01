/* The paths that a program instrumented with kind path counts: section .cyclops.paths of its file.
 */
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

/* Addresses are those of the program as it was. */
struct path_block {
	uint64_t start, end;
};

struct path_function {
	uint64_t at;       /* address */
	enum path_where where; /* its table lies */
	/* PATHS_IN_COUNTERS: its first counter (struct counters): counter first + k is of path k.
	 * Else what path_place.at says */
	uint64_t first;
	struct path_table table;
	struct path_graph graph; /* numbered */
	struct path_edge *edges; /* [graph.count], owned: of graph */
	/* [graph.vertices - CFG_BLOCKS], owned: of vertex CFG_BLOCKS and up; end 0: jumps through
	 * registers meet there, it is no block */
	struct path_block *blocks;
};

/* Whether path number k is but a part of one that an execution takes: it was cut somewhere else
 * than where a loop goes back. */
bool path_is_part(const struct path_function *f, uint64_t k);

struct path_profile {
	uint64_t count;
	struct path_function *functions; /* [count], owned: by address */
};

/* False if p counts no paths, or the section is damaged. */
bool program_paths(const struct program *p, struct path_profile *out);
void path_profile_free(struct path_profile *p);
/* The one at this address alone, which is much faster. False if its paths are not counted. *out is
 * a profile of one function. */
bool program_paths_at(const struct program *p, uint64_t at, struct path_profile *out);

/* A path that was executed. */
struct path_count {
	uint64_t function; /* of path_profile.functions */
	uint64_t path;
	uint64_t words[PATH_WORDS_MAX]; /* how often, and what each metric added */
};

struct path_counts {
	uint64_t n;
	struct path_count *all; /* [n], owned: by function */
	uint64_t lost[PATH_WORDS_MAX]; /* of paths for which hash tables had no room */
	double possible;           /* paths of all functions */
};

/* What arrays and hash tables of the program's say now; those in records are left out. c: the
 * program's. To be freed by path_counts_free(). False with *err if they can't be read. */
bool path_counts_read(const struct path_profile *p, const struct counters *c, path_read_fn *read,
                      void *ctx, struct path_counts *out, struct err *err);
void path_counts_free(struct path_counts *c);
/* Adds one to the list, which has room for *room of them so far. False: memory is out. */
bool path_counts_add(struct path_counts *c, size_t *room, uint64_t function, uint64_t path,
                     const uint64_t *words);


#endif
