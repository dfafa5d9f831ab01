/* The commands of the command line: one file each, listed in main.c. */
#ifndef CYCLOPS_UI_COMMAND_H
#define CYCLOPS_UI_COMMAND_H

/* Exit statuses of our own; everything else is the guest's. */
enum { STATUS_LIMIT = 124, STATUS_ERROR = 125 };

struct cli_command {
	const char *name;
	const char *usage; /* what follows "cyclops " */
	const char *help;
	/* argv[0] is the command's name; returns the exit status. */
	int (*run)(int argc, char **argv);
};

extern const struct cli_command cmd_run;

#endif
