/* The program's response time in a terminal: keys start|screen CYCLOPS [OPTIONS...] PROGRAM [ARGS...]. Prints rows for tests/bench/table.sh, in ms of
 * the wall clock.
 *
 * It plays the terminal: it has the other end of a pseudo terminal, sends a key, and measures the time until the last byte of
 * the answer. The terminal's own work is not in it. */
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STARTS = 15, KEYS = 40, QUIET_MS = 150, LONGEST_MS = 5000, MOST_ARGS = 64 };

struct terminal {
	pid_t child;
	int fd;
};

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static struct terminal keys_start(char *const argv[])
{
	struct winsize size = {.ws_row = 40, .ws_col = 120};
	struct terminal t;
	t.child = forkpty(&t.fd, NULL, NULL, &size);
	if (t.child < 0) {
		perror("keys");
		exit(1);
	}
	if (t.child > 0)
		return t;
	setenv("TERM", "xterm-256color", 1);
	setenv("LANG", "C.UTF-8", 1);
	unsetenv("HOME"); /* keeps these lines out of the user's history */
	unsetenv("XDG_STATE_HOME");
	execv(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

static void stop(struct terminal t)
{
	kill(t.child, SIGKILL);
	close(t.fd);
	waitpid(t.child, NULL, 0);
}

/* Waits at most wait_ms for output and reads it; returns its bytes, 0: none. */
static size_t keys_hear(struct terminal t, int wait_ms, char *text, size_t room)
{
	struct pollfd p = {.fd = t.fd, .events = POLLIN};
	ssize_t n = poll(&p, 1, wait_ms) > 0 ? read(t.fd, text, room) : 0;
	return n > 0 ? (size_t)n : 0;
}

/* Time of the last byte before a pause; negative if nothing came. */
static double last_byte(struct terminal t)
{
	char text[1 << 14];
	double last = -1;
	int wait = LONGEST_MS;
	while (keys_hear(t, wait, text, sizeof text)) {
		last = now_ms();
		wait = QUIET_MS;
	}
	return last;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void row(const char *name, const char *which, double ms)
{
	printf("%s%s\t%.1f\n", name, which, ms);
	fflush(stdout);
}

/* Time until the prompt appears, without a screen. */
static double start_ms(char *const argv[])
{
	char text[1 << 14];
	size_t n = 0, more;
	double began = now_ms();
	struct terminal t = keys_start(argv);
	do {
		more = keys_hear(t, LONGEST_MS, text + n, sizeof text - 1 - n);
		n += more;
		text[n] = '\0';
	} while (more && !strstr(text, "(cyclops)"));
	double ms = now_ms() - began;
	stop(t);
	return more ? ms : -1;
}

static double key_ms(struct terminal t, const char *key)
{
	double began = now_ms();
	if (write(t.fd, key, strlen(key)) < 0)
		return -1;
	double last = last_byte(t);
	return last < 0 ? -1 : last - began;
}

/* Steps forwards and back in the layout that the key selects. */
static void keys(char *const argv[], const char *name, const char *layout)
{
	double ms[KEYS];
	size_t n = 0;
	struct terminal t = keys_start(argv);
	last_byte(t);
	key_ms(t, layout);
	for (unsigned i = 0; i < KEYS; i++) {
		double took = key_ms(t, i % 4 == 3 ? "S" : "s");
		if (took >= 0)
			ms[n++] = took;
	}
	stop(t);
	if (!n) {
		fprintf(stderr, "%s: no key was answered\n", name);
		return;
	}
	qsort(ms, n, sizeof *ms, by_size);
	row(name, ", best, ms", ms[0]);
	row(name, ", median, ms", ms[n / 2]);
	row(name, ", worst, ms", ms[n - 1]);
}

/* CYCLOPS, these options (NULL ends them), then the words after CYCLOPS on our own command line. */
static void keys_compose(char **words, char **argv, char *const options[])
{
	int n = 0;
	words[n++] = argv[2];
	for (int i = 0; options[i]; i++)
		words[n++] = options[i];
	for (int i = 3; argv[i]; i++)
		words[n++] = argv[i];
	words[n] = NULL;
}

static void keys_starts(char *const argv[])
{
	double best = -1;
	for (unsigned i = 0; i < STARTS; i++) {
		double ms = start_ms(argv);
		if (ms >= 0 && (best < 0 || ms < best))
			best = ms;
	}
	row("start to first prompt, best, ms", "", best);
}

int main(int argc, char **argv)
{
	char no_init[] = "--no-init", no_screen[] = "--no-screen", set[] = "-o", cop[] = "cop.enable=true";
	char *words[MOST_ARGS + 4];
	if (argc < 4 || argc > MOST_ARGS || (strcmp(argv[1], "start") != 0 && strcmp(argv[1], "screen") != 0)) {
		fprintf(stderr, "usage: %s start|screen CYCLOPS [OPTIONS...] PROGRAM [ARGS...]\n",
		        argv[0]);
		return 1;
	}
	if (!strcmp(argv[1], "start")) {
		keys_compose(words, argv, (char *const[]){no_init, no_screen, NULL});
		keys_starts(words);
		return 0;
	}
	keys_compose(words, argv, (char *const[]){no_init, NULL});
	keys(words, "key to screen", "1");
	keys_compose(words, argv, (char *const[]){no_init, set, cop, NULL});
	keys(words, "key to screen with profiling panes", "3");
	return 0;
}
