/* Checks the system's part of a restored arena. */
#include <string.h>

#include "core/os/descriptors.h"
#include "core/os/inode.h"
#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/signals.h"
#include "core/os/thread.h"
#include "core/os/tree.h"

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
	RANGE(rs, name, st->thread, OS_THREADS, signals.restores, RANGE_MOST, 1);
	RANGE(rs, name, st->thread, OS_THREADS, signals.deferred, RANGE_MOST, 1);
	for (unsigned i = 0; i < OS_THREADS; i++) {
		RANGE_EACH(rs, name, &st->thread[i].signals, 1, unused, RANGE_MOST, 0);
		pending_ranges(&st->thread[i].signals.pending, rs);
	}
	RANGE(rs, name, &st->signals, 1, idle, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, &st->signals, 1, next, RANGE_MOST, RANGE_TIME);
	pending_ranges(&st->signals.pending, rs);
	timer_ranges(st->signals.itimer, OS_ITIMERS, rs);
	timer_ranges(st->signals.timer, OS_TIMERS, rs);
}

static void thread_ranges(const struct os_thread *t, struct ranges *rs)
{
	static const char name[] = "threads";
	RANGE(rs, name, t, OS_THREADS, r[REG_ZERO], RANGE_MOST, 0);
	RANGE(rs, name, t, OS_THREADS, fcsr, RANGE_MOST, 0xff);
	RANGE(rs, name, t, OS_THREADS, pflags, RANGE_MOST, 0xff);
	RANGE(rs, name, t, OS_THREADS, deadline, RANGE_NONE, RANGE_TIME);
	RANGE(rs, name, t, OS_THREADS, limit, RANGE_NONE, RANGE_TIME);
	RANGE(rs, name, t, OS_THREADS, turn, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, t, OS_THREADS, ran, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, t, OS_THREADS, tid, RANGE_MOST, INT32_MAX);
	RANGE(rs, name, t, OS_THREADS, state, RANGE_MOST, THREAD_ENDED);
	RANGE(rs, name, t, OS_THREADS, waits, RANGE_MOST, OS_WAIT_COUNT - 1);
	RANGE(rs, name, t, OS_THREADS, again, RANGE_MOST, 1);
	RANGE(rs, name, t, OS_THREADS, held, RANGE_MOST, 1);
	RANGE_EACH(rs, name, t, OS_THREADS, unused, RANGE_MOST, 0);
	RANGE_TEXT_IN(rs, name, t, OS_THREADS, name);
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
	RANGE(rs, name, st->file, OS_FILES, kind, RANGE_MOST, OS_FILE_LAST);
	RANGE(rs, name, st->file, OS_FILES, pipe, RANGE_MOST, OS_PIPES - 1);
	RANGE(rs, name, st->file, OS_FILES, out, RANGE_MOST, OS_PIPES - 1);
	RANGE(rs, name, st->file, OS_FILES, mode, RANGE_MOST, 1);
	RANGE_EACH(rs, name, st->file, OS_FILES, unused, RANGE_MOST, 0);
	RANGE_TEXT_IN(rs, name, st->file, OS_FILES, path);
	RANGE(rs, name, st->pipe, OS_PIPES, at, RANGE_MOST, MEM_TOP - PIPE_BYTES);
	RANGE(rs, name, st->pipe, OS_PIPES, first, RANGE_MOST, PIPE_BYTES - 1);
	RANGE(rs, name, st->pipe, OS_PIPES, count, RANGE_MOST, PIPE_BYTES);
	RANGE(rs, name, st->pipe, OS_PIPES, stamp, RANGE_MOST, RANGE_TIME);
	for (unsigned i = 0; i < OS_EPOLLS; i++) {
		RANGE(rs, name, st->epoll[i].of, OS_FDS, serial, RANGE_MOST, RANGE_TIME);
		RANGE(rs, name, st->epoll[i].of, OS_FDS, unused, RANGE_MOST, 0);
	}
	RANGE(rs, name, st->memfd, OS_MEMFDS, at, RANGE_MOST, MEM_TOP);
	RANGE(rs, name, st->memfd, OS_MEMFDS, room, RANGE_MOST, MEM_TOP);
	RANGE(rs, name, st->memfd, OS_MEMFDS, size, RANGE_MOST, MEM_TOP);
	RANGE(rs, name, st->memfd, OS_MEMFDS, seals, RANGE_BITS, LX_SEALS);
	RANGE(rs, name, st, 1, next_serial, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, st, 1, brk_start, RANGE_MOST, MEM_TOP);
	RANGE(rs, name, st, 1, brk, RANGE_MOST, MEM_TOP);
	RANGE(rs, name, st, 1, mmap_below, RANGE_MOST, MEM_TOP);
	RANGE_EACH(rs, name, st, 1, out_bytes, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, st, 1, umask, RANGE_BITS, 0777);
	RANGE(rs, name, st, 1, exited, RANGE_MOST, 1);
	signal_ranges(st, rs);
	RANGE(rs, name, st, 1, killed_by, RANGE_MOST, SIGNALS_BITS);
	RANGE(rs, name, st, 1, waits, RANGE_MOST, OS_WAIT_COUNT - 1);
	RANGE(rs, name, st, 1, switched, RANGE_MOST, 1);
	RANGE(rs, name, st, 1, yields, RANGE_MOST, 0);
	RANGE(rs, name, st, 1, barriers, RANGE_BITS, 4 | 16);
	RANGE(rs, name, st, 1, silent, RANGE_MOST, 1);
	RANGE(rs, name, st, 1, abi, RANGE_MOST, OS_ABIS - 1);
	RANGE(rs, name, st, 1, tohost_half, RANGE_MOST, 2);
	RANGE(rs, name, st, 1, fromhost, RANGE_MOST, MEM_TOP);
	RANGE(rs, name, st, 1, text_end, RANGE_MOST, MEM_TOP);
	RANGE(rs, name, st, 1, inodes, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, st, 1, map_count, RANGE_MOST, OS_MAPS);
	RANGE(rs, name, st, 1, unused_maps, RANGE_MOST, 0);
	RANGE_TEXT_IN(rs, name, st->map, OS_MAPS, path);
	RANGE_TEXT_IN(rs, name, st, 1, cwd);
	RANGE(rs, name, st, 1, running, RANGE_MOST, OS_THREADS - 1);
	RANGE(rs, name, st, 1, thread_count, RANGE_MOST, OS_THREADS);
	RANGE(rs, name, st, 1, next_tid, RANGE_MOST, THREAD_TID_END);
	RANGE(rs, name, st, 1, reused_tid, RANGE_MOST, THREAD_TID_END - 1);
	RANGE(rs, name, st, 1, turns, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, st, 1, fd_changes, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, st, 1, since, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, st, 1, slice_end, RANGE_NONE, RANGE_TIME);
	thread_ranges(st->thread, rs);
	code_versions_ranges(os, rs);
}

