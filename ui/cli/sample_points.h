/* The folder of `run --sample --checkpoints`: for each pass and part a file of live points
 * (core/run/live_points.h), and the text file `plan`, which describes them and is written last. */
#ifndef CYCLOPS_UI_CLI_SAMPLE_POINTS_H
#define CYCLOPS_UI_CLI_SAMPLE_POINTS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/base/output_file.h"
#include "core/run/sample.h"
#include "hwviews/session/session.h"
#include "ui/cli/sample_spec.h"

struct sample_points {
	const char *folder;  /* borrowed; NULL: none are kept */
	bool there;          /* the folder has a plan: measure its units again */

	uint64_t layout, program, memory; /* of the session's machine when it was launched */
	/* the plan */
	struct sample_spec spec;
	uint64_t insts, syscalls, max_insts;
	int status;          /* the program's exit status */
	unsigned passes;
	struct sample_plan plan[SAMPLE_PASSES]; /* [passes] */
};

/* Reads the folder's plan, if any; creates the folder if missing. The session's machine has just
 * been launched. False with *err, which says what to do, if the plan is for another session or
 * request. */
bool sample_points_open(struct sample_points *p, const char *folder, const struct session *s,
                        const struct sample_spec *asked, uint64_t max_insts,
                        struct err *err);
/* Writes the plan. */
bool sample_points_finish(const struct sample_points *p, const struct session *s, struct err *err);

/* Creates the file of a pass's part. False with *err. */
bool sample_points_begin(const struct sample_points *p, unsigned pass, unsigned part,
                         struct output_file *o, struct err *err);
bool sample_points_end(const struct sample_points *p, unsigned pass, unsigned part,
                       struct output_file *o, struct err *err);
/* Opens the file of a pass's part, which the caller closes. NULL with *err. */
FILE *sample_points_read(const struct sample_points *p, unsigned pass, unsigned part,
                         struct err *err);
/* Prefixes *err with the name of such a file. Returns false. */
bool sample_points_say(const struct sample_points *p, unsigned pass, unsigned part,
                       struct err *err);

#endif
