/* Files without a name, in memory, which close() frees. Descriptors are closed on exec. */
#ifndef CYCLOPS_CORE_HOST_MEMORY_FILE_H
#define CYCLOPS_CORE_HOST_MEMORY_FILE_H

#include <stddef.h>

/* An empty one, for reading and writing; `name` is for debugging. -1 with errno on failure. */
int memory_file(const char *name);
/* A file with the n bytes, at its beginning. -1 with errno on failure. */
int memory_file_of(const char *name, const void *bytes, size_t n);

#endif
