/* A function's control-flow graph, from its machine code in memory: for display, of any program.
 *
 * A block is entered at its beginning and left at its end. Calls don't end a block, except those
 * that never return. The target of a jump through a register is not known from the code; the caller
 * may supply the targets that were seen. (The editor's graph, which uses relocations, is
 * loader/edit/cfg.h.)
 *
 * Counts: how often blocks were entered and edges taken, where known; flow_solve() derives more. */
#ifndef CYCLOPS_LOADER_FLOW_H
#define CYCLOPS_LOADER_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/isa/inst.h"

#define FLOW_NONE UINT32_MAX

enum flow_kind {
	FLOW_TAKEN,    /* of a branch */
	FLOW_NEXT,     /* fall through */
	FLOW_JUMP,     /* of a direct jump */
	FLOW_SEEN,     /* of a jump through a register: a target that was seen */
	FLOW_UNKNOWN,  /* of such a jump: all other targets; and returns */
};

/* A count that may be unknown. */
struct flow_count {
	uint64_t n;
	bool known;
	/* from other counts: one too high while the block is executed, or where a call never
	 * returned */
	bool derived;
};

struct flow_edge {
	uint32_t from, to;   /* blocks; to: FLOW_NONE, it leaves the function */
	uint64_t target;     /* address; of FLOW_UNKNOWN 0 */
	struct flow_count count;
	uint8_t kind;        /* enum flow_kind */
	/* a back edge: the search came through the block it leads to */
	bool back;
};

struct flow_block {
	uint64_t start, end; /* addresses: [start, end) */
	uint64_t last;       /* its last instruction */
	struct inst inst;    /* decoded `last` */
	uint32_t insts, calls;
	uint32_t edge, edges; /* first outgoing edge in edges[], and how many */
	struct flow_count count;
};

struct flow {
	uint64_t lo, hi;          /* addresses: [lo, hi) */
	struct flow_block *blocks; /* [block_count], owned, by address */
	struct flow_edge *edges;   /* [edge_count], owned, by block; taken before next */
	uint32_t block_count, edge_count;
	bool indirect;            /* some jump through a register may lead to any block */
};

struct flow_code {
	/* Reads code: false if nothing is there. */
	bool (*read)(const void *ctx, uint64_t addr, void *buf, size_t n);
	/* Whether the function at addr never returns; NULL: not known. */
	bool (*never_returns)(const void *ctx, uint64_t addr);
	const void *ctx;
	unsigned isa; /* how it is decoded: ISA_RV32GC and its kin */
};

/* A jump through a register that was seen to go to `to`. */
struct flow_jump {
	uint64_t at, to;
	uint64_t count;
};

/* Facts that the code does not show; all may be empty. */
struct flow_known {
	const uint64_t *leaders;  /* [leader_count]: further addresses at which blocks begin */
	size_t leader_count;
	bool skip_behind_calls;   /* except directly after a call */
	const struct flow_jump *jumps; /* [jump_count], by `at` */
	size_t jump_count;
};

/* Decodes an instruction; false if there is no code. */
bool flow_decode(const struct flow_code *code, uint64_t addr, struct inst *out);
/* Whether [lo, hi) has no exit except calls. */
bool flow_never_returns(const struct flow_code *code, uint64_t lo, uint64_t hi);
/* Builds the graph of [lo, hi). False with *err: memory is out, or there is no code. */
bool flow_of(const struct flow_code *code, uint64_t lo, uint64_t hi, const struct flow_known *known,
             struct flow *out, struct err *err);
void flow_free(struct flow *f);
/* The block that holds addr; FLOW_NONE. */
uint32_t flow_block_at(const struct flow *f, uint64_t addr);
/* Derives the counts that follow from the known ones: inflow equals outflow. */
void flow_solve(struct flow *f);

#endif
