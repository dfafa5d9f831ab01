/* Questions to the host; each is one entry of the journal. 0 or more, or -errno. */
#ifndef CYCLOPS_CORE_OS_HOST_QUESTIONS_H
#define CYCLOPS_CORE_OS_HOST_QUESTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/os/linux.h"

struct os;

enum owner { OWNER_GUEST, OWNER_ROOT };

/* The guest's view of a file: of the host's attributes it has the length only (core/os/inode.h). */
struct host_stat {
	uint64_t dev, ino, rdev;
	int64_t size;
	uint32_t mode, nlink;
	uint8_t owner, unused[7]; /* enum owner */
	struct lx_timespec atime, mtime, ctime;
};
/* the tree's; pipes' and standard streams'; /dev's */
enum { GUEST_DEV = 0x801, STREAM_DEV = 1, DEVICE_DEV = 5 };
/* MODE_BITS: permissions that the guest can set and read back. HOST_MODE_BITS: permissions that its
 * files get on the host, where none may run as another user or be writable for others. */
enum { MODE_BITS = 01777, HOST_MODE_BITS = 0755 };

/* Opens path for description `file` (serial already set); fills its kind and path. */
int64_t host_open(struct os *os, unsigned file, const char *path, uint32_t flags, uint32_t mode);
/* *bytes is borrowed until the next question. */
int64_t host_read(struct os *os, unsigned file, int64_t offset, uint64_t n, const void **bytes);
/* The same from the host's standard input; -EINTR: interrupted, nothing journaled. */
int64_t host_stdin(struct os *os, int64_t offset, uint64_t n, const void **bytes);
bool host_stdin_is_typed(const struct os *os); /* of the last input; also when it is repeated */
/* offset < 0 appends; *end receives the offset at the end of the written bytes. */
int64_t host_write(struct os *os, unsigned file, int64_t offset, const void *bytes, size_t n,
                   int64_t *end);
int64_t host_truncate(struct os *os, unsigned file, int64_t size);
int64_t host_stat_path(struct os *os, const char *path, bool follow, struct host_stat *out);
/* file: a regular file, a directory or the standard input's description. */
int64_t host_stat_file(struct os *os, unsigned file, struct host_stat *out);
/* Bytes of the directory's next records (struct lx_dirent) that fit into `room`, by name; 0 at the
 * end. Their entry is the last that was consumed of the journal. *records is borrowed until the
 * next question. */
int64_t host_list(struct os *os, unsigned file, uint64_t room, const void **records);
int64_t host_readlink(struct os *os, const char *path, const char **text, size_t *n);
int64_t host_access(struct os *os, const char *path, int mode, bool follow);
int64_t host_remove(struct os *os, const char *path, bool directory);
int64_t host_mkdir(struct os *os, const char *path, uint32_t mode);
/* from and to receive the paths from the root, [LX_PATH_MAX]. */
int64_t host_rename(struct os *os, char *from, char *to, uint32_t flags);
int64_t host_truncate_path(struct os *os, const char *path, int64_t size);
int64_t host_chmod_path(struct os *os, const char *path, uint32_t mode);
/* t: of access and of change; nsec may be LX_UTIME_OMIT. */
int64_t host_times(struct os *os, const char *path, bool follow, const struct lx_timespec t[2]);
int64_t host_symlink(struct os *os, const char *text, const char *path);
int64_t host_link(struct os *os, const char *from, const char *to, bool follow);
int64_t host_chdir(struct os *os, const char *path, char *canonical);
void host_close_all(struct os *os);

#endif
