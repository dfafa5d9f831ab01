/* Reports a fault of the guest or its firmware, or an endless wait: kind, place and call stack. */
#ifndef CYCLOPS_UI_CLI_FAULT_REPORT_H
#define CYCLOPS_UI_CLI_FAULT_REPORT_H

#include <stdio.h>

struct machine;
struct program;

/* machine_status() must be MACHINE_FAULTED. `program` gives symbols and source lines. */
void fault_report(FILE *f, const struct machine *m, struct program *program);

/* Prints the text that a program that died has left in the C library's buffer, if there is any. */
void unwritten_report(FILE *f, const struct machine *m, const struct program *program);

/* "the program" or "firmware". */
const char *fault_whose(const struct machine *m);

/* machine_status() must be MACHINE_STUCK. */
void stuck_report(FILE *f, const struct machine *m, struct program *program);

/* Exit status as of a shell: 128 + the fault's signal. */
int fault_exit_status(const struct machine *m);

#endif
