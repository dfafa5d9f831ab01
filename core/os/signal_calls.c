/* System calls that send signals, wait for them, and set what they do. */
#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/signals.h"

int64_t sys_kill(struct call *c)
{
	int pid = (int)c->a[0];
	/* 0 and negative ones name groups; the guest is alone in its own. */
	return pid == GUEST_PID || pid == 0 || pid == -GUEST_PID
	               ? signal_send_self(c, NULL, (uint32_t)c->a[1], LX_SI_USER)
	               : -ESRCH;
}

static int64_t send_thread(struct call *c, int pid, int tid, uint64_t sig)
{
	if (pid <= 0 || tid <= 0)
		return -EINVAL;
	struct signal_thread *to = pid == GUEST_PID ? signal_thread_of(c->st, tid) : NULL;
	if (!to)
		return -ESRCH;
	return signal_send_self(c, to, sig, LX_SI_TKILL);
}

int64_t sys_tkill(struct call *c)
{
	return send_thread(c, GUEST_PID, (int)c->a[0], (uint32_t)c->a[1]);
}

int64_t sys_tgkill(struct call *c)
{
	return send_thread(c, (int)c->a[0], (int)c->a[1], (uint32_t)c->a[2]);
}

/* Sends a signal with the beginning of a siginfo that the program has filled in; Linux allows that
 * to oneself. */
static int64_t send_told(struct call *c, struct signal_thread *to, uint64_t sig, uint64_t at)
{
	struct lx_siginfo told;
	if (!mem_read(c->mem, at, &told, sizeof told))
		return -EFAULT;
	const struct signal_info info = {.signo = (int32_t)sig,
	                                 .code = told.code,
	                                 .err = told.err,
	                                 .word = {told.word[0], told.word[1]}};
	if (sig >= OS_SIGNALS)
		return -EINVAL;
	return sig == 0 ? 0 : signal_send(c->os, to, &info);
}

int64_t sys_rt_sigqueueinfo(struct call *c)
{
	return (int)c->a[0] == GUEST_PID ? send_told(c, NULL, (uint32_t)c->a[1], c->a[2]) : -ESRCH;
}

int64_t sys_rt_tgsigqueueinfo(struct call *c)
{
	if ((int)c->a[0] <= 0 || (int)c->a[1] <= 0)
		return -EINVAL;
	struct signal_thread *to =
		(int)c->a[0] == GUEST_PID ? signal_thread_of(c->st, (int)c->a[1]) : NULL;
	return to ? send_told(c, to, (uint32_t)c->a[2], c->a[3]) : -ESRCH;
}

int64_t sys_signalfd4(struct call *c)
{
	os_warnf(c->os, "signalfd is refused (ENOSYS): signals go to handlers, sigwait() and "
	                "sigtimedwait()");
	return -ENOSYS;
}

/* ---- waiting ---- */

int64_t sys_rt_sigsuspend(struct call *c)
{
	uint64_t mask;
	if (c->a[1] != SIGSET_BYTES)
		return -EINVAL;
	if (!mem_read(c->mem, c->a[0], &mask, sizeof mask))
		return -EFAULT;
	signal_mask_for_call(c, mask);
	return thread_wait(c, OS_WAIT_SIGNAL, 0, 0, OS_NEVER);
}

static void put_info(const struct signal_info *info, struct lx_siginfo *out)
{
	*out = (struct lx_siginfo){.signo = info->signo,
	                           .err = info->err,
	                           .code = info->code,
	                           .word = {info->word[0], info->word[1]}};
}

int64_t signal_wait_for(struct call *c, struct lx_siginfo *out)
{
	uint64_t set;
	struct signal_info info;
	if (c->a[3] != SIGSET_BYTES)
		return -EINVAL;
	if (!mem_read(c->mem, c->a[0], &set, sizeof set))
		return -EFAULT;
	uint64_t deadline;
	int64_t limit = wait_limit(c, c->a[2], WAIT_FOR, &deadline);
	if (limit < 0)
		return limit;
	set &= ~SIGNALS_UNBLOCKABLE;
	if (!signal_take(c->os, c->thread, set, &info))
		return deadline <= hart_ticks(c->h)
		               ? -EAGAIN
		               : thread_wait_again(c, OS_WAIT_SIGNAL, set, 0, deadline);
	put_info(&info, out);
	return info.signo;
}

int64_t sys_rt_sigtimedwait(struct call *c)
{
	struct lx_siginfo told;
	const int64_t ret = signal_wait_for(c, &told);
	return ret <= 0 || !c->a[1] || mem_write(c->mem, c->a[1], &told, sizeof told) ? ret
	                                                                              : -EFAULT;
}

/* ---- the program's settings ---- */

int64_t sys_rt_sigaction(struct call *c)
{
	uint64_t sig = (uint32_t)c->a[0];
	if (c->a[3] != SIGSET_BYTES)
		return -EINVAL;
	struct lx_sigaction old, new;
	if (c->a[1] && !mem_read(c->mem, c->a[1], &new, sizeof new))
		return -EFAULT;
	if (sig == 0 || sig >= OS_SIGNALS || (c->a[1] && (SIGNALS_UNBLOCKABLE & signal_bit(sig))))
		return -EINVAL;
	const uint64_t *have = c->signals->action[sig];
	old = (struct lx_sigaction){have[0], have[1], have[2]};
	if (c->a[1]) {
		const uint64_t action[] = {new.handler, new.flags, new.mask & ~SIGNALS_UNBLOCKABLE};
		signal_set_action(c->st, sig, action);
	}
	return c->a[2] && !mem_write(c->mem, c->a[2], &old, sizeof old) ? -EFAULT : 0;
}

int64_t sys_rt_sigprocmask(struct call *c)
{
	uint64_t set = 0, old = c->thread->mask, now = old;
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
	c->thread->mask = now & ~SIGNALS_UNBLOCKABLE;
	return c->a[2] && !mem_write(c->mem, c->a[2], &old, sizeof old) ? -EFAULT : 0;
}

int64_t sys_rt_sigpending(struct call *c)
{
	uint64_t set = (c->thread->pending.set | c->signals->pending.set) & c->thread->mask;
	if (c->a[1] > SIGSET_BYTES)
		return -EINVAL;
	return mem_write(c->mem, c->a[0], &set, c->a[1]) ? 0 : -EFAULT;
}
