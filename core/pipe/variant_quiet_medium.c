/* The unwatched cycle, for windows of 65 to 128 entries. */
#define VARIANT variant_quiet_medium
#define WATCHED 0
#define RING_BITS 128
#define PROFILING 0
#include "core/pipe/cycle.inc"
