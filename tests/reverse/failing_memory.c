#include "tests/reverse/failing_memory.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/scale.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t count, size_t n);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t alignment, size_t n);
char *__real_strdup(const char *s);
FILE *__real_fdopen(int fd, const char *mode);
FILE *__real_fopen(const char *path, const char *mode);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t count, size_t n);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t alignment, size_t n);
char *__wrap_strdup(const char *s);
FILE *__wrap_fdopen(int fd, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);

struct scarce scarce;

static bool failing_memory_should_fail(void)
{
	if (!scarce.on || (scarce.left && scarce.left--))
		return false;
	if (scarce.failed == scarce.fail)
		return false;
	scarce.failed++;
	return true;
}

void *__wrap_malloc(size_t n)
{
	return failing_memory_should_fail() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t count, size_t n)
{
	return failing_memory_should_fail() ? NULL : __real_calloc(count, n);
}

void *__wrap_realloc(void *p, size_t n)
{
	return failing_memory_should_fail() ? NULL : __real_realloc(p, n);
}

void *__wrap_aligned_alloc(size_t alignment, size_t n)
{
	return failing_memory_should_fail() ? NULL : __real_aligned_alloc(alignment, n);
}

char *__wrap_strdup(const char *s)
{
	return failing_memory_should_fail() ? NULL : __real_strdup(s);
}

FILE *__wrap_fdopen(int fd, const char *mode)
{
	if (scarce.on && scarce.before_fdopen) {
		scarce.on = false;
		scarce.before_fdopen();
		scarce.on = true;
	}
	return failing_memory_should_fail() ? NULL : __real_fdopen(fd, mode);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	return failing_memory_should_fail() ? NULL : __real_fopen(path, mode);
}

unsigned next_allocation(unsigned n, unsigned part)
{
	return n + 1 + (scale_is("long") ? 0 : scale_is("small") ? n : n / part);
}
