/* The unwatched cycle, for windows of 65 to 128 entries of plain machines. */
#define VARIANT variant_quiet_plain_medium
#define WATCHED 0
#define RING_BITS 128
#define PROFILING 0
#define PLAIN 1
#include "core/pipe/cycle.inc"
