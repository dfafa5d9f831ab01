/* Functional mode: execution without timing, as fast as possible, from the same table as
 * isa_exec(). */
#ifndef CYCLOPS_CORE_ISA_FUNCTIONAL_H
#define CYCLOPS_CORE_ISA_FUNCTIONAL_H

#include <stdint.h>

#include "core/isa/exec.h"

/* An observer, notified after each instruction of some operations. h is up to date, except its
 * counters, which may lag. Instructions that act only at decode are not reported. */
struct functional_tap {
	struct op_set ops; /* operations to report */
	/* pc: the prefix's, if it is fused with one. *done lacks the bytes that a store replaced
	 * and wrote, except in functional_run_steps(). Pointers are borrowed until it returns. True
	 * stops the run after this instruction. */
	bool (*inst)(void *ctx, uint64_t pc, const struct inst *in, const struct exec *done);
	void *ctx;
};

/* next: address of the next instruction; insts: executed before this one. */
typedef void warm_control_fn(void *predictor, uint64_t pc, const struct inst *in, bool taken,
                             uint64_t next, uint64_t insts);

/* Caches and predictors kept warm. Accesses to the line of code used last and to two lines of data
 * cost nothing: only others are reported. Functions may change the fields. A line of UINT64_MAX:
 * none is known, and the next access is reported. */
struct functional_warm {
	uint64_t code_line;      /* byte address of the line fetched last */
	uint64_t code_bytes;     /* size of a line of code; a power of two, at least 8 */
	uint64_t data_bytes;     /* size of a line of data; the same */
	/* byte address of a line whose cache state a load doesn't change */
	uint64_t load_line;
	uint64_t store_line;     /* the same of a store */
	uint64_t data_room[9];   /* by size of an access: its largest offset within a line */
	/* most instructions left to single steps at the end of a budget; more than fit in a line of
	 * code */
	uint64_t margin;
	/* Reports that an instruction of this size is fetched at pc. */
	void (*fetch)(struct functional_warm *w, uint64_t pc, unsigned bytes);
	/* Reports a load, or a store, of the instruction at pc; atomics report both. */
	void (*data)(struct functional_warm *w, uint64_t pc, uint64_t addr, unsigned size,
	             bool store);
	uint64_t insts;          /* executed so far */
	/* pc of an instruction whose fetch was reported, but not yet executed; UINT64_MAX: none */
	uint64_t fetched;
	/* Report a conditional branch, or a jump; either may follow a prefix. */
	warm_control_fn *branch, *jump;
	void *predictor; /* argument of branch and jump; borrowed */
};

/* The environment of the instructions. */
struct functional_env {
	uint64_t time_div; /* h->time is h->cycle divided by this */
	/* Called before each instruction of class SYSTEM, to update counters that it may read; may
	 * be NULL. */
	void (*before_system)(void *ctx, struct hart *h, const struct inst *in);
	void *ctx;
	uint64_t *unreached; /* counts pushpf and poppf whose byte can't be reached; may be NULL */
};

/* Runs at most max instructions from h->pc; h->instret, h->cycle advance by one each, h->time is
 * kept. Returns why it stopped: TRAP_NONE after max instructions, TRAP_ECALL with h->pc at the
 * ecall (not executed, not counted), or a fault with h->pc at the instruction and *fault_addr set.
 * *stop, if not NULL, is polled about every 100,000 instructions; true ends the run with TRAP_NONE.
 */
enum trap functional_run(struct hart *h, struct mem *mem, uint64_t max,
                         const struct functional_env *env, const volatile bool *stop,
                         uint64_t *fault_addr);

/* The same, notifying `tap`; TRAP_NONE also if that stops the run. */
enum trap functional_run_tapped(struct hart *h, struct mem *mem, uint64_t max,
                                const struct functional_env *env, const volatile bool *stop,
                                uint64_t *fault_addr, const struct functional_tap *tap);

/* The same, warming; `tap` is notified of single steps, of all operations. */
enum trap functional_run_warm(struct hart *h, struct mem *mem, uint64_t max,
                              const struct functional_env *env, uint64_t *fault_addr,
                              struct functional_warm *warm, const struct functional_tap *tap);

/* functional_run_tapped(), one instruction at a time: slow, but *done is complete, and h's counters
 * are up to date. */
enum trap functional_run_steps(struct hart *h, struct mem *mem, uint64_t max,
                               const struct functional_env *env, const volatile bool *stop,
                               uint64_t *fault_addr, const struct functional_tap *tap);

#endif
