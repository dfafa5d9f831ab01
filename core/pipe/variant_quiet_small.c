/* The unwatched cycle, for small windows. */
#define VARIANT variant_quiet_small
#define WATCHED 0
#define RING_BITS 64
#define PROFILING 0
#include "core/pipe/cycle.inc"
