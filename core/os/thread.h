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
#include "core/os/signal_state.h"

enum { OS_THREADS = 64, OS_THREAD_NAME = 16 };

/* What a thread waits for; of one alone, or of all, for good: os_state.waits. */
enum os_wait {
	OS_WAIT_NONE,
	OS_WAIT_FUTEX,      /* wait_for: address, value */
	OS_WAIT_SIGNAL,     /* wait_for: the set that sigwait() and its kin ask for, else 0 */
	/* how many descriptors; where the time left is written to, 0: nowhere */
	OS_WAIT_FDS,
	OS_WAIT_PIPE_READ,  /* descriptor */
	OS_WAIT_PIPE_WRITE, /* descriptor, bytes */
	OS_WAIT_EVENT,      /* eventfd or timerfd: descriptor, whether it is written */
	OS_WAIT_TIME,       /* a sleep: where its rest is written to, 0: nowhere */
	OS_WAIT_THREADS,    /* of all together: each for something of the others' */
	OS_WAIT_COUNT
};

enum os_thread_state {
	THREAD_FREE,
	THREAD_READY, /* it runs, or will when its turn comes */
	THREAD_WAITS, /* for what `waits` says */
	THREAD_ENDED  /* the first, which has gone before others */
};

struct os_thread {
	/* as it gave the hart away; not of the one that runs */
	uint64_t r[REG_SINK], pc, fcsr, pflags, pfbase;
	uint64_t clear_tid;   /* address of a word that becomes 0 when it ends; 0: none */
	uint64_t robust_list; /* address of its head; 0: none */
	uint64_t wait_for[2]; /* see enum os_wait */
	uint64_t deadline;    /* tick in which the wait ends; OS_NEVER */
	/* the same, of a call that is served again: what its caller has set */
	uint64_t limit;
	uint64_t turn;        /* when it became ready or began to wait: lower ones go first */
	uint64_t seen;        /* os_state.fd_changes when its call was last served */
	uint64_t ran;         /* cycles that it has had the hart, until it last gave it away */
	uint32_t tid;
	uint32_t bits;        /* of a futex: wakes that reach it */
	uint8_t state;        /* enum os_thread_state */
	uint8_t waits;        /* enum os_wait */
	/* the call in its registers is to be served again, which is no new call */
	uint8_t again;
	uint8_t unused[5];
	struct signal_thread signals;
	char name[OS_THREAD_NAME]; /* PR_SET_NAME; zero-padded */
};

struct os;
struct os_state;
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
/* No thread has this number or more: numbers less 1 fit into 16 bits. */
enum { THREAD_NUMBERS = UINT16_MAX + 2 };
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

/* Who waits for which futex, and which thread holds the lock there, where glibc's or Linux's way to
 * write that down can be read: index of the thread, or -1. */
int os_futex_holder(const struct os *os, const struct mem *mem, uint64_t addr);
/* "waits for the lock at 0x12340, which thread 2 holds". Returns buf. */
char *os_thread_wait_text(const struct os *os, const struct mem *mem, unsigned thread, char *buf,
                          size_t n);

#endif
