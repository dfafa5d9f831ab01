/* The unwatched cycle, for windows of any size. */
#define VARIANT variant_quiet
#define WATCHED 0
#define RING_BITS 0
#define PROFILING 0
#include "core/pipe/cycle.inc"
