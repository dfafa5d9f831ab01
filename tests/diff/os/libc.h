/* Parts of `libc` that ask the system (libc_system.c). */
#ifndef CYCLOPS_TESTS_DIFF_OS_LIBC_H
#define CYCLOPS_TESTS_DIFF_OS_LIBC_H

/* Prints a call's result, or its error. */
void say(const char *what, long ret);

int memory(void);
int alone(void);
int streams(void);
int descriptors(void);
int identity(void);
int refusals(void);

#endif
