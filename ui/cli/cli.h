/* Commands named by the first word of the command line: one file each (cli_run.c), listed in
 * cli_commands.c. Commands typed in a session are another table: ui/console/command.h. */
#ifndef CYCLOPS_UI_CLI_CLI_H
#define CYCLOPS_UI_CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

/* Exit statuses of our own; everything else is the guest's. */
enum { STATUS_LIMIT = 124, STATUS_ERROR = 125 };

struct cli_option;
struct cli_command {
	const char *name;
	/* text after "cyclops "; NULL: the command is for shells, not for people */
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
	cli_demo, cli_link, cli_web, cli_manual, cli_help, cli_complete;
struct options;
struct tour_place;
/* Opens the program that the options name and runs a session, on the screen if there is one;
 * returns the exit status. On the screen, *place is the position in a tour to begin at, and
 * receives the next position. */
int cli_inspect_options(struct options *o, struct tour_place *place);
/* Inspects and edits an assembly text on the screen; argv as for `inspect`. */
int cli_edit(int argc, char **argv);
/* The same, beginning at a place. */
int cli_edit_at(int argc, char **argv, struct tour_place place);
/* Takes a first word that is neither a command nor a file. With --help, prints the help of a
 * session's word. Else, reports an error: the word is a session's, or `otherwise`. Returns the exit
 * status. */
int cli_help_unknown(int argc, char **argv, const char *otherwise);
/* Runs the start page until the user leaves it; returns the exit status. */
int cli_start(void);
/* Plays the tours that a session requested; returns `status` if there are none. */
int cli_tour_next(struct tour_place *place, int status);
/* Parses the options of a command that takes those of options.def, and prints help or version if
 * they ask for it. True: the command runs with *o, which it frees. False: nothing is to be freed,
 * and *status is the exit status. */
bool cli_parse_or_print(const struct cli_command *c, int argc, char **argv, struct options *o,
                        int *status);
/* Prints the options of sweep for users, one per line. */
void cli_sweep_print_options(FILE *f);
/* Prints the options of instrument, one per line. */
void cli_instrument_print_options(FILE *f);
/* Prints the options of microcode, one per line. */
void cli_microcode_print_options(FILE *f);
/* Prints the options of asm, one per line. */
void cli_asm_print_options(FILE *f);
/* Prints the options of lab, one per line. */
void cli_lab_print_options(FILE *f);

/* All commands, NULL at the end; the first is the default when none is named. */
extern const struct cli_command *const cli_commands[];

/* One option as help prints it, from options.def or the command's own table. */
struct cli_option_text {
	char letter;                  /* 0: none */
	const char *name, *arg, *help; /* arg NULL: none */
};

/* Returns the next option at or after *i and moves *i past it; begin with 0. False: no more. */
bool cli_next_option(const struct cli_command *c, int *i, struct cli_option_text *o);

#endif
