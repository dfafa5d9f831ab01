#include "core/os/host_file.h"

#include "core/host/folder.h"

int host_open_folder(const char *folder)
{
	const int fd =
		folder ? open_name(AT_FDCWD, folder, O_PATH | O_DIRECTORY | O_CLOEXEC, 0) : -1;
	return fd >= 0 ? fd : folder ? -errno : -ENOENT;
}

bool host_failed(int64_t ret)
{
	switch (-ret) {
	case EMFILE: case ENFILE: case ENOBUFS: case ENOLCK: /* limits, of process or host */
	case EIO: case EREMOTEIO: case ESTALE: case ETIMEDOUT:
	case ENOSPC: case EDQUOT:
	case EINTR: case EAGAIN:
		return true;
	default:
		return false;
	}
}

int host_has(int dir, const char *name, struct stat *st)
{
	if (fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW) == 0)
		return 1;
	return host_failed(-errno) || errno == ENOMEM ? -errno : 0;
}

int may_change_entries(int dir)
{
	struct stat st;
	return fstat(dir, &st) != 0 ? -errno : owner_may(st.st_mode, W_OK | X_OK);
}

/* Checks an opened descriptor. /proc is refused (it is in a tree that is the whole host): through
 * it the guest could read and write Cyclops itself. */
int host_check_opened(int fd, struct stat *st)
{
	const int own = fstat(fd, st) == 0 ? folder_is_of_processes(fd) : -1;
	const int err = own < 0 ? -errno : 0;
	if (!own && (S_ISREG(st->st_mode) || S_ISDIR(st->st_mode)))
		return fd;
	close(fd);
	return host_failed(err) || err == -ENOMEM ? err : -ENXIO;
}
