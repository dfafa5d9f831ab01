/* Beginning (clone, clone3) and end of threads. A second process can't be made. */
#include <string.h>

#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/thread.h"

enum {
	CLONE_SIGNAL = 0xff,
	CLONE_VM = 0x100,
	CLONE_FS = 0x200,
	CLONE_FILES = 0x400,
	CLONE_SIGHAND = 0x800,
	CLONE_PIDFD = 0x1000,
	CLONE_VFORK = 0x4000,
	CLONE_THREAD = LX_CLONE_THREAD,
	CLONE_SETTLS = 0x80000,
	CLONE_PARENT_SETTID = 0x100000,
	CLONE_CHILD_CLEARTID = 0x200000,
	CLONE_CHILD_SETTID = 0x1000000,
	CLONE_NEW = 0x7e020000 | 0x2000000, /* new namespaces */
	SHARED = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD
};

void threads_reset(struct os_state *st)
{
	st->thread[0] = (struct os_thread){
		.tid = GUEST_PID, .state = THREAD_READY, .deadline = OS_NEVER};
	st->thread[0].signals.stack[1] = LX_SS_DISABLE;
	st->next_tid = GUEST_PID + 1;
	st->thread_count = 1;
	st->slice_end = OS_NEVER;
}

/* ---- beginning ---- */
struct wish {
	uint64_t flags, stack, parent_tid, child_tid, tls;
};

static int64_t refuse_process(struct call *c)
{
	os_warnf(c->os, "the guest requests another process (fork, vfork, posix_spawn, system or "
	                "popen): refused (ENOSYS), Cyclops runs one process, whose threads are "
	                "served; run what it would start on its own");
	return -ENOSYS;
}

static struct os_thread *free_entry(struct os_state *st)
{
	for (unsigned i = 0; i < OS_THREADS; i++)
		if (st->thread[i].state == THREAD_FREE)
			return &st->thread[i];
	return NULL;
}

static bool tell_tid(struct call *c, bool wanted, uint64_t at, uint32_t tid)
{
	return !wanted || mem_write(c->mem, at, &tid, sizeof tid);
}

static bool has_tid(const struct os_state *st, uint32_t tid)
{
	for (unsigned i = 0; i < OS_THREADS; i++)
		if (st->thread[i].state != THREAD_FREE && st->thread[i].tid == tid)
			return true;
	return false;
}

/* Number of the next thread: an unused number; when all have been used, as on Linux, ended threads'
 * numbers in turn. */
static uint32_t tid_of_next(const struct os_state *st)
{
	uint32_t tid = st->reused_tid;
	if (st->next_tid < THREAD_TID_END)
		return st->next_tid;
	do
		tid = tid > GUEST_PID && tid + 1 < THREAD_TID_END ? tid + 1 : GUEST_PID + 1;
	while (has_tid(st, tid));
	return tid;
}

/* The new thread begins where the call returns, with the caller's registers. */
static void os_thread_init_clone(struct call *c, struct os_thread *t, const struct wish *w,
                                 uint32_t tid)
{
	const struct hart *h = c->h;
	*t = (struct os_thread){
		.pc = h->pc,
		.fcsr = h->fcsr,
		.pflags = h->pflags,
		.pfbase = h->pfbase,
		.tid = tid,
		.stack = w->stack,
		.clear_tid = w->flags & CLONE_CHILD_CLEARTID ? w->child_tid : 0,
	};
	t->signals.mask = c->thread->mask;
	t->signals.stack[1] = LX_SS_DISABLE;
	memcpy(t->r, h->r, sizeof t->r);
	memcpy(t->name, thread_now(c->st)->name, sizeof t->name);
	t->r[REG_A0] = 0;
	if (w->stack)
		t->r[REG_SP] = w->stack;
	if (w->flags & CLONE_SETTLS)
		t->r[REG_TP] = w->tls;
	if (tid == c->st->next_tid)
		c->st->next_tid++;
	else
		c->st->reused_tid = tid;
	thread_ready(c->st, t);
	c->st->thread_count++;
}

