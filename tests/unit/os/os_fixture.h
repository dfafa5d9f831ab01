/* A guest without a program: registers, memory and a fresh tree of host files, to make system calls
 * by hand. The process stands in TREE ("tree" below a temporary folder); beside it is "secret",
 * which must stay out of reach. */
#ifndef CYCLOPS_TESTS_UNIT_OS_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_OS_FIXTURE_H

#include <stdint.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/os/linux.h"
#include "core/os/os.h"
#include "core/os/thread.h"
#include "tests/cases.h"

enum {
#define SYS(number, name, fn, flags) NR_##name = number,
#define NOSYS(number, name) NR_##name = number,
#include "core/os/syscalls.def"
#undef SYS
#undef NOSYS
};

enum { DATA = 0x100000, DATA_BYTES = 1 << 20, DATA_END = DATA + DATA_BYTES, BREAK = 0x400000 };

struct guest {
	struct config cfg;
	struct os *os;
	struct journal journal;
	struct journal_state past; /* the position in it */
	struct arena arena;
	struct mem *mem;
	struct hart h;
	uint64_t bump; /* where os_fixture_write_text() puts the next string */
	char out[3][4096];
	size_t out_n[3];
	char warned[1024];
	bool interrupted; /* the last call's result */
};

static inline void fixture_output(void *ctx, int fd, const void *bytes, size_t n)
{
	struct guest *g = ctx;
	for (size_t i = 0; i < n; i++, g->out_n[fd]++)
		if (g->out_n[fd] < sizeof g->out[fd])
			g->out[fd][g->out_n[fd]] = ((const char *)bytes)[i];
}

static inline void fixture_warn(void *ctx, const char *line)
{
	struct guest *g = ctx;
	size_t n = strlen(g->warned);
	snprintf(g->warned + n, sizeof g->warned - n, "%s\n", line);
}

static inline void guest_boot_with(struct guest *g, int64_t memory)
{
	memset(g, 0, sizeof *g);
	config_default(&g->cfg);
	g->cfg.memory = memory ? memory : g->cfg.memory;
	memcpy(g->cfg.hostname, "here", sizeof "here");
	g->journal.st = &g->past;
	g->os = os_new(&g->cfg, &g->journal);
	os_place(g->os, &g->arena);
	g->arena.base = aligned_alloc(64, (g->arena.used + 63) & ~(size_t)63);
	g->arena.used = 0;
	os_place(g->os, &g->arena);
	os_set_stdin(g->os, -1);
	os_reset(g->os);
	os_state(g->os)->brk_start = os_state(g->os)->brk = BREAK;
	os_set_output(g->os, fixture_output, g);
	os_set_warn(g->os, fixture_warn, g);
	g->mem = mem_new();
	assert_true(mem_map(g->mem, DATA, DATA_BYTES, PROT_R | PROT_W, "data"));
	g->bump = DATA;
}

static inline void guest_boot(struct guest *g)
{
	guest_boot_with(g, 0);
}

/* As at the start; the journal's answers come again. */
static inline void guest_reset(struct guest *g)
{
	os_reset(g->os);
	os_state(g->os)->brk_start = os_state(g->os)->brk = BREAK;
	g->past = (struct journal_state){0};
}

static inline void guest_drop(struct guest *g)
{
	os_free(g->os);
	journal_deinit(&g->journal);
	mem_free(g->mem);
	free(g->arena.base);
}

static inline int64_t os_fixture_call(struct guest *g, uint64_t number, const uint64_t a[6])
{
	memcpy(&g->h.r[REG_A0], a, 6 * sizeof *a);
	g->h.r[REG_A7] = number;
	do /* a call is repeated after its wait */
		g->interrupted = !os_syscall(g->os, &g->h, g->mem);
	while (os_state(g->os)->thread[os_running(g->os)].again && os_switched(g->os));
	return (int64_t)g->h.r[REG_A0];
}

#define CALL(g, name, ...) os_fixture_call(g, NR_##name, (uint64_t[6]){__VA_ARGS__})
#define FDCWD ((uint64_t)(int64_t)LX_AT_FDCWD)

