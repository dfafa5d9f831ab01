/* What may stand in the system's part of the arena: for checkpoints. */
#include <string.h>

#include "core/base/hash.h"
#include "core/os/os_priv.h"

enum { SIGNALS_BITS = 64 };

void os_ranges(const struct os *os, struct ranges *rs)
{
	static const char name[] = "system";
	const struct os_state *st = os->st;
	RANGE(rs, name, st->fd, OS_FDS, kind, RANGE_MOST, OS_FD_OPEN);
	RANGE(rs, name, st->fd, OS_FDS, flags, RANGE_BITS, LX_FD_CLOEXEC);
	RANGE(rs, name, st->fd, OS_FDS, file, RANGE_MOST, OS_FILES - 1);
	RANGE(rs, name, st->file, OS_FILES, serial, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, st->file, OS_FILES, offset, RANGE_MOST, INT64_MAX);
	RANGE(rs, name, st->file, OS_FILES, refs, RANGE_MOST, OS_FDS);
	RANGE(rs, name, st->file, OS_FILES, kind, RANGE_MOST, OS_FILE_PIPE_WRITE);
	RANGE(rs, name, st->file, OS_FILES, pipe, RANGE_MOST, OS_PIPES - 1);
	RANGE_TEXT_IN(rs, name, st->file, OS_FILES, path);
	RANGE(rs, name, st->pipe, OS_PIPES, at, RANGE_MOST, MEM_TOP - PIPE_BYTES);
	RANGE(rs, name, st->pipe, OS_PIPES, first, RANGE_MOST, PIPE_BYTES - 1);
	RANGE(rs, name, st->pipe, OS_PIPES, count, RANGE_MOST, PIPE_BYTES);
	RANGE(rs, name, st, 1, next_serial, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, st, 1, brk_start, RANGE_MOST, MEM_TOP);
	RANGE(rs, name, st, 1, brk, RANGE_MOST, MEM_TOP);
	RANGE(rs, name, st, 1, mmap_below, RANGE_MOST, MEM_TOP);
	RANGE_EACH(rs, name, st, 1, out_bytes, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, st, 1, umask, RANGE_BITS, 0777);
	RANGE(rs, name, st, 1, exited, RANGE_MOST, 1);
	RANGE(rs, name, st, 1, killed_by, RANGE_MOST, SIGNALS_BITS);
	RANGE(rs, name, st, 1, waits, RANGE_MOST, OS_WAIT_PIPE_WRITE);
	RANGE(rs, name, st, 1, code_changed, RANGE_MOST, 1);
	RANGE_EACH(rs, name, st, 1, unused, RANGE_MOST, 0);
	RANGE(rs, name, st, 1, inodes, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, st, 1, map_count, RANGE_MOST, OS_MAPS);
	RANGE(rs, name, st, 1, unused_maps, RANGE_MOST, 0);
	RANGE_TEXT_IN(rs, name, st->map, OS_MAPS, path);
	RANGE_TEXT_IN(rs, name, st, 1, cwd);
}

static const char *check_file(const struct os_state *st, const struct os_file *f)
{
	unsigned refs = 0;
	for (unsigned i = 0; i < OS_FDS; i++)
		refs += st->fd[i].kind == OS_FD_OPEN && st->fd[i].file == file_index(st, f);
	if (refs != f->refs || (f->kind == OS_FILE_FREE) != !refs)
		return "an open file has other descriptors than it counts";
	if (f->serial > st->next_serial)
		return "an open file has a number that was not given out yet";
	if (!path_is_canonical(f->path))
		return "an open file has a name that no open() gave it";
	if (path_is_sysroot(f->path) && (f->flags & LX_O_ACCMODE) != LX_O_RDONLY)
		return "a file of the sysroot is open for writing";
	const bool device = file_is_device(f),
		   below = !strncmp(f->path, DEVICE_FOLDER "/", sizeof DEVICE_FOLDER);
	if (device &&
	    (!below || device_named(DEVICE_FOLDER, f->path + sizeof DEVICE_FOLDER) == DEVICE_NONE))
		return "an open device is none of ours";
	return NULL;
}

const char *os_state_error(const struct os *os)
{
	const struct os_state *st = os->st;
	for (unsigned i = 0; i < OS_FILES; i++) {
		const char *wrong = check_file(st, &st->file[i]);
		if (wrong)
			return wrong;
	}
	for (unsigned i = 0; i < OS_PIPES; i++)
		if (st->pipe[i].at % PAGE_BYTES)
			return "a pipe's bytes do not begin on a page";
	if (!path_is_canonical(st->cwd) || path_is_sysroot(st->cwd))
		return "the current directory has a name that no chdir() gave it";
	if (st->brk < st->brk_start || st->mmap_below % PAGE_BYTES)
		return "the program's break or mappings are where they can't be";
	return maps_state_error(st);
}

const char *os_beside_state_error(const struct os *os)
{
	for (unsigned i = 0; i < 2; i++)
		if (os->out[i].high != os->st->out_bytes[i])
			return "more output was made than is kept, or less";
	return inodes_state_error(os);
}
