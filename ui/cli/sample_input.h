/* Standard input for a program that is executed several times: each time from where it was when we
 * began. */
#ifndef CYCLOPS_UI_CLI_SAMPLE_INPUT_H
#define CYCLOPS_UI_CLI_SAMPLE_INPUT_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/base/err.h"

struct sample_input {
	int fd;     /* a file; ours if it is `copied` */
	off_t from; /* where it begins */
	bool copied;
};

/* What is no file is read to its end, and kept. False with *err. */
bool sample_input_begin(struct sample_input *in, int fd, struct err *err);
/* A descriptor of its own, the caller's, at the beginning; -1 with *err. */
int sample_input_open(const struct sample_input *in, struct err *err);
void sample_input_end(struct sample_input *in);

#endif