/* Puts bytes into guest memory; returns their address. */
static inline uint64_t os_fixture_write_bytes(struct guest *g, const void *bytes, size_t n)
{
	uint64_t at = g->bump;
	assert_true(mem_write(g->mem, at, bytes, n));
	g->bump = (at + n + 15) & ~UINT64_C(15);
	assert_true(g->bump < DATA_END - 65536);
	return at;
}

static inline uint64_t os_fixture_write_text(struct guest *g, const char *s)
{
	return os_fixture_write_bytes(g, s, strlen(s) + 1);
}

enum { BUF = DATA_END - 65536 }; /* where results go */

#define FETCH(g, addr, object) assert_true(mem_read((g)->mem, addr, object, sizeof *(object)))

static inline int64_t open_at(struct guest *g, int dirfd, const char *path, uint64_t flags)
{
	return CALL(g, openat, (uint64_t)(int64_t)dirfd, os_fixture_write_text(g, path), flags,
	            0644);
}

/* Makes a call with arguments from a list of awkward values; paths are at PATHS. Returns its
 * result. */
enum { PATHS = DATA, PATH_STEP = 32, PATH_COUNT = 12 };

static inline void put_paths(struct guest *g)
{
	static const char *const paths[PATH_COUNT] = {
		"a.txt", "sub",       "sub/b.txt", "new",        "sub/new/",   ".",
		"",      "../secret", "/etc",      "sub/../new", "/sub/b.txt", "/dev/zero"};
	for (unsigned i = 0; i < PATH_COUNT; i++)
		assert_true(
			mem_write(g->mem, PATHS + i * PATH_STEP, paths[i], strlen(paths[i]) + 1));
}

static inline uint64_t random_from(uint64_t *seed, uint64_t below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (*seed >> 33) % below;
}

/* One argument: f = descriptor, d = directory, p = path, b = buffer, n = size, o = open flags, s =
 * small, x = odd. */
static inline uint64_t random_arg(uint64_t *seed, char kind)
{
	static const uint64_t odd[] = {0,
	                               1,
	                               2,
	                               3,
	                               4,
	                               5,
	                               7,
	                               8,
	                               63,
	                               64,
	                               66,
	                               100,
	                               4096,
	                               8192,
	                               BUF,
	                               BUF + 4096,
	                               DATA_END - 3,
	                               DATA_END,
	                               BREAK,
	                               0x1000,
	                               0x80000000,
	                               UINT64_C(0x100000000),
	                               MEM_TOP - 4096,
	                               MEM_TOP,
	                               INT64_MAX,
	                               UINT64_C(1) << 63,
	                               UINT64_MAX,
	                               UINT64_MAX - 4095,
	                               FDCWD,
	                               PATHS};
	static const uint64_t opens[] = {0, 1, 2, 0102, 01102, 02101, 0200000, 0303, 0402002};
	switch (kind) {
	case 'f':
		return random_from(seed, 7);
	case 'd':
		return random_from(seed, 4) ? FDCWD : random_from(seed, 7);
	case 'p':
		return PATHS + random_from(seed, PATH_COUNT) * PATH_STEP;
	case 'b':
		return BUF + random_from(seed, 4096) * 8;
	case 'n':
		return random_from(seed, 300);
	case 'o':
		return opens[random_from(seed, sizeof opens / sizeof *opens)];
	case 's':
		return random_from(seed, 5);
	default:
		return odd[random_from(seed, sizeof odd / sizeof *odd)];
	}
}

