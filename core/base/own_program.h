/* The path of the running program, also without /proc, as in a bare chroot. */
#ifndef CYCLOPS_CORE_BASE_OWN_PROGRAM_H
#define CYCLOPS_CORE_BASE_OWN_PROGRAM_H

#include <stddef.h>

/* Writes the path to `out`; "" if it is unknown. */
void own_program(char *out, size_t n);

#endif
