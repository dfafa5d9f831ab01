/* Natural loops of a graph: the cycles through a vertex (head) that dominates them. Cycles with
 * several entries are none. */
#ifndef CYCLOPS_LOADER_EDIT_LOOPS_H
#define CYCLOPS_LOADER_EDIT_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#define LOOP_NONE UINT32_MAX

struct loop_edge {
	uint32_t from, to;
};

struct loop {
	uint32_t head;   /* vertex */
	uint32_t outer;  /* the loop around it, LOOP_NONE */
	uint32_t size;   /* vertices, including inner loops' */
	bool inner;      /* has an inner loop */
};

struct loops {
	struct loop *all;    /* [count], owned: outer ones first */
	uint32_t count;
	uint32_t *innermost; /* [vertices], owned: a vertex's innermost loop, LOOP_NONE */
};

/* Finds the loops of vertices 0 to n - 1. Vertex 0 is an entry, and so, in rising order, is each
 * vertex not reached so far. False if memory is out. */
bool loops_find(uint32_t n, const struct loop_edge *edges, uint32_t count, struct loops *out);
void loops_free(struct loops *l);

#endif