static inline int64_t random_call(struct guest *g, uint64_t *seed)
{
	static const struct {
		uint32_t number;
		const char *args;
	} sensible[] = {
		{NR_openat, "dpon"},    {NR_openat, "dpon"},     {NR_close, "f"},
		{NR_read, "fbn"},       {NR_write, "fbn"},       {NR_pread64, "fbnn"},
		{NR_pwrite64, "fbnn"},  {NR_lseek, "fns"},       {NR_getdents64, "fbn"},
		{NR_dup, "f"},          {NR_dup3, "ffs"},        {NR_mkdirat, "dpn"},
		{NR_unlinkat, "dps"},   {NR_renameat2, "dpdps"}, {NR_chdir, "p"},
		{NR_fchdir, "f"},       {NR_fstat, "fb"},        {NR_newfstatat, "dpb"},
		{NR_ftruncate, "fn"},   {NR_faccessat, "dps"},   {NR_brk, "x"},
		{NR_getrandom, "bn"},   {NR_getcwd, "bn"},       {NR_statx, "dpssb"},
		{NR_umask, "n"},        {NR_symlinkat, "pdp"},   {NR_linkat, "dpdps"},
		{NR_truncate, "pn"},    {NR_fchmodat, "dpn"},    {NR_utimensat, "dpss"},
		{NR_pipe2, "bs"},       {NR_ppoll, "bsss"},      {NR_pselect6, "nbbbs"},
		{NR_fallocate, "fsnn"},
	};
	uint64_t a[6], number;
	const char *args = "xxxxxx";
	if (random_from(seed, 4)) {
		uint64_t i = random_from(seed, sizeof sensible / sizeof *sensible);
		number = sensible[i].number;
		args = sensible[i].args;
	} else {
		number = random_from(seed, 463);
	}
	for (size_t k = 0; k < 6; k++)
		a[k] = random_arg(seed, k < strlen(args) && random_from(seed, 20) ? args[k] : 'x');
	/* Valid sizes that would take minutes, or fill the disk. */
	if (number == NR_getrandom || number == NR_riscv_hwprobe || number == NR_ftruncate ||
	    number == NR_truncate || number == NR_lseek)
		a[1] = a[1] & 0xffff;
	if (number == NR_fallocate)
		a[2] &= 0xffff;
	if (number == NR_pwrite64 || number == NR_pwritev || number == NR_fallocate)
		a[3] &= 0xffff;
	return os_fixture_call(g, number, a);
}

/* Expects guest memory at addr to hold these bytes. */
static inline void expect_bytes(struct guest *g, uint64_t addr, const char *want)
{
	char have[4096] = {0};
	assert_true(mem_read(g->mem, addr, have, strlen(want)));
	assert_string_equal(have, want);
}

/* A state of the machine to return to. */
struct moment {
	struct os_state st;
	struct journal_state past;
	struct mem_image *image;
	struct hart h;
	uint64_t bump;
};

static inline struct moment os_fixture_save_moment(struct guest *g)
{
	struct moment m = {.st = *os_state(g->os),
	                   .past = g->past,
	                   .image = mem_snapshot(g->mem),
	                   .h = g->h,
	                   .bump = g->bump};
	return m;
}

static inline void os_fixture_restore_moment(struct guest *g, const struct moment *m)
{
	*os_state(g->os) = m->st;
	g->past = m->past;
	mem_restore(g->mem, m->image);
	g->h = m->h;
	g->bump = m->bump;
}

/* ---- the host's side ---- */
static inline void host_put(const char *path, const char *bytes)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fputs(bytes, f) >= 0, 1);
	assert_int_equal(fclose(f), 0);
}

static inline void host_expect(const char *path, const char *want)
{
	char have[8192] = {0};
	FILE *f = fopen(path, "r");
	if (!f)
		fail_msg("%s is gone", path);
	(void)!fread(have, 1, sizeof have - 1, f);
	fclose(f);
	assert_string_equal(have, want);
}

static inline bool host_exists(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

struct tree {
	char base[64];
	struct guest g;
};

static inline int tree_up(void **state)
{
	struct tree *t = calloc(1, sizeof *t);
	strcpy(t->base, "/tmp/test_os_XXXXXX");
	if (!t || !mkdtemp(t->base) || chdir(t->base) != 0)
		return -1;
	host_put("secret", "do not tell");
	if (mkdir("outside", 0755) != 0 || mkdir("tree", 0755) != 0 || chdir("tree") != 0)
		return -1;
	host_put("a.txt", "alpha beta gamma\n");
	if (mkdir("sub", 0755) != 0)
		return -1;
	host_put("sub/b.txt", "bravo\n");
	guest_boot(&t->g);
	*state = t;
	return 0;
}

static inline int tree_down(void **state)
{
	struct tree *t = *state;
	guest_drop(&t->g);
	/* A guest may have removed a folder's permissions; restore them to remove its contents. */
	char remove[160];
	snprintf(remove, sizeof remove, "chmod -R u+rwx %s && rm -rf %s", t->base, t->base);
	int err = chdir("/") || system(remove);
	free(t);
	return err;
}

#endif
