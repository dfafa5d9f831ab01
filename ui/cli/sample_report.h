/* Results of `run --sample`, as text and as files. */
#ifndef CYCLOPS_UI_CLI_SAMPLE_REPORT_H
#define CYCLOPS_UI_CLI_SAMPLE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "core/run/estimate.h"
#include "ui/cli/sample_passes.h"

struct sample_report {
	const struct sample_passes *passes; /* borrowed */
	const char *program, *config;       /* names; borrowed */
	uint64_t syscalls;                  /* of the whole program */
	struct estimate *rows;              /* owned; [stat_row_count] */
	double processor_seconds;           /* of all passes and processes; 0: unknown */
};

/* False if memory is out. */
bool sample_report_begin(struct sample_report *r);
void sample_report_end(struct sample_report *r);

/* Prints IPC, CPI stack and derived statistics, with intervals. */
void sample_report_text(FILE *f, const struct sample_report *r);
/* Writes all statistics: JSON if the file's name ends in .json, CSV if in .csv, else text; "-":
 * text on stderr. False with *err. */
bool sample_report_write(const char *path, const struct sample_report *r, struct err *err);

#endif
