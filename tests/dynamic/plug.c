/* A shared library that is loaded by dlopen(), with a constructor, a destructor and thread-local storage. */
#include <stdio.h>
#include <stdlib.h>

static _Thread_local int used = 10;

__attribute__((constructor)) static void begin(void)
{
	puts("plug begins");
	fflush(stdout);
}

__attribute__((destructor)) static void end(void)
{
	puts("plug ends");
	fflush(stdout);
}

__attribute__((noinline)) static int plug_inner(int n)
{
	return abs(-n) * used++;
}

int plug_work(int n)
{
	return plug_inner(n) + 1;
}
