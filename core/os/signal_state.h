/* State of signals and timers, of each thread and of the process. In the arena, no pointers; a
 * program begins with zeros, except that the alternate stack is off.
 *
 * Times are ticks (core/os/thread.h, TIMER_REAL), or only those in which a thread ran (TIMER_CPU).
 * None is larger than OS_TIME_MAX. */
#ifndef CYCLOPS_CORE_OS_SIGNAL_STATE_H
#define CYCLOPS_CORE_OS_SIGNAL_STATE_H

#include <stdint.h>

enum { OS_SIGNALS = 65, OS_QUEUED = 32, OS_TIMERS = 32, OS_ITIMERS = 3 };

#define OS_TIME_MAX ((UINT64_C(1) << 61) - 1)
#define OS_NEVER UINT64_MAX

/* The part of a signal that a handler gets: the beginning of Linux's siginfo. */
struct signal_info {
	int32_t signo, code;
	int32_t err; /* si_errno */
	uint32_t unused;
	/* si_addr; or si_pid and si_uid, si_timerid and si_overrun, and then si_value */
	uint64_t word[2];
};

/* Pending signals. Signals 1 to 31 are pending at most once; higher ones queue in order. A bit
 * without an entry: the queue had no room for its details. */
struct signal_pending {
	uint64_t set; /* bit n-1: signal n */
	uint32_t count, unused;
	struct signal_info queue[OS_QUEUED]; /* [count], the oldest first */
};

struct signal_thread {
	uint64_t mask;
	/* mask to restore after the call under way, if restores */
	uint64_t saved_mask;
	uint64_t stack[3]; /* ss_sp, ss_flags, ss_size */
	uint8_t restores;
	/* signals wait at the end of a call, until after its cycle: for debuggers */
	uint8_t deferred;
	uint8_t unused[6];
	struct signal_pending pending;
};

/* Restores the mask after a call that had its own. */
static inline void signal_restore_mask(struct signal_thread *t)
{
	if (t->restores)
		t->mask = t->saved_mask;
	t->restores = 0;
}

enum timer_clock { TIMER_REAL, TIMER_CPU };

struct os_timer {
	uint64_t expires;  /* 0: it does not run */
	uint64_t interval; /* nanoseconds, as given */
	uint64_t value;    /* of SI_TIMER */
	uint32_t overruns; /* expiries since its pending signal was sent */
	uint32_t told;     /* overruns of the last signal taken */
	int32_t tid;       /* thread to notify; 0: the process */
	uint8_t used;
	uint8_t clock;     /* enum timer_clock */
	uint8_t signo;     /* 0: no signal */
	uint8_t sent;      /* its signal is pending */
	uint8_t wall;      /* absolute times are of the wall clock */
	uint8_t unused[7];
};

struct signal_process {
	uint64_t action[OS_SIGNALS][3]; /* handler, flags, mask, as given */
	struct signal_pending pending;
	struct os_timer itimer[OS_ITIMERS], timer[OS_TIMERS];
	uint64_t idle;    /* ticks in which all threads waited: hart.slept */
	uint64_t next;    /* tick in which the next timer expires; 0: none runs */
	uint64_t trampoline; /* return address of handlers; 0: not mapped yet */
	uint64_t held_back;  /* bit n-1: signal n never reaches the program (`handle nopass`) */
};

#endif
