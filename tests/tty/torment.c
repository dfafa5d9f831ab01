/* Torments the screen: starts it in a terminal of its own that changes its size all the time, down
 * to one cell, and types absurd commands and keys into it. Properties: the program neither dies nor
 * hangs, and ends on request.
 *
 *   torment SEED ROUNDS FILE PROGRAM [ARGS...]     FILE: things to type, a line each
 *
 * What is typed, and at which size, follows from SEED; how far the program has got by then doesn't.
 * Status 0 if all held; else it prints the last input on stdout. */
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINES_MAX = 512, QUIET_MS = 4, BUSY_MS = 400, HANG_MS = 60000, REMEMBERED = 12 };

struct torment {
	uint64_t random;
	int fd;      /* the terminal's other side */
	pid_t pid;
	char *line[LINES_MAX];
	unsigned lines;
	char last[REMEMBERED][160]; /* ring */
	unsigned typed;
	bool gone;   /* the terminal is closed everywhere */
};

static unsigned torment_below(struct torment *t, unsigned n)
{
	t->random = t->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((t->random >> 33) % n);
}

static void torment_remember(struct torment *t, const char *what)
{
	snprintf(t->last[t->typed++ % REMEMBERED], sizeof *t->last, "%s", what);
}

/* Reads the program's output until a short pause. */
static void torment_drain(struct torment *t)
{
	char bytes[65536];
	for (int waited = 0; waited < BUSY_MS && !t->gone;) {
		struct pollfd p = {.fd = t->fd, .events = POLLIN};
		if (poll(&p, 1, QUIET_MS) <= 0)
			return;
		ssize_t n = read(t->fd, bytes, sizeof bytes);
		t->gone = n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
		waited++;
	}
}

static void torment_type(struct torment *t, const char *text, size_t n)
{
	while (n > 0 && !t->gone) {
		ssize_t put = write(t->fd, text, n);
		if (put > 0) {
			text += put;
			n -= (size_t)put;
		} else if (errno != EAGAIN && errno != EINTR) {
			t->gone = true;
		}
		torment_drain(t);
	}
}

/* Mostly small, or narrow, or low, where errors are likely. */
static void torment_resize(struct torment *t)
{
	static const unsigned short most[] = {4, 12, 30, 81, 130, 250};
	struct winsize size = {.ws_row = (unsigned short)(1 + torment_below(t, most[torment_below(t, 5)])), .ws_col = (unsigned short)(1 + torment_below(t, most[torment_below(t, 6)]))};
	char text[40];
	snprintf(text, sizeof text, "<%dx%d>", size.ws_col, size.ws_row);
	torment_remember(t, text);
	ioctl(t->fd, TIOCSWINSZ, &size);
	torment_drain(t);
}

static void type_keys(struct torment *t)
{
	static const char *const special[] = {"\t", "\t\t", "\033[A", "\033[B", "\033[C", "\033[D", "\033[5~", "\033[6~", "\033[H", "\033[F", "\033",
	                                      "\r", "\177", "\033[<0;5;3M", "\033[<0;5;3m", "\033[<64;9;9M", "\033[<0;999;999M", "\003", "\014", "\032\0", "\033[15~"};
	char text[24];
	size_t n = 1 + torment_below(t, 8);
	for (size_t i = 0; i < n; i++)
		text[i] = (char)(' ' + torment_below(t, 95));
	text[n] = '\0';
	for (char *q = text; *q; q++)
		if (*q == 'q' || *q == 'Z')
			*q = 'j';
	torment_remember(t, text);
	torment_type(t, text, n);
	const char *s = special[torment_below(t, sizeof special / sizeof *special - 2)];
	torment_type(t, s, strlen(s));
}

static void type_line(struct torment *t)
{
	static const char *const tail[] = {"", "", "", " 1", " -1", " 99999999999999999999", " *", " %s%n", " main", " rob", " \xff\xfe", " (((((", " 0x", " \""};
	char text[300];
	const char *line = t->line[torment_below(t, t->lines)];
	if (torment_below(t, 4) == 0)
		snprintf(text, sizeof text, "\033\033:%.*s\t\t", (int)torment_below(t, 6), line);
	else
		snprintf(text, sizeof text, "\033\033:%s%s", line, tail[torment_below(t, sizeof tail / sizeof *tail)]);
	torment_remember(t, text + 3);
	torment_type(t, text, strlen(text));
	torment_resize(t);
	torment_type(t, "\r", 1);
}

/* Input before the screen exists can end the program: Ctrl-C does. */
static void wait_for_screen(struct torment *t)
{
	struct pollfd p = {.fd = t->fd, .events = POLLIN};
	poll(&p, 1, HANG_MS);
	torment_drain(t);
}

/* The program's exit status, -1 if it had to be killed. The program is requested to end more than
 * once, since a terminal drops keys that are typed while a tour's session makes room for another;
 * then its terminal hangs up. */
static int torment_end(struct torment *t)
{
	int status;
	for (int waited = 0; waited < HANG_MS; waited += QUIET_MS + 1) {
		if (waited % (HANG_MS / 20) == 0 && waited < HANG_MS / 4)
			torment_type(t, "\003\033\033\033:quit\r", 10);
		torment_drain(t);
		if (waitpid(t->pid, &status, WNOHANG) == t->pid)
			return status;
		usleep(1000);
		if (waited == HANG_MS / 4)
			kill(t->pid, SIGHUP);
	}
	kill(t->pid, SIGKILL);
	waitpid(t->pid, &status, 0);
	return -1;
}

static void read_lines(struct torment *t, const char *path)
{
	char *line = NULL;
	size_t cap = 0;
	FILE *f = fopen(path, "r");
	for (ssize_t n; f && t->lines < LINES_MAX && (n = getline(&line, &cap, f)) > 0;) {
		line[n - (line[n - 1] == '\n')] = '\0';
		t->line[t->lines++] = strdup(line);
	}
	free(line);
	if (f)
		fclose(f);
}

int main(int argc, char **argv)
{
	static struct torment t;
	const struct winsize size = {.ws_row = 30, .ws_col = 100};
	if (argc < 5)
		return 2;
	t.random = strtoull(argv[1], NULL, 10) * 77 + 1;
	read_lines(&t, argv[3]);
	t.pid = forkpty(&t.fd, NULL, NULL, &size);
	if (t.pid == 0) {
		execv(argv[4], argv + 4);
		_exit(127);
	}
	if (t.pid < 0 || !t.lines)
		return 2;
	wait_for_screen(&t);
	for (long rounds = atol(argv[2]); rounds > 0 && !t.gone; rounds--) {
		torment_resize(&t);
		torment_below(&t, 3) ? type_line(&t) : type_keys(&t);
	}
	const int status = torment_end(&t);
	for (unsigned i = 0; i < t.lines; i++)
		free(t.line[i]);
	if (status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (status < 0)
		printf("it does not end\n");
	else if (WIFSIGNALED(status))
		printf("it died of signal %d\n", WTERMSIG(status));
	else
		printf("it ended with status %d\n", WEXITSTATUS(status));
	for (unsigned i = t.typed > REMEMBERED ? t.typed - REMEMBERED : 0; i < t.typed; i++)
		printf("  typed: %s\n", t.last[i % REMEMBERED]);
	return 1;
}
