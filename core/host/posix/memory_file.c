#include "core/host/memory_file.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

int memory_file(const char *name)
{
	return memfd_create(name, MFD_CLOEXEC);
}

int memory_file_of(const char *name, const void *bytes, size_t n)
{
	const char *at = bytes;
	const int fd = memory_file(name);
	while (fd >= 0 && n) {
		const ssize_t k = write(fd, at, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			break;
		at += k;
		n -= (size_t)k;
	}
	if (fd < 0 || (!n && lseek(fd, 0, SEEK_SET) == 0))
		return fd;
	const int why = errno;
	close(fd);
	errno = why;
	return -1;
}
