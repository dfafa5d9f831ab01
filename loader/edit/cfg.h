/* A function's control-flow graph, as the editor knows its code.
 *
 * Vertex 0 is the entry, 1 the exit, block k of the function vertex 2 + k. Blocks end behind every branch, jump and call. What the function is entered at,
 * from anywhere but its own branches and jumps, is a start: its first block, places whose address is known and to which none of its jumps leads for
 * certain (landing pads), places that another function's code jumps to. A start's only edge is from the entry: edges of the function's own that lead to
 * one go to the exit, and so does what leaves the function.
 *
 * Jumps through registers that lead to the same places (loader/edit/ways.h) meet in a vertex of their own behind those of blocks, from which an edge leads to
 * each. So whatever stands on one of their edges stands before the jump, or where who comes by a place's address arrives. Those of a jump that may
 * also lead elsewhere, or to a start, are cut. */
#ifndef CYCLOPS_LOADER_EDIT_CFG_H
#define CYCLOPS_LOADER_EDIT_CFG_H

#include "loader/edit/edit.h"
#include "loader/edit/ways.h"

enum { CFG_ENTRY = 0, CFG_EXIT = 1, CFG_BLOCKS = 2 };

enum cfg_edge_kind {
	CFG_START,  /* from the entry */
	CFG_TAKEN,  /* of a branch */
	CFG_NEXT,   /* to what stands behind: of a branch, a call or anything else */
	CFG_JUMP,   /* of a direct jump */
	CFG_WAY,    /* of a jump through a register: to the vertex of its places */
	CFG_ARRIVE, /* from there to one of them */
	CFG_LEAVE,  /* return, indirect or tail jump, or nothing known */
};

struct cfg_edge {
	uint32_t from, to;  /* vertices */
	uint32_t lead;      /* instruction that it leads to, whatever `to` says; EDIT_NONE: none that is known */
	uint8_t kind;       /* enum cfg_edge_kind */
	bool cut;           /* of CFG_WAY: the jump may lead elsewhere as well */
};

struct cfg_block {
	uint32_t first, last; /* instructions */
	bool start;
};

struct cfg {
	struct cfg_block *blocks; /* [block_count], owned, by address */
	struct cfg_edge *edges;   /* [edge_count], owned, by vertex */
	uint32_t block_count, edge_count;
	uint32_t way_count;       /* vertices behind those of blocks */
};

/* Whether each instruction is jumped to by another function than its own: for cfg_of(). [count], to be freed; NULL if memory is
 * out. */
uint8_t *cfg_entered(const struct edit *e);
/* False with *err if memory is out. A function without instructions has no blocks. */
bool cfg_of(const struct edit *e, const struct edit_function *f, const uint8_t *entered, const struct ways *ways, struct cfg *out, struct err *err);
void cfg_free(struct cfg *g);

#endif
