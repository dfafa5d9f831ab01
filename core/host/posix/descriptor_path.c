#include "core/host/descriptor_path.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

const char *descriptor_path(int fd, char out[static DESCRIPTOR_PATH_BYTES])
{
	snprintf(out, DESCRIPTOR_PATH_BYTES, "/proc/self/fd/%d", fd);
	return out;
}

int descriptor_reopen(int fd)
{
	char path[DESCRIPTOR_PATH_BYTES];
	return open(descriptor_path(fd, path), O_RDONLY | O_CLOEXEC);
}

bool descriptor_target(int fd, char *out, size_t n)
{
	char path[DESCRIPTOR_PATH_BYTES];
	const ssize_t got = readlink(descriptor_path(fd, path), out, n);
	const bool whole = got > 0 && (size_t)got < n && out[0] == '/';
	out[whole ? got : 0] = '\0';
	return whole;
}
