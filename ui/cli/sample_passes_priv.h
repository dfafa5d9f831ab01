/* Shared by sample_passes.c and sample_first.c. */
#ifndef CYCLOPS_UI_CLI_SAMPLE_PASSES_PRIV_H
#define CYCLOPS_UI_CLI_SAMPLE_PASSES_PRIV_H

#include "ui/cli/sample_passes.h"

/* Maximum units of a first pass, and program instructions per unit. */
enum { PILOT_MOST = 4000, PILOT_EVERY = 60000 };
/* Warm-up instructions of a part before its first unit, per line of L2, whose contents are old.
 * With a quarter of it `sort` in three parts was 1.5 % off. */
enum { RUN_IN = 640 };
/* Relative cost of an instruction without timing and with warming. */
enum { COST_PLAIN = 15, COST_WARM = 44 };

/* Plans strata of `every` instructions. */
struct sample_plan sample_plan_every(const struct sample_passes *p, uint64_t every, unsigned pass);
/* Mean cost of an instruction of a program sampled by this plan, in units of COST_PLAIN. */
double sample_cost(const struct sample_plan *plan);
/* Warm-up instructions of a part before its first unit. */
uint64_t sample_run_in(const struct sample_passes *p);
/* Instruction at which to begin warming for unit k, the first of a part. */
uint64_t sample_warm_from(const struct sample_passes *p, const struct sample_plan *plan,
                          uint64_t k);
/* Creates a machine like the one that executed the program first, with its output dropped; NULL
 * with *err. */
struct machine *sample_machine(const struct sample_passes *p, int *stdin_fd, struct err *err);
void sample_machine_end(const struct sample_passes *p, struct machine *m, int stdin_fd);

#endif
