/* Following a program from block to block, without timing: for who wants to know which code it
 * executes, and how often. */
#ifndef CYCLOPS_CORE_MACHINE_RUN_BLOCKS_H
#define CYCLOPS_CORE_MACHINE_RUN_BLOCKS_H

#include <stdint.h>

struct machine;

/* Hears of branches and jumps: where one lies, and how many instructions of the program were
 * executed before it. */
typedef void machine_control_fn(void *ctx, uint64_t pc, uint64_t insts);
/* As machine_run_functional() without warming. Only of a machine without devices. */
uint64_t machine_run_blocks(struct machine *m, uint64_t n, machine_control_fn *fn, void *ctx);

#endif
