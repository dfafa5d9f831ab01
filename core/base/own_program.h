/* The path of the running program, also without /proc, as in a bare chroot. */
#ifndef CYCLOPS_CORE_BASE_OWN_PROGRAM_H
#define CYCLOPS_CORE_BASE_OWN_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the path to `out`; "" if it is unknown. */
void own_program(char *out, size_t n);
/* The folder of what comes with it (demos, presets, pages): share/cyclops beside the bin/ in which
 * an installed program lies, or the top of the source tree in whose build/ it lies. The current
 * directory does not matter. *installed: the former. False: neither is there. */
bool own_data_folder(char *out, size_t n, bool *installed);

#endif
