/* The program has a name in the page's file system, and no file that could be read. */
#include "core/host/own_program.h"

#include <stdio.h>

void own_program(char *out, size_t n)
{
	snprintf(out, n, "/usr/local/bin/cyclops");
}

void own_program_to_run(char *out, size_t n)
{
	own_program(out, n);
}
