/* No prediction. */
#include "core/pipe/memdep.h"
#include "core/pipe/memdep_kinds.h"

const struct memdep_kind memdep_none = {0};
