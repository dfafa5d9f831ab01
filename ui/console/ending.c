#include "ui/console/ending.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "core/host/descendants.h"
#include "core/host/folder.h"
#include "ui/console/fatal_signals.h"
#include "ui/render/terminal.h"

enum {
	TICK_US = 20000,
	CHILD_TICKS = 2,   /* standing still so long means that it waits, as for a child */
	STILL_TICKS = 25,  /* half a second */
	STILL_NS = 100000, /* processor time in a tick, the handler's own included */
	COMPUTES_NS = 500000000,
	LATE_NS = 900000000, /* of wall-clock time, if it has computed a little */
	LATE_COMPUTES_NS = 100000000
};

static const int signals[] = {SIGTERM, SIGHUP, SIGINT};

/* Global, because signal handlers take no context. */
static struct {
	void (*volatile ask)(int number);
	const char *volatile folder;
	const char *volatile socket;
	volatile sig_atomic_t number; /* of the signal that came; 0: none */
	int64_t began, last;          /* processor time in ns at the signal and the last tick */
	int64_t began_all;            /* wall-clock time in ns at the signal */
	int still;                    /* consecutive ticks with almost no processor time */
	struct termios modes;         /* the terminal's, at the beginning */
	bool terminal;                /* stdin is a terminal */
} ending;

/* ---- cleaning up ---- */
/* The functions of this section are async-signal-safe: no allocation, no stream. */

static void end_now(int number)
{
	struct sigaction usual = {.sa_handler = SIG_DFL};
	sigset_t this;
	child_end_descendants();
	fatal_signals_give_back();
	/* a killed pager does not restore the terminal */
	if (ending.terminal && tcgetpgrp(STDIN_FILENO) == getpgrp())
		terminal_set_modes(STDIN_FILENO, &ending.modes);
	if (ending.folder)
		folder_remove_all(ending.folder);
	if (ending.socket)
		unlink(ending.socket);
	sigaction(number, &usual, NULL);
	sigemptyset(&this);
	sigaddset(&this, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &this, NULL);
}

/* ---- signals ---- */
static int64_t ns_of(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void on_tick(int sig)
{
	const int error = errno;
	const int64_t now = ns_of(CLOCK_PROCESS_CPUTIME_ID), computed = now - ending.began,
		      all = ns_of(CLOCK_MONOTONIC) - ending.began_all;
	(void)sig;
	ending.still = now - ending.last < STILL_NS ? ending.still + 1 : 0;
	ending.last = now;
	if (ending.ask)
		ending.ask(ending.number);
	if (ending.still == CHILD_TICKS && ending.number != SIGINT)
		child_request_end();
	if (ending.still >= STILL_TICKS || computed >= COMPUTES_NS ||
	    (all >= LATE_NS && computed >= LATE_COMPUTES_NS))
		end_now(ending.number);
	errno = error;
}

void ending_begin(int number)
{
	const struct itimerval ticks = {.it_interval.tv_usec = TICK_US,
	                                .it_value.tv_usec = TICK_US};
	struct sigaction tick = {.sa_handler = on_tick, .sa_flags = SA_RESTART | SA_ONSTACK};
	ending.number = number;
	ending.began = ending.last = ns_of(CLOCK_PROCESS_CPUTIME_ID);
	ending.began_all = ns_of(CLOCK_MONOTONIC);
	sigaction(SIGALRM, &tick, NULL);
	setitimer(ITIMER_REAL, &ticks, NULL);
}

int ending_came(void)
{
	return ending.number;
}

static void on_signal(int number)
{
	const int error = errno;
	/* An operation that takes Ctrl-C has a handler of its own. */
	if (ending.number || !ending.ask || number == SIGINT)
		end_now(number);
	ending_begin(number);
	ending.ask(number);
	errno = error;
}

void ending_catch(void)
{
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK}, old;
	ending.terminal = tcgetattr(STDIN_FILENO, &ending.modes) == 0;
	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaddset(&sa.sa_mask, signals[i]);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
}

void ending_by(void (*ask)(int number))
{
	ending.ask = ask;
}

bool ending_make_folder(char *name)
{
	sigset_t ours, before;
	sigemptyset(&ours);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaddset(&ours, signals[i]);
	sigprocmask(SIG_BLOCK, &ours, &before);
	ending.folder = mkdtemp(name);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ending.folder;
}

void ending_remove_folder(void)
{
	if (ending.folder)
		folder_remove_all(ending.folder);
	ending.folder = NULL;
}

void ending_removes_socket(const char *path)
{
	ending.socket = path;
}
