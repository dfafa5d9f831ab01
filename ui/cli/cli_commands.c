/* The list of commands, the first word of the command line. */
#include <stddef.h>

#include "ui/cli/cli.h"

const struct cli_command *const cli_commands[] = {
	&cli_inspect,
	&cli_run,
	&cli_compare,
	&cli_bakeoff,
	&cli_lua,
	&cli_sweep,
	&cli_instrument,
	&cli_microcode,
	&cli_asm,
	&cli_values,
	&cli_gdb,
	&cli_dap,
	&cli_tour,
	&cli_lab,
	&cli_demo,
	&cli_link,
	&cli_web,
	&cli_manual,
	&cli_help,
	&cli_complete,
	NULL,
};
