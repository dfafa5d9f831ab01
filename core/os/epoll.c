/* epoll(7): which of many descriptors is ready. An edge-triggered (EPOLLET) descriptor is reported
 * again only when it has changed since. */
#include "core/os/descriptors.h"
#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/space.h"
#include "core/os/signals.h"

enum {
	EPOLL_ADD = 1,
	EPOLL_DEL = 2,
	EPOLL_MOD = 3,
	/* flags besides poll's bits */
	HOW = (int)0xf8000000, /* ET, ONESHOT, WAKEUP, EXCLUSIVE, and an unused bit */
	ONESHOT = 1 << 30,
	MOST_EVENTS = 1 << 26
};
#define EDGE (UINT32_C(1) << 31)

struct lx_epoll_event {
	uint32_t events, pad;
	uint64_t data;
};

int64_t sys_epoll_create1(struct call *c)
{
	if (c->a[0] & ~(uint64_t)LX_O_CLOEXEC)
		return -EINVAL;
	unsigned which = 0;
	for (unsigned i = 0; i < OS_FILES && which < OS_EPOLLS; i++)
		if (c->st->file[i].kind == OS_FILE_EPOLL &&
		    c->st->file[i].offset == (int64_t)which) {
			which++;
			i = (unsigned)-1; /* the next number may be taken, too: search again */
		}
	if (which == OS_EPOLLS)
		return -EMFILE;
	const int64_t fd = file_new(c, OS_FILE_EPOLL, (uint32_t)c->a[0]);
	if (fd < 0)
		return fd;
	c->st->epoll[which] = (struct os_epoll){0};
	fd_file(c->st, (int)fd)->offset = which;
	return fd;
}

static struct os_epoll *epoll_of(struct os_state *st, const struct os_file *f)
{
	return &st->epoll[f->offset];
}

/* Whether the descriptor is still open on the file that was added. */
static bool epoll_watch_is_current(const struct os_state *st, const struct os_watched *w,
                                   unsigned fd)
{
	return w->serial && st->fd[fd].kind == OS_FD_OPEN &&
	       st->file[st->fd[fd].file].serial == w->serial;
}

int64_t sys_epoll_ctl(struct call *c)
{
	struct lx_epoll_event ev = {0};
	const int op = (int)c->a[1], fd = (int)c->a[2];
	if (op != EPOLL_DEL && !mem_read(c->mem, c->a[3], &ev, sizeof ev))
		return -EFAULT;
	const struct os_file *e = fd_file(c->st, (int)c->a[0]), *f = fd_file(c->st, fd);
	if (!e || !f)
		return -EBADF;
	if (f->kind == OS_FILE_REGULAR || f->kind == OS_FILE_DIR || f->kind == OS_FILE_MEMORY)
		return -EPERM;
	if (e == f || e->kind != OS_FILE_EPOLL)
		return -EINVAL;
	if (f->kind == OS_FILE_EPOLL) {
		os_warnf(c->os, "the guest puts an epoll descriptor into another: refused "
		                "(EINVAL)");
		return -EINVAL;
	}
	struct os_watched *w = &epoll_of(c->st, e)->of[fd];
	const bool there = epoll_watch_is_current(c->st, w, (unsigned)fd);
	if (op == EPOLL_ADD && there)
		return -EEXIST;
	if ((op == EPOLL_MOD || op == EPOLL_DEL) && !there)
		return -ENOENT;
	if (op < EPOLL_ADD || op > EPOLL_MOD)
		return -EINVAL;
	c->st->fd_changes++;
	*w = (struct os_watched){0};
	if (op != EPOLL_DEL)
		*w = (struct os_watched){.serial = f->serial,
		                         .data = ev.data,
		                         .events = ev.events | LX_POLLERR | LX_POLLHUP};
	return 0;
}

/* Events to report for this descriptor; 0: none. */
static uint32_t epoll_pending_events(struct call *c, const struct os_watched *w, unsigned fd)
{
	if (!epoll_watch_is_current(c->st, w, fd))
		return 0;
	const struct os_file *f = fd_file(c->st, (int)fd);
	const uint32_t now = (uint32_t)file_ready(c, f) & w->events & ~(uint32_t)HOW;
	return (w->events & EDGE) && w->stamp == file_stamp(c, f) ? 0 : now;
}

int epoll_ready(struct call *c, const struct os_file *f)
{
	const struct os_epoll *e = epoll_of(c->st, f);
	for (unsigned fd = 0; fd < OS_FDS; fd++)
		if (epoll_pending_events(c, &e->of[fd], fd))
			return LX_POLLIN | LX_POLLRDNORM;
	return 0;
}

/* Records that the call has reported the descriptor: EPOLLET and EPOLLONESHOT must not repeat
 * it. */
static void note_told(struct call *c, struct os_watched *w, unsigned fd)
{
	if (w->events & EDGE)
		w->stamp = file_stamp(c, fd_file(c->st, (int)fd));
	if (w->events & ONESHOT)
		w->events &= (uint32_t)HOW;
}

/* limit: see thread_wait_again() */
static int64_t epoll_wait(struct call *c, uint64_t limit)
{
	const struct os_file *f = fd_file(c->st, (int)c->a[0]);
	const int most = (int)c->a[2];
	uint64_t mask = 0, at = c->a[1];
	int64_t n = 0;
	unsigned watched = 0;
	if (c->a[4] && (c->a[5] != sizeof mask))
		return -EINVAL;
	if (c->a[4] && !mem_read(c->mem, c->a[4], &mask, sizeof mask))
		return -EFAULT;
	if (most <= 0 || most > MOST_EVENTS)
		return -EINVAL;
	if (!space_holds(at, (uint64_t)most * sizeof(struct lx_epoll_event)))
		return -EFAULT;
	if (!f)
		return -EBADF;
	if (f->kind != OS_FILE_EPOLL)
		return -EINVAL;
	struct os_epoll *e = epoll_of(c->st, f);
	for (unsigned fd = 0; fd < OS_FDS && n < most; fd++) {
		const struct lx_epoll_event ev = {.events = epoll_pending_events(c, &e->of[fd], fd),
		                                  .data = e->of[fd].data};
		watched += epoll_watch_is_current(c->st, &e->of[fd], fd);
		if (!ev.events)
			continue;
		if (!mem_write(c->mem, at, &ev, sizeof ev))
			return n ? n : -EFAULT;
		note_told(c, &e->of[fd], fd);
		at += sizeof ev;
		n++;
	}
	if (n || limit <= hart_ticks(c->h))
		return n;
	if (c->a[4])
		signal_mask_for_call(c, mask);
	return thread_wait_again(c, OS_WAIT_FDS, watched, 0, limit);
}

int64_t sys_epoll_pwait(struct call *c)
{
	enum { PER_SECOND = 1000, NS = LX_NSEC / PER_SECOND };
	const int ms = (int)c->a[3];
	const struct os_thread *t = thread_now(c->st);
	uint64_t limit = OS_NEVER;
	if (t->again) {
		limit = t->limit;
	} else if (ms >= 0) {
		const struct lx_timespec time = {ms / PER_SECOND, ms % PER_SECOND * NS};
		limit = time_to_ticks(c->os, &time) + hart_ticks(c->h);
	}
	return epoll_wait(c, limit);
}

int64_t sys_epoll_pwait2(struct call *c)
{
	uint64_t limit;
	const int64_t wrong = wait_limit(c, c->a[3], WAIT_FOR, &limit);
	return wrong < 0 ? wrong : epoll_wait(c, limit);
}
