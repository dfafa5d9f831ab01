/* A function's control-flow graph, as the editor knows its code.
 *
 * Vertex 0 is the entry, 1 the exit, block k of the function vertex 2 + k. Blocks end behind every
 * branch, jump and call. From the entry an edge leads to whatever the function is entered at from
 * anywhere but its own branches and jumps: its first block, places whose address is known and to
 * which none of its jumps leads for certain (landing pads), places that another function's code
 * jumps to. Who comes to one of these from elsewhere arrives as edit_enter() has it; edges of the
 * function's own lead there like to any other. A start, which the caller may ask for, has no edge
 * but that from the entry. Edges of the function's own that lead to one go to the exit, and so does
 * what leaves the function.
 *
 * Jumps through registers that share places (loader/edit/indirect_jumps.h) meet in a vertex of
 * their own behind those of blocks, from which an edge leads to each. So whatever stands on one of
 * their edges stands before the jump, or where who comes by a place's address arrives. Those of a
 * jump that may also lead elsewhere, or to a start, are cut. */
#ifndef CYCLOPS_LOADER_EDIT_CFG_H
#define CYCLOPS_LOADER_EDIT_CFG_H

#include "loader/edit/edit.h"
#include "loader/edit/indirect_jumps.h"

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
	/* instruction that it leads to, whatever `to` says; EDIT_NONE: none that is known */
	uint32_t lead;
	uint8_t kind;       /* enum cfg_edge_kind */
	bool cut;           /* of CFG_WAY: the jump may lead elsewhere as well */
};

struct cfg_block {
	uint32_t first, last; /* instructions */
	bool start;
	bool entry; /* no start, but who arrives by its address comes from the entry */
};

struct cfg {
	struct cfg_block *blocks; /* [block_count], owned, by address */
	struct cfg_edge *edges;   /* [edge_count], owned, by vertex */
	uint32_t block_count, edge_count;
	uint32_t way_count;       /* vertices behind those of blocks */
};

enum { CFG_JUMPED = 1, CFG_BEGINS = 2 };

/* CFG_JUMPED where another function than its own jumps to an instruction: for cfg_of(). [count], to
 * be freed; NULL if memory is out. The caller adds CFG_BEGINS where starts are to be. */
uint8_t *cfg_entered(const struct edit *e);
/* False with *err if memory is out. A function without instructions has no blocks. */
bool cfg_of(const struct edit *e, const struct edit_function *f, const uint8_t *entered,
            const struct ways *ways, struct cfg *out, struct err *err);
void cfg_free(struct cfg *g);

#endif
