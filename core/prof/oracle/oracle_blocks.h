/* Basic blocks, as far as the run has shown them: consecutive instructions, entered only at the
 * first and left only at the last. They are derived from the oracle's tables of instructions and
 * edges, so nothing is counted for them in a cycle. */
#ifndef CYCLOPS_CORE_PROF_ORACLE_ORACLE_BLOCKS_H
#define CYCLOPS_CORE_PROF_ORACLE_ORACLE_BLOCKS_H

#include "core/prof/oracle/oracle.h"

struct oracle_block {
	uint64_t start, end; /* byte addresses, [start, end) */
	uint64_t count;      /* how often it was entered */
	/* committed in it: less than count * length if it has not been left yet, or was left early
	 */
	uint64_t insts;
	uint32_t length;     /* instructions */
};

/* By address; malloc'd, to be freed. NULL if memory is out; *n receives their number, 0 if edges
 * are not counted. */
struct oracle_block *oracle_blocks(const struct oracle *o, size_t *n);
/* Index of the block that has an instruction at pc; n: none. */
size_t oracle_block_at(const struct oracle_block *blocks, size_t n, uint64_t pc);

#endif
