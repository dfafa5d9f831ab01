/* The unwatched cycle, for small windows, with devices. */
#define VARIANT variant_quiet_small_prof
#define WATCHED 0
#define RING_BITS 64
#define PROFILING 1
#include "core/pipe/cycle.inc"
