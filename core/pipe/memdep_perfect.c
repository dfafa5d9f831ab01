/* Perfect prediction, for limit studies: a load waits for the youngest older store that writes some
 * of its bytes and has no address yet. Dispatch has both addresses, and reads no table. */
#include "core/pipe/memdep.h"

const struct memdep_kind memdep_perfect = {.foresees = true};
