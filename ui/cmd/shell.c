/* shell: a command of the host. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/host/descendants.h"
#include "core/host/process.h"
#include "ui/console/command.h"

/* In the child: this program ignores the signal (ui/console/ending.h). */
static unsigned cmd_shell_enter(void *ctx)
{
	(void)ctx;
	signal(SIGXFSZ, SIG_DFL);
	return 0;
}

/* Its input is the terminal or empty: other standard input has commands for cyclops. out: receives
 * its output; -1: that is ours. */
static bool cmd_shell_start(const char *shell, const char *line, int out, pid_t *pid)
{
	const int nothing = out >= 0 || !isatty(STDIN_FILENO)
	                            ? open("/dev/null", O_RDONLY | O_CLOEXEC)
	                            : -1;
	char *const argv[] = {(char *)(uintptr_t)shell, *line ? (char *)(uintptr_t)"-c" : NULL,
	                      (char *)(uintptr_t)line, NULL};
	const struct process p = {.program = shell,
	                          .argv = argv,
	                          .stream = {nothing, out, out},
	                          .closes = true,
	                          .enter = cmd_shell_enter};
	const bool started = process_start(&p, pid, NULL);
	const int why = errno;
	if (nothing >= 0)
		close(nothing);
	errno = why;
	return started;
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
	const char *own = getenv("SHELL");
	const char *shell = !*args && own && *own == '/' ? own : "/bin/sh";
	pid_t pid;
	if (answer && !*args)
		return console_fail(c, "no command given; expected one here, as in shell ls");
	fflush(stdout);
	if (answer && pipe2(fds, O_CLOEXEC) < 0)
		return console_fail(c, "shell: %s", strerror(errno));
	child_attend();
	const bool started = cmd_shell_start(shell, args, fds[1], &pid);
	const int why = errno;
	if (answer)
		close(fds[1]);
	if (started && answer)
		cmd_shell_forward_output(c, fds[0]);
	if (answer)
		close(fds[0]);
	if (started)
		process_wait(pid, &status);
	child_attended(status);
	if (!started)
		return console_fail(c, "%s: %s", shell, strerror(why));
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
