/* Where the running program lies, also where no /proc is mounted, as in a bare chroot. */
#ifndef CYCLOPS_CORE_BASE_OWN_PROGRAM_H
#define CYCLOPS_CORE_BASE_OWN_PROGRAM_H

#include <stddef.h>

/* Its path; "" if nobody knows it. */
void own_program(char *out, size_t n);

#endif
