/* 70,000 threads, one at a time, beside a waiting one: more than a thread's number has bits for in
 * an instruction's row. */
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *waits(void *arg)
{
	(void)arg;
	const long tid = syscall(SYS_gettid) - getpid();
	pthread_mutex_lock(&lock);
	return (void *)tid;
}

static void *once(void *arg)
{
	*(long *)arg = syscall(SYS_gettid) - getpid();
	return NULL;
}

int main(void)
{
	pthread_t t, kept[2];
	long tid = 0, most = 0, again = 0;
	void *is;
	pthread_mutex_lock(&lock);
	pthread_create(&kept[0], NULL, waits, NULL);
	for (int i = 0; i < 70000; i++) {
		if (pthread_create(&t, NULL, once, &tid) || pthread_join(t, NULL))
			return 1;
		most = tid > most ? tid : most;
		again += tid == 1; /* that one waits */
	}
	printf("%ld %ld %ld\n", most, tid, again);
	pthread_mutex_unlock(&lock);
	pthread_join(kept[0], &is);
	printf("%ld\n", (long)is);
	return 0;
}
