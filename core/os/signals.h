/* Signals: sent, held back, taken; and the timers that send them. */
#ifndef CYCLOPS_CORE_OS_SIGNALS_H
#define CYCLOPS_CORE_OS_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/isa/exec.h"
#include "core/os/linux.h"

struct call;
struct mem;
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
/* The same for a fault's signal: if it is masked or ignored, it is unmasked, and its action becomes
 * the default. */
void signal_force(struct os *os, struct signal_thread *to, const struct signal_info *info);
/* Sends the guest a signal from itself, in the same way; code: LX_SI_*. 0: checks only. */
int64_t signal_send_self(struct call *c, struct signal_thread *to, uint64_t sig, int32_t code);
/* Signals pending for a thread that its mask lets through and that have an effect. */
uint64_t signal_wanted(const struct signal_thread *t, const struct signal_process *p);
/* Whether the signal is pending for a thread, or NULL: for the process. */
bool signal_is_sent(const struct os_state *st, const struct signal_thread *to, unsigned sig);
/* Takes the next pending signal of a set. False: there is none. */
bool signal_take(struct os *os, struct signal_thread *t, uint64_t set, struct signal_info *out);
/* Sets what a signal does: handler, flags, mask. */
void signal_set_action(struct os_state *st, uint64_t sig, const uint64_t action[3]);
/* Replaces the mask until the call is over. A waiting call that is served again replaces it only
 * once. */
void signal_mask_for_call(struct call *c, uint64_t mask);
bool signal_ignored_by_default(uint64_t sig);
bool signal_stops_by_default(uint64_t sig);

/* signal_calls.c */
/* rt_sigtimedwait() but for its structure: the signal's number and *out, or as a call returns. */
struct lx_siginfo;
int64_t signal_wait_for(struct call *c, struct lx_siginfo *out);

/* signal_frame.c */
/* sigaltstack() but for its structures. new NULL: only *old is set. */
struct lx_stack;
int64_t signal_change_stack(struct call *c, const struct lx_stack *new, struct lx_stack *old);
/* Lets signals act after a call, at h->pc, that returned ret. */
void signal_after_call(struct call *c, int64_t ret);
void signal_deliver(struct call *c);
/* Sets code and address of the signal of a fault at pc: info->signo is set; at: the address that
 * faulted. */
void signal_frame_describe_fault(const struct mem *mem, enum trap trap, uint64_t pc, uint64_t at,
                                 struct signal_info *info);
/* Notes, for os_streams(), how the running thread goes on. */
struct os_stream;
void os_goes_on(struct os *os, const struct os_stream *stream);

/* timers.c */
/* Sends the signals of timers that have expired by `now`. */
void timers_run(struct os *os, uint64_t now);
/* Tick of the next expiry of a timer that also runs while the program waits; 0: none. */
uint64_t timers_next_real(const struct signal_process *p);
/* Recomputes the next expiry. */
void timers_changed(struct signal_process *p);

#endif
