#include "core/os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/output_file.h"
#include "core/base/output_folder.h"
#include "core/defs/config_fields.h"
#include "core/os/descriptors.h"
#include "core/os/host_file.h"
#include "core/os/host_questions.h"
#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/signals.h"

enum { SYS_HOST = 1, SYS_FENCE = 2 };
enum { WARNED_MAX = 1024 }; /* no program makes more distinct warnings */

struct sys_row {
	uint32_t number;
	const char *name;
	sys_fn *fn; /* NULL = ENOSYS */
	unsigned flags;
};

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

bool os_syscall_fences(const struct os *os, uint64_t number)
{
	const struct sys_row *row = sys_find(number);
	return os->st->code_changed || (row && (row->flags & SYS_FENCE));
}

struct os *os_new(const struct config *cfg, struct journal *journal)
{
	struct os *os = alloc_zeroed(1, sizeof *os);
	if (!os)
		return NULL;
	os->journal = journal;
	os->seed = (uint64_t)cfg->seed;
	os->clock_hz = (uint64_t)cfg->clock_hz;
	os->epoch = (uint64_t)cfg->epoch;
	os->stack_bytes = (uint64_t)cfg->stack_bytes;
	os->memory = (uint64_t)cfg->memory;
	os->slice = (uint64_t)cfg->os_slice;
	os->terminal = cfg->terminal != 0;
	memcpy(os->hostname, cfg->hostname, sizeof os->hostname);
	for (unsigned i = 0; i < OS_FILES; i++)
		os->host[i].fd = -1;
	os->root = host_open_folder(".");
	os->sysroot = -ENOENT;
	os_set_stdin(os, STDIN_FILENO);
	return os;
}

void os_free(struct os *os)
{
	if (!os)
		return;
	if (os->watch && *os->watch == os)
		*os->watch = NULL;
	host_close_all(os);
	if (os->root >= 0)
		close(os->root);
	if (os->sysroot >= 0)
		close(os->sysroot);
	os_set_folders(os, NULL, 0);
	for (unsigned i = 0; i < OUT_STREAMS; i++)
		free(os->out[i].bytes);
	free(os->turn);
	references_free(os);
	inodes_free(os);
	free(os->pending);
	free(os->warned);
	free(os->scratch);
	free(os);
}

void os_watch(struct os *os, struct os **watch)
{
	if (os->watch && os->watch != watch && *os->watch == os)
		*os->watch = NULL;
	os->watch = watch;
	if (watch)
		*watch = os;
}

void os_place(struct os *os, struct arena *a)
{
	os->st = arena_take(a, "system", 1, sizeof *os->st);
}

struct os_state *os_state(struct os *os)
{
	return os->st;
}

const struct os_state *os_state_const(const struct os *os)
{
	return os->st;
}

static uint64_t os_rotl64(uint64_t v, unsigned n)
{
	return v << n | v >> (64 - n);
}

static uint64_t os_next_random(struct os_state *st)
{
	uint64_t *s = st->rng, out = os_rotl64(s[1] * 5, 7) * 9, t = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = os_rotl64(s[3], 45);
	return out;
}

void os_random_bytes(struct os_state *st, uint8_t *bytes, size_t n)
{
	for (size_t done = 0; done < n; done += sizeof(uint64_t)) {
		uint64_t word = os_next_random(st);
		memcpy(bytes + done, &word, n - done < sizeof word ? n - done : sizeof word);
	}
}

/* The host's offset in a regular stdin, where the guest begins to read. */
static int64_t stdin_start(const struct os *os)
{
	off_t at = os->stdin_regular ? lseek(os->stdin_fd, 0, SEEK_CUR) : 0;
	return at < 0 ? 0 : at;
}

void os_reset(struct os *os)
{
	struct os_state *st = os->st;
	memset(st, 0, sizeof *st);
	uint64_t x = os->seed;
	for (unsigned i = 0; i < 4; i++)
		st->rng[i] = hash_splitmix64_next(&x);
	st->mmap_below = MEM_TOP - (UINT64_C(64) << 20) - os->stack_bytes;
	st->mmap_below &= ~(uint64_t)(PAGE_BYTES - 1);
	st->umask = 022;
	threads_reset(st);
	fd_reset(st);
	st->file[0].offset = stdin_start(os);
}

