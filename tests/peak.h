/* The largest amount of the host's memory that this process has had. */
#ifndef CYCLOPS_TESTS_PEAK_H
#define CYCLOPS_TESTS_PEAK_H

#include <sys/resource.h>

static inline long peak_kib(void)
{
	struct rusage use;
	getrusage(RUSAGE_SELF, &use);
	return use.ru_maxrss;
}

#endif
