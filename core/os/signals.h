/* Signals: sent, held back, taken; and the timers that send them. */
#ifndef CYCLOPS_CORE_OS_SIGNALS_H
#define CYCLOPS_CORE_OS_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/os/linux.h"

struct call;
struct os;
struct os_state;
struct signal_info;
struct signal_process;
struct signal_thread;

/* signal.c */
static inline uint64_t signal_bit(uint64_t sig)
{
	return UINT64_C(1) << (sig - 1);
}

enum { SIGSET_BYTES = 8 };
#define SIGNALS_UNBLOCKABLE (signal_bit(LX_SIGKILL) | signal_bit(LX_SIGSTOP))
/* The thread of this number, or NULL. */
struct signal_thread *signal_thread_of(struct os_state *st, int tid);
/* Sends a signal to the process, or to a thread of it (not NULL). 0 or -errno. */
int64_t signal_send(struct os *os, struct signal_thread *to, const struct signal_info *info);
/* The same for a fault's: a handler that can't be entered does not hold it back. */
void signal_force(struct os *os, struct signal_thread *to, const struct signal_info *info);
/* Sends the guest a signal from itself. */
int64_t signal_self(struct call *c, uint64_t sig);
/* Those that are on their way to a thread, not held back by its mask, and do something. */
uint64_t signal_wanted(const struct signal_thread *t, const struct signal_process *p);
/* Whether one is on its way to a thread, or NULL: to the process. */
bool signal_is_sent(const struct os_state *st, const struct signal_thread *to, unsigned sig);
/* The next of a set is taken off its way. False: there is none. */
bool signal_take(struct os *os, struct signal_thread *t, uint64_t set, struct signal_info *out);
/* The mask is another until the call is over. Once for a call that waits. */
void signal_mask_for_call(struct call *c, uint64_t mask);
bool signal_ignored_by_default(uint64_t sig);
bool signal_stops_by_default(uint64_t sig);

/* signal_frame.c */
/* Behind a call, at h->pc, that returned this: signals act. */
void signal_after_call(struct call *c, int64_t ret);
void signal_deliver(struct call *c);
/* The call that had a mask of its own is over. */
void signal_restore_mask(struct signal_thread *t);

/* timers.c */
/* What has expired by `now` sends its signal. */
void timers_run(struct os *os, uint64_t now);
/* Guest cycle in which the next one expires that runs on while the program waits; 0: none. */
uint64_t timers_next_real(const struct signal_process *p);
/* Its signal is taken: what siginfo says of a timer. */
void timer_taken(struct signal_process *p, struct signal_info *info);
/* The next expiry is looked for again. */
void timers_changed(struct signal_process *p);

#endif