void os_set_output(struct os *os, os_output_fn *fn, void *ctx)
{
	os->output = fn;
	os->output_ctx = ctx;
}

bool os_set_quiet(struct os *os, bool quiet)
{
	const bool was = os->quiet;
	os->quiet = quiet;
	return was;
}

int os_lost_output(const struct os *os)
{
	return os->lost_output;
}

void os_set_stdin(struct os *os, int host_fd)
{
	struct stat st;
	os->stdin_fd = host_fd;
	os->stdin_terminal = host_fd >= 0 && isatty(host_fd);
	os->stdin_regular = host_fd >= 0 && fstat(host_fd, &st) == 0 && S_ISREG(st.st_mode);
	if (os->st && os->journal->st->pos == 0 && os->st->file[0].kind == OS_FILE_STDIN)
		os->st->file[0].offset = stdin_start(os);
}

void os_set_input(struct os *os, os_input_fn *fn, void *ctx, bool typed)
{
	os->input_typed = typed;
	os->input = fn;
	os->input_ctx = ctx;
}

void os_allow_writing(struct os *os, bool allow)
{
	os->writing = allow;
	if (allow && os->root >= 0)
		output_guest_folder(os->root);
}

void os_set_root(struct os *os, const char *folder)
{
	if (os->root >= 0)
		close(os->root);
	os->root = host_open_folder(folder);
	os_allow_writing(os, os->writing);
}

void os_set_interrupt(struct os *os, const volatile sig_atomic_t *flag)
{
	os->interrupt = flag;
}

void os_tell_host_memory(struct os *os, struct host_memory *scarce)
{
	os->scarce = scarce;
}

void os_set_warn(struct os *os, os_warn_fn *fn, void *ctx)
{
	os->warn = fn;
	os->warn_ctx = ctx;
}

void os_warnf(struct os *os, const char *fmt, ...)
{
	char line[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);

	uint64_t digest = hash_text(line);
	for (size_t i = 0; i < os->warned_n; i++)
		if (os->warned[i] == digest)
			return;
	if (os->warned_n == WARNED_MAX)
		return;
	/* on failure a warning may come twice */
	uint64_t *more = alloc_try_resize(os->warned, (os->warned_n + 1) * sizeof *more);
	if (more) {
		os->warned = more;
		os->warned[os->warned_n++] = digest;
	}
	if (os->warn)
		os->warn(os->warn_ctx, line);
}

uint8_t *os_scratch(struct os *os, size_t n)
{
	if (n > os->scratch_cap) {
		/* on failure the machine waits and tries again */
		uint8_t *p = alloc_try_resize(os->scratch, n);
		if (!p) {
			host_memory_refuse(os->scarce, "what a system call moves");
			return NULL;
		}
		os->scratch = p;
		os->scratch_cap = n;
	}
	return os->scratch;
}

uint64_t guest_span(const struct mem *mem, uint64_t addr, uint64_t n, unsigned prot)
{
	uint64_t done = 0;
	while (done < n && addr + done < MEM_TOP && (mem_prot_at(mem, addr + done) & prot) == prot)
		done += PAGE_BYTES - ((addr + done) & (PAGE_BYTES - 1));
	return done < n ? done : n;
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

/* Drops journal entries that are needed no more, many at a time. A directory that is being listed
 * keeps them all: its listing lies in the journal. */
static void forget_used(struct os *os)
{
	if (os->journal->used < FORGET_BYTES)
		return;
	for (unsigned i = 0; i < OS_FILES; i++)
		if (os->st->file[i].kind == OS_FILE_DIR && os->st->file[i].listing)
			return;
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

/* Finishes a call that need not come again: signals act on its thread, or another gets the hart. */
static void os_finish_syscall(struct call *c, int64_t ret)
{
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
	os->entries = 0;
	os->st->code_changed = os->st->switched = 0;
	forget_used(os);
	if (!has_room(os))
		return false;
	uint64_t number = h->r[REG_A7];
	const struct sys_row *row = sys_find(number);
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
	} else {
		ret = -ENOSYS;
		warn_unknown(os, number, row ? row->name : "unknown");
	}
	os_finish_syscall(&c, ret);
	return true;
}
