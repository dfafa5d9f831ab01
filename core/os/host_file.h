/* What is asked of the host's file system, without the guest's files in mind. */
#ifndef CYCLOPS_CORE_OS_HOST_FILE_H
#define CYCLOPS_CORE_OS_HOST_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether an answer, 0 or more or -errno, tells of the host's condition and not of the guest's
 * files: no descriptors, no space, a disk that fails. The guest never sees it; the machine waits in
 * front of the call until a person has seen to it. log_close() does that with the answers it is
 * given. */
bool host_failed(int64_t ret);
/* O_PATH descriptor of a folder of the host's, or -errno. */
int host_open_folder(const char *folder);

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

/* Whether a file's owner may do this (R_OK, W_OK, X_OK) with it: 0 or -EACCES. It is the guest's,
 * whoever runs us, and so it makes no difference what else the host lets us do. */
static inline int owner_may(mode_t mode, int want)
{
	return ((int)(mode >> 6) & want) == want ? 0 : -EACCES;
}

/* The same of making, removing and renaming what lies in an open directory. */
int may_change_entries(int dir);

#endif
