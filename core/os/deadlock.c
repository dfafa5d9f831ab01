/* Describes what each thread waits for, and which thread holds it, in programs where no thread can
 * go on. */
#include <stdarg.h>
#include <stdio.h>

#include "core/os/os_priv.h"
#include "core/os/thread.h"

/* The number shown to users, as in "thread 2". */
unsigned os_thread_number(const struct os_thread *t)
{
	return t->tid - GUEST_PID + 1;
}

uint64_t os_thread_call_pc(const struct os_thread *t)
{
	enum { ECALL_BYTES = 4 };
	return t->pc - (t->state == THREAD_WAITS && !t->again ? ECALL_BYTES : 0);
}

/* Entry of the live thread with this number, or -1. */
static int deadlock_find_live_thread(const struct os *os, uint64_t tid)
{
	const int which = os_thread_find(os, (uint32_t)tid);
	return which >= 0 && os->st->thread[which].state != THREAD_ENDED ? which : -1;
}

/* Entry of the thread whose end changes this futex (pthread_join() waits for it), or -1. */
static int ends_at(const struct os *os, uint64_t addr)
{
	for (unsigned i = 0; i < OS_THREADS; i++)
		if (os->st->thread[i].state != THREAD_FREE && os->st->thread[i].clear_tid == addr)
			return (int)i;
	return -1;
}

/* Entry of the thread that holds the lock, or -1. The word of Linux's and musl's locks is the
 * owner's number; glibc's owner lies 8 bytes after the word. */
static int os_futex_holder(const struct os *os, const struct mem *mem, uint64_t addr)
{
	enum { GLIBC_OWNER = 8 };
	uint32_t word, owner;
	if (!mem_peek(mem, addr, &word, sizeof word))
		return -1;
	const int robust = deadlock_find_live_thread(os, word & LX_FUTEX_TID_MASK);
	if (robust >= 0)
		return robust;
	return word && mem_peek(mem, addr + GLIBC_OWNER, &owner, sizeof owner)
	               ? deadlock_find_live_thread(os, owner)
	               : -1;
}

static void futex_text(const struct os *os, const struct mem *mem, unsigned thread, char *buf,
                       size_t n)
{
	const struct os_thread *t = &os->st->thread[thread];
	const unsigned long long at = t->wait_for[0];
	const int ends = ends_at(os, at), holder = os_futex_holder(os, mem, at);
	if (ends >= 0)
		snprintf(buf, n, "waits for thread %u to end",
		         os_thread_number(&os->st->thread[ends]));
	else if (holder == (int)thread)
		snprintf(buf, n, "waits for the lock at 0x%llx, which it holds itself", at);
	else if (holder >= 0)
		snprintf(buf, n, "waits for the lock at 0x%llx, which thread %u holds", at,
		         os_thread_number(&os->st->thread[holder]));
	else
		snprintf(buf, n, "waits for the futex at 0x%llx to change from %llu", at,
		         (unsigned long long)t->wait_for[1]);
}

char *os_thread_wait_text(const struct os *os, const struct mem *mem, unsigned thread, char *buf,
                          size_t n)
{
	const struct os_thread *t = &os->st->thread[thread];
	const unsigned long long a = t->wait_for[0], b = t->wait_for[1];
	switch ((enum os_wait)t->waits) {
	case OS_WAIT_FUTEX:
		futex_text(os, mem, thread, buf, n);
		break;
	case OS_WAIT_SIGNAL:
		snprintf(buf, n, "waits for a signal");
		break;
	case OS_WAIT_FDS:
		snprintf(buf, n, "waits for one of %llu descriptors", a);
		break;
	case OS_WAIT_PIPE_READ:
		snprintf(buf, n, "reads an empty pipe, descriptor %llu", a);
		break;
	case OS_WAIT_PIPE_WRITE:
		snprintf(buf, n, "writes %llu bytes to a full pipe, descriptor %llu", b, a);
		break;
	case OS_WAIT_EVENT:
		snprintf(buf, n, "%s descriptor %llu, whose count is %s", b ? "writes" : "reads", a,
		         b ? "full" : "0");
		break;
	case OS_WAIT_TIME:
		snprintf(buf, n, "sleeps");
		break;
	default:
		snprintf(buf, n, "waits for nothing");
	}
	return buf;
}

/* Writes "thread 1 waits for ..., thread 2 ...", as far as there is room. */
static void all_text(const struct os *os, const struct mem *mem, char *buf, size_t n)
{
	char one[160];
	size_t used = (size_t)snprintf(buf, n, "no thread can go on:");
	const char *between = " ";
	for (unsigned i = 0; i < OS_THREADS && used < n; i++) {
		const struct os_thread *t = &os->st->thread[i];
		if (t->state != THREAD_WAITS)
			continue;
		os_thread_wait_text(os, mem, i, one, sizeof one);
		used += (size_t)snprintf(buf + used, n - used, "%sthread %u %s", between,
		                         os_thread_number(t), one);
		between = "; ";
	}
}

char *os_wait_text(const struct os *os, const struct mem *mem, char *buf, size_t n)
{
	const struct os_state *st = os->st;
	const unsigned long long a = st->wait_for[0], b = st->wait_for[1];
	switch ((enum os_wait)st->waits) {
	case OS_WAIT_FUTEX:
		snprintf(buf, n,
		         "it waits for the futex at 0x%llx to change from %llu, and has no other "
		         "thread that could",
		         a, b);
		break;
	case OS_WAIT_SIGNAL:
		snprintf(buf, n, "it waits for a signal, and there is no sender");
		break;
	case OS_WAIT_FDS:
		snprintf(buf, n,
		         "it waits without limit for %llu descriptors of which none can become "
		         "ready",
		         a);
		break;
	case OS_WAIT_PIPE_READ:
		snprintf(buf, n,
		         "it reads an empty pipe, descriptor %llu, that it alone could write to",
		         a);
		break;
	case OS_WAIT_PIPE_WRITE:
		snprintf(buf, n,
		         "it writes %llu bytes to a pipe, descriptor %llu, that is too full and "
		         "that it alone could read",
		         b, a);
		break;
	case OS_WAIT_EVENT:
		snprintf(buf, n,
		         "it %s descriptor %llu, whose count is %s and that it alone could change",
		         b ? "writes" : "reads", a, b ? "full" : "0");
		break;
	case OS_WAIT_THREADS:
		all_text(os, mem, buf, n);
		break;
	default:
		snprintf(buf, n, "it waits for nothing");
	}
	return buf;
}
