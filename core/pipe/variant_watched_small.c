/* The watched cycle for small windows. */
#define VARIANT variant_watched_small
#define WATCHED 1
#define RING_BITS 64
#define PROFILING 0
#include "core/pipe/cycle.inc"
