/* Pending signals: sending, holding back, ignoring, waiting, and the program's settings.
 * signal_frame.c has what happens when a signal acts. */
#include <string.h>

#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/signals.h"

enum { SIGNALS = OS_SIGNALS - 1 };

bool signal_ignored_by_default(uint64_t sig)
{
	return sig == LX_SIGCHLD || sig == LX_SIGCONT || sig == LX_SIGURG || sig == LX_SIGWINCH;
}

bool signal_stops_by_default(uint64_t sig)
{
	return sig == LX_SIGSTOP || sig == LX_SIGTSTP || sig == LX_SIGTTIN || sig == LX_SIGTTOU;
}

struct signal_thread *signal_thread_of(struct os_state *st, int tid)
{
	for (unsigned i = 0; tid > 0 && i < OS_THREADS; i++)
		if (st->thread[i].tid == (uint32_t)tid && st->thread[i].state != THREAD_ENDED)
			return &st->thread[i].signals;
	return NULL;
}

static bool is_ignored(const struct signal_process *p, uint64_t sig)
{
	const uint64_t handler = p->action[sig][0];
	return (p->held_back & signal_bit(sig)) || handler == LX_SIG_IGN ||
	       (handler == LX_SIG_DFL && signal_ignored_by_default(sig));
}

uint64_t signal_wanted(const struct signal_thread *t, const struct signal_process *p)
{
	uint64_t set = (t->pending.set | p->pending.set) & ~t->mask, acts = 0;
	for (; set; set &= set - 1) {
		const uint64_t sig = (uint64_t)__builtin_ctzll(set) + 1;
		if (!is_ignored(p, sig) &&
		    !(p->action[sig][0] == LX_SIG_DFL && signal_stops_by_default(sig)))
			acts |= signal_bit(sig);
	}
	return acts;
}

/* ---- sending ---- */

static void signal_remove_pending(struct signal_pending *p, uint64_t set)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < p->count; i++)
		if (!(set & signal_bit((uint64_t)p->queue[i].signo)))
			p->queue[kept++] = p->queue[i];
	memset(&p->queue[kept], 0, (p->count - kept) * sizeof *p->queue);
	p->count = kept;
	p->set &= ~set;
}

/* Discards these signals of all threads and the process. */
static void signal_discard_all_pending(struct os_state *st, uint64_t set)
{
	struct signal_process *p = &st->signals;
	for (unsigned i = 0; i < OS_THREADS; i++)
		signal_remove_pending(&st->thread[i].signals.pending, set);
	signal_remove_pending(&p->pending, set);
	for (unsigned i = 0; i < OS_TIMERS; i++)
		if (p->timer[i].signo && (set & signal_bit(p->timer[i].signo)))
			p->timer[i].sent = 0;
}

/* Queues a signal. A standard signal is pending once; later ones are dropped. */
static int64_t signal_queue_pending(struct signal_pending *p, const struct signal_info *info)
{
	const uint64_t bit = signal_bit((uint64_t)info->signo);
	if (info->signo < LX_SIGRTMIN && (p->set & bit))
		return 0;
	if (p->count < OS_QUEUED)
		p->queue[p->count++] = *info;
	else if (info->signo >= LX_SIGRTMIN && info->code != LX_SI_USER)
		return -EAGAIN;
	p->set |= bit;
	return 0;
}

int64_t signal_send(struct os *os, struct signal_thread *to, const struct signal_info *info)
{
	struct os_state *st = os->st;
	struct signal_process *p = &st->signals;
	const uint64_t sig = (uint64_t)info->signo;
	const struct signal_thread *t = to ? to : &thread_now(st)->signals;
	if (sig == LX_SIGCONT)
		signal_discard_all_pending(st, signal_bit(LX_SIGSTOP) | signal_bit(LX_SIGTSTP) |
		                                       signal_bit(LX_SIGTTIN) |
		                                       signal_bit(LX_SIGTTOU));
	if (is_ignored(p, sig) && !(t->mask & signal_bit(sig)))
		return 0;
	threads_look(os);
	return signal_queue_pending(to ? &to->pending : &p->pending, info);
}

void signal_force(struct os *os, struct signal_thread *to, const struct signal_info *info)
{
	struct signal_process *p = &os->st->signals;
	const uint64_t sig = (uint64_t)info->signo;
	if ((to->mask & signal_bit(sig)) || p->action[sig][0] == LX_SIG_IGN) {
		memset(p->action[sig], 0, sizeof p->action[sig]);
		to->mask &= ~signal_bit(sig);
	}
	signal_queue_pending(&to->pending, info);
}

static struct signal_info from_guest(uint64_t sig, int32_t code)
{
	return (struct signal_info){.signo = (int32_t)sig,
	                            .code = code,
	                            .word = {GUEST_PID | (uint64_t)GUEST_UID << 32}};
}

static int64_t send_self(struct call *c, struct signal_thread *to, uint64_t sig, int32_t code)
{
	const struct signal_info info = from_guest(sig, code);
	if (sig > SIGNALS)
		return -EINVAL;
	return sig == 0 ? 0 : signal_send(c->os, to, &info);
}

