/* The unwatched cycle, for small windows, with devices that observe commits only. */
#define VARIANT variant_quiet_small_tapped
#define WATCHED 0
#define RING_BITS 64
#define PROFILING 0
#define TAPPED 1
#include "core/pipe/cycle.inc"
