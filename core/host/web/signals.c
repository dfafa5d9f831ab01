/* Signals: a table of handlers of ours. A signal of the page, or of a timer, takes effect where the
 * program waits, reads, or calls signals_take(); nothing interrupts code that computes. */
#include "core/host/web/signals.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "core/host/web/error_number.h"
#include "core/host/web/page.h"

enum { SIGNALS = 65 };

static struct {
	struct sigaction action[SIGNALS];
	uint64_t blocked, pending;
	uint64_t of_page;     /* of those pending: the terminal has sent them */
	double alarm, period; /* seconds, of CLOCK_MONOTONIC; 0: none */
} signals;

static uint64_t signals_bit(int number)
{
	return UINT64_C(1) << (number - 1);
}

static bool signals_has_number(int number)
{
	return number > 0 && number < SIGNALS;
}

static double signals_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t signals_of_set(const sigset_t *set)
{
	uint64_t bits = 0;
	for (int i = 1; i < SIGNALS; i++)
		if (sigismember(set, i) == 1)
			bits |= signals_bit(i);
	return bits;
}

static void signals_to_set(uint64_t bits, sigset_t *set)
{
	sigemptyset(set);
	for (int i = 1; i < SIGNALS; i++)
		if (bits & signals_bit(i))
			sigaddset(set, i);
}

/* True if the default is to do nothing. There is no shell to which a stopped program returns. */
static bool signals_is_harmless(int number)
{
	return number == SIGCHLD || number == SIGCONT || number == SIGURG || number == SIGWINCH ||
	       number == SIGTSTP || number == SIGTTIN || number == SIGTTOU || number == SIGSTOP;
}

/* Runs the handler. Returns whether calls that wait end with EINTR. */
static bool signals_deliver(int number, bool of_page)
{
	const struct sigaction a = signals.action[number];
	if (a.sa_handler == SIG_IGN || (a.sa_handler == SIG_DFL && signals_is_harmless(number)))
		return false;
	if (a.sa_handler == SIG_DFL)
		page_end_by_signal(number);
	const uint64_t blocked = signals.blocked;
	signals.blocked |= signals_of_set(&a.sa_mask);
	if (!(a.sa_flags & SA_NODEFER))
		signals.blocked |= signals_bit(number);
	if (a.sa_flags & SA_RESETHAND)
		signals.action[number].sa_handler = SIG_DFL;
	if (a.sa_flags & SA_SIGINFO) {
		siginfo_t info = {.si_signo = number, .si_code = of_page ? 128 : SI_USER};
		a.sa_sigaction(number, &info, NULL);
	} else {
		a.sa_handler(number);
	}
	signals.blocked = blocked;
	return !(a.sa_flags & SA_RESTART);
}

static bool signals_deliver_pending(void)
{
	bool interrupts = false;
	for (int i = 1; i < SIGNALS; i++)
		if (signals.pending & ~signals.blocked & signals_bit(i)) {
			const bool of_page = signals.of_page & signals_bit(i);
			signals.pending &= ~signals_bit(i);
			signals.of_page &= ~signals_bit(i);
			interrupts |= signals_deliver(i, of_page);
		}
	return interrupts;
}

static void signals_note_coming(void)
{
	const uint64_t came = page_take_signals();
	signals.pending |= came;
	signals.of_page |= came;
	if (signals.alarm > 0 && signals_now() >= signals.alarm) {
		signals.alarm = signals.period > 0 ? signals_now() + signals.period : 0;
		signals.pending |= signals_bit(SIGALRM);
	}
}

bool signals_take(void)
{
	signals_note_coming();
	return signals_deliver_pending();
}

int signals_wait_limit(int ms)
{
	if (signals.alarm <= 0)
		return ms;
	const double left = (signals.alarm - signals_now()) * 1e3;
	const int until = left > 0 ? (int)left + 1 : 0;
	return ms < 0 || until < ms ? until : ms;
}

int signals_wait_for(uint64_t numbers, double seconds)
{
	const double end = signals_now() + seconds;
	for (;;) {
		signals_note_coming();
		for (int i = 1; i < SIGNALS; i++)
			if (signals.pending & numbers & signals_bit(i)) {
				signals.pending &= ~signals_bit(i);
				signals.of_page &= ~signals_bit(i);
				return i;
			}
		if (signals_deliver_pending())
			return -1;
		const double left = end - signals_now();
		if (left <= 0 || !page_wait(signals_wait_limit((int)(left * 1e3) + 1)))
			return -1;
	}
}

/* ---- the C library's functions ---- */

int sigaction(int number, const struct sigaction *restrict to, struct sigaction *restrict was)
{
	if (!signals_has_number(number) || (to && (number == SIGKILL || number == SIGSTOP)))
		return error_number_set(__WASI_ERRNO_INVAL);
	const struct sigaction before = signals.action[number];
	if (to)
		signals.action[number] = *to;
	if (was)
		*was = before;
	return 0;
}

void (*signal(int number, void (*handler)(int)))(int)
{
	const struct sigaction to = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct sigaction was;
	return sigaction(number, &to, &was) == 0 ? was.sa_handler : SIG_ERR;
}

int raise(int number)
{
	if (!signals_has_number(number))
		return number ? error_number_set(__WASI_ERRNO_INVAL) : 0;
	signals.pending |= signals_bit(number);
	signals_deliver_pending();
	return 0;
}

int kill(pid_t pid, int number)
{
	return pid == getpid() || pid == 0 ? raise(number) : error_number_set(__WASI_ERRNO_SRCH);
}

int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict was)
{
	const uint64_t bits = set ? signals_of_set(set) : 0;
	if (was)
		signals_to_set(signals.blocked, was);
	if (set)
		signals.blocked = how == SIG_BLOCK     ? signals.blocked | bits
		                  : how == SIG_UNBLOCK ? signals.blocked & ~bits
		                                       : bits;
	signals_deliver_pending();
	return 0;
}

int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict was)
{
	return sigprocmask(how, set, was);
}

int sigaltstack(const stack_t *restrict stack, stack_t *restrict was)
{
	(void)stack;
	if (was)
		*was = (stack_t){.ss_flags = SS_DISABLE};
	return 0;
}

int setitimer(int which, const struct itimerval *restrict to, struct itimerval *restrict was)
{
	if (which != ITIMER_REAL)
		return error_number_set(__WASI_ERRNO_INVAL);
	if (was)
		memset(was, 0, sizeof *was);
	const double first = (double)to->it_value.tv_sec + (double)to->it_value.tv_usec * 1e-6;
	signals.alarm = first > 0 ? signals_now() + first : 0;
	signals.period = (double)to->it_interval.tv_sec + (double)to->it_interval.tv_usec * 1e-6;
	return 0;
}
