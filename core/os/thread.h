/* The guest's threads: one hart, which one of them has at a time.
 *
 * The table lies in the arena. Registers of the thread that runs are the hart's; those of the
 * others are here. A thread gives the hart away when it must wait, when it ends, when it asks to
 * (sched_yield), and when its slice (os.slice) is over and another is ready; the next is the one
 * that has been ready for longest. All of that is a function of the guest's calls and of simulated
 * time, so it repeats exactly.
 *
 * Time that threads wait for is counted in ticks: cycles, and those that were left out because all
 * threads slept (hart.slept). Then nothing runs, and time goes on to where the first one wakes.
 *
 * A wait for a descriptor is a call that is served again: the thread keeps its arguments in its
 * registers, and when a descriptor has changed, or its time is over, the scheduler asks the handler
 * again.
 *
 * Invariants: thread `running` of os_state is THREAD_READY; a thread number is never 0 and belongs
 * to one entry; entry 0 is the one that the program began with. */
#ifndef CYCLOPS_CORE_OS_THREAD_H
#define CYCLOPS_CORE_OS_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/isa/regs.h"
#include "core/os/thread_state.h"

struct os;
struct mem;

/* [OS_THREADS], in the arena. */
const struct os_thread *os_threads(const struct os *os);
/* Which has the hart. */
unsigned os_running(const struct os *os);
/* How many there are that have not ended. */
unsigned os_thread_count(const struct os *os);
/* Entry of the thread with this number, or -1. */
int os_thread_find(const struct os *os, uint32_t tid);
/* What people call it: 1 is the one that the program began with, others count from there. */
unsigned os_thread_number(const struct os_thread *t);
/* Cycles that this one has had the hart. */
uint64_t os_thread_cycles(const struct os *os, unsigned thread, uint64_t cycle);

/* First guest cycle behind which another thread may have to take over; UINT64_MAX: there is none,
 * as in a program of one thread. */
uint64_t os_slice_end(const struct os *os);
/* The slice is over, between two instructions: another thread may have the hart from here on.
 * Whether it has. */
bool os_take_turns(struct os *os, struct hart *h, struct mem *mem);
/* The thread that has just got the hart begins so many cycles later: its slice does, too. */
void os_begin_later(struct os *os, uint64_t cycles);
/* Whether the call just served gave the hart to another thread. */
bool os_switched(const struct os *os);

/* "waits for the lock at 0x12340, which thread 2 holds". Returns buf. */
char *os_thread_wait_text(const struct os *os, const struct mem *mem, unsigned thread, char *buf,
                          size_t n);

#endif
