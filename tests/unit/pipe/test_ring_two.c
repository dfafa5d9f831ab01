/* test_ring with bitmaps of two words, whose size is known when compiling. */
#define RING_BITS 128
#include "tests/unit/pipe/test_ring.c"
