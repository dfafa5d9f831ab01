/* The paths that a program instrumented with kind path counts: section .cyclops.paths of its file. */
#ifndef CYCLOPS_LOADER_EDIT_PATH_PROFILE_H
#define CYCLOPS_LOADER_EDIT_PATH_PROFILE_H

#include "loader/edit/cfg.h"
#include "loader/edit/paths.h"
#include "loader/program.h"

#define PATHS_SECTION ".cyclops.paths"

/* Addresses are those of the program as it was. */
struct path_block {
	uint64_t start, end;
};

struct path_function {
	uint64_t at;       /* address */
	uint64_t first;    /* its first counter (struct counters): counter first + k is of path k */
	struct path_graph graph; /* numbered */
	struct path_edge *edges; /* [graph.count], owned: of graph */
	struct path_block *blocks; /* [graph.vertices - CFG_BLOCKS], owned: of vertex CFG_BLOCKS and up */
};

struct path_profile {
	uint64_t count;
	struct path_function *functions; /* [count], owned: by address */
};

/* False if p counts no paths, or the section is damaged. */
bool program_paths(const struct program *p, struct path_profile *out);
void path_profile_free(struct path_profile *p);
/* The function that has this counter, and the number of its path. NULL: none. */
const struct path_function *path_of_counter(const struct path_profile *p, uint64_t counter, uint64_t *path);

#endif
