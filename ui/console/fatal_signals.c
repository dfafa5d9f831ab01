#include "ui/console/fatal_signals.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

enum { STACK_BYTES = 64 * 1024, SIGNALS = 65 /* numbers 1 to 64 */ };

static void (*volatile undo)(void);
static struct sigaction before[SIGNALS];
static bool caught[SIGNALS];

static bool ends_a_process(int number)
{
	switch (number) {
	case SIGKILL: case SIGSTOP:                           /* can't be caught */
	case SIGCHLD: case SIGURG: case SIGWINCH: case SIGCONT: /* ignored, or continue */
	case SIGTSTP: case SIGTTIN: case SIGTTOU:             /* stop the process */
	case SIGINT:                                          /* the session's own */
		return false;
	default:
		return true;
	}
}

void fatal_signals_give_back(void)
{
	if (undo)
		undo();
}

static void fatal_signals_on_signal(int number)
{
	const int error = errno;
	const struct sigaction *was = &before[number];
	if (!(was->sa_flags & SA_SIGINFO) && was->sa_handler != SIG_DFL) {
		was->sa_handler(number); /* ui/console/ending.h */
	} else {
		fatal_signals_give_back();
		sigaction(number, was, NULL);
		raise(number);
	}
	errno = error;
}

void fatal_signals_catch(void (*give_back)(void))
{
	/* A stack overflow needs a stack for its handler. */
	static char stack[STACK_BYTES];
	stack_t old, ours = {.ss_sp = stack, .ss_size = sizeof stack};
	if (sigaltstack(NULL, &old) == 0 && (old.ss_flags & SS_DISABLE))
		sigaltstack(&ours, NULL);
	undo = give_back;
	for (int i = 1; i < SIGNALS; i++) {
		struct sigaction sa = {.sa_handler = fatal_signals_on_signal,
		                       .sa_flags = SA_RESTART | SA_ONSTACK};
		sigemptyset(&sa.sa_mask);
		caught[i] = ends_a_process(i) && sigaction(i, NULL, &before[i]) == 0 &&
		            before[i].sa_handler != SIG_IGN && sigaction(i, &sa, NULL) == 0;
	}
}

void fatal_signals_release(void)
{
	for (int i = 1; i < SIGNALS; i++)
		if (caught[i])
			sigaction(i, &before[i], NULL);
	undo = NULL;
}
