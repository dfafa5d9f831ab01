/* Options of commands that have their own option table: parsing and listing. */
#ifndef CYCLOPS_UI_CLI_CLI_OPTIONS_H
#define CYCLOPS_UI_CLI_CLI_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/base/err.h"

enum { CLI_OPTIONS_MAX = 32 };

struct cli_option {
	struct option row;      /* val: its letter, or a number from 256 on */
	const char *arg, *help; /* help NULL: not for people */
};

/* Takes an option, whose argument is getopt's optarg; may take the words after the option by moving
 * optind. False with *err. */
typedef bool cli_take_option(void *ctx, int val, int argc, char **argv, struct err *err);

/* Passes each option of a command line to `take`; other words may come between options, and begin
 * at optind afterwards. [n] options. False with *err, which names the nearest valid option. */
bool cli_read_options(const struct cli_option *options, int n, int argc, char **argv,
                      cli_take_option *take, void *ctx, struct err *err);
/* Prints the options, one per line. */
void cli_print_options(const struct cli_option *options, int n, FILE *f);

#endif
