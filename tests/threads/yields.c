/* Two threads that give the hart away in the middle of a line. */
#include <pthread.h>
#include <stdio.h>
static long n[3];
static void *work(void *arg)
{
	long me = (long)arg;
	for (int i = 0; i < 20; i++) {
		register long a7 __asm__("a7") = 124;
		register long a0 __asm__("a0");
		n[me] += 1;
		__asm__ volatile("ecall" : "=r"(a0) : "r"(a7) : "memory");
		n[me] *= 3;
		n[me] += 3;
	}
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%ld %ld\n", n[0], n[1]);
	return 0;
}
