/* A guest without a program: registers, memory and a fresh tree of host files, to make system calls by hand.
 * The process stands in TREE ("tree" below a temporary folder); beside it is "secret", which nobody may reach. */
#ifndef CYCLOPS_TESTS_UNIT_OS_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_OS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/os/linux.h"
#include "core/os/os.h"

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
	struct arena arena;
	struct mem *mem;
	struct hart h;
	uint64_t bump; /* where text() puts the next string */
	char out[3][4096];
	size_t out_n[3];
	char warned[1024];
	bool interrupted; /* what the last call said */
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

static inline void guest_boot(struct guest *g)
{
	memset(g, 0, sizeof *g);
	config_default(&g->cfg);
	g->os = os_new(&g->cfg);
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

static inline void guest_drop(struct guest *g)
{
	os_free(g->os);
	mem_free(g->mem);
	free(g->arena.base);
}

static inline int64_t call6(struct guest *g, uint64_t number, const uint64_t a[6])
{
	memcpy(&g->h.r[REG_A0], a, 6 * sizeof *a);
	g->h.r[REG_A7] = number;
	g->interrupted = !os_syscall(g->os, &g->h, g->mem);
	return (int64_t)g->h.r[REG_A0];
}

#define CALL(g, name, ...) call6(g, NR_##name, (uint64_t[6]){__VA_ARGS__})
#define FDCWD ((uint64_t)(int64_t)LX_AT_FDCWD)

/* Puts bytes into guest memory; returns where. */
static inline uint64_t put(struct guest *g, const void *bytes, size_t n)
{
	uint64_t at = g->bump;
	assert_true(mem_write(g->mem, at, bytes, n));
	g->bump = (at + n + 15) & ~UINT64_C(15);
	assert_true(g->bump < DATA_END - 65536);
	return at;
}

static inline uint64_t text(struct guest *g, const char *s)
{
	return put(g, s, strlen(s) + 1);
}

enum { BUF = DATA_END - 65536 }; /* where results go */

#define FETCH(g, addr, object) assert_true(mem_read((g)->mem, addr, object, sizeof *(object)))

static inline int64_t open_at(struct guest *g, int dirfd, const char *path, uint64_t flags)
{
	return CALL(g, openat, (uint64_t)(int64_t)dirfd, text(g, path), flags, 0644);
}

/* Expects guest memory at addr to hold these bytes. */
static inline void expect_bytes(struct guest *g, uint64_t addr, const char *want)
{
	char have[4096] = {0};
	assert_true(mem_read(g->mem, addr, have, strlen(want)));
	assert_string_equal(have, want);
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

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
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
	int err = chdir("/") || nftw(t->base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(t);
	return err;
}

#endif
