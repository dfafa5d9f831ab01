/* Pending signals: sending, holding back, ignoring, waiting, and the program's settings.
 * signal_frame.c has what happens when a signal acts. */
#include <string.h>

#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/signals.h"
#include "core/os/thread.h"

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

int64_t signal_send_self(struct call *c, struct signal_thread *to, uint64_t sig, int32_t code)
{
	const struct signal_info info = from_guest(sig, code);
	if (sig >= OS_SIGNALS)
		return -EINVAL;
	return sig == 0 ? 0 : signal_send(c->os, to, &info);
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
		memmove(&p->queue[at], &p->queue[at + 1],
		        (p->count - at - 1) * sizeof *p->queue);
		p->queue[--p->count] = (struct signal_info){0};
	}
	if (!more)
		p->set &= ~signal_bit(sig);
}

/* Fills in the siginfo of a timer whose signal is taken. */
static void signal_fill_timer_info(struct signal_process *p, struct signal_info *info)
{
	const uint64_t id = (uint32_t)info->word[0];
	if (id >= OS_TIMERS)
		return;
	struct os_timer *t = &p->timer[id];
	t->told = t->overruns;
	t->overruns = 0;
	t->sent = 0;
	info->word[0] = id | (uint64_t)t->told << 32;
}

bool signal_take(struct os *os, struct signal_thread *t, uint64_t set, struct signal_info *out)
{
	struct signal_process *p = &os->st->signals;
	struct signal_pending *from = t->pending.set & set ? &t->pending : &p->pending;
	if (!(from->set & set))
		return false;
	signal_dequeue_pending(from, signal_first_in_set(from->set & set), out);
	if (out->code == LX_SI_TIMER)
		signal_fill_timer_info(p, out);
	return true;
}

void signal_set_action(struct os_state *st, uint64_t sig, const uint64_t action[3])
{
	struct signal_process *p = &st->signals;
	memcpy(p->action[sig], action, sizeof p->action[sig]);
	if (is_ignored(p, sig))
		signal_discard_all_pending(st, signal_bit(sig));
}

void signal_mask_for_call(struct call *c, uint64_t mask)
{
	struct signal_thread *t = c->thread;
	if (thread_now(c->st)->again)
		return;
	t->saved_mask = t->mask;
	t->restores = 1;
	t->mask = mask & ~SIGNALS_UNBLOCKABLE;
}

/* ---- for users ---- */

void os_hold_back(struct os *os, uint64_t set)
{
	os->st->signals.held_back = set;
}

void os_defer_signals(struct os *os, bool defers)
{
	for (unsigned i = 0; i < OS_THREADS; i++)
		os->st->thread[i].signals.deferred = defers;
}

void os_exchange_signal(struct os *os, uint32_t tid, uint64_t taken, const struct signal_info *sent)
{
	struct signal_thread *t = tid ? &os->st->thread[os_thread_find(os, tid)].signals
	                              : &thread_now(os->st)->signals;
	struct signal_info info;
	if (taken)
		signal_take(os, t, signal_bit(taken), &info);
	if (sent)
		signal_queue_pending(&t->pending, sent);
	if (tid)
		threads_look(os);
}
