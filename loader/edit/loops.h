/* Natural loops of a graph: what goes back to a vertex that all ways to it lead through. Cycles
 * with several entrances are none. */
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
	uint32_t outer;  /* the loop that it lies in, LOOP_NONE */
	uint32_t size;   /* vertices, those of loops in it too */
	bool inner;      /* another lies in it */
};

struct loops {
	struct loop *all;    /* [count], owned: outer ones first */
	uint32_t count;
	uint32_t *innermost; /* [vertices], owned: the loop that a vertex lies in, LOOP_NONE */
};

/* Vertices 0 to n - 1; 0 is the entry, and so is whatever nothing leads to from there, in rising
 * order. False if memory is out. */
bool loops_find(uint32_t n, const struct loop_edge *edges, uint32_t count, struct loops *out);
void loops_free(struct loops *l);

#endif
