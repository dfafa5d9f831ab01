/* The watched cycle for small windows. */
#define VARIANT variant_watched_small
#define WATCHED 1
#define RING_SMALL 1
#include "core/pipe/cycle.inc"
