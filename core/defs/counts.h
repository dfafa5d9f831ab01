/* Counters of the stages: the beginning of struct stats. */
#ifndef CYCLOPS_CORE_DEFS_COUNTS_H
#define CYCLOPS_CORE_DEFS_COUNTS_H

#include <stdint.h>

struct stage_counts {
#define COUNT(field) uint64_t field;
#include "core/defs/counts.def"
#undef COUNT
};

#endif
