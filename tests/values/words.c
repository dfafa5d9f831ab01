/* The program of tests/values/words.sh: two threads whose state is known in each of the functions
 * that work. `holder` is the number of the thread that holds the lock, 0: none. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
volatile uint64_t holder[2]; /* [1] is 7 */

/* A function that works on each state; each expansion has its own code. */
#define WORK(name)                                                                                 \
	__attribute__((noinline)) static uint64_t name(uint64_t x)                                 \
	{                                                                                          \
		for (unsigned i = 0; i < 300; i++)                                                 \
			x = x * 6364136223846793005u + 1442695040888963407u;                       \
		return x;                                                                          \
	}
WORK(work_free)
WORK(work_held)
WORK(work_blocked)
WORK(work_pending)

static volatile sig_atomic_t handled;

static void on_signal(int signo)
{
	(void)signo;
	handled++;
}

static void *count_in_turns(void *arg)
{
	uint64_t x = (uintptr_t)arg;
	sigset_t usr1, before;
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	for (unsigned i = 0; i < 40; i++) {
		x = work_free(x);
		pthread_mutex_lock(&lock);
		holder[0] = (uintptr_t)arg;
		x = work_held(x);
		holder[0] = 0;
		pthread_mutex_unlock(&lock);
		pthread_sigmask(SIG_BLOCK, &usr1, &before);
		x = work_blocked(x);
		pthread_kill(pthread_self(), SIGUSR1);
		x = work_pending(x);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	return (void *)(uintptr_t)(x | 1);
}

int main(void)
{
	pthread_t other;
	void *end;
	holder[1] = 7;
	signal(SIGUSR1, on_signal);
	if (pthread_create(&other, NULL, count_in_turns, (void *)2))
		return 1;
	count_in_turns((void *)1);
	pthread_join(other, &end);
	printf("%d signals\n", (int)handled);
	return handled == 80 ? 0 : 2;
}
