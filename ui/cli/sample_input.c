#include "ui/cli/sample_input.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/host/descriptor_path.h"
#include "core/host/memory_file.h"

static bool sample_input_write_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		const ssize_t k = write(fd, bytes, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		bytes += k;
		n -= (size_t)k;
	}
	return true;
}

/* Copies all bytes up to the end; false with errno. A closed descriptor counts as empty. */
static bool sample_input_copy_stream(int from, int to)
{
	char room[65536];
	for (;;) {
		const ssize_t n = read(from, room, sizeof room);
		if (n == 0 || (n < 0 && errno == EBADF))
			return true;
		if (n < 0 || !sample_input_write_all(to, room, (size_t)n))
			return false;
	}
}

bool sample_input_begin(struct sample_input *in, int fd, struct err *err)
{
	struct stat st;
	*in = (struct sample_input){.fd = fd};
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		in->from = lseek(fd, 0, SEEK_CUR);
		return true;
	}
	in->fd = memory_file("standard input");
	in->copied = in->fd >= 0;
	if (!in->copied || !sample_input_copy_stream(fd, in->fd)) {
		err_set(err,
		        "--sample: standard input, which is needed several times, can't be kept: "
		        "%s",
		        strerror(errno));
		sample_input_end(in);
		return false;
	}
	return true;
}

int sample_input_open(const struct sample_input *in, struct err *err)
{
	const int fd = descriptor_reopen(in->fd);
	if (fd >= 0 && lseek(fd, in->from, SEEK_SET) >= 0)
		return fd;
	err_set(err, "--sample: standard input can't be read from its beginning: %s",
	        strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

void sample_input_end(struct sample_input *in)
{
	if (in->copied)
		close(in->fd);
	in->copied = false;
}
