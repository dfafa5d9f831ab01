/* Bytes that others cannot guess, for names and keys; no result of a machine depends on them. */
#ifndef CYCLOPS_CORE_HOST_RANDOM_BYTES_H
#define CYCLOPS_CORE_HOST_RANDOM_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* n: at most 256. False: the host has none. */
bool random_bytes(void *out, size_t n);
/* A number of this process, the same at each call. */
uint64_t random_bytes_of_process(void);

#endif
