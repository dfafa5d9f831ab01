/* The path of the running program, also without /proc, as in a bare chroot. */
#ifndef CYCLOPS_CORE_BASE_OWN_PROGRAM_H
#define CYCLOPS_CORE_BASE_OWN_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the path to `out`; "" if it is unknown. */
void own_program(char *out, size_t n);
/* The folder of the program's data (demos, presets, pages): share/cyclops beside the bin/ of an
 * installed program, or the top of the source tree whose build/ holds the program. Independent of
 * the current directory. *installed: the first case. False: neither folder exists. */
bool own_data_folder(char *out, size_t n, bool *installed);

#endif
