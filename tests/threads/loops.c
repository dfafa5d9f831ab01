/* OpenMP: a reduction, a critical section, a barrier, worksharing and tasks. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	double sum = 0;
	int n = 0, a[100], all = 0;
	omp_set_num_threads(4);
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 7)
	for (int i = 0; i < 1000; i++)
		sum += i * 2;
#pragma omp parallel
	{
#pragma omp critical
		n++;
#pragma omp barrier
#pragma omp for
		for (int i = 0; i < 100; i++)
			a[i] = i * omp_get_num_threads();
#pragma omp single
		for (int i = 0; i < 5; i++) {
#pragma omp task
#pragma omp atomic
			n += 10;
		}
	}
	for (int i = 0; i < 100; i++)
		all += a[i];
	printf("%g %d %d\n", sum, n, all);
	return 0;
}
