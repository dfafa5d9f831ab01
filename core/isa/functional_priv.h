/* The fast loop of functional mode: runs over the decoded records of a page and jumps from body to
 * body through a table of labels. Private to functional mode.
 *
 * Every instruction is counted, but the count is compared with the budget only at taken branches,
 * jumps and page ends: at most a page of instructions apart. So the loop stops up to a page early,
 * and the last instructions of a budget are single steps.
 *
 * The loop runs until about `budget` instructions (at least PAGE_PARCELS) are done or one needs a
 * step, and returns their number. The caller updates h->instret and h->cycle. Each case of the loop
 * has its own file, so that they compile in parallel. */
#ifndef CYCLOPS_CORE_ISA_FUNCTIONAL_PRIV_H
#define CYCLOPS_CORE_ISA_FUNCTIONAL_PRIV_H

#include "core/isa/functional.h"
#include "core/mem/mem.h"

enum { PAGE_PARCELS = PAGE_BYTES / 2 };

uint64_t functional_loop(struct hart *h, struct mem *mem, uint64_t budget);
/* The same for a host with fused multiply-add instructions: FP_FAST_HAS_FMA. */
uint64_t functional_loop_fma(struct hart *h, struct mem *mem, uint64_t budget);
/* The same, notifying `tap`; *stopped, initially false, becomes true when the tap stops the run. */
uint64_t functional_loop_tapped(struct hart *h, struct mem *mem, uint64_t budget,
                                const struct functional_tap *tap, bool *stopped);
/* The same, warming caches and predictors; stops at most warm->margin instructions early. */
uint64_t functional_loop_warm(struct hart *h, struct mem *mem, uint64_t budget,
                              struct functional_warm *warm);

#endif
