/* The unwatched cycle, for small windows of plain machines: the default machine, and most
 * others. */
#define VARIANT variant_quiet_plain
#define WATCHED 0
#define RING_BITS 64
#define PROFILING 0
#define PLAIN 1
#include "core/pipe/cycle.inc"
