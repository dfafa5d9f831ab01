#include "core/base/open_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/base/alloc.h"

enum { TEXT_MB = 64 };

FILE *open_data_input(const char *path)
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

FILE *open_input(const char *path)
{
	struct stat st;
	FILE *f = open_data_input(path);
	if (!f || fstat(fileno(f), &st) != 0)
		return f;
	const bool device = S_ISBLK(st.st_mode) ||
	                    (S_ISCHR(st.st_mode) && st.st_rdev != makedev(1, 3) /* /dev/null */ &&
	                     !isatty(fileno(f)));
	if (!device && (!S_ISREG(st.st_mode) || st.st_size <= (off_t)TEXT_MB << 20))
		return f;
	fclose(f);
	errno = device ? ENODEV : EFBIG;
	return NULL;
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
	_Static_assert(TEXT_MB == 64, "as in the message");
	return errno == EFBIG    ? "too large; expected at most 64 MB"
	       : errno == ESPIPE ? "a pipe, not a file"
	       : errno == ENODEV ? "a device, not a file"
	                         : strerror(errno);
}
