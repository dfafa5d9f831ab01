/* Opens files that users and scripts name. Never waits for a writer, as open() of a pipe would. */
#ifndef CYCLOPS_CORE_BASE_OPEN_INPUT_H
#define CYCLOPS_CORE_BASE_OPEN_INPUT_H

#include <stdio.h>

/* Opens for reading; NULL with errno: ESPIPE for a named pipe, EISDIR for a folder. A pipe passed
 * by the shell (/dev/fd/63) is accepted. */
FILE *open_data_input(const char *path);
/* The same for a text, a command file or a source, which is read to its end: EFBIG beyond 64 MB,
 * ENODEV for a device other than a terminal and /dev/null, since it may have no end. */
FILE *open_input(const char *path);
/* The same for regular files only, for files that no user or script names. */
FILE *open_own_input(const char *path);
/* The reason in errno after open_input(), in words. Borrowed. */
const char *open_input_error(void);

#endif
