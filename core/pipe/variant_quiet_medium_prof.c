/* The unwatched cycle, for windows of 65 to 128 entries, with devices. */
#define VARIANT variant_quiet_medium_prof
#define WATCHED 0
#define RING_BITS 128
#define PROFILING 1
#include "core/pipe/cycle.inc"
