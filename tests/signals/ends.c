/* Ends of a program by signals: the status is compared. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "guest.h"

static void ends_hang(int sig)
{
	(void)sig;
	*(volatile int *)0 = 1; /* blocked here: it is not the handler's again */
}

void again(void)
{
	on(SIGSEGV, ends_hang, 0);
	fflush(stdout);
	*(volatile int *)0 = 1;
}

void bad_stack(void)
{
	on(SIGUSR1, say, 0);
	fflush(stdout);
	__asm__ volatile("mv a0, %0\n li a1, 10\n li a7, 129\n li sp, 64\n ecall\n" ::"r"((long)getpid()) : "a0", "a1", "a7");
}

void bad_altstack(void)
{
	stack_t s = {.ss_sp = (void *)0x10000000, .ss_size = 65536};
	sigaltstack(&s, NULL);
	on(SIGUSR1, say, SA_ONSTACK);
	fflush(stdout);
	raise(SIGUSR1);
}

void bad_return(void)
{
	fflush(stdout);
	__asm__ volatile("li sp, 4096\n li a7, 139\n ecall\n");
}

static void ends_ended(int sig)
{
	(void)sig;
	static const char text[] = "caught on the other stack\n";
	write(1, text, sizeof text - 1);
	_exit(7);
}

void bad_stack_caught(void)
{
	stack_t s = {.ss_sp = stack, .ss_size = sizeof stack};
	sigaltstack(&s, NULL);
	on(SIGUSR1, say, 0);
	on(SIGSEGV, ends_ended, SA_ONSTACK);
	fflush(stdout);
	__asm__ volatile("mv a0, %0\n li a1, 10\n li a7, 129\n li sp, 64\n ecall\n" ::"r"((long)getpid()) : "a0", "a1", "a7");
}

void bad_return_caught(void)
{
	stack_t s = {.ss_sp = stack, .ss_size = sizeof stack};
	sigaltstack(&s, NULL);
	on(SIGSEGV, ends_ended, SA_ONSTACK);
	fflush(stdout);
	__asm__ volatile("li sp, 4096\n li a7, 139\n ecall\n");
}

/* Handlers that fault until the stack is full. */
static void without_end(int sig)
{
	(void)sig;
	*(volatile int *)0 = 1;
}

void endless(void)
{
	on(SIGSEGV, without_end, SA_NODEFER);
	fflush(stdout);
	*(volatile int *)0 = 1;
}

void endless_altstack(void)
{
	stack_t s = {.ss_sp = stack, .ss_size = sizeof stack};
	sigaltstack(&s, NULL);
	on(SIGSEGV, without_end, SA_NODEFER | SA_ONSTACK);
	fflush(stdout);
	*(volatile int *)0 = 1;
}

void no_handler(void)
{
	fflush(stdout);
	raise(SIGUSR1);
}

void alarm_ends(void)
{
	fflush(stdout);
	setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 1000}}, NULL);
	for (;;)
		;
}

void alarm_ends_wait(void)
{
	fflush(stdout);
	setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 1000}}, NULL);
	pause();
}

void ignored_fault(void)
{
	on(SIGSEGV, SIG_IGN, 0);
	fflush(stdout);
	*(volatile int *)0 = 1;
}
