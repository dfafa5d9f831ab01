/* Files as the guest sees them. */
#ifndef CYCLOPS_TESTS_UNIT_OS_INODE_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_OS_INODE_FIXTURE_H

#include "tests/unit/os/os_fixture.h"

enum { DEV = 0x801, CLOCK = 1000000000, EPOCH = 5000, RECORDS = 128 };

static inline struct guest *inode_fixture_guest(void **state)
{
	return &((struct tree *)*state)->g;
}

/* A nanosecond is a cycle, and time begins at EPOCH. */
static inline void inode_fixture_boot_guest(struct guest *g)
{
	guest_boot(g);
	struct config cfg = g->cfg;
	cfg.clock_hz = CLOCK;
	cfg.epoch = EPOCH;
	os_free(g->os);
	g->os = os_new(&cfg, &g->journal);
	g->arena.used = 0;
	os_place(g->os, &g->arena);
	guest_reset(g);
	os_set_stdin(g->os, -1);
	os_set_output(g->os, fixture_output, g);
	os_set_warn(g->os, fixture_warn, g);
	os_allow_writing(g->os, true);
}

static inline int inode_fixture_setup_tree(void **state)
{
	if (tree_up(state) != 0)
		return -1;
	guest_drop(inode_fixture_guest(state));
	inode_fixture_boot_guest(inode_fixture_guest(state));
	return 0;
}

static inline struct lx_stat inode_fixture_stat_path(struct guest *g, const char *path)
{
	struct lx_stat st;
	assert_int_equal(CALL(g, newfstatat, FDCWD, os_fixture_write_text(g, path), BUF,
	                      LX_AT_SYMLINK_NOFOLLOW),
	                 0);
	FETCH(g, BUF, &st);
	return st;
}

static inline struct lx_stat look_fd(struct guest *g, int64_t fd)
{
	struct lx_stat st;
	assert_int_equal(CALL(g, fstat, (uint64_t)fd, BUF), 0);
	FETCH(g, BUF, &st);
	return st;
}

static inline void inode_fixture_expect_number(struct guest *g, const char *path, uint64_t want)
{
	const struct lx_stat st = inode_fixture_stat_path(g, path);
	if (st.ino != want || st.dev != DEV)
		fail_msg("%s is number %llu of device %llx, not %llu", path,
		         (unsigned long long)st.ino, (unsigned long long)st.dev,
		         (unsigned long long)want);
}

static inline int64_t inode_fixture_create_file(struct guest *g, const char *path)
{
	const int64_t fd = open_at(g, LX_AT_FDCWD, path, LX_O_RDWR | LX_O_CREAT | LX_O_EXCL);
	assert_true(fd >= 0);
	return fd;
}

/* A listing as text: "name number type " for each entry. */
static inline void inode_fixture_format_listing(struct guest *g, const char *path, char *out,
                                                size_t room)
{
	uint8_t bytes[4096];
	const int64_t fd = open_at(g, LX_AT_FDCWD, path, LX_O_DIRECTORY);
	assert_true(fd >= 0);
	const int64_t n = CALL(g, getdents64, (uint64_t)fd, BUF, sizeof bytes);
	assert_true(n >= 0 && mem_read(g->mem, BUF, bytes, (uint64_t)n));
	*out = '\0';
	for (int64_t at = 0; at < n;) {
		struct lx_dirent d;
		memcpy(&d, bytes + at, sizeof d);
		const size_t len = strlen(out);
		snprintf(out + len, room - len, "%s %llu %u ", (const char *)bytes + at + sizeof d,
		         (unsigned long long)d.ino, d.type);
		at += d.reclen;
		assert_int_equal(d.off, at);
	}
	assert_int_equal(CALL(g, close, (uint64_t)fd), 0);
}

/* ---- times ---- */

/* In nanoseconds since the machine's epoch; 0 for files that the guest has not changed. */
static inline void expect_times(struct guest *g, const char *path, int64_t accessed,
                                int64_t modified, int64_t changed)
{
	const struct lx_stat st = inode_fixture_stat_path(g, path);
	const struct lx_timespec t[3] = {st.atime, st.mtime, st.ctime};
	const int64_t want[3] = {accessed, modified, changed};
	for (unsigned i = 0; i < 3; i++) {
		const int64_t have = (t[i].sec - EPOCH) * LX_NSEC + t[i].nsec;
		if (have != want[i])
			fail_msg("%s: time %u is %lld, not %lld", path, i, (long long)have,
			         (long long)want[i]);
	}
}

#endif
