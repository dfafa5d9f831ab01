/* Shared by host.c (open files), host_open.c, host_list.c (directories), host_path.c and
 * host_attr.c (names): how a question is digested and answered. */
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

/* The one place that decides about changing anything of the host's, by where it lies: 0, or -EROFS.
 * Whatever writes, cuts, makes, removes, renames or marks asks it at once before it does, for each
 * time: what was open for writing when a checkpoint was saved may be no more. */
int may_write(const struct os *os, const char *path);
/* Whether two paths lie in one folder of the host's (core/os/folders.c), or both in none: nothing
 * is linked or renamed from one to another. */
bool same_folder(const struct os *os, const char *a, const char *b);

/* What an answer, live or repeated, tells of a file; its ret. */
int64_t told(struct os *os, const struct journal_entry *e, struct host_stat *out);
/* Whether what was opened is something that the guest may have: fd and *st, or -errno, and it is
 * closed. */
int host_check_opened(int fd, struct stat *st);
/* The host's descriptor of description `file`, opened again if it is not at hand; or -errno. */
int host_descriptor(struct os *os, unsigned file);
/* Flags with which a guest's openat() is asked of the host. */
int host_flags(uint32_t flags);
/* The description has this descriptor from now on, which it owns. */
void host_adopt(struct os *os, unsigned file, int fd);
/* Gives an open file another length; fd: or -errno, which is returned. */
int cut_open(struct os *os, int fd, int64_t size);
/* Keeps an answer that is a number alone; returns it. */
int64_t answer_number(struct os *os, enum journal_kind op, uint32_t key, int64_t ret);
uint32_t ask_key(const char *path, const void *args, size_t n);

/* As long as a file can become, whatever file systems can: most take this. So EFBIG is an answer of
 * ours, or a failure of the host's. */
#define FILE_BYTES_MAX (INT64_C(1) << 41)

#endif
