/* Rows of the slot stack, and counters that lie in the order of an enum: for files that charge or
 * read them, which are compiled again for a new row of slots.def or counts.def. */
#ifndef CYCLOPS_CORE_PIPE_SLOT_ROWS_H
#define CYCLOPS_CORE_PIPE_SLOT_ROWS_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "core/defs/counts.h"
#include "core/pipe/pipe.h"

/* Rows of the slot stack. */
enum slot_row {
#define SLOT(field, ...) SLOT_##field,
#include "core/defs/slots.def"
#undef SLOT
	SLOT_COUNT,
	/* empty after an unresolved misprediction: charged to a row when it resolves */
	SLOT_UNRESOLVED = SLOT_COUNT
};

/* The counter of a row of the slot stack. */
static inline uint64_t *pipe_slot_counter(struct stage_counts *s, enum slot_row row)
{
	return (uint64_t *)(void *)((uint8_t *)s + offsetof(struct stage_counts, slot_wrong_path)) +
	       row;
}

/* The counter of cycles in which a pool's units were busy. */
static inline uint64_t *pipe_unit_cycles(struct stage_counts *s, enum fu_pool pool)
{
#define P(id, field, name)                                                                         \
	static_assert(offsetof(struct stage_counts, busy_##field) ==                               \
	                      offsetof(struct stage_counts, busy_fu_int) +                         \
	                              sizeof(uint64_t) * FU_##id,                                  \
	              "in their order");
	FU_POOLS(P)
#undef P
	return (uint64_t *)(void *)((uint8_t *)s + offsetof(struct stage_counts, busy_fu_int)) +
	       pool;
}

#endif
