/* Shared by the files that number paths. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_PATHS_PRIV_H
#define CYCLOPS_LOADER_INSTRUMENT_PATHS_PRIV_H

#include "loader/instrument/paths.h"

/* An edge of the acyclic graph: one of the procedure's, or half of a cut one. */
struct arc {
	uint32_t from, to;
	uint32_t edge;   /* of the procedure */
	uint64_t value;  /* label: number of paths over earlier arcs of `from` */
	int64_t inc;     /* with chords: the increment; 0 in the tree */
	bool begins;     /* the second half of a cut edge: a path begins with it */
	bool in_tree;
};

struct path_tables {
	struct arc *arcs;      /* [arc_count], owned: those of a vertex are consecutive */
	uint32_t arc_count;
	uint32_t *first;       /* [vertices + 1], owned: of a vertex's arcs */
	uint32_t *order;       /* [vertices], owned: reachable ones, reverse topological */
	uint32_t order_count;
	/* [vertices], owned: the first cut edge to it, + 1; 0: none */
	uint32_t *begins;
	uint64_t *paths;       /* [vertices], owned: from a vertex to the exit */
};

/* paths_cut.c: cuts an edge of each cycle. False: memory is out. */
bool paths_cut_cycles(struct path_graph *g);
/* Cuts more edges until there are at most `most` paths. t is the acyclic graph in order; its
 * numbers of paths are overwritten. False if that is impossible. */
bool paths_cut_for_size(struct path_graph *g, struct path_tables *t, uint64_t most);

#endif
