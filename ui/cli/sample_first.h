/* The first pass of `run --sample`, over a program whose length nobody knows yet.
 *
 * As one part, the program is executed once, and units are measured on the way. As several, one
 * process executes it without timing, keeps its state now and then, and so learns its length, while
 * another measures from the beginning on; then the rest is divided, and each of the other parts
 * begins at a state that was kept. Where parts begin depends on the program's length and their
 * number alone, and so does the result. */
#ifndef CYCLOPS_UI_CLI_SAMPLE_FIRST_H
#define CYCLOPS_UI_CLI_SAMPLE_FIRST_H

#include "ui/cli/sample_passes.h"

/* The first execution may measure. */
bool sample_first_measures(const struct sample_passes *p);
/* Does so, in a machine at the program's beginning, up to instruction `until`. False with *err. */
bool sample_first_run(struct sample_passes *p, struct machine *m, uint64_t until, struct err *err);

#endif
