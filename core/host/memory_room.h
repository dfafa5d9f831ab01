/* Host memory left for this process: the least of free memory, its control group's limit and its
 * own limit. */
#ifndef CYCLOPS_CORE_HOST_MEMORY_ROOM_H
#define CYCLOPS_CORE_HOST_MEMORY_ROOM_H

#include <stdint.h>

/* Bytes; UINT64_MAX if unknown. For messages only: results must not depend on it. */
uint64_t host_room_bytes(void);

#endif