static const char *os_checkpoint_check_file(const struct os_state *st, const struct os_file *f)
{
	if (f->kind == OS_FILE_EPOLL && f->offset >= OS_EPOLLS)
		return "an open file watches others that there are none of";
	if (f->kind == OS_FILE_TIMER && (f->count > RANGE_TIME || f->offset > (int64_t)RANGE_TIME))
		return "a timer's time is none";
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
	bool possible = pending_is_possible(&p.pending);
	for (unsigned i = 0; i < OS_THREADS; i++) {
		possible &= pending_is_possible(&st->thread[i].signals.pending);
		if (st->thread[i].signals.mask & SIGNALS_UNBLOCKABLE)
			return "a signal is blocked that can't be";
	}
	if (!possible)
		return "a pending signal has no sender";
	timers_changed(&p);
	return p.next != st->signals.next ? "a timer expires in another cycle than expected"
	                                  : NULL;
}

static const char *threads_error(const struct os *os)
{
	const struct os_state *st = os->st;
	unsigned count = 0;
	for (unsigned i = 0; i < OS_THREADS; i++) {
		const struct os_thread *t = &st->thread[i];
		count += t->state == THREAD_READY || t->state == THREAD_WAITS;
		if (t->state == THREAD_FREE ? t->tid != 0 : os_thread_find(os, t->tid) != (int)i)
			return "a thread has a number that is none, or another's";
		if (t->tid >= st->next_tid)
			return "a thread has a number that was not given out yet";
		if ((t->state == THREAD_WAITS) != (t->waits != OS_WAIT_NONE))
			return "a thread waits for nothing, or doesn't and should";
	}
	if (count != st->thread_count)
		return "there are other threads than are counted";
	if (!st->exited && !st->killed_by && !st->waits &&
	    st->thread[st->running].state != THREAD_READY)
		return "the thread that runs is none that can";
	return NULL;
}

const char *os_state_error(const struct os *os)
{
	const struct os_state *st = os->st;
	const char *of_threads = threads_error(os);
	if (of_threads)
		return of_threads;
	for (unsigned i = 0; i < OS_FILES; i++) {
		const char *wrong = os_checkpoint_check_file(st, &st->file[i]);
		if (wrong)
			return wrong;
	}
	for (unsigned i = 0; i < OS_PIPES; i++)
		if (st->pipe[i].at % PAGE_BYTES)
			return "a pipe's bytes do not begin on a page";
	for (unsigned i = 0; i < OS_MEMFDS; i++) {
		const struct os_memfd *m = &st->memfd[i];
		if ((m->at | m->room) % PAGE_BYTES || m->size > m->room || !m->at != !m->room ||
		    m->at > MEM_TOP - m->room)
			return "a file in memory has its bytes where they can't be";
	}
	if (!path_is_canonical(st->cwd) || path_is_sysroot(st->cwd))
		return "the current directory has a name that no chdir() gave it";
	if (st->brk < st->brk_start || st->mmap_below % PAGE_BYTES)
		return "the program's break or mappings are where they can't be";
	const char *wrong = check_signals(st);
	wrong = wrong ? wrong : maps_state_error(st);
	return wrong ? wrong : code_versions_error(os);
}

const char *os_beside_state_error(const struct os *os)
{
	for (unsigned i = 0; i < OUT_STREAMS; i++)
		if (os->out[i].high != os->st->out_bytes[i])
			return "more output was made than is kept, or less";
	return inodes_state_error(os);
}
