/* The unwatched cycle, for windows of any size, with devices that observe commits only. */
#define VARIANT variant_quiet_tapped
#define WATCHED 0
#define RING_BITS 0
#define PROFILING 0
#define TAPPED 1
#include "core/pipe/cycle.inc"
