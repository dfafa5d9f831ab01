/* Shared by host.c (open files), host_path.c and host_attr.c (names): how a question is digested and answered. */
#ifndef CYCLOPS_CORE_OS_HOST_H
#define CYCLOPS_CORE_OS_HOST_H

#include <sys/stat.h>

#include "core/os/os_priv.h"

/* Payload of JOURNAL_OPEN. */
struct host_opened {
	uint8_t kind; /* OS_FILE_REGULAR, OS_FILE_DIR or a device */
	char path[OS_PATH];
};

/* The one place that decides about changing anything of the host's: 0, or -EROFS. Whatever writes, cuts, makes, removes, renames
 * or marks asks it at once before it does, for each time: what was open for writing when a checkpoint was saved may be no more. */
int may_write(const struct os *os);

/* Keeps an answer that is a number alone; returns it. */
int64_t answer_number(struct os *os, enum journal_kind op, uint32_t key, int64_t ret);
uint32_t ask_key(const char *path, const void *args, size_t n);
void fill_stat(struct host_stat *out, const struct stat *st);

#endif
