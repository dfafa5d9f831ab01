/* Parts of a sample, each by a process of its own if there are several. */
#ifndef CYCLOPS_UI_CLI_SAMPLE_PARTS_H
#define CYCLOPS_UI_CLI_SAMPLE_PARTS_H

#include <sys/types.h>

#include "core/base/err.h"
#include "core/run/sample.h"

/* Measures part k into *out, which is empty; *end receives how it ended. False with *err. */
typedef bool sample_part_fn(void *ctx, unsigned k, struct sample *out, enum sample_end *end,
                            struct err *err);

/* A part, measured by its own process. */
struct sample_part {
	pid_t pid;
	int fd; /* read end of the pipe for its result */
};

/* Starts part k. False with *err. */
bool sample_part_begin(sample_part_fn *fn, void *ctx, unsigned k, struct sample_part *part,
                       struct err *err);
/* Waits for the part, and appends its units to *out; *end becomes the worse of the two ends. False
 * with *err. */
bool sample_part_end(struct sample_part *part, struct sample *out, enum sample_end *end,
                     struct err *err);
/* Kills the part; its result is dropped. */
void sample_part_kill(struct sample_part *part);

/* Measures parts 0 to parts - 1, `jobs` at once, and appends their units to *out in order; *end
 * becomes the worst of all ends. A single part is measured in this process. False with *err. */
bool sample_parts_run(sample_part_fn *fn, void *ctx, unsigned parts, unsigned jobs,
                      struct sample *out, enum sample_end *end, struct err *err);

#endif
