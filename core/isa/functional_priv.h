/* The fast loop of functional mode: walks decoded records of one page after the other, jumping from
 * body to body through a table of labels. Private to functional mode.
 *
 * Instructions are counted on the way, but whether the count is used up is asked only where control
 * goes elsewhere: between two such places lies at most one page of code. So the loop stops a page
 * early and the last instructions of a budget are single steps.
 *
 * Each runs until about `budget` instructions (at least PAGE_PARCELS) are done or one needs a step;
 * returns how many were done. Leaves h->instret and its kin to the caller. It is compiled once for
 * each case, in a file of its own, which compilers work at side by side. */
#ifndef CYCLOPS_CORE_ISA_FUNCTIONAL_PRIV_H
#define CYCLOPS_CORE_ISA_FUNCTIONAL_PRIV_H

#include "core/isa/functional.h"
#include "core/mem/mem.h"

enum { PAGE_PARCELS = PAGE_BYTES / 2 };

uint64_t functional_loop(struct hart *h, struct mem *mem, uint64_t budget);
/* The same for a host with instructions that multiply and add: FP_FAST_HAS_FMA. */
uint64_t functional_loop_fma(struct hart *h, struct mem *mem, uint64_t budget);
/* The same, and tells `tap`; *stopped, false at first, becomes true when it wants to stop. */
uint64_t functional_loop_tapped(struct hart *h, struct mem *mem, uint64_t budget,
                                const struct functional_tap *tap, bool *stopped);
/* The same, with caches and predictors that follow: stops at most warm->margin early. */
uint64_t functional_loop_warm(struct hart *h, struct mem *mem, uint64_t budget,
                              struct functional_warm *warm);

#endif
