#include "core/prof/oracle/oracle_blocks.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"

struct code {
	uint64_t pc, count;
	uint32_t aux;
};

static int oracle_blocks_compare_by_pc(const void *a, const void *b)
{
	uint64_t x = ((const struct code *)a)->pc, y = ((const struct code *)b)->pc;
	return x < y ? -1 : x > y;
}

static int oracle_blocks_compare_values(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Joins instructions, sorted by address, into blocks that begin at targets of edges. Returns the
 * number of blocks. */
static size_t oracle_blocks_join_insts(const struct code *code, size_t n, const uint64_t *targets,
                                       size_t target_count, struct oracle_block *out)
{
	size_t blocks = 0;
	bool ended = true;
	for (size_t i = 0; i < n; i++) {
		const struct code *c = &code[i];
		struct oracle_block *b = blocks ? &out[blocks - 1] : out;
		if (ended || b->end != c->pc ||
		    bsearch(&c->pc, targets, target_count, sizeof *targets,
		            oracle_blocks_compare_values)) {
			b = &out[blocks++];
			*b = (struct oracle_block){.start = c->pc, .count = c->count};
		}
		b->end = c->pc + (c->aux & ORACLE_LENGTH);
		b->insts += c->count;
		b->length++;
		ended = c->aux & ORACLE_ENDS_BLOCK;
	}
	return blocks;
}

struct oracle_block *oracle_blocks(const struct oracle *o, size_t *n)
{
	size_t insts = oracle_entries(o, ORACLE_INSTS), edges = oracle_entries(o, ORACLE_EDGES);
	struct code *code = alloc_bytes((insts + 1) * sizeof *code);
	uint64_t *targets = alloc_bytes((edges + 1) * sizeof *targets);
	struct oracle_block *out = alloc_bytes((insts + 1) * sizeof *out);
	*n = 0;
	if (!code || !targets || !out) {
		free(out);
		out = NULL;
	} else if (oracle_has(o, ORACLE_EDGES)) {
		for (uint32_t i = 0; i < insts; i++) {
			const struct oracle_entry *e = oracle_entry(o, ORACLE_INSTS, i);
			code[i] = (struct code){e->key[0], e->count, e->aux};
		}
		for (uint32_t i = 0; i < edges; i++)
			targets[i] = oracle_entry(o, ORACLE_EDGES, i)->key[1];
		sort_stable(code, insts, sizeof *code, oracle_blocks_compare_by_pc);
		sort_stable(targets, edges, sizeof *targets, oracle_blocks_compare_values);
		*n = oracle_blocks_join_insts(code, insts, targets, edges, out);
	}
	free(code);
	free(targets);
	return out;
}

size_t oracle_block_at(const struct oracle_block *blocks, size_t n, uint64_t pc)
{
	size_t low = 0, high = n;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (pc < blocks[middle].start)
			high = middle;
		else if (pc >= blocks[middle].end)
			low = middle + 1;
		else
			return middle;
	}
	return n;
}
