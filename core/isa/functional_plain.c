/* The fast loop for any host, without a tap. */
#define RUN functional_loop
#define TAPPED 0
#define WARMS 0
#define HAS_FMA false
#define TARGET
#include "core/isa/functional_loop.inc"
