#include "ui/interrupt.h"

#include <signal.h>
#include <stddef.h>

#include "core/run/run.h"

/* A signal handler has no other way to know what it stops. */
static struct run *volatile target;
static volatile sig_atomic_t taken;

static void on_signal(int sig)
{
	(void)sig;
	taken = 1;
	if (target)
		run_interrupt(target);
}

void interrupt_attach(struct run *r)
{
	struct sigaction sa = {.sa_handler = on_signal}, old;
	target = r;
	if (r && sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(SIGINT, &sa, NULL);
}

bool interrupt_taken(void)
{
	bool was = taken;
	taken = 0;
	return was;
}
