/* Functional mode: executing without timing, as fast as possible, from the same table as isa_exec(). */
#ifndef CYCLOPS_CORE_ISA_FUNCTIONAL_H
#define CYCLOPS_CORE_ISA_FUNCTIONAL_H

#include <stdint.h>

#include "core/isa/exec.h"

/* Called for each instruction in warm-up mode (functional plus caches and predictors). */
struct functional_warm {
	void (*inst)(void *ctx, uint64_t pc, const struct inst *in, const struct exec *done);
	void *ctx;
};

/* What surrounds the instructions. */
struct functional_env {
	uint64_t time_div; /* h->time is h->cycle divided by this */
	/* Called before each instruction of class SYSTEM, to bring up to date what it may read; may be NULL. */
	void (*before_system)(void *ctx, struct hart *h, const struct inst *in);
	void *ctx;
};

/* Runs at most max instructions from h->pc; h->instret, h->cycle advance by one each, h->time is kept.
 * Returns why it stopped: TRAP_NONE after max instructions, TRAP_ECALL
 * with h->pc at the ecall (not executed, not counted), or a fault with h->pc at the instruction and *fault_addr
 * set. *stop, if not NULL, is polled about every 100,000 instructions; true ends the run with TRAP_NONE. */
enum trap functional_run(struct hart *h, struct mem *mem, uint64_t max, const struct functional_env *env,
                         const volatile bool *stop, uint64_t *fault_addr);

/* The same, one instruction at a time, telling `warm` of each. */
enum trap functional_run_warm(struct hart *h, struct mem *mem, uint64_t max, const struct functional_env *env,
                              const volatile bool *stop, uint64_t *fault_addr,
                              const struct functional_warm *warm);

#endif
