/* Descriptors and open file descriptions: all in the arena. */
#include <string.h>

#include "core/os/descriptors.h"
#include "core/os/os_priv.h"

struct os_file *fd_named_file(struct os_state *st, int fd)
{
	if (fd < 0 || fd >= OS_FDS || st->fd[fd].kind == OS_FD_CLOSED)
		return NULL;
	return &st->file[st->fd[fd].file];
}

struct os_file *fd_file(struct os_state *st, int fd)
{
	struct os_file *f = fd_named_file(st, fd);
	return f && !(f->flags & LX_O_PATH) ? f : NULL;
}

unsigned file_index(const struct os_state *st, const struct os_file *f)
{
	return (unsigned)(f - st->file);
}

int fd_lowest(const struct os_state *st, int from)
{
	for (int fd = from; fd < OS_FDS; fd++)
		if (st->fd[fd].kind == OS_FD_CLOSED)
			return fd;
	return -1;
}

struct os_file *file_take(struct os_state *st)
{
	for (unsigned i = 0; i < OS_FILES; i++)
		if (st->file[i].kind == OS_FILE_FREE)
			return &st->file[i];
	return NULL;
}

void fd_drop(struct os_state *st, int fd)
{
	struct os_file *f = fd_named_file(st, fd);
	st->fd_changes++;
	memset(&st->fd[fd], 0, sizeof st->fd[fd]);
	/* The host's descriptor stays until the slot is used again: a file removed meanwhile can
	 * still be read after going back. */
	if (--f->refs == 0)
		memset(f, 0, sizeof *f);
}

void fd_install(struct os_state *st, int fd, struct os_file *f, bool cloexec)
{
	f->refs++;
	if (fd_named_file(st, fd))
		fd_drop(st, fd);
	st->fd[fd] = (struct os_fd){.kind = OS_FD_OPEN,
	                            .flags = cloexec ? LX_FD_CLOEXEC : 0,
	                            .file = (uint16_t)file_index(st, f)};
}

int64_t file_new(struct call *c, uint8_t kind, uint32_t flags)
{
	struct os_file *f = file_take(c->st);
	const int fd = fd_lowest(c->st, 0);
	if (fd < 0)
		return -EMFILE;
	if (!f)
		return -ENFILE;
	f->kind = kind;
	f->serial = ++c->st->next_serial;
	f->flags = LX_O_RDWR | (flags & LX_O_NONBLOCK);
	fd_install(c->st, fd, f, flags & LX_O_CLOEXEC);
	return fd;
}

void fd_reset(struct os_state *st)
{
	static const uint8_t kinds[3] = {OS_FILE_STDIN, OS_FILE_STDOUT, OS_FILE_STDERR};
	for (int i = 0; i < 3; i++) {
		struct os_file *f = &st->file[i];
		f->kind = kinds[i];
		f->serial = ++st->next_serial;
		f->flags = i == 0 ? LX_O_RDONLY : LX_O_WRONLY;
		fd_install(st, i, f, false);
	}
}
