/* What the first word of the command line names: one file each (cli_run.c), listed in cli_commands.c. What a person
 * types in a session is another table: ui/command.h. */
#ifndef CYCLOPS_UI_CLI_H
#define CYCLOPS_UI_CLI_H

#include <stdio.h>

/* Exit statuses of our own; everything else is the guest's. */
enum { STATUS_LIMIT = 124, STATUS_ERROR = 125 };

struct cli_command {
	const char *name;
	const char *usage; /* what follows "cyclops " */
	const char *help;
	/* argv[0] is the command's name; returns the exit status. */
	int (*run)(int argc, char **argv);
};

extern const struct cli_command cli_inspect, cli_run, cli_compare, cli_lua, cli_sweep, cli_instrument, cli_microcode, cli_values, cli_help;
/* Those of sweep's options that people type, a line each; the others' are in options.def. */
void cli_sweep_print_options(FILE *f);
/* The options of instrument, a line each. */
void cli_instrument_print_options(FILE *f);
/* The options of microcode, a line each. */
void cli_microcode_print_options(FILE *f);

/* All of them, NULL at the end; the first is what is meant when none is named. */
extern const struct cli_command *const cli_commands[];

#endif
