/* The fast loop that notifies a tap. */
#define RUN functional_loop_tapped
#define TAPPED 1
#define WARMS 0
#define HAS_FMA false
#define TARGET
#include "core/isa/functional_loop.inc"
