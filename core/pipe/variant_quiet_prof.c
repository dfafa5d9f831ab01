/* The unwatched cycle, for windows of any size, with devices. */
#define VARIANT variant_quiet_prof
#define WATCHED 0
#define RING_BITS 0
#define PROFILING 1
#include "core/pipe/cycle.inc"
