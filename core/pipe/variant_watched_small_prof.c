/* The watched cycle for small windows, with devices. */
#define VARIANT variant_watched_small_prof
#define WATCHED 1
#define RING_BITS 64
#define PROFILING 1
#include "core/pipe/cycle.inc"
