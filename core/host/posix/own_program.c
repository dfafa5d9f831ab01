#include "core/host/own_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "core/base/alloc.h"

static const char own_program_name[] = "/proc/self/exe";

void own_program(char *out, size_t n)
{
	const ssize_t got = readlink(own_program_name, out, n - 1);
	out[got > 0 ? got : 0] = '\0';
	const char *name = (const char *)getauxval(AT_EXECFN);
	char *whole = got <= 0 && name ? alloc_real_path(name) : NULL;
	if (whole)
		snprintf(out, n, "%s", whole);
	free(whole);
}

void own_program_to_run(char *out, size_t n)
{
	if (access(own_program_name, X_OK) == 0)
		snprintf(out, n, "%s", own_program_name);
	else
		own_program(out, n);
}