static int64_t os_thread_spawn_clone(struct call *c, const struct wish *w)
{
	if ((w->flags & CLONE_THREAD) && !(w->flags & CLONE_SIGHAND))
		return -EINVAL;
	if ((w->flags & CLONE_SIGHAND) && !(w->flags & CLONE_VM))
		return -EINVAL;
	if (!(w->flags & CLONE_THREAD))
		return refuse_process(c);
	if ((w->flags & (CLONE_NEW | CLONE_PIDFD | CLONE_VFORK)) || (w->flags & SHARED) != SHARED) {
		os_warnf(c->os,
		         "the guest requests a thread that doesn't share everything (clone flags "
		         "0x%llx): refused (EINVAL)",
		         (unsigned long long)w->flags);
		return -EINVAL;
	}
	struct os_thread *t = free_entry(c->st);
	if (!t) {
		os_warnf(c->os, "the guest requests more than %d threads at once: refused (EAGAIN)",
		         OS_THREADS);
		return -EAGAIN;
	}
	const uint32_t tid = tid_of_next(c->st);
	if (!tell_tid(c, w->flags & CLONE_PARENT_SETTID, w->parent_tid, tid))
		return -EFAULT;
	/* Linux ignores a failed write here, too */
	tell_tid(c, w->flags & CLONE_CHILD_SETTID, w->child_tid, tid);
	os_thread_init_clone(c, t, w, tid);
	return tid;
}

int64_t sys_clone(struct call *c)
{
	const struct wish w = {.flags = (uint32_t)c->a[0] & ~(uint64_t)CLONE_SIGNAL,
	                       .stack = c->a[1],
	                       .parent_tid = c->a[2],
	                       .tls = c->a[3],
	                       .child_tid = c->a[4]};
	return os_thread_spawn_clone(c, &w);
}

/* struct clone_args, as of Linux 5.7; fields beyond a shorter struct are 0. */
enum { ARG_FLAGS, ARG_PIDFD, ARG_CHILD_TID, ARG_PARENT_TID, ARG_SIGNAL, ARG_STACK, ARG_STACK_SIZE,
       ARG_TLS, ARG_SET_TID, ARG_SET_TID_SIZE, ARG_CGROUP, ARG_COUNT };

int64_t sys_clone3(struct call *c)
{
	enum { LEAST = 64 };
	uint64_t arg[ARG_COUNT] = {0};
	const uint64_t n = c->a[1];
	if (n > PAGE_BYTES)
		return -E2BIG;
	if (n < LEAST)
		return -EINVAL;
	if (!mem_read(c->mem, c->a[0], arg, n < sizeof arg ? n : sizeof arg))
		return -EFAULT;
	for (uint64_t at = sizeof arg; at < n; at++) {
		uint8_t byte;
		if (!mem_read(c->mem, c->a[0] + at, &byte, 1))
			return -EFAULT;
		if (byte)
			return -E2BIG;
	}
	const uint64_t flags = arg[ARG_FLAGS];
	if (flags >> 34 || (flags & CLONE_SIGNAL) || arg[ARG_SIGNAL] & ~(uint64_t)CLONE_SIGNAL)
		return -EINVAL;
	if ((flags & CLONE_THREAD) && arg[ARG_SIGNAL])
		return -EINVAL;
	if (!arg[ARG_STACK] != !arg[ARG_STACK_SIZE])
		return -EINVAL;
	if (arg[ARG_SET_TID] || arg[ARG_SET_TID_SIZE])
		return arg[ARG_SET_TID] && arg[ARG_SET_TID_SIZE] ? -EPERM : -EINVAL;
	const struct wish w = {.flags = flags,
	                       .stack = arg[ARG_STACK] + arg[ARG_STACK_SIZE],
	                       .parent_tid = arg[ARG_PARENT_TID],
	                       .tls = arg[ARG_TLS],
	                       .child_tid = arg[ARG_CHILD_TID]};
	return os_thread_spawn_clone(c, &w);
}

int64_t sys_execve(struct call *c)
{
	os_warnf(c->os, "the guest requests another program (execve): refused (ENOSYS); "
	                "start that program in its place");
	return -ENOSYS;
}

/* ---- ending ---- */
enum { ROBUST_MOST = 2048 }; /* as in Linux: the list may be a ring */

/* Releases the lock at this entry of the robust list if the dead thread holds it; the next owner
 * gets EOWNERDEAD. */
static void release_robust(struct call *c, uint64_t addr, uint32_t tid)
{
	uint64_t word;
	if ((addr & 3) || !mem_load(c->mem, addr, 4, &word) ||
	    ((uint32_t)word & LX_FUTEX_TID_MASK) != tid)
		return;
	const uint32_t dead = ((uint32_t)word & LX_FUTEX_WAITERS) | LX_FUTEX_OWNER_DIED;
	if (mem_write(c->mem, addr, &dead, sizeof dead) && ((uint32_t)word & LX_FUTEX_WAITERS))
		futex_wake(c, addr, 1, UINT32_MAX);
}

