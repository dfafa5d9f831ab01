/* The guest's time, whose turn it is, and waiting. */
#ifndef CYCLOPS_CORE_OS_SCHEDULING_H
#define CYCLOPS_CORE_OS_SCHEDULING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/os/linux.h"
#include "core/os/thread_state.h"

struct call;
struct hart;
struct mem;
struct os;
struct os_state;

/* time.c */
struct lx_timespec ticks_to_time(const struct os *os, uint64_t ticks);
struct lx_timespec time_since_start(const struct call *c);
struct lx_timespec time_of_day(const struct call *c);
struct lx_timespec os_time_of_day(const struct os *os); /* of the call being served */
/* The clocks that Linux numbers; whether they show the time of day. */
bool clock_known(const struct os *os, int id);
bool is_wall_clock(int id);
/* The first cycle at or behind so many nanoseconds, OS_TIME_MAX at most; and back. */
uint64_t time_cycles(const struct os *os, uint64_t nsec);
uint64_t time_nsec(const struct os *os, uint64_t cycles);
/* The cycle in which a clock stands there: of the time of day, or of all others. */
uint64_t clock_cycle(const struct os *os, uint64_t nsec, bool wall);
/* Nanoseconds that a valid time is, OS_TIME_MAX at most. */
uint64_t nsec_of_timespec(struct lx_timespec t);

uint64_t time_to_ticks(const struct os *os, const struct lx_timespec *t); /* rounded up */

/* scheduler.c: see core/os/thread.h */
enum { ECALL_BYTES = 4 };
struct os_thread *thread_now(struct os_state *st); /* which runs */
uint64_t hart_ticks(const struct hart *h);
void thread_ready(struct os_state *st, struct os_thread *t);
/* Its wait is over: what its call returns. */
void thread_wake(struct os_state *st, struct os_thread *t, int64_t result);
/* The thread that runs waits, until somebody wakes it or this tick; what the handler returns. */
int64_t thread_wait(struct call *c, enum os_wait what, uint64_t a, uint64_t b, uint64_t deadline);
/* The same for descriptors: its call is served again when one has changed, or in this tick. */
int64_t thread_wait_again(struct call *c, enum os_wait what, uint64_t a, uint64_t b,
                          uint64_t limit);
/* What it has had the hart for by now is counted. */
void thread_settle(struct os_state *st, const struct hart *h);
/* Behind every call, with the hart as the call leaves it: goes on with whose turn it is. */
void threads_served(struct os *os, struct hart *h, struct mem *mem);
/* A signal was sent: who waits may have to take it. */
void threads_look(struct os *os);

/* thread.c */
enum { THREAD_TID_END = GUEST_PID + THREAD_NUMBERS - 1 }; /* no thread's */
void threads_reset(struct os_state *st);

/* futex.c */
/* Wakes up to `most` that wait there with one of these bits, one at least; how many there were. */
int64_t futex_wake(struct call *c, uint64_t addr, int64_t most, uint32_t bits);

/* wait.c */
/* How a time limit in guest memory is meant. */
enum wait_limit { WAIT_FOR, WAIT_TO_CLOCK, WAIT_TO_WALL };
/* Whether a wait has a limit, a time in guest memory: 1, 0 if at is 0, or -errno. *deadline is the
 * tick in which it is over, OS_NEVER without a limit; of a call that is served again, as it was. */
int64_t wait_limit(struct call *c, uint64_t at, enum wait_limit how, uint64_t *deadline);

#endif
