/* Shared by host.c (open files), host_path.c and host_attr.c (names): how a question is digested
 * and answered. */
#ifndef CYCLOPS_CORE_OS_HOST_H
#define CYCLOPS_CORE_OS_HOST_H

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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
/* O_PATH descriptor of a folder of the host's, or -errno. */
int host_open_folder(const char *folder);

/* Whether two paths lie in one folder of the host's (core/os/folders.c), or both in none: nothing
 * is linked or renamed from one to another. */
bool same_folder(const struct os *os, const char *a, const char *b);

/* What an answer, live or repeated, tells of a file; its ret. */
int64_t told(struct os *os, const struct journal_entry *e, struct host_stat *out);
/* Whether what was opened is something that the guest may have: fd and *st, or -errno, and it is
 * closed. */
int host_check_opened(int fd, struct stat *st);
/* Gives an open file another length; fd: or -errno, which is returned. */
int cut_open(struct os *os, int fd, int64_t size);
/* Keeps an answer that is a number alone; returns it. */
int64_t answer_number(struct os *os, enum journal_kind op, uint32_t key, int64_t ret);
uint32_t ask_key(const char *path, const void *args, size_t n);

/* openat() that nothing interrupts. mode: of a file that is made. */
static inline int open_name(int dir, const char *name, int flags, mode_t mode)
{
	int fd;
	do {
		fd = openat(dir, name, flags, mode);
	} while (fd < 0 && errno == EINTR);
	return fd;
}

/* Whether there is something of this name, a link too: 1 and *st, 0 with errno, or -errno if the
 * host can't say. */
int host_has(int dir, const char *name, struct stat *st);

/* As long as a file can become, whatever file systems can: most take this. So EFBIG is an answer of
 * ours, or a failure of the host's. */
#define FILE_BYTES_MAX (INT64_C(1) << 41)

/* Whether a file's owner may do this (R_OK, W_OK, X_OK) with it: 0 or -EACCES. It is the guest's,
 * whoever runs us, and so it makes no difference what else the host lets us do. */
static inline int owner_may(mode_t mode, int want)
{
	return ((int)(mode >> 6) & want) == want ? 0 : -EACCES;
}

/* The same of making, removing and renaming what lies in an open directory. */
int may_change_entries(int dir);

#endif
