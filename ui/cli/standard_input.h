/* Whose standard input is: the program's or the session's. Where it is the program's, a session on
 * a terminal takes its commands from there. */
#ifndef CYCLOPS_UI_CLI_STANDARD_INPUT_H
#define CYCLOPS_UI_CLI_STANDARD_INPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "ui/cli/options.h"

struct standard_input {
	int program;    /* the descriptor of what the program reads, -1: nothing */
	/* where -x - reads: stdin, or what that was before the terminal took its place */
	FILE *commands;
	bool follow;    /* more commands are read there, behind those of the options */
	bool batch;     /* neither a screen nor a prompt */
};

/* From the options, and from what standard input and output are. It may put the terminal in the
 * place of descriptor 0; what was there stays open. False with *err. */
bool standard_input_decide(struct standard_input *in, const struct options *o, struct err *err);

#endif
