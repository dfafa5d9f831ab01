/* Names of open files: by its descriptor, a file can be opened again, and its path be found. */
#ifndef CYCLOPS_CORE_HOST_DESCRIPTOR_PATH_H
#define CYCLOPS_CORE_HOST_DESCRIPTOR_PATH_H

#include <stdbool.h>
#include <stddef.h>

enum { DESCRIPTOR_PATH_BYTES = 40 };

/* Writes a path that leads to the open file, wherever it lies now. Returns `out`. */
const char *descriptor_path(int fd, char out[static DESCRIPTOR_PATH_BYTES]);
/* Opens the file once more, for reading, at its beginning and closed on exec. -1 with errno on
 * failure. */
int descriptor_reopen(int fd);
/* Writes the absolute path of the open file. False: it is unknown, or longer than n - 1 bytes; out
 * is "". */
bool descriptor_target(int fd, char *out, size_t n);

#endif
