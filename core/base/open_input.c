#include "core/base/open_input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"

FILE *open_input(const char *path)
{
	struct stat st;
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	FILE *f = NULL;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : ESPIPE;
		if (!S_ISDIR(st.st_mode) && (!S_ISFIFO(st.st_mode) || !strncmp(path, "/dev/", 5)) &&
		    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0)
			f = alloc_file_of(fd, "rb");
	}
	const int why = errno;
	if (!f)
		close(fd);
	errno = why;
	return f;
}

FILE *open_own_input(const char *path)
{
	struct stat st;
	FILE *f = open_input(path);
	if (!f || (fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode)))
		return f;
	fclose(f);
	errno = ENODEV;
	return NULL;
}

const char *open_input_error(void)
{
	return errno == ESPIPE   ? "a pipe, not a file"
	       : errno == ENODEV ? "a device, not a file"
	                         : strerror(errno);
}
