/* Decides whether standard input belongs to the program or the session. If it is the program's, a
 * session on a terminal reads its commands from the terminal. */
#ifndef CYCLOPS_UI_CLI_STANDARD_INPUT_H
#define CYCLOPS_UI_CLI_STANDARD_INPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "ui/cli/options.h"

struct standard_input {
	int program;    /* descriptor that the program reads, -1: nothing */
	/* stream of -x -: stdin, or the original stdin if the terminal has replaced it */
	FILE *commands;
	bool follow;    /* read more commands there after those of options */
	bool batch;     /* neither a screen nor a prompt */
};

/* Decides from the options and the kinds of standard input and output. May replace descriptor 0 by
 * the terminal; the original stays open. False with *err. */
bool standard_input_decide(struct standard_input *in, const struct options *o, struct err *err);

#endif
