/* The unwatched cycle, for windows of more than 128 entries of plain machines. */
#define VARIANT variant_quiet_plain_large
#define WATCHED 0
#define RING_BITS 0
#define PROFILING 0
#define PLAIN 1
#include "core/pipe/cycle.inc"
