/* Signals to threads, cancellation, and how threads and the first of them end. */
#define _GNU_SOURCE
#include "basic_ends.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

static pthread_t handled_by;
static volatile sig_atomic_t handled;
static atomic_bool napped;

static void note(int sig)
{
	handled_by = pthread_self();
	handled = sig;
}

static void *nap(void *arg)
{
	struct timespec left = {0, 0};
	const int ret = nanosleep(&(struct timespec){50, 0}, &left);
	*(int *)arg = ret == -1 && errno == EINTR && left.tv_sec == 49;
	napped = true;
	return arg;
}

void kills(void)
{
	pthread_t t;
	int interrupted = 0;
	struct sigaction act = {.sa_handler = note};
	sigaction(SIGUSR1, &act, NULL);
	pthread_create(&t, NULL, nap, &interrupted);
	int failed = 0;
	/* until it has met the thread in its nap */
	do {
		usleep(20000);
		failed |= pthread_kill(t, SIGUSR1);
	} while (!napped);
	pthread_join(t, NULL);
	printf("%d %d %d %d\n", failed, handled == SIGUSR1, pthread_equal(handled_by, t) != 0, interrupted);
}

static void *wait_for_signals(void *arg)
{
	int sig = 0;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGALRM);
	for (int i = 0; i < 3; i++) {
		sigwait(&set, &sig);
		printf("%d ", sig);
	}
	return arg;
}

void sigwaits(void)
{
	pthread_t t;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&t, NULL, wait_for_signals, NULL);
	usleep(1000);
	kill(getpid(), SIGUSR2);
	usleep(1000);
	pthread_kill(t, SIGUSR2);
	usleep(1000);
	alarm(1);
	pthread_join(t, NULL);
	printf("%d\n", pthread_sigmask(SIG_UNBLOCK, &set, NULL));
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER; /* it is never signalled */
static atomic_int cleaned, begun;

static void clean(void *arg)
{
	cleaned += (int)(long)arg;
}

static void *sleep_long(void *arg)
{
	pthread_cleanup_push(clean, (void *)1);
	begun++;
	sleep(1000);
	pthread_cleanup_pop(0);
	return arg;
}

static void unlock(void *m)
{
	pthread_mutex_unlock(m);
}

static void *wait_long(void *arg)
{
	pthread_cleanup_push(clean, (void *)10);
	begun++;
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(unlock, &lock);
	pthread_cond_wait(&full, &lock);
	pthread_cleanup_pop(1);
	pthread_cleanup_pop(0);
	return arg;
}

static void *compute_long(void *arg)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_cleanup_push(clean, (void *)100);
	begun++;
	for (;;)
		;
	pthread_cleanup_pop(0);
	return arg;
}

void cancels(void)
{
	void *(*const work[])(void *) = {sleep_long, wait_long, compute_long};
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work[i], NULL);
	while (begun < 3) /* on qemu's host anything may take its time */
		sched_yield();
	for (int i = 0; i < 3; i++) {
		void *back = NULL;
		pthread_cancel(t[i]);
		pthread_join(t[i], &back);
		printf("%d ", back == PTHREAD_CANCELED);
	}
	printf("%d %d\n", cleaned, pthread_mutex_trylock(&lock));
	pthread_mutex_unlock(&lock);
}

static void *leave(void *arg)
{
	pthread_exit((void *)((long)arg + 1));
}

void exits(void)
{
	pthread_t t;
	void *back;
	pthread_create(&t, NULL, leave, (void *)41L);
	pthread_join(t, &back);
	printf("%ld", (long)back);
	cpu_set_t set;
	printf(" %d", pthread_getaffinity_np(pthread_self(), sizeof set, &set));
	char name[16];
	pthread_setname_np(pthread_self(), "first");
	pthread_getname_np(pthread_self(), name, sizeof name);
	printf(" %d\n", pthread_equal(t, pthread_self()));
}

static void *after_main(void *arg)
{
	usleep(1000);
	printf("the last\n");
	return arg;
}

void main_leaves(void)
{
	pthread_t t;
	pthread_create(&t, NULL, after_main, NULL);
	printf("the first leaves\n");
	fflush(stdout);
	pthread_exit(NULL);
}
