/* What may stand in the system's part of the arena: for checkpoints. */
#include <string.h>

#include "core/base/hash.h"
#include "core/os/os_priv.h"

enum { SIGNALS_BITS = 64 };

static void pending_ranges(const struct signal_pending *p, struct ranges *rs)
{
	static const char name[] = "signals";
	RANGE(rs, name, p, 1, count, RANGE_MOST, OS_QUEUED);
	RANGE(rs, name, p, 1, unused, RANGE_MOST, 0);
	RANGE(rs, name, p->queue, OS_QUEUED, signo, RANGE_MOST, OS_SIGNALS - 1);
}

static void timer_ranges(const struct os_timer *t, unsigned n, struct ranges *rs)
{
	static const char name[] = "timers";
	RANGE(rs, name, t, n, expires, RANGE_MOST, OS_TIME_MAX);
	RANGE(rs, name, t, n, interval, RANGE_MOST, OS_TIME_MAX);
	RANGE(rs, name, t, n, overruns, RANGE_MOST, INT32_MAX);
	RANGE(rs, name, t, n, told, RANGE_MOST, INT32_MAX);
	RANGE(rs, name, t, n, used, RANGE_MOST, 1);
	RANGE(rs, name, t, n, clock, RANGE_MOST, TIMER_CPU);
	RANGE(rs, name, t, n, signo, RANGE_MOST, OS_SIGNALS - 1);
	RANGE(rs, name, t, n, sent, RANGE_MOST, 1);
	RANGE(rs, name, t, n, wall, RANGE_MOST, 1);
	RANGE_EACH(rs, name, t, n, unused, RANGE_MOST, 0);
}

static void signal_ranges(const struct os_state *st, struct ranges *rs)
{
	static const char name[] = "signals";
	const struct signal_thread *t = &st->thread_signals;
	RANGE(rs, name, t, 1, began, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, t, 1, deadline, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, t, 1, wakes, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, t, 1, restores, RANGE_MOST, 1);
	RANGE(rs, name, t, 1, waits, RANGE_MOST, 1);
	RANGE_EACH(rs, name, t, 1, unused, RANGE_MOST, 0);
	RANGE(rs, name, &st->signals, 1, idle, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, &st->signals, 1, next, RANGE_MOST, RANGE_TIME);
	pending_ranges(&t->pending, rs);
	pending_ranges(&st->signals.pending, rs);
	timer_ranges(st->signals.itimer, OS_ITIMERS, rs);
	timer_ranges(st->signals.timer, OS_TIMERS, rs);
}

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
	signal_ranges(st, rs);
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

static bool pending_is_possible(const struct signal_pending *p)
{
	for (uint32_t i = 0; i < OS_QUEUED; i++)
		if (i < p->count ? !p->queue[i].signo ||
		                            !(p->set & signal_bit((uint64_t)p->queue[i].signo))
		                 : p->queue[i].signo)
			return false;
	return true;
}

static const char *check_signals(const struct os_state *st)
{
	struct signal_process p = st->signals;
	if (!pending_is_possible(&st->thread_signals.pending) || !pending_is_possible(&p.pending))
		return "a signal is on its way that nobody sent";
	if (st->thread_signals.mask & SIGNALS_UNBLOCKABLE)
		return "a signal is blocked that can't be";
	timers_changed(&p);
	return p.next != st->signals.next ? "a timer expires in another cycle than is looked for"
	                                  : NULL;
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
	const char *wrong = check_signals(st);
	return wrong ? wrong : maps_state_error(st);
}

const char *os_beside_state_error(const struct os *os)
{
	for (unsigned i = 0; i < 2; i++)
		if (os->out[i].high != os->st->out_bytes[i])
			return "more output was made than is kept, or less";
	return inodes_state_error(os);
}
