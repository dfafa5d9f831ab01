#include "core/os/os.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/output_file.h"
#include "core/base/output_folder.h"
#include "core/defs/config_fields.h"
#include "core/os/descriptors.h"
#include "core/os/host_file.h"
#include "core/os/host_questions.h"
#include "core/os/os_priv.h"
#include "core/os/scheduling.h"

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
	os->top = cfg->isa == ISA_RV32GC ? MEM_TOP_32 : MEM_TOP;
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
	code_versions_place(os, a);
}

struct os_state *os_state(struct os *os)
{
	return os->st;
}

const struct os_state *os_state_const(const struct os *os)
{
	return os->st;
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
	code_versions_reset(os);
	os_seed_random(st, os->seed);
	st->mmap_below = os->top - (UINT64_C(64) << 20) - os->stack_bytes;
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
