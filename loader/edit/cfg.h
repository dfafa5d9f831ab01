/* A function's control-flow graph in the editor.
 *
 * Vertex 0 is the entry, 1 the exit, block k of the function vertex 2 + k. Blocks end after every
 * branch, jump and call, but those of a load-reserved / store-conditional sequence, which is part
 * of one block with an edge for each of its branches that leave it. The entry has an edge to each
 * place at which the function is entered from outside its own branches and jumps: its first block,
 * places whose address is known and to which none of its jumps leads for certain (landing pads),
 * places that another function's code jumps to. Control that arrives there from elsewhere is what
 * edit_enter() instruments; the function's own edges lead there as to any other place. A start,
 * which the caller may request, has only the edge from the entry. The function's own edges to a
 * start go to the exit, as do edges that leave the function.
 *
 * Jumps through registers that share places (loader/edit/indirect_jumps.h) meet in a vertex of
 * their own, numbered after those of blocks, from which an edge leads to each place. So code on one
 * of their edges is put before the jump, or at the place where control arrives by its address. The
 * edges of a jump that may also lead elsewhere, or to a start, are cut. */
#ifndef CYCLOPS_LOADER_EDIT_CFG_H
#define CYCLOPS_LOADER_EDIT_CFG_H

#include "loader/edit/edit.h"
#include "loader/edit/indirect_jumps.h"

enum { CFG_ENTRY = 0, CFG_EXIT = 1, CFG_BLOCKS = 2 };

enum cfg_edge_kind {
	CFG_START,  /* from the entry */
	CFG_TAKEN,  /* of a branch */
	CFG_NEXT,   /* fall through: of a branch, a call or anything else */
	CFG_JUMP,   /* of a direct jump */
	CFG_WAY,    /* of a jump through a register: to its places' vertex */
	CFG_ARRIVE, /* from that vertex to one of the places */
	CFG_LEAVE,  /* return, indirect or tail jump, or unknown target */
};

struct cfg_edge {
	uint32_t from, to;  /* vertices */
	/* target instruction, even if `to` is the exit; EDIT_NONE: not known */
	uint32_t lead;
	uint32_t at;        /* of CFG_TAKEN: the branch */
	uint8_t kind;       /* enum cfg_edge_kind */
	bool cut;           /* of CFG_WAY: the jump may lead elsewhere as well */
};

struct cfg_block {
	uint32_t first, last; /* instructions */
	bool start;
	bool entry; /* no start, but arrivals by its address come from the entry */
};

struct cfg {
	struct cfg_block *blocks; /* [block_count], owned, by address */
	struct cfg_edge *edges;   /* [edge_count], owned, by vertex */
	uint32_t block_count, edge_count;
	uint32_t way_count;       /* vertices after those of blocks */
};

enum { CFG_JUMPED = 1, CFG_BEGINS = 2 };

/* Marks instructions that another function jumps to with CFG_JUMPED: for cfg_of(). [count],
 * malloc'd; NULL if memory is out. The caller adds CFG_BEGINS for starts. */
uint8_t *cfg_entered(const struct edit *e);
/* Builds the graph. False with *err if memory is out. A function without instructions has no
 * blocks. */
bool cfg_of(const struct edit *e, const struct edit_function *f, const uint8_t *entered,
            const struct ways *ways, struct cfg *out, struct err *err);
void cfg_free(struct cfg *g);

#endif
