/* The fast loop for a host with fused multiply-add instructions, without a tap. */
#define RUN functional_loop_fma
#define TAPPED 0
#define WARMS 0
#ifdef __x86_64__
#define HAS_FMA true
#define TARGET __attribute__((target("fma")))
#else
#define HAS_FMA false
#define TARGET
#endif
#include "core/isa/functional_loop.inc"
