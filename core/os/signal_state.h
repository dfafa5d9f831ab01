/* What the system remembers of signals and timers: of each thread, and of the process. In the
 * arena, no pointers; zero is how a program begins, but for the alternate stack, which is off.
 *
 * Times are ticks (core/os/thread.h, TIMER_REAL), or those among them in which somebody ran
 * (TIMER_CPU). None is larger than OS_TIME_MAX. */
#ifndef CYCLOPS_CORE_OS_SIGNAL_STATE_H
#define CYCLOPS_CORE_OS_SIGNAL_STATE_H

#include <stdint.h>

enum { OS_SIGNALS = 65, OS_QUEUED = 32, OS_TIMERS = 32, OS_ITIMERS = 3 };

#define OS_TIME_MAX ((UINT64_C(1) << 61) - 1)
#define OS_NEVER UINT64_MAX

/* What a handler is told of a signal: the beginning of Linux's siginfo. */
struct signal_info {
	int32_t signo, code;
	/* si_addr; or si_pid and si_uid, si_timerid and si_overrun, and then si_value */
	uint64_t word[2];
};

/* Signals on their way. One of 1 to 31 is there once, later ones wait in the order in which they
 * came. A bit without an entry: there was no room for what to tell of it. */
struct signal_pending {
	uint64_t set; /* bit n-1: signal n */
	uint32_t count, unused;
	struct signal_info queue[OS_QUEUED]; /* [count], the oldest first */
};

struct signal_thread {
	uint64_t mask;
	/* what `mask` becomes behind the call under way, if restores */
	uint64_t saved_mask;
	uint64_t stack[3]; /* ss_sp, ss_flags, ss_size */
	uint8_t restores;
	uint8_t unused[7];
	struct signal_pending pending;
};

enum timer_clock { TIMER_REAL, TIMER_CPU };

struct os_timer {
	uint64_t expires;  /* 0: it does not run */
	uint64_t interval; /* nanoseconds, as given */
	uint64_t value;    /* of SI_TIMER */
	uint32_t overruns; /* since its signal was sent, which is on its way */
	uint32_t told;     /* of the signal that was taken last */
	int32_t tid;       /* who is told; 0: the process */
	uint8_t used;
	uint8_t clock;     /* enum timer_clock */
	uint8_t signo;     /* 0: nobody is told */
	uint8_t sent;      /* its signal is on its way */
	uint8_t wall;      /* of absolute times: they are of the day */
	uint8_t unused[7];
};

struct signal_process {
	uint64_t action[OS_SIGNALS][3]; /* handler, flags, mask, as given */
	struct signal_pending pending;
	struct os_timer itimer[OS_ITIMERS], timer[OS_TIMERS];
	uint64_t idle;    /* ticks in which all threads waited: hart.slept */
	uint64_t next;    /* tick in which the next timer expires; 0: none runs */
	uint64_t trampoline; /* where handlers return to; 0: not mapped yet */
	uint64_t held_back;  /* bit n-1: signal n never reaches the program (`handle nopass`) */
};

#endif
