/* Signals: recorded as the guest sets them, and what happens when it sends one to itself. Handlers
 * never run. */
#include <string.h>

#include "core/os/os_priv.h"

enum { SIGSET_BYTES = 8, SIGNALS = OS_SIGNALS - 1 };

static uint64_t bit(uint64_t sig)
{
	return UINT64_C(1) << (sig - 1);
}

static const uint64_t unblockable = UINT64_C(1) << (LX_SIGKILL - 1) | UINT64_C(1)
                                                                              << (LX_SIGSTOP - 1);

/* Default actions other than ending the process. */
static bool ignored_by_default(uint64_t sig)
{
	return sig == LX_SIGCHLD || sig == LX_SIGCONT || sig == LX_SIGURG || sig == LX_SIGWINCH;
}

static bool stops_by_default(uint64_t sig)
{
	return sig == LX_SIGSTOP || sig == LX_SIGTSTP || sig == LX_SIGTTIN || sig == LX_SIGTTOU;
}

static void deliver(struct call *c, uint64_t sig)
{
	uint64_t handler = c->st->sigaction[sig][0];
	if (handler == LX_SIG_IGN || (handler == LX_SIG_DFL && ignored_by_default(sig)))
		return;
	if (stops_by_default(sig) && handler == LX_SIG_DFL) {
		os_warnf(c->os, "the guest stops itself with signal %d: ignored", (int)sig);
		return;
	}
	if (handler != LX_SIG_DFL && !(c->st->sigaction[sig][1] & LX_SA_STILL_ENDS))
		os_warnf(c->os,
		         "the guest's handler of signal %d is not run: signals have their default "
		         "action",
		         (int)sig);
	if (!ignored_by_default(sig) && !stops_by_default(sig))
		c->st->killed_by = (uint8_t)sig;
}

int64_t signal_self(struct call *c, uint64_t sig)
{
	if (sig > SIGNALS)
		return -EINVAL;
	if (sig == 0)
		return 0;
	if (c->st->sigmask & bit(sig))
		c->st->sigpending |= bit(sig);
	else
		deliver(c, sig);
	return 0;
}

/* Signals that were held back and no longer are. */
static void deliver_pending(struct call *c)
{
	for (uint64_t sig = 1; sig <= SIGNALS && !c->st->killed_by; sig++) {
		if (c->st->sigpending & ~c->st->sigmask & bit(sig)) {
			c->st->sigpending &= ~bit(sig);
			deliver(c, sig);
		}
	}
}

bool signal_unmasked(struct call *c, uint64_t mask)
{
	uint64_t old = c->st->sigmask;
	bool any = c->st->sigpending & ~mask;
	c->st->sigmask = mask & ~unblockable;
	deliver_pending(c);
	c->st->sigmask = old;
	return any;
}

/* Returns when a handler has run, and handlers don't. */
int64_t sys_rt_sigsuspend(struct call *c)
{
	uint64_t mask;
	if (c->a[1] != SIGSET_BYTES)
		return -EINVAL;
	if (!mem_read(c->mem, c->a[0], &mask, sizeof mask))
		return -EFAULT;
	return signal_unmasked(c, mask) ? -EINTR
	                                : thread_wait(c, OS_WAIT_SIGNAL, 0, 0, OS_NEVER);
}

int64_t sys_rt_sigtimedwait(struct call *c)
{
	uint64_t set;
	uint64_t deadline;
	int64_t limit = wait_limit(c, c->a[2], WAIT_FOR, &deadline);
	if (c->a[3] != SIGSET_BYTES)
		return -EINVAL;
	if (limit < 0)
		return limit;
	if (!mem_read(c->mem, c->a[0], &set, sizeof set))
		return -EFAULT;
	set &= c->st->sigpending & ~unblockable;
	if (!set)
		return limit ? -EAGAIN : thread_wait(c, OS_WAIT_SIGNAL, 0, 0, OS_NEVER);
	uint64_t sig = (uint64_t)__builtin_ctzll(set) + 1;
	const struct lx_siginfo info = {
		.signo = (int32_t)sig, .code = LX_SI_TKILL, .pid = GUEST_PID, .uid = GUEST_UID};
	if (c->a[1] && !mem_write(c->mem, c->a[1], &info, sizeof info))
		return -EFAULT;
	c->st->sigpending &= ~bit(sig);
	return (int64_t)sig;
}

