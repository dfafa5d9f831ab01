/* State of the guest's threads (thread.h), in the arena. */
#ifndef CYCLOPS_CORE_OS_THREAD_STATE_H
#define CYCLOPS_CORE_OS_THREAD_STATE_H

#include <stdint.h>

#include "core/isa/regs.h"
#include "core/os/signal_state.h"

enum { OS_THREADS = 64, OS_THREAD_NAME = 16 };

/* Reason of a thread's wait. os_state.waits: the reason of a wait, of one thread or of all, that
 * never ends. */
enum os_wait {
	OS_WAIT_NONE,
	OS_WAIT_FUTEX,      /* wait_for: address, value */
	OS_WAIT_SIGNAL,     /* wait_for: the set of sigwait() and its kin, else 0 */
	/* number of descriptors; address to write the time left to, 0: none */
	OS_WAIT_FDS,
	OS_WAIT_PIPE_READ,  /* descriptor */
	OS_WAIT_PIPE_WRITE, /* descriptor, bytes */
	OS_WAIT_EVENT,      /* eventfd or timerfd: descriptor, 1 if it is a write */
	OS_WAIT_TIME,       /* a sleep: address to write the rest to, 0: none */
	OS_WAIT_THREADS,    /* of all threads: each waits for another */
	OS_WAIT_COUNT
};

enum os_thread_state {
	THREAD_FREE,
	THREAD_READY, /* it runs, or will when its turn comes */
	THREAD_WAITS, /* for the reason in `waits` */
	THREAD_ENDED  /* the first thread, ended before others */
};

/* Thread numbers are below this: numbers less 1 fit into 16 bits. */
enum { THREAD_NUMBERS = UINT16_MAX + 2 };

struct os_thread {
	/* saved when it gave the hart away; invalid for the running thread */
	uint64_t r[REG_SINK], pc, fcsr, pflags, pfbase;
	uint64_t stack;       /* the stack pointer that it began with; 0: not known */
	uint64_t clear_tid;   /* address of a word cleared when the thread ends; 0: none */
	uint64_t robust_list; /* address of its head; 0: none */
	uint64_t wait_for[2]; /* see enum os_wait */
	uint64_t deadline;    /* tick in which the wait ends; OS_NEVER */
	/* limit of a call that is served again, as its caller gave it */
	uint64_t limit;
	uint64_t turn;        /* set when it becomes ready or waits: lowest first */
	uint64_t seen;        /* os_state.fd_changes when its call was last served */
	uint64_t ran;         /* cycles with the hart, until it last gave it away */
	uint32_t tid;
	uint32_t bits;        /* of a futex: bits of the wakes that reach it */
	uint8_t state;        /* enum os_thread_state */
	uint8_t waits;        /* enum os_wait */
	/* the call in its registers is to be served again; not a new call */
	uint8_t again;
	uint8_t held;         /* it runs only if no other thread can ever go on */
	uint8_t unused[4];
	struct signal_thread signals;
	char name[OS_THREAD_NAME]; /* PR_SET_NAME; zero-padded */
};

#endif
