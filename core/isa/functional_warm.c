/* The fast loop that keeps caches and predictors warm. */
#define RUN functional_loop_warm
#define TAPPED 0
#define WARMS 1
#define HAS_FMA false
#define TARGET
#include "core/isa/functional_loop.inc"