int64_t sys_kill(struct call *c)
{
	int pid = (int)c->a[0];
	/* 0 and negative ones name groups; the guest is alone in its own. */
	return pid == GUEST_PID || pid == 0 || pid == -GUEST_PID ? signal_self(c, (uint32_t)c->a[1])
	                                                         : -ESRCH;
}

int64_t sys_tkill(struct call *c)
{
	if ((int)c->a[0] <= 0)
		return -EINVAL;
	return os_thread_find(c->os, (uint32_t)c->a[0]) >= 0
	               ? signal_self(c, (uint32_t)c->a[1])
	               : -ESRCH;
}

int64_t sys_tgkill(struct call *c)
{
	if ((int)c->a[0] <= 0 || (int)c->a[1] <= 0)
		return -EINVAL;
	bool self = (int)c->a[0] == GUEST_PID && os_thread_find(c->os, (uint32_t)c->a[1]) >= 0;
	return self ? signal_self(c, (uint32_t)c->a[2]) : -ESRCH;
}

int64_t sys_rt_sigaction(struct call *c)
{
	uint64_t sig = (uint32_t)c->a[0];
	if (c->a[3] != SIGSET_BYTES || sig == 0 || sig > SIGNALS)
		return -EINVAL;
	uint64_t *have = c->st->sigaction[sig];
	struct lx_sigaction old = {have[0], have[1], have[2]}, new;
	if (c->a[1]) {
		if (sig == LX_SIGKILL || sig == LX_SIGSTOP)
			return -EINVAL;
		if (!mem_read(c->mem, c->a[1], &new, sizeof new))
			return -EFAULT;
	}
	if (c->a[2] && !mem_write(c->mem, c->a[2], &old, sizeof old))
		return -EFAULT;
	if (c->a[1]) {
		have[0] = new.handler;
		have[1] = new.flags;
		have[2] = new.mask & ~unblockable;
	}
	return 0;
}

int64_t sys_rt_sigprocmask(struct call *c)
{
	uint64_t set = 0, old = c->st->sigmask, now = old;
	if (c->a[3] != SIGSET_BYTES)
		return -EINVAL;
	if (c->a[1]) {
		if (!mem_read(c->mem, c->a[1], &set, sizeof set))
			return -EFAULT;
		switch ((int)c->a[0]) {
		case LX_SIG_BLOCK:
			now |= set;
			break;
		case LX_SIG_UNBLOCK:
			now &= ~set;
			break;
		case LX_SIG_SETMASK:
			now = set;
			break;
		default:
			return -EINVAL;
		}
	}
	if (c->a[2] && !mem_write(c->mem, c->a[2], &old, sizeof old))
		return -EFAULT;
	c->st->sigmask = now & ~unblockable;
	deliver_pending(c);
	return 0;
}

int64_t sys_rt_sigpending(struct call *c)
{
	uint64_t set = c->st->sigpending & c->st->sigmask;
	if (c->a[1] > SIGSET_BYTES)
		return -EINVAL;
	return mem_write(c->mem, c->a[0], &set, c->a[1]) ? 0 : -EFAULT;
}

int64_t sys_sigaltstack(struct call *c)
{
	uint64_t *have = c->st->sigstack;
	struct lx_stack old = {.sp = have[0], .flags = (int32_t)have[1], .size = have[2]},
			new = {0};
	if (c->a[0]) {
		if (!mem_read(c->mem, c->a[0], &new, sizeof new))
			return -EFAULT;
		if (new.flags & ~LX_SS_DISABLE)
			return -EINVAL;
		if (!(new.flags & LX_SS_DISABLE) && new.size < LX_MINSIGSTKSZ)
			return -ENOMEM;
	}
	if (c->a[1] && !mem_write(c->mem, c->a[1], &old, sizeof old))
		return -EFAULT;
	if (c->a[0]) {
		bool off = new.flags & LX_SS_DISABLE;
		have[0] = off ? 0 : new.sp;
		have[1] = off ? LX_SS_DISABLE : 0;
		have[2] = off ? 0 : new.size;
	}
	return 0;
}
