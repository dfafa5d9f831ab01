/* Three threads that run the same function and add under one lock, for a debugger. */
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static __attribute__((noinline)) void add(long n, int who)
{
	pthread_mutex_lock(&lock);
	total += n;
	pthread_mutex_unlock(&lock);
	(void)who;
}
static void *work(void *arg)
{
	int who = (int)(long)arg;
	long i = 0;
	while (i < 40) {
		add(i, who);
		i++;
		for (volatile int k = 0; k < 300; k++)
			;
	}
	return arg;
}
int main(void)
{
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, (void *)(i + 10));
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", total);
	return 0;
}
