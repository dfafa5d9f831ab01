/* The watched cycle, for windows of any size: events are collected, and delivered after the
 * cycle. */
#define VARIANT variant_watched
#define WATCHED 1
#define RING_BITS 0
#define PROFILING 0
#include "core/pipe/cycle.inc"
