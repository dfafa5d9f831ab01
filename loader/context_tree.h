/* A calling context tree as plain data, from any source: a program's memory, a file, the oracle
 * (Ammons, Ball and Larus, section 4.1).
 *
 * A node is a procedure called in a context; a procedure that is called while it is active returns
 * to its node by a back edge. Node 0 is the root, which is no procedure or where the program began.
 * Nodes are in the order of their creation, so parents come before their children, and a node keeps
 * its number, by which users and views refer to it, while the program runs. */
#ifndef CYCLOPS_LOADER_CONTEXT_TREE_H
#define CYCLOPS_LOADER_CONTEXT_TREE_H

#include <stdbool.h>
#include <stdint.h>

enum { CONTEXT_METRICS = 2 };
#define CONTEXT_NONE UINT32_MAX

struct context {
	/* first instruction of the procedure; of the root: 0, or where the program began */
	uint64_t callee;
	uint64_t site;    /* call that made it; 0: not known, or sites are merged */
	/* of the root of a thread, coroutine or handler: ORACLE_ROOT(), thread 0: all; else 0 */
	uint64_t stream;
	uint64_t calls;   /* calls that led here, including back edges */
	/* excludes callees unless the tree is `inclusive` */
	uint64_t metric[CONTEXT_METRICS];
	uint64_t record;  /* address of its record in guest memory; 0: none */
	uint32_t parent;  /* of the root: itself */
	uint32_t depth;   /* of the root: 0 */
	uint32_t size;    /* bytes of that record; 0: none */
	uint32_t sites;   /* call sites that its record has room for; CONTEXT_NONE: not known */
	/* of these, sites that only one path of the procedure has reached; CONTEXT_NONE: not
	 * known */
	uint32_t one_path;
};

struct context_back {
	uint32_t from, to; /* `to` is `from` or an ancestor of it */
	uint64_t site;
	uint64_t calls;    /* 0: not counted separately */
};

struct context_tree {
	struct context *nodes;       /* [count], owned */
	struct context_back *backs;  /* [back_count], owned */
	uint32_t count, back_count;
	/* the stack was deeper than there are places: contexts share some, and counts are wrong */
	bool deep;
	uint64_t lost;               /* calls in contexts that found no room */
	uint32_t current;            /* where the program is; CONTEXT_NONE: not known */
	const char *metric[CONTEXT_METRICS]; /* statistics that are counted; NULL: none */
	bool inclusive;
};

void context_tree_free(struct context_tree *t);
/* Sorts nodes that have records by creation, which is the order of their addresses; back edges by
 * where they begin. False if memory is out: the tree is unchanged. */
bool context_tree_order(struct context_tree *t);

#endif
