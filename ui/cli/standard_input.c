/* A file or a pipe as standard input belongs to the program, as with other tools, unless options
 * read commands from it. */
#include "ui/cli/standard_input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "loader/launch.h"

/* True if the options have -x -. */
static bool asks_for_commands(const struct options *o)
{
	for (unsigned i = 0; i < o->command_count; i++)
		if (o->commands[i].file && !strcmp(o->commands[i].text, "-"))
			return true;
	return false;
}

/* Replaces descriptor 0 by the session's terminal. Returns a duplicate of the original; -1: no
 * terminal, nothing changed. */
static int take_terminal(void)
{
	const int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
	if (terminal < 0)
		return -1;
	const int was = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	const bool taken = was >= 0 && dup2(terminal, STDIN_FILENO) >= 0;
	close(terminal);
	if (was >= 0 && !taken)
		close(was);
	return taken ? was : -1;
}

/* Takes the terminal for a session that could have a screen, and whose standard input is not the
 * terminal. Without one the session is a batch. */
static bool on_terminal(struct standard_input *in, struct err *err)
{
	const int was = take_terminal();
	if (was < 0)
		return in->batch = true;
	in->program = was;
	in->commands = alloc_file_of(was, "r");
	return in->commands || err_set(err, "standard input: %s", strerror(errno));
}

bool standard_input_decide(struct standard_input *in, const struct options *o, struct err *err)
{
	const bool piped = !isatty(STDIN_FILENO), batch = o->given[OPT_BATCH];
	*in = (struct standard_input){.program = STDIN_FILENO,
	                              .commands = stdin,
	                              .batch = batch || !isatty(STDOUT_FILENO)};
	in->follow = batch ? !o->command_count : piped ? o->given[OPT_STDIN] : in->batch;
	if (piped && in->follow)
		in->batch = true;
	if (piped && !in->batch && !on_terminal(in, err))
		return false;
	if (piped && in->batch && !in->follow && !o->command_count)
		return err_set(
			err,
			"standard input is the program's, and no terminal is there for commands; "
		        "use --batch to read commands from standard input, or -e COMMAND, -x FILE");
	if (piped && (in->follow || asks_for_commands(o)))
		in->program = -1;
	if (!o->given[OPT_STDIN])
		return true;
	struct err why;
	in->program = launch_open_input(o->stdin_path, &why);
	return in->program >= 0 || err_set(err, "--stdin %s", why.msg);
}
