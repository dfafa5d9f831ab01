/* Path numbering (Ball and Larus; Ammons, Ball and Larus, section 2). Edges of a procedure's graph
 * get labels whose sum along each path from entry to exit is a unique number in 0 to paths - 1,
 * without gaps.
 *
 * A graph with cycles is cut: each edge to a vertex that is still being visited, and each that the
 * caller selects, ends a path and begins another. So a path is ENTRY or a cut edge, then edges that
 * are not cut, then a cut edge or EXIT. Any graph works, irreducible ones too. If there would be
 * more than `most` paths, more edges are cut. Cut edges that lead to the same vertex begin the same
 * paths, as in Ball and Larus, unless `apart` is set.
 *
 * A counter is kept while the procedure runs: 0 at its entry; at each edge that is not cut, +=
 * value; at a cut edge, the path `counter + end` is counted, and counter = start. At the exit the
 * path `counter` is counted.
 *
 * With chords, values lie only on edges outside a spanning tree of greatest weight, so that the
 * most used edges have none; the paths keep their numbers. Then the counter is `first` at the
 * entry, and the exit counts `counter + last`. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_PATHS_H
#define CYCLOPS_LOADER_INSTRUMENT_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"

enum { PATH_ENTRY = 0, PATH_EXIT = 1 };

/* Limit of a procedure's paths: numbers, and sums of them, must fit into registers. */
#define PATHS_MOST (UINT64_C(1) << 60)

struct path_edge {
	uint32_t from, to;
	uint64_t weight; /* estimated frequency; only comparisons matter */
	bool cut;        /* in: must be cut; out: is cut */
	bool forced;     /* out: it is no back edge, or was selected */
	/* Results. */
	int64_t value;      /* of one that is not cut */
	int64_t end, start; /* of one that is */
};

struct path_graph {
	/* 0 is the entry, to which nothing leads, 1 the exit, from which nothing does */
	uint32_t vertices;
	uint32_t count;
	struct path_edge *edges; /* [count], borrowed from the caller */
	bool apart;             /* distinguish paths by the cut edge with which they begin */
	/* Results. */
	uint64_t paths;
	uint32_t cut_for_size;  /* edges that were cut because there were too many paths */
	int64_t first, last;
	struct path_tables *tables; /* owned */
};

/* Numbers the paths. False with *err if memory is out or some vertex has no way to the exit, even
 * over cut edges. */
bool paths_number(struct path_graph *g, uint64_t most, bool chords, struct err *err);
void paths_free(struct path_graph *g);

/* Decodes path number k < paths into edges[room], first to last; unless it begins at ENTRY, its
 * first edge is a cut edge (of several to the same vertex the first, unless `apart`); unless it
 * ends at EXIT, its last edge is a cut edge. Returns the number of edges, which may exceed room. */
uint32_t paths_decode(const struct path_graph *g, uint64_t k, uint32_t *edges, uint32_t room);

#endif
