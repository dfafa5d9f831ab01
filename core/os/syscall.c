/* Serves system calls: the table of syscalls.def, and what comes before and after each handler. */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/signals.h"

static const struct sys_row sys_rows[] = {
#define SYS(number, name, fn, flags) {number, #name, fn, flags},
#define NOSYS(number, name) {number, #name, NULL, 0},
#include "core/os/syscalls.def"
#undef SYS
#undef NOSYS
};

static const struct sys_row *sys_find(uint64_t number)
{
	size_t lo = 0, hi = sizeof sys_rows / sizeof *sys_rows;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (sys_rows[mid].number == number)
			return &sys_rows[mid];
		if (sys_rows[mid].number < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

const char *os_syscall_name(uint64_t number)
{
	const struct sys_row *row = sys_find(number);
	return row ? row->name : NULL;
}

/* Warns once for each number; all numbers above Linux's share one warning. */
static void warn_unknown(struct os *os, uint64_t number, const char *name)
{
	const unsigned at = number < SYSCALL_NUMBERS ? (unsigned)number : SYSCALL_NUMBERS - 1;
	uint64_t *seen = &os->unknown[at / 64];
	if (*seen >> (at % 64) & 1)
		return;
	*seen |= UINT64_C(1) << (at % 64);
	os_warnf(os, "system call %llu (%s) is not implemented: ENOSYS", (unsigned long long)number,
	         name);
}

enum { FORGET_BYTES = 256 << 10 }; /* least to drop at once */

/* Drops journal entries that are no longer needed, many at a time. */
static void forget_used(struct os *os)
{
	if (os->journal->used >= FORGET_BYTES)
		journal_forget(os->journal);
}

/* Room for the answers of a short call: one for each buffer and each 64 KiB, or a few with
 * paths. */
enum { ANSWERS = LX_IOV_MAX + 64, ANSWER_BYTES = ANSWERS * 64 + 4 * 2 * LX_PATH_MAX };

/* Reserves that room; call before anything happens. */
static bool has_room(struct os *os)
{
	if (!os->scarce || journal_reserve(os->journal, ANSWERS, ANSWER_BYTES))
		return true;
	host_memory_refuse(os->scarce, JOURNAL_WHAT);
	return false;
}

/* Whether the call must be tried again: interrupted, or out of host memory, which must be freed
 * first. */
static bool must_repeat(struct call *c)
{
	struct host_memory *s = c->os->scarce;
	if (s && c->again && s->dipped)
		host_memory_refuse(s, s->what);
	return c->again |= s && s->refused;
}

/* Finishes a call that is not repeated: signals act on its thread, or another thread gets the hart.
 */
static void os_finish_syscall(struct call *c, int64_t ret)
{
	if (c->h->isa == ISA_RV32GC)
		ret = (int32_t)ret;
	c->st->returned = (uint64_t)ret;
	if (!c->jumped)
		c->h->r[REG_A0] = (uint64_t)ret;
	if (thread_now(c->st)->state == THREAD_READY)
		signal_after_call(c, ret);
	threads_served(c->os, c->h, c->mem);
}

bool os_syscall(struct os *os, struct hart *h, struct mem *mem)
{
	struct call c = {.os = os,
	                 .st = os->st,
	                 .h = h,
	                 .mem = mem,
	                 .thread = &thread_now(os->st)->signals,
	                 .signals = &os->st->signals,
	                 .wakes = OS_NEVER,
	                 .pc = h->pc};
	memcpy(c.a, &h->r[REG_A0], sizeof c.a);
	os->now = h->cycle;
	os->ticks = hart_ticks(h);
	os->streams = 0;
	os->st->switched = 0;
	forget_used(os);
	if (!has_room(os))
		return false;
	if (os->st->abi == OS_HTIF) {
		bare_call(&c);
		os_finish_syscall(&c, 0);
		return true;
	}
	const bool narrow = h->isa == ISA_RV32GC;
	uint64_t number = h->r[REG_A7];
	const struct sys_row *row = os_abi_is_course(os->st->abi) ? course_service(&c, &number)
	                                                          : sys_find(number);
	if (narrow && !os->st->abi)
		row = rv32_service(&c, row, number);
	int64_t ret;
	os->serving = row ? row->name : NULL;
	timers_run(os, os->ticks);
	h->pc += ECALL_BYTES;
	if (row && row->fn) {
		const struct journal_state before = *os->journal->st;
		if (os->halved && os->halved_at == before.pos) {
			journal_redate(os->journal, before.pos, os->now);
			os->halved = false;
		}
		ret = row->fn(&c);
		const bool again = must_repeat(&c);
		undo_end(&c);
		if (again) {
			os->halved = os->journal->st->pos == os->journal->entries;
			os->halved_at = before.pos;
			*os->journal->st = before;
			h->pc = c.pc;
			return false;
		}
		assert((row->flags & SYS_HOST) || os->journal->st->pos == before.pos);
		(void)before;
	} else if (os->st->abi) {
		ret = course_lack_service(&c, number);
	} else {
		ret = -ENOSYS;
		warn_unknown(os, number,
		             row      ? row->name
		             : narrow ? "not served for 32-bit programs"
		                      : "unknown");
	}
	os_finish_syscall(&c, ret);
	return true;
}
