/* The cycle that somebody watches: events are collected, and delivered when the cycle is over. */
#define VARIANT variant_watched
#define WATCHED 1
#define RING_SMALL 0
#define PROFILING 0
#include "core/pipe/cycle.inc"
