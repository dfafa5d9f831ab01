/* Cyclops's own devices: /dev/null and its like, the same on every host. Their contents are
 * functions of the arena, so reading them needs no question to the host. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/os/host_questions.h"
#include "core/os/os_priv.h"
#include "core/os/tree.h"

enum { MEM_MAJOR = 1, TTY_MAJOR = 5 };

static const struct device {
	const char *name;
	uint8_t kind; /* of an open file; OS_FILE_FREE: it can't be opened */
	uint8_t major, minor;
} devices[DEVICE_COUNT] = {
	[DEVICE_NULL] = {"null", OS_FILE_NULL, MEM_MAJOR, 3},
	[DEVICE_ZERO] = {"zero", OS_FILE_ZERO, MEM_MAJOR, 5},
	[DEVICE_RANDOM] = {"random", OS_FILE_RANDOM, MEM_MAJOR, 8},
	[DEVICE_URANDOM] = {"urandom", OS_FILE_RANDOM, MEM_MAJOR, 9},
	[DEVICE_TTY] = {"tty", OS_FILE_FREE, TTY_MAJOR, 0},
};

enum os_device device_named(const char *dir, const char *name)
{
	if (strcmp(dir, DEVICE_FOLDER) != 0)
		return DEVICE_NONE;
	for (unsigned i = 0; i < DEVICE_COUNT; i++)
		if (devices[i].name && strcmp(devices[i].name, name) == 0)
			return (enum os_device)i;
	return DEVICE_NONE;
}

bool file_is_device(const struct os_file *f)
{
	return f->kind == OS_FILE_NULL || f->kind == OS_FILE_ZERO || f->kind == OS_FILE_RANDOM;
}

void device_stat(const struct os *os, enum os_device device, struct host_stat *out)
{
	enum { FOLDER_MODE = S_IFDIR | 0711, DEVICE_MODE = S_IFCHR | 0666 };
	const struct device *d = &devices[device];
	bool folder = device == DEVICE_DIR;
	*out = (struct host_stat){
		.dev = DEVICE_DEV,
		.ino = device,
		.nlink = folder ? 2 : 1,
		.mode = folder ? FOLDER_MODE : DEVICE_MODE,
		.rdev = (uint64_t)d->major << 8 | d->minor,
		.owner = OWNER_ROOT,
	};
	out->atime = out->mtime = out->ctime = (struct lx_timespec){.sec = (int64_t)os->epoch};
}

void device_stat_file(const struct os *os, const struct os_file *f, struct host_stat *out)
{
	device_stat(os, device_named(DEVICE_FOLDER, f->path + sizeof DEVICE_FOLDER), out);
}

int device_open(enum os_device device, uint32_t flags, bool slash, uint8_t *kind)
{
	if ((flags & LX_O_CREAT) && (flags & LX_O_EXCL))
		return -EEXIST;
	if (device == DEVICE_DIR)
		return (flags & LX_O_ACCMODE) != LX_O_RDONLY || (flags & LX_O_CREAT) ? -EISDIR
		                                                                     : -EACCES;
	if (slash || (flags & LX_O_DIRECTORY))
		return -ENOTDIR;
	*kind = devices[device].kind;
	return *kind == OS_FILE_FREE ? -ENXIO : 0;
}

int device_access(enum os_device device, bool slash, int mode)
{
	if (slash && device != DEVICE_DIR)
		return -ENOTDIR;
	return mode & (device == DEVICE_DIR ? R_OK | W_OK : X_OK) ? -EACCES : 0;
}

int64_t device_read(struct os_state *st, const struct os_file *f, uint8_t *bytes, size_t n)
{
	if (f->kind == OS_FILE_NULL)
		return 0;
	if (f->kind == OS_FILE_ZERO)
		memset(bytes, 0, n);
	else
		os_random_bytes(st, bytes, n);
	return (int64_t)n;
}
