/* The folder of `run --sample --checkpoints`: for each pass and part a file of live points
 * (core/run/live_points.h), and `plan`, a text, which says what they are of and is written last. */
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

enum { SAMPLE_PASSES = 4 };

struct sample_points {
	const char *folder;  /* borrowed; NULL: none are kept */
	bool there;          /* it has a plan: its units are measured again */

	uint64_t layout, program, memory; /* of the session's machine when it was launched */
	/* the plan */
	struct sample_spec spec;
	uint64_t insts, syscalls, max_insts;
	int status;          /* the program's exit status */
	unsigned passes;
	struct sample_plan plan[SAMPLE_PASSES]; /* [passes] */
};

/* Looks whether the folder has a plan, and makes the folder if there is none. The session's machine
 * has just been launched. False with *err if
 * the plan is of something else than the session and what is asked for: it says what to do. */
bool sample_points_open(struct sample_points *p, const char *folder, const struct session *s,
                        const struct sample_spec *asked, uint64_t max_insts,
                        struct err *err);
/* Writes the plan. */
bool sample_points_finish(const struct sample_points *p, const struct session *s, struct err *err);

/* The file of a pass's part, to be written from the beginning or read from there. False with *err.
 */
bool sample_points_begin(const struct sample_points *p, unsigned pass, unsigned part,
                         struct output_file *o, struct err *err);
bool sample_points_end(const struct sample_points *p, unsigned pass, unsigned part,
                       struct output_file *o, struct err *err);
/* The caller closes it. NULL with *err. */
FILE *sample_points_read(const struct sample_points *p, unsigned pass, unsigned part,
                         struct err *err);
/* *err, of such a file, with its name. Returns false. */
bool sample_points_say(const struct sample_points *p, unsigned pass, unsigned part,
                       struct err *err);

#endif
