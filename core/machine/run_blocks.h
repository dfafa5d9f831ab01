/* Runs a program without timing and reports its branches and jumps, to find which code it executes,
 * and how often. */
#ifndef CYCLOPS_CORE_MACHINE_RUN_BLOCKS_H
#define CYCLOPS_CORE_MACHINE_RUN_BLOCKS_H

#include <stdint.h>

struct machine;

/* Called for each branch and jump: its pc, and the number of the program's instructions before
 * it. */
typedef void machine_control_fn(void *ctx, uint64_t pc, uint64_t insts);
/* machine_run_functional() without warming, for a machine without devices. */
uint64_t machine_run_blocks(struct machine *m, uint64_t n, machine_control_fn *fn, void *ctx);

#endif
