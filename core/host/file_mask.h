/* The permissions that new files get without asking (umask). */
#ifndef CYCLOPS_CORE_HOST_FILE_MASK_H
#define CYCLOPS_CORE_HOST_FILE_MASK_H

#include <sys/types.h>

/* Those of a new file that is not executable. */
mode_t file_mask_default_mode(void);
/* Withholds the permissions of `mask` from new files; returns the mask that was in effect. */
mode_t file_mask_set(mode_t mask);

#endif
