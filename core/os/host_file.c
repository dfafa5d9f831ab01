#include "core/os/host_file.h"

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
