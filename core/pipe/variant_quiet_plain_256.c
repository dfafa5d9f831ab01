/* The unwatched cycle, for windows of 129 to 256 entries of plain machines. */
#define VARIANT variant_quiet_plain_256
#define WATCHED 0
#define RING_BITS 256
#define PROFILING 0
#define PLAIN 1
#include "core/pipe/cycle.inc"