int64_t signal_self(struct call *c, uint64_t sig)
{
	return send_self(c, c->thread, sig, LX_SI_USER);
}

int64_t sys_kill(struct call *c)
{
	int pid = (int)c->a[0];
	/* 0 and negative ones name groups; the guest is alone in its own. */
	return pid == GUEST_PID || pid == 0 || pid == -GUEST_PID
	               ? send_self(c, NULL, (uint32_t)c->a[1], LX_SI_USER)
	               : -ESRCH;
}

static int64_t send_thread(struct call *c, int pid, int tid, uint64_t sig)
{
	if (pid <= 0 || tid <= 0)
		return -EINVAL;
	struct signal_thread *to = pid == GUEST_PID ? signal_thread_of(c->st, tid) : NULL;
	if (!to)
		return -ESRCH;
	return send_self(c, to, sig, LX_SI_TKILL);
}

int64_t sys_tkill(struct call *c)
{
	return send_thread(c, GUEST_PID, (int)c->a[0], (uint32_t)c->a[1]);
}

int64_t sys_tgkill(struct call *c)
{
	return send_thread(c, (int)c->a[0], (int)c->a[1], (uint32_t)c->a[2]);
}

/* Sends a signal with the beginning of a siginfo that the program has filled in itself, which it
 * may for itself. */
static int64_t send_told(struct call *c, struct signal_thread *to, uint64_t sig, uint64_t at)
{
	struct lx_siginfo told;
	if (!mem_read(c->mem, at, &told, sizeof told))
		return -EFAULT;
	const struct signal_info info = {
		.signo = (int32_t)sig, .code = told.code, .word = {told.word[0], told.word[1]}};
	if (sig > SIGNALS)
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

/* ---- taking ---- */

bool signal_is_sent(const struct os_state *st, const struct signal_thread *to, unsigned sig)
{
	return (to ? to->pending.set : st->signals.pending.set) & signal_bit(sig);
}

/* The next signal of a set: a fault's signals first, then the lowest number. */
static uint64_t signal_first_in_set(uint64_t set)
{
	const uint64_t faults = signal_bit(LX_SIGSEGV) | signal_bit(LX_SIGBUS) |
	                        signal_bit(LX_SIGILL) | signal_bit(LX_SIGTRAP) |
	                        signal_bit(LX_SIGFPE) | signal_bit(LX_SIGSYS);
	return (uint64_t)__builtin_ctzll(set & faults ? set & faults : set) + 1;
}

static void signal_dequeue_pending(struct signal_pending *p, uint64_t sig, struct signal_info *out)
{
	bool more = false;
	uint32_t at = p->count;
	*out = (struct signal_info){.signo = (int32_t)sig};
	for (uint32_t i = 0; i < p->count; i++) {
		if ((uint64_t)p->queue[i].signo != sig)
			continue;
		more |= at < p->count;
		at = at < p->count ? at : i;
	}
	if (at < p->count) {
		*out = p->queue[at];
		memmove(&p->queue[at], &p->queue[at + 1], (p->count - at - 1) * sizeof *p->queue);
		p->queue[--p->count] = (struct signal_info){0};
	}
	if (!more)
		p->set &= ~signal_bit(sig);
}

bool signal_take(struct os *os, struct signal_thread *t, uint64_t set, struct signal_info *out)
{
	struct signal_process *p = &os->st->signals;
	struct signal_pending *from = t->pending.set & set ? &t->pending : &p->pending;
	if (!(from->set & set))
		return false;
	signal_dequeue_pending(from, signal_first_in_set(from->set & set), out);
	if (out->code == LX_SI_TIMER)
		timer_taken(p, out);
	return true;
}

/* ---- waiting ---- */

void signal_mask_for_call(struct call *c, uint64_t mask)
{
	struct signal_thread *t = c->thread;
	if (thread_now(c->st)->again)
		return;
	t->saved_mask = t->mask;
	t->restores = 1;
	t->mask = mask & ~SIGNALS_UNBLOCKABLE;
}

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
	*out = (struct lx_siginfo){
		.signo = info->signo, .code = info->code, .word = {info->word[0], info->word[1]}};
}

int64_t sys_rt_sigtimedwait(struct call *c)
{
	uint64_t set;
	struct signal_info info;
	struct lx_siginfo told;
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
	put_info(&info, &told);
	if (c->a[1] && !mem_write(c->mem, c->a[1], &told, sizeof told))
		return -EFAULT;
	return info.signo;
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
	if (sig == 0 || sig > SIGNALS || (c->a[1] && (SIGNALS_UNBLOCKABLE & signal_bit(sig))))
		return -EINVAL;
	uint64_t *have = c->signals->action[sig];
	old = (struct lx_sigaction){have[0], have[1], have[2]};
	if (c->a[1]) {
		have[0] = new.handler;
		have[1] = new.flags;
		have[2] = new.mask & ~SIGNALS_UNBLOCKABLE;
		if (is_ignored(c->signals, sig))
			signal_discard_all_pending(c->st, signal_bit(sig));
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

/* ---- for users ---- */

void os_hold_back(struct os *os, uint64_t set)
{
	os->st->signals.held_back = set;
}
