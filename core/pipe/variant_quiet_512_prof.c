/* The unwatched cycle, for windows of 257 to 512 entries, with devices, M-mode, prefetchers or
 * plug-ins. */
#define VARIANT variant_quiet_512_prof
#define WATCHED 0
#define RING_BITS 512
#define PROFILING 1
#include "core/pipe/cycle.inc"
