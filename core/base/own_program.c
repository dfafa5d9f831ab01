#include "core/base/own_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "core/base/alloc.h"

void own_program(char *out, size_t n)
{
	const ssize_t got = readlink("/proc/self/exe", out, n - 1);
	out[got > 0 ? got : 0] = '\0';
	const char *name = (const char *)getauxval(AT_EXECFN);
	char *whole = got <= 0 && name ? alloc_real_path(name) : NULL;
	if (whole)
		snprintf(out, n, "%s", whole);
	free(whole);
}
