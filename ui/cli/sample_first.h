/* The first pass of `run --sample`, over a program of unknown length.
 *
 * With one part, a single execution measures the units. With several parts, one process executes
 * the program without timing, to find its length, and keeps snapshots; another measures from the
 * beginning. Then the rest is divided into the other parts, which begin at snapshots. The parts'
 * beginnings, and so the result, depend only on the program's length and the number of parts. */
#ifndef CYCLOPS_UI_CLI_SAMPLE_FIRST_H
#define CYCLOPS_UI_CLI_SAMPLE_FIRST_H

#include "ui/cli/sample_passes.h"

/* True if the first execution can measure units. */
bool sample_first_measures(const struct sample_passes *p);
/* Executes and measures the first pass on a machine at the program's beginning, up to instruction
 * `until`. False with *err. */
bool sample_first_run(struct sample_passes *p, struct machine *m, uint64_t until, struct err *err);

#endif
