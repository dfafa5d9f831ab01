/* Standard input for repeated executions of a program, each from the initial position. */
#ifndef CYCLOPS_UI_CLI_SAMPLE_INPUT_H
#define CYCLOPS_UI_CLI_SAMPLE_INPUT_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/base/err.h"

struct sample_input {
	int fd;     /* a file; owned if `copied` */
	off_t from; /* initial position */
	bool copied;
};

/* Records the position; copies the input to a file if it is not a file itself. False with *err. */
bool sample_input_begin(struct sample_input *in, int fd, struct err *err);
/* Returns a new descriptor at the initial position, owned by the caller; -1 with *err. */
int sample_input_open(const struct sample_input *in, struct err *err);
void sample_input_end(struct sample_input *in);

#endif
