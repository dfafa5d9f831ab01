/* The watched cycle, for windows of any size, with devices. */
#define VARIANT variant_watched_prof
#define WATCHED 1
#define RING_BITS 0
#define PROFILING 1
#include "core/pipe/cycle.inc"
