/* System calls that are made, undone and repeated. */
#ifndef CYCLOPS_TESTS_UNIT_OS_REPLAY_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_OS_REPLAY_FIXTURE_H

#include "tests/unit/os/os_fixture.h"

static inline struct guest *replay_fixture_guest(void **state)
{
	return &((struct tree *)*state)->g;
}

/* A run's results, for comparison: return values, and the final state. */
struct trace {
	int64_t ret[128];
	unsigned n;
	uint64_t memory;
	struct os_state st;
};

static inline int64_t replay_fixture_record_result(struct trace *t, int64_t ret)
{
	assert_true(t->n < 128);
	t->ret[t->n++] = ret;
	return ret;
}

#define NOTE(name, ...) replay_fixture_record_result(t, CALL(g, name, __VA_ARGS__))

/* A program with every kind of question to the host. */
static inline void session_part_one(struct guest *g, struct trace *t)
{
	uint64_t buf = BUF;
	replay_fixture_record_result(t, open_at(g, LX_AT_FDCWD, "a.txt", LX_O_RDONLY));
	NOTE(read, 3, buf, 6);
	NOTE(write, 1, buf, 6);
	NOTE(fstat, 3, buf + 64);
	NOTE(fstat, 0, buf + 256);
	NOTE(newfstatat, FDCWD, os_fixture_write_text(g, "sub/b.txt"), buf + 512, 0);
	NOTE(newfstatat, FDCWD, os_fixture_write_text(g, "none"), buf + 512, 0);
	NOTE(read, 0, buf + 768, 5);
	NOTE(getrandom, buf + 1024, 24, 0);
	replay_fixture_record_result(t, open_at(g, LX_AT_FDCWD, "sub", LX_O_DIRECTORY));
	NOTE(getdents64, 4, buf + 2048, 48);
	NOTE(faccessat, FDCWD, os_fixture_write_text(g, "a.txt"), R_OK);
	NOTE(readlinkat, FDCWD, os_fixture_write_text(g, "link"), buf + 1100, 100);
	NOTE(mkdirat, FDCWD, os_fixture_write_text(g, "made"), 0755);
	NOTE(chdir, os_fixture_write_text(g, "made"));
	replay_fixture_record_result(
		t, open_at(g, LX_AT_FDCWD, "w.txt", LX_O_RDWR | LX_O_CREAT | LX_O_TRUNC));
	NOTE(write, 5, os_fixture_write_text(g, "written once"), 12);
}

static inline void session_part_two(struct guest *g, struct trace *t)
{
	uint64_t buf = BUF + 8192;
	NOTE(read, 3, buf, 100);
	NOTE(write, 1, buf, 11);
	NOTE(write, 2, os_fixture_write_text(g, "err"), 3);
	NOTE(lseek, 5, 0, LX_SEEK_END);
	NOTE(ftruncate, 5, 7);
	NOTE(pread64, 5, buf + 200, 50, 0);
	NOTE(renameat2, FDCWD, os_fixture_write_text(g, "w.txt"), FDCWD,
	     os_fixture_write_text(g, "../v.txt"), 0);
	NOTE(chdir, os_fixture_write_text(g, ".."));
	NOTE(unlinkat, FDCWD, os_fixture_write_text(g, "made"), LX_AT_REMOVEDIR);
	NOTE(mmap, 0, 4096, PROT_R | PROT_W, LX_MAP_PRIVATE, 3, 0);
	NOTE(getdents64, 4, buf + 2048, 4096);
	NOTE(getdents64, 4, buf + 2048, 4096);
	NOTE(close, 4);
	NOTE(read, 0, buf + 768, 100);
	NOTE(statx, 3, os_fixture_write_text(g, ""), LX_AT_EMPTY_PATH, 0x7ff, buf + 1024);
	NOTE(write, 1, os_fixture_write_text(g, "end\n"), 4);
	t->memory = mem_hash(g->mem);
	t->st = *os_state(g->os);
}

static inline void replay_fixture_run_session(struct guest *g, struct trace *t)
{
	memset(t, 0, sizeof *t);
	session_part_one(g, t);
	session_part_two(g, t);
}

static inline void replay_fixture_expect_same(const struct trace *a, const struct trace *b)
{
	assert_int_equal(a->n, b->n);
	for (unsigned i = 0; i < a->n; i++)
		if (a->ret[i] != b->ret[i])
			fail_msg("call %u answered %lld, then %lld", i, (long long)a->ret[i],
			         (long long)b->ret[i]);
	assert_int_equal(a->memory, b->memory);
	assert_memory_equal(&a->st, &b->st, sizeof a->st);
}

/* A pipe with this much in it, as the guest's stdin. */
static inline int replay_fixture_feed_stdin(struct guest *g, const char *bytes)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], bytes, strlen(bytes)), strlen(bytes));
	os_set_stdin(g->os, ends[0]);
	return ends[1];
}

static inline void spoil_the_tree(void)
{
	host_put("a.txt", "something else entirely");
	assert_int_equal(unlink("sub/b.txt"), 0);
	assert_int_equal(unlink("v.txt"), 0);
	host_put("sub/zzz", "");
	host_put("none", "now it exists");
}

#endif
