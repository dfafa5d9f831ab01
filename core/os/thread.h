/* The guest's threads: they share one hart.
 *
 * The table lies in the arena. The running thread's registers are in the hart, other threads' in
 * the table. A thread gives the hart away when it must wait, when it ends, when it asks to
 * (sched_yield), and when its slice (os.slice) is over and another thread is ready; the thread that
 * has been ready longest is next. All of that is a function of the guest's calls and of simulated
 * time, so it repeats exactly.
 *
 * Waits are counted in ticks: cycles plus the time skipped while all threads slept (hart.slept).
 * When all sleep, nothing runs, and time advances to where the first one wakes.
 *
 * A wait for a descriptor is a call that is served again: the thread keeps its arguments in its
 * registers, and when a descriptor has changed, or its time is over, the scheduler calls the
 * handler again.
 *
 * Invariants: thread `running` of os_state is THREAD_READY; a thread number is never 0 and belongs
 * to one entry; entry 0 is the thread that the program began with. */
#ifndef CYCLOPS_CORE_OS_THREAD_H
#define CYCLOPS_CORE_OS_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/defs/system_word.h"
#include "core/isa/regs.h"
#include "core/os/thread_state.h"

struct os;
struct mem;

/* [OS_THREADS], in the arena. */
const struct os_thread *os_threads(const struct os *os);
/* Index of the thread that has the hart. */
unsigned os_running(const struct os *os);
/* Holds these entries of the table, bit n: entry n, and no others: a held thread runs only if no
 * other can ever go on, and then until one can. */
void os_hold(struct os *os, uint64_t set);
/* The held ones. */
uint64_t os_held(const struct os *os);
/* Number of threads that have not ended. */
unsigned os_thread_count(const struct os *os);
/* Whether the program has ever had a second thread. */
bool os_had_threads(const struct os *os);
/* Entry of the thread with this number, or -1. */
int os_thread_find(const struct os *os, uint32_t tid);
/* Number shown to users: 1 is the thread that the program began with, others count from there. */
unsigned os_thread_number(const struct os_thread *t);
/* The pc of a thread that does not run: that of its system call while it waits, as on Linux, where
 * debuggers set pc to this again after they have called a function there. */
uint64_t os_thread_call_pc(const struct os_thread *t);
/* Sets the stack pointer with which the running thread began. */
void os_begin_stack(struct os *os, uint64_t sp);
/* About the running thread: its number, GUEST_PID, its mask, and the signals pending for it or the
 * process, bit n-1: signal n. */
uint64_t os_system_word(const struct os *os, enum system_word which);
/* Lowest address of the running thread's stack, the mapping in which it began or its alternate
 * stack, if the byte below `top` lies in it. 0: the stack is not known; UINT64_MAX: `top` is
 * elsewhere, as in an array. */
uint64_t os_stack_low(const struct os *os, const struct mem *mem, uint64_t top);
/* Cycles that this thread has had the hart. */
uint64_t os_thread_cycles(const struct os *os, unsigned thread, uint64_t cycle);

/* First guest cycle after which another thread may have to take over; UINT64_MAX: none, as in a
 * program of one thread. */
uint64_t os_slice_end(const struct os *os);
/* Ends the slice, between two instructions. Returns whether another thread has the hart now. */
bool os_take_turns(struct os *os, struct hart *h, struct mem *mem);
/* Delays the start of the thread that has just got the hart, and of its slice. */
void os_begin_later(struct os *os, uint64_t cycles);
/* Whether the call just served gave the hart to another thread. */
bool os_switched(const struct os *os);

/* "waits for the lock at 0x12340, which thread 2 holds". Returns buf. */
char *os_thread_wait_text(const struct os *os, const struct mem *mem, unsigned thread, char *buf,
                          size_t n);

#endif
