/* Functional mode: executing without timing, as fast as possible, from the same table as
 * isa_exec(). */
#ifndef CYCLOPS_CORE_ISA_FUNCTIONAL_H
#define CYCLOPS_CORE_ISA_FUNCTIONAL_H

#include <stdint.h>

#include "core/isa/exec.h"

/* Who is told of instructions, each behind it: h is as it left it, but for h's counters, which may
 * not be up to date. Never of what only acts at decode. */
struct functional_tap {
	struct op_set ops; /* only of these */
	/* pc: of its prefix, if it is fused with one. Of *done all but the bytes that a store
	 * replaced and wrote, which are there in functional_run_steps() only. Pointers are borrowed
	 * until it returns. True: nothing is executed behind this instruction. */
	bool (*inst)(void *ctx, uint64_t pc, const struct inst *in, const struct exec *done);
	void *ctx;
};

/* next: where the program goes on; insts: executed before it. */
typedef void warm_control_fn(void *predictor, uint64_t pc, const struct inst *in, bool taken,
                             uint64_t next, uint64_t insts);

/* Caches and predictors that follow what is executed. A line of code and two of data cost nothing:
 * only what lies outside of them is told. Functions may change the fields. UINT64_MAX: no line is
 * known, and the next access is told. */
struct functional_warm {
	uint64_t code_line;      /* byte address of the line that was fetched from last */
	uint64_t code_bytes;     /* a line's; a power of two, at least 8 */
	uint64_t data_bytes;     /* a line's; the same */
	uint64_t load_line;      /* of a line of data that a load changes nothing in */
	uint64_t store_line;     /* the same of a store */
	uint64_t data_room[9];   /* by size of an access: how far behind a line's first byte */
	/* instructions that may be left undone at the end of a budget, for single steps: more than
	 * a line of code has */
	uint64_t margin;
	/* An instruction of so many bytes is fetched at pc. */
	void (*fetch)(struct functional_warm *w, uint64_t pc, unsigned bytes);
	/* It loads, or stores; atomics do both, one after the other. */
	void (*data)(struct functional_warm *w, uint64_t pc, uint64_t addr, unsigned size,
	             bool store);
	uint64_t insts;          /* executed so far */
	uint64_t fetched;        /* the instruction here has been, and is yet to be executed */
	/* A conditional branch, or a jump; either may lie behind a prefix. */
	warm_control_fn *branch, *jump;
	void *predictor; /* theirs; borrowed */
};

/* What surrounds the instructions. */
struct functional_env {
	uint64_t time_div; /* h->time is h->cycle divided by this */
	/* Called before each instruction of class SYSTEM, to bring up to date what it may read; may
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

/* The same, telling `tap`; TRAP_NONE also if that wants to stop. */
enum trap functional_run_tapped(struct hart *h, struct mem *mem, uint64_t max,
                                const struct functional_env *env, const volatile bool *stop,
                                uint64_t *fault_addr, const struct functional_tap *tap);

/* The same, warming: what takes single steps is told to `tap`, of all operations. */
enum trap functional_run_warm(struct hart *h, struct mem *mem, uint64_t max,
                              const struct functional_env *env, uint64_t *fault_addr,
                              struct functional_warm *warm, const struct functional_tap *tap);

/* The same again, one instruction at a time: slow, but all of *done is there, and h's counters are
 * up to date. */
enum trap functional_run_steps(struct hart *h, struct mem *mem, uint64_t max,
                               const struct functional_env *env, const volatile bool *stop,
                               uint64_t *fault_addr, const struct functional_tap *tap);

#endif
