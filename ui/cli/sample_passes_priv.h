/* Shared by sample_passes.c and sample_first.c. */
#ifndef CYCLOPS_UI_CLI_SAMPLE_PASSES_PRIV_H
#define CYCLOPS_UI_CLI_SAMPLE_PASSES_PRIV_H

#include "ui/cli/sample_passes.h"

/* The most units of a first pass, and instructions of the program for each. */
enum { PILOT_MOST = 4000, PILOT_EVERY = 60000 };
/* Instructions that a part is warmed for before its first unit, for each line of L2: what lies
 * there comes from far back. With a quarter of it `sort` in three parts was 1.5 % off. */
enum { RUN_IN = 640 };
/* What an instruction costs without timing and with warming, by each other. */
enum { COST_PLAIN = 15, COST_WARM = 44 };

/* Units so many instructions apart. */
struct sample_plan sample_plan_every(const struct sample_passes *p, uint64_t every, unsigned pass);
/* What an instruction costs that is sampled by this plan, as COST_PLAIN. */
double sample_cost(const struct sample_plan *plan);
/* Instructions that a part is warmed for before its first unit. */
uint64_t sample_run_in(const struct sample_passes *p);
/* The instruction from which on to warm for unit k, with which a part begins. */
uint64_t sample_warm_from(const struct sample_passes *p, const struct sample_plan *plan,
                          uint64_t k);
/* A machine like the one that executed the program first, whose output nobody hears; NULL with
 * *err. */
struct machine *sample_machine(const struct sample_passes *p, int *stdin_fd, struct err *err);
void sample_machine_end(const struct sample_passes *p, struct machine *m, int stdin_fd);

#endif
