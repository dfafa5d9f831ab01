/* The unwatched cycle, for windows of 257 to 512 entries of plain machines. */
#define VARIANT variant_quiet_plain_512
#define WATCHED 0
#define RING_BITS 512
#define PROFILING 0
#define PLAIN 1
#include "core/pipe/cycle.inc"
