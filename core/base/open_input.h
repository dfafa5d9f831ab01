/* Opening files that people and scripts name, without ever waiting for somebody who writes to them.
 */
#ifndef CYCLOPS_CORE_BASE_OPEN_INPUT_H
#define CYCLOPS_CORE_BASE_OPEN_INPUT_H

#include <stdio.h>

/* For reading; NULL with errno: ESPIPE for a named pipe, EISDIR for a folder. What the shell hands
 * over as a pipe (/dev/fd/63) is fine. */
FILE *open_input(const char *path);
/* What errno says of open_input(), in words. Borrowed. */
const char *open_input_error(void);

#endif
