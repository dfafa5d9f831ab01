/* shell: a command of the host. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ui/child/child_words.h"
#include "ui/child/descendants.h"
#include "ui/console/command.h"

/* Runs in the child. Its input is the terminal or empty: other standard input has commands for
 * cyclops. */
static void cmd_shell_exec_child(const char *line, int out)
{
	const char *own = getenv("SHELL");
	const char *shell = !*line && own && *own == '/' ? own : "/bin/sh";
	const int nothing = out >= 0 || !isatty(STDIN_FILENO) ? open("/dev/null", O_RDONLY) : -1;
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);
	if (out >= 0) {
		dup2(out, STDOUT_FILENO);
		dup2(out, STDERR_FILENO);
	}
	child_keep_descriptors();
	if (*line)
		execl(shell, shell, "-c", line, (char *)NULL);
	else
		execl(shell, shell, (char *)NULL);
	fprintf(stderr, "%s: %s\n", shell, strerror(errno));
	_exit(127);
}

static void cmd_shell_forward_output(struct console *c, int fd)
{
	char buf[4096];
	ssize_t n;
	while ((n = read(fd, buf, sizeof buf)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			console_write(c, buf, (size_t)n);
}

static void tell_status(struct console *c, int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status))
		console_print(c, "Exit status %d\n", WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		console_print(c, "Ended by signal %d\n", WTERMSIG(status));
}

static enum command_result cmd_shell_exec(struct console *c, const char *args)
{
	/* Capture its output as an answer if answers don't go directly to the terminal. */
	const bool answer = c->screen || c->lines || c->answer || c->peer;
	int fds[2] = {-1, -1}, status = 0;
	if (answer && !*args)
		return console_fail(c, "no command given; expected one here, as in shell ls");
	fflush(stdout);
	if (answer && pipe2(fds, O_CLOEXEC) < 0)
		return console_fail(c, "shell: %s", strerror(errno));
	child_attend();
	const pid_t pid = child_fork_for_exec();
	if (!pid)
		cmd_shell_exec_child(args, fds[1]);
	const int why = errno;
	if (answer)
		close(fds[1]);
	if (pid > 0 && answer)
		cmd_shell_forward_output(c, fds[0]);
	if (answer)
		close(fds[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	child_attended(status);
	if (pid < 0)
		return console_fail(c, "shell: %s", strerror(why));
	tell_status(c, status);
	return CMD_OK;
}

const struct command cmd_shell = {
	.name = "shell",
	.aliases = "!",
	.group = "support",
	.usage = "shell [COMMAND]",
	.summary = "run a command of the host's shell; alone, a shell",
	.help = "All of the line is the command's, `;` too. Its output is the answer; a\n"
		"status other than 0 is printed, and is no error. On the screen it gets no\n"
		"input.\n"
		"    shell ls        !make && ls -l prog",
	.complete = COMPLETE_FILE,
	.whole = true,
	.sessionless = true,
	.files = true,
	.exec = cmd_shell_exec,
};