static void release_locks(struct call *c, const struct os_thread *t)
{
	const bool narrow = c->h->isa == ISA_RV32GC;
	const uint64_t word = narrow ? 4 : 8, addresses = narrow ? UINT32_MAX : UINT64_MAX;
	uint64_t at, offset, pending;
	if (!t->robust_list || !guest_word(c, t->robust_list, &at) ||
	    !guest_word(c, t->robust_list + word, &offset) ||
	    !guest_word(c, t->robust_list + 2 * word, &pending))
		return;
	at &= ~UINT64_C(1);
	pending &= ~UINT64_C(1);
	for (unsigned i = 0; i < ROBUST_MOST && at != t->robust_list; i++) {
		uint64_t next;
		const bool last = !guest_word(c, at, &next);
		if (at != pending)
			release_robust(c, (at + offset) & addresses, t->tid);
		if (last)
			return;
		at = next & ~UINT64_C(1);
	}
	if (pending)
		release_robust(c, (pending + offset) & addresses, t->tid);
}

static int64_t end_process(struct call *c, int32_t status)
{
	c->st->exited = 1;
	missing_tell(c->os, status);
	c->st->exit_status = status;
	return 0;
}

int64_t sys_exit(struct call *c)
{
	static const uint32_t none = 0;
	struct os_state *st = c->st;
	struct os_thread *t = thread_now(st);
	const int32_t status = (int32_t)(c->a[0] & 0xff);
	/* The process's status is its first thread's. */
	if (st->thread_count == 1)
		return end_process(c, st->running ? st->exit_status : status);
	release_locks(c, t);
	if (t->clear_tid && mem_write(c->mem, t->clear_tid, &none, sizeof none))
		futex_wake(c, t->clear_tid, 1, UINT32_MAX);
	thread_settle(st, c->h);
	st->thread_count--;
	if (st->running) {
		*t = (struct os_thread){0};
	} else {
		st->exit_status = status;
		t->state = THREAD_ENDED;
	}
	return 0;
}

int64_t sys_exit_group(struct call *c)
{
	return end_process(c, (int32_t)(c->a[0] & 0xff));
}

/* ---- identity ---- */
int64_t sys_gettid(struct call *c)
{
	return thread_now(c->st)->tid;
}

int64_t sys_set_tid_address(struct call *c)
{
	thread_now(c->st)->clear_tid = c->a[0];
	return thread_now(c->st)->tid;
}

/* Bytes of the list's head: three words. */
static uint64_t thread_robust_head_bytes(const struct call *c)
{
	return c->h->isa == ISA_RV32GC ? 12 : 24;
}

int64_t sys_set_robust_list(struct call *c)
{
	if (c->a[1] != thread_robust_head_bytes(c))
		return -EINVAL;
	thread_now(c->st)->robust_list = c->a[0];
	return 0;
}

int64_t sys_get_robust_list(struct call *c)
{
	const uint64_t bytes = thread_robust_head_bytes(c), word = bytes / 3;
	const int which = (int)c->a[0] ? os_thread_find(c->os, (uint32_t)c->a[0])
	                               : (int)c->st->running;
	if (which < 0)
		return -ESRCH;
	return mem_write(c->mem, c->a[2], &bytes, word) &&
	                       mem_write(c->mem, c->a[1], &c->st->thread[which].robust_list, word)
	               ? 0
	               : -EFAULT;
}

int64_t sys_prctl(struct call *c)
{
	struct os_thread *t = thread_now(c->st);
	char name[OS_THREAD_NAME] = {0};
	switch ((int)c->a[0]) {
	case LX_PR_SET_NAME:
		for (unsigned i = 0; i < sizeof name - 1; i++) {
			if (!mem_read(c->mem, c->a[1] + i, &name[i], 1))
				return -EFAULT;
			if (!name[i])
				break;
		}
		memcpy(t->name, name, sizeof t->name);
		return 0;
	case LX_PR_GET_NAME:
		return mem_write(c->mem, c->a[1], t->name, sizeof t->name) ? 0 : -EFAULT;
	default:
		return -EINVAL;
	}
}
