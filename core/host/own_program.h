/* The running program's file. */
#ifndef CYCLOPS_CORE_HOST_OWN_PROGRAM_H
#define CYCLOPS_CORE_HOST_OWN_PROGRAM_H

#include <stddef.h>

/* Writes the path to `out`, also without /proc, as in a bare chroot; "" if it is unknown. */
void own_program(char *out, size_t n);
/* Writes a name under which this build can be executed and read, even if another file has its path
 * by now; the path, where the host has no such name; "" if that is unknown, too. */
void own_program_to_run(char *out, size_t n);

#endif
