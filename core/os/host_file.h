/* Helpers for the host's file system that do not depend on the guest's files. */
#ifndef CYCLOPS_CORE_OS_HOST_FILE_H
#define CYCLOPS_CORE_OS_HOST_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether an answer, 0 or more or -errno, is due to the host's condition, not to the guest's files:
 * no descriptors, no space, a disk that fails. The guest never sees it: the machine waits before
 * the call until the user has fixed it. log_close() handles such answers. */
bool host_failed(int64_t ret);
/* Whether the guest may have the opened file: fd and *st, or -errno, and fd is closed. */
int host_check_opened(int fd, struct stat *st);
/* Opens an O_PATH descriptor of a folder of the host's, or -errno. */
int host_open_folder(const char *folder);

/* openat() that is not interrupted. mode: of a created file. */
static inline int open_name(int dir, const char *name, int flags, mode_t mode)
{
	int fd;
	do {
		fd = openat(dir, name, flags, mode);
	} while (fd < 0 && errno == EINTR);
	return fd;
}

/* Whether there is a file or link of this name: 1 and *st, 0 with errno, or -errno if the host
 * fails. */
int host_has(int dir, const char *name, struct stat *st);

/* Whether a file's owner may do this (R_OK, W_OK, X_OK): 0 or -EACCES. The guest counts as the
 * owner whichever user runs Cyclops, so that answers don't depend on the user. */
static inline int owner_may(mode_t mode, int want)
{
	return ((int)(mode >> 6) & want) == want ? 0 : -EACCES;
}

/* The same for making, removing and renaming names in an open directory. */
int may_change_entries(int dir);

#endif
