/* What the first word of the command line names: one file each (cli_run.c), listed in
 * cli_commands.c. What a person types in a session is another table: ui/console/command.h. */
#ifndef CYCLOPS_UI_CLI_CLI_H
#define CYCLOPS_UI_CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

/* Exit statuses of our own; everything else is the guest's. */
enum { STATUS_LIMIT = 124, STATUS_ERROR = 125 };

struct cli_option;
struct cli_command {
	const char *name;
	/* what follows "cyclops "; NULL: the command is for shells, not for people */
	const char *usage;
	const char *help;
	unsigned takes;    /* options of options.def: its enum option_for bit, or 0 */
	const struct cli_option *options; /* its own, or NULL */
	int option_count;
	/* argv[0] is the command's name; returns the exit status. */
	int (*run)(int argc, char **argv);
};

extern const struct cli_command cli_inspect, cli_run, cli_compare, cli_bakeoff, cli_lua, cli_sweep,
	cli_instrument, cli_microcode, cli_asm, cli_values, cli_gdb, cli_dap, cli_tour, cli_lab,
	cli_demo, cli_manual,
	cli_help, cli_complete;
struct options;
struct tour_place;
/* Opens what the options name and talks about it, on the screen where there is one; the exit
 * status. On the screen *place is where in a tour it begins, and where to go from there. */
int cli_inspect_options(struct options *o, struct tour_place *place);
/* Inspects an assembly text on the screen, where it can be edited; argv as of `inspect`. */
int cli_edit(int argc, char **argv);
/* The start page, until a person leaves it; the exit status. */
int cli_start(void);
/* Plays the tours that a session asked for; `status` if it asked for none. */
int cli_tour_next(struct tour_place *place, int status);
/* Those of sweep's options that people type, a line each; the others' are in options.def. */
void cli_sweep_print_options(FILE *f);
/* The options of instrument, a line each. */
void cli_instrument_print_options(FILE *f);
/* The options of microcode, a line each. */
void cli_microcode_print_options(FILE *f);
/* The options of asm, a line each. */
void cli_asm_print_options(FILE *f);
/* The options of lab, a line each. */
void cli_lab_print_options(FILE *f);

/* All of them, NULL at the end; the first is what is meant when none is named. */
extern const struct cli_command *const cli_commands[];

/* One option as people read of it, wherever it stands. */
struct cli_option_text {
	char letter;                  /* 0: none */
	const char *name, *arg, *help; /* arg NULL: none */
};

/* The option at *i or behind it, which *i moves past; begin with 0. False: there are no more. */
bool cli_next_option(const struct cli_command *c, int *i, struct cli_option_text *o);

#endif
