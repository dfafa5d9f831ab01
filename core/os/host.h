/* Shared by host.c (open files), host_open.c, host_list.c (directories), host_path.c and
 * host_attr.c (names): digesting and answering a question. */
#ifndef CYCLOPS_CORE_OS_HOST_H
#define CYCLOPS_CORE_OS_HOST_H

#include "core/os/host_file.h"
#include "core/os/host_questions.h"
#include "core/os/os_priv.h"

/* Payload of JOURNAL_OPEN. */
struct host_opened {
	uint8_t kind; /* OS_FILE_REGULAR, OS_FILE_DIR or a device */
	char path[OS_PATH];
};

/* Whether anything at this place of the host's may be changed: 0, or -EROFS. The only such check:
 * call it each time, immediately before writing, cutting, making, removing, renaming or marking. A
 * file that was open for writing when a checkpoint was saved may no longer be writable. */
int may_write(const struct os *os, const char *path);
/* Whether two paths lie in one folder of the host's (core/os/folders.c), or both in none: links and
 * renames never cross folders. */
bool same_folder(const struct os *os, const char *a, const char *b);

/* Converts an answer, live or repeated, to the guest's view of the file; returns its ret. */
int64_t told(struct os *os, const struct journal_entry *e, struct host_stat *out);
/* The host's descriptor of description `file`, opened again if necessary; or -errno. */
int host_descriptor(struct os *os, unsigned file);
/* The host's flags for a guest's openat(). */
int host_flags(uint32_t flags);
/* Makes fd the host's descriptor of description `file`, which then owns it. */
void host_adopt(struct os *os, unsigned file, int fd);
/* Sets an open file's length. If fd is an -errno, returns it. */
int cut_open(struct os *os, int fd, int64_t size);
/* Journals an answer that is only a number, and returns it. */
int64_t answer_number(struct os *os, enum journal_kind op, uint32_t key, int64_t ret);
uint32_t ask_key(const char *path, const void *args, size_t n);

/* A limit of our own for the length of a file, which most file systems can hold. So EFBIG is either
 * our answer or a failure of the host. */
#define FILE_BYTES_MAX (INT64_C(1) << 41)

#endif
