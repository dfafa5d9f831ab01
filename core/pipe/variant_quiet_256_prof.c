/* The unwatched cycle, for windows of 129 to 256 entries, with devices, M-mode, prefetchers or
 * plug-ins. */
#define VARIANT variant_quiet_256_prof
#define WATCHED 0
#define RING_BITS 256
#define PROFILING 1
#include "core/pipe/cycle.inc"
