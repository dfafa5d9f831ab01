/* The kinds of memory-dependence predictors (memdep.h), by enum memdep_choice. */
#ifndef CYCLOPS_CORE_PIPE_MEMDEP_KINDS_H
#define CYCLOPS_CORE_PIPE_MEMDEP_KINDS_H

#include "core/defs/kinds.h"

struct memdep_kind;

#define MEMDEP_DECLARE(id, name, ...) extern const struct memdep_kind memdep_##name;
MEMDEP_ROWS(MEMDEP_DECLARE, MEMDEP_DECLARE)

#endif
