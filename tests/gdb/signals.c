/* Signals that a debugger sees: sent by a call, by several in one call, by a timer and by faults. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

volatile int users, alarms, faults, order, sent_by;
int cell, *volatile pointer;
__thread int own = 41;

static void on_user(int sig, siginfo_t *info, void *context)
{
	(void)context;
	order = order * 100 + sig; /* mark: handler */
	sent_by = info->si_code;
	users++;
}

static void on_alarm(int sig)
{
	(void)sig;
	alarms++; /* mark: alarm */
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	unsigned long *const pc = &((ucontext_t *)context)->uc_mcontext.__gregs[0];
	(void)sig, (void)info;
	faults++; /* mark: fault handler */
	*pc += (*(unsigned short *)*pc & 3) == 3 ? 4 : 2;
}

static void raise_several(void)
{
	sigset_t set, old;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, &old);
	raise(SIGUSR2);
	raise(SIGUSR1);
	order = 0;
	sigprocmask(SIG_SETMASK, &old, NULL); /* mark: several */
}

static void wait_for_alarm(void)
{
	struct itimerval soon = {.it_value = {0, 50}};
	setitimer(ITIMER_REAL, &soon, NULL);
	while (!alarms) /* mark: waits */
		;
	alarms = 0;
	setitimer(ITIMER_REAL, &soon, NULL);
	pause(); /* mark: pauses */
}

int main(int argc, char **argv)
{
	struct sigaction user = {.sa_sigaction = on_user, .sa_flags = SA_SIGINFO}, fault = user;
	fault.sa_sigaction = on_fault;
	sigaction(SIGUSR1, &user, NULL);
	sigaction(SIGUSR2, &user, NULL);
	sigaction(SIGSEGV, &fault, NULL);
	signal(SIGALRM, on_alarm);
	raise(SIGUSR1);
	raise_several(); /* mark: after raise */
	wait_for_alarm();   /* mark: after several */
	cell = *pointer; /* mark: reads */
	signal(SIGSEGV, SIG_DFL); /* mark: after the fault */
	pointer = NULL;
	if (argc > 1)
		*pointer = 1; /* mark: fault */
	raise(SIGTERM); /* mark: before the end */
	printf("%d %d %d\n", users, alarms, faults); /* mark: prints */
	return argv[0] ? users : own;
}
