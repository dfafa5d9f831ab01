/* Two threads that take two locks in different orders; `deadlock self`: one that takes its own twice. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void *backwards(void *arg)
{
	pthread_mutex_lock(&second);
	usleep(1000);
	pthread_mutex_lock(&first);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;
	printf("%p %p\n", (void *)&first, (void *)&second);
	fflush(stdout);
	pthread_mutex_lock(&first);
	if (argc > 1) {
		(void)argv;
		pthread_mutex_lock(&first);
	}
	pthread_create(&t, NULL, backwards, NULL);
	usleep(1000);
	pthread_mutex_lock(&second);
	return 0;
}
