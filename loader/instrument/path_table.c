#include "loader/instrument/path_table.h"

#include <string.h>

enum { BLOCK_WORDS = 512 };

struct path_table path_table_for(uint64_t paths, uint32_t words, unsigned log2)
{
	const uint64_t most = log2 < PATH_SLOTS_LOG2 ? PATH_ARRAY_MOST / 2 : PATH_ARRAY_MOST;
	return (struct path_table){.paths = paths, .words = words, .log2 = paths > most ? log2 : 0};
}

/* Words of a slot, or of an array's counter. */
static uint32_t path_table_slot_words(const struct path_table *t)
{
	return t->words + (t->log2 != 0);
}

unsigned path_slot_log2(const struct path_table *t)
{
	return t->words > 1 ? 5 : 4;
}

uint64_t path_table_bytes(const struct path_table *t)
{
	return t->log2 ? PATH_HEAD + 8 * (uint64_t)path_table_slot_words(t) *
	                                     ((UINT64_C(1) << t->log2) + PATH_PROBES)
	               : 8 * t->words * t->paths;
}

uint32_t path_slot(const struct path_table *t, uint64_t path)
{
	return (uint32_t)(path ^ path >> 32) * PATH_MULTIPLIER >> (32 - t->log2);
}

bool path_table_each(const struct path_table *t, uint64_t at, path_read_fn *read, void *read_ctx,
                     path_each_fn *each, void *ctx, uint64_t *lost)
{
	const uint32_t step = path_table_slot_words(t), keys = t->log2 != 0;
	const uint64_t count = keys ? (UINT64_C(1) << t->log2) + PATH_PROBES : t->paths;
	uint64_t block[BLOCK_WORDS], words[PATH_WORDS_MAX] = {0};
	if (keys && !read(read_ctx, at, words, t->words * sizeof *words))
		return false;
	if (lost)
		memcpy(lost, words, sizeof words);
	at += keys ? PATH_HEAD : 0;
	for (uint64_t first = 0, n; first < count; first += n) {
		n = count - first < BLOCK_WORDS / step ? count - first : BLOCK_WORDS / step;
		if (!read(read_ctx, at + 8 * step * first, block, 8 * step * n))
			return false;
		for (uint64_t k = 0; k < n; k++) {
			const uint64_t *slot = &block[step * k];
			const uint64_t path = keys ? slot[0] - 1 : first + k;
			if (!slot[0])
				continue;
			memset(words, 0, sizeof words);
			memcpy(words, slot + keys, t->words * sizeof *words);
			if (path < t->paths)
				each(ctx, path, words);
			for (unsigned i = 0; lost && path >= t->paths && i < PATH_WORDS_MAX; i++)
				lost[i] += words[i];
		}
	}
	return true;
}
