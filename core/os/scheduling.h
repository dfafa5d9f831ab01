/* The guest's time, turns and waits. */
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

/* clock.c */
uint64_t hart_ticks(const struct hart *h);
/* Without rounding errors for large counts. */
struct lx_timespec ticks_to_time(const struct os *os, uint64_t ticks);
struct lx_timespec time_since_start(const struct call *c);
struct lx_timespec time_of_day(const struct call *c);
struct lx_timespec os_time_of_day(const struct os *os); /* of the call being served */
/* Whether Linux has a clock of this number; whether it shows the time of day. */
bool clock_known(const struct os *os, int id);
bool is_wall_clock(int id);
/* The first cycle at or after `nsec` nanoseconds, OS_TIME_MAX at most; and the inverse. */
uint64_t time_cycles(const struct os *os, uint64_t nsec);
uint64_t time_nsec(const struct os *os, uint64_t cycles);
/* Cycle in which a clock shows this time; wall: the clock of the time of day. */
uint64_t clock_cycle(const struct os *os, uint64_t nsec, bool wall);
/* Nanoseconds of a valid time, OS_TIME_MAX at most. */
uint64_t nsec_of_timespec(struct lx_timespec t);

uint64_t time_to_ticks(const struct os *os, const struct lx_timespec *t); /* rounded up */

/* thread_table.c */
struct os_thread *thread_now(struct os_state *st); /* the running one */
void thread_ready(struct os_state *st, struct os_thread *t);
/* Ends a wait; the thread's call returns `result`. */
void thread_wake(struct os_state *st, struct os_thread *t, int64_t result);
/* Adds the cycles up to now to the running thread's count. */
void thread_settle(struct os_state *st, const struct hart *h);
/* Call after a signal was sent: a waiting thread may have to take it. */
void threads_look(struct os *os);

/* scheduler.c: see core/os/thread.h */
enum { ECALL_BYTES = 4 };
/* Call after every system call, with the hart as the call leaves it: the next thread takes over if
 * it is its turn. */
void threads_served(struct os *os, struct hart *h, struct mem *mem);

/* thread.c */
enum { THREAD_TID_END = GUEST_PID + THREAD_NUMBERS - 1 }; /* no thread's */
void threads_reset(struct os_state *st);

/* futex.c */
/* Wakes up to `most` threads, at least one, that wait at addr with one of these bits; returns how
 * many. */
int64_t futex_wake(struct call *c, uint64_t addr, int64_t most, uint32_t bits);

/* wait.c */
/* Meaning of a time limit in guest memory. */
enum wait_limit { WAIT_FOR, WAIT_TO_CLOCK, WAIT_TO_WALL };
/* Reads the time limit of a wait from guest memory: 1, 0 if at is 0, or -errno. *deadline is its
 * tick, OS_NEVER without a limit; a call that is served again keeps its deadline. */
int64_t wait_limit(struct call *c, uint64_t at, enum wait_limit how, uint64_t *deadline);
/* Makes the running thread wait until it is woken or this tick comes. The handler returns the
 * result. */
int64_t thread_wait(struct call *c, enum os_wait what, uint64_t a, uint64_t b, uint64_t deadline);
/* The same for descriptors: the call is served again when a descriptor has changed, or in tick
 * `limit`. */
int64_t thread_wait_again(struct call *c, enum os_wait what, uint64_t a, uint64_t b,
                          uint64_t limit);
/* Whether a signal is pending that acts on the thread. */
bool thread_is_signalled(const struct os_state *st, const struct os_thread *t);
/* Result of the thread's call if a signal interrupts its wait. */
int64_t thread_interrupted_result(const struct os_thread *t);

#endif
