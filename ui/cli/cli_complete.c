/* `cyclops complete`: used by the shells' completions (ui/shell), not by people. */
#include "ui/cli/cli.h"
#include "ui/cli/shell_completion.h"

static int cli_complete_main(int argc, char **argv)
{
	complete_command_line(stdout, argc - 1, (const char *const *)argv + 1);
	return 0;
}

const struct cli_command cli_complete = {
	.name = "complete",
	.help = "Words that may stand at the end of a command line of cyclops, for shells.",
	.run = cli_complete_main,
};
