/* No prediction. */
#include "core/pipe/memdep.h"

const struct memdep_kind memdep_none = {0};
