/* The folder of the program's own data. */
#ifndef CYCLOPS_CORE_BASE_OWN_DATA_H
#define CYCLOPS_CORE_BASE_OWN_DATA_H

#include <stdbool.h>
#include <stddef.h>

/* Writes its path (demos, presets, pages lie there): share/cyclops beside the bin/ of an
 * installed program, or the top of the source tree whose build/ holds the program. Independent of
 * the current directory. *installed: the first case. False: neither folder exists. */
bool own_data_folder(char *out, size_t n, bool *installed);

#endif
