/* Opens files that users and scripts name. Never waits for a writer, as open() of a pipe would. */
#ifndef CYCLOPS_CORE_BASE_OPEN_INPUT_H
#define CYCLOPS_CORE_BASE_OPEN_INPUT_H

#include <stdio.h>

/* Opens for reading; NULL with errno: ESPIPE for a named pipe, EISDIR for a folder. A pipe passed
 * by the shell (/dev/fd/63) is accepted. */
FILE *open_input(const char *path);
/* The same of a regular file alone, for files that are opened without being named: a device may
 * have no end. ENODEV for one. */
FILE *open_own_input(const char *path);
/* The reason in errno after open_input(), in words. Borrowed. */
const char *open_input_error(void);

#endif
