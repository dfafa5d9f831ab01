/* The unwatched cycle, for windows of 513 to 1024 entries of plain machines. */
#define VARIANT variant_quiet_plain_1024
#define WATCHED 0
#define RING_BITS 1024
#define PROFILING 0
#define PLAIN 1
#include "core/pipe/cycle.inc"
