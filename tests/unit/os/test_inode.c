/* Attributes of files, which are the machine's own: core/os/inode.h. */
#include "tests/unit/os/inode_fixture.h"

TEST(numbers_come_in_the_order_of_looking)
{
	struct guest *g = inode_fixture_guest(state);
	char names[1024];
	assert_int_equal(link("a.txt", "sub/hard"), 0);
	inode_fixture_expect_number(g, "sub", 1);
	inode_fixture_expect_number(g, "a.txt", 2);
	inode_fixture_format_listing(g, ".", names, sizeof names);
	assert_string_equal(names, ". 3 4 .. 3 4 a.txt 2 8 sub 1 4 ");
	inode_fixture_format_listing(g, "sub", names, sizeof names);
	assert_string_equal(names, ". 1 4 .. 3 4 b.txt 4 8 hard 2 8 ");
	/* A file has one number: by another name, by a descriptor, and after renaming the file or a
	 * folder around it. */
	const int64_t fd = open_at(g, LX_AT_FDCWD, "sub/hard", 0);
	assert_int_equal(look_fd(g, fd).ino, 2);
	assert_int_equal(CALL(g, renameat, FDCWD, os_fixture_write_text(g, "sub"), FDCWD,
	                      os_fixture_write_text(g, "moved")),
	                 0);
	inode_fixture_expect_number(g, "moved", 1);
	inode_fixture_expect_number(g, "moved/hard", 2);
	inode_fixture_expect_number(g, "moved/b.txt", 4);
	assert_int_equal(CALL(g, linkat, FDCWD, os_fixture_write_text(g, "moved/b.txt"), FDCWD,
	                      os_fixture_write_text(g, "b"), 0),
	                 0);
	inode_fixture_expect_number(g, "b", 4);
	assert_int_equal(CALL(g, renameat2, FDCWD, os_fixture_write_text(g, "b"), FDCWD,
	                      os_fixture_write_text(g, "a.txt"), LX_RENAME_EXCHANGE),
	                 0);
	inode_fixture_expect_number(g, "b", 2);
	inode_fixture_expect_number(g, "a.txt", 4);
}

/* The host gives out numbers again, mostly at once; the machine never does. */
TEST(what_is_made_is_new)
{
	struct guest *g = inode_fixture_guest(state);
	uint64_t last = 0;
	for (int round = 0; round < 4; round++) {
		CALL(g, close, (uint64_t)inode_fixture_create_file(g, "n"));
		assert_int_equal(inode_fixture_stat_path(g, "n").ino, last + 1);
		assert_int_equal(CALL(g, unlinkat, FDCWD, os_fixture_write_text(g, "n"), 0), 0);
		assert_int_equal(CALL(g, mkdirat, FDCWD, os_fixture_write_text(g, "n"), 0755), 0);
		assert_int_equal(inode_fixture_stat_path(g, "n").ino, last + 2);
		assert_int_equal(
			CALL(g, unlinkat, FDCWD, os_fixture_write_text(g, "n"), LX_AT_REMOVEDIR),
			0);
		assert_int_equal(CALL(g, symlinkat, os_fixture_write_text(g, "a.txt"), FDCWD,
		                      os_fixture_write_text(g, "n")),
		                 0);
		assert_int_equal(inode_fixture_stat_path(g, "n").ino, last + 3);
		assert_int_equal(CALL(g, renameat, FDCWD, os_fixture_write_text(g, "n"), FDCWD,
		                      os_fixture_write_text(g, "m")),
		                 0);
		assert_int_equal(inode_fixture_stat_path(g, "m").ino, last + 3);
		/* Another process makes a file in place of one that the guest removed. */
		assert_int_equal(CALL(g, unlinkat, FDCWD, os_fixture_write_text(g, "m"), 0), 0);
		host_put("m", "");
		assert_int_equal(inode_fixture_stat_path(g, "m").ino, last + 4);
		CALL(g, close, (uint64_t)inode_fixture_create_file(g, "n"));
		assert_int_equal(CALL(g, renameat, FDCWD, os_fixture_write_text(g, "n"), FDCWD,
		                      os_fixture_write_text(g, "m")),
		                 0);
		assert_int_equal(inode_fixture_stat_path(g, "m").ino, last + 5);
		assert_int_equal(CALL(g, unlinkat, FDCWD, os_fixture_write_text(g, "m"), 0), 0);
		last += 5;
	}
	/* A removed file stays itself for its open descriptors. */
	const int64_t fd = inode_fixture_create_file(g, "n");
	assert_int_equal(look_fd(g, fd).ino, ++last);
	assert_int_equal(look_fd(g, fd).nlink, 1);
	assert_int_equal(CALL(g, unlinkat, FDCWD, os_fixture_write_text(g, "n"), 0), 0);
	CALL(g, close, (uint64_t)inode_fixture_create_file(g, "n"));
	assert_int_equal(inode_fixture_stat_path(g, "n").ino, last + 1);
	assert_int_equal(look_fd(g, fd).ino, last);
	assert_int_equal(look_fd(g, fd).nlink, 0);
	/* Files without a descriptor are released. */
	for (int i = 0; i < 1100; i++) {
		g->bump = DATA;
		CALL(g, close, (uint64_t)inode_fixture_create_file(g, "often"));
		assert_int_equal(CALL(g, unlinkat, FDCWD, os_fixture_write_text(g, "often"), 0), 0);
	}
	assert_int_equal(look_fd(g, fd).ino, last);
}

/* ---- independence of the host ---- */

/* All results of a session. */
struct told {
	struct lx_stat st[RECORDS];
	int64_t ret[RECORDS];
	unsigned stats, rets;
	char names[2][1024];
	struct lx_statfs fs;
};

static void inode_record_stat(struct guest *g, struct told *t, const char *path)
{
	t->st[t->stats++] = inode_fixture_stat_path(g, path);
}

static void inode_run_session(struct guest *g, struct told *t)
{
	static const char *const names[] = {"sub",     "a.txt", "sub/b.txt", "link",
	                                    "program", "pipe",  ".",         "sub/.."};
	memset(t, 0, sizeof *t);
	g->h.cycle = 1000;
	inode_fixture_format_listing(g, ".", t->names[0], sizeof t->names[0]);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		inode_record_stat(g, t, names[i]);
		for (uint64_t mode = 0; mode < 8; mode++)
			t->ret[t->rets++] =
				CALL(g, faccessat, FDCWD, os_fixture_write_text(g, names[i]), mode);
	}
	g->h.cycle = 2000;
	const int64_t fd = open_at(g, LX_AT_FDCWD, "new", LX_O_RDWR | LX_O_CREAT);
	t->st[t->stats++] = look_fd(g, fd);
	t->ret[t->rets++] = CALL(g, mkdirat, FDCWD, os_fixture_write_text(g, "made"), 0777);
	inode_record_stat(g, t, "made");
	t->ret[t->rets++] = open_at(g, LX_AT_FDCWD, "new", LX_O_RDWR); /* despite the umask */
	t->ret[t->rets++] = inode_fixture_create_file(g, "made/inside");
	g->h.cycle = 3000;
	t->ret[t->rets++] = CALL(g, write, (uint64_t)fd, os_fixture_write_text(g, "bytes"), 5);
	inode_record_stat(g, t, "new");
	t->ret[t->rets++] = CALL(g, umask, 0);
	t->ret[t->rets++] = CALL(g, statfs, os_fixture_write_text(g, "sub"), BUF);
	FETCH(g, BUF, &t->fs);
	inode_fixture_format_listing(g, "sub", t->names[1], sizeof t->names[1]);
}

/* Builds the same tree in two ways: `other` uses another order, other modes and times, and further
 * files. */
static void inode_build_tree(bool other)
{
	static const struct timespec old[2] = {{12345, 678}, {98765, 4321}};
	/* Some file systems leave a directory as long as it was. */
	for (int i = 0; other && i < 120; i++) {
		char name[256];
		snprintf(name, sizeof name, "%0200d", i % 60);
		if (i < 60)
			host_put(name, "");
		else
			assert_int_equal(unlink(name), 0);
	}
	if (other)
		host_put("unlike", "");
	if (!other)
		assert_int_equal(mkdir("sub", 0755), 0);
	host_put("program", "#!");
	if (other)
		assert_int_equal(mkdir("sub", 0700), 0);
	for (int i = 0; i < 20; i++) {
		char name[16];
		snprintf(name, sizeof name, "sub/%c", other ? 'z' - i : 'a' + i + ('z' - 'a' - 19));
		host_put(name, "x");
		assert_int_equal(chmod(name, other ? 0606 : 0644), 0);
	}
	host_put("a.txt", "alpha beta gamma\n");
	host_put("sub/b.txt", "bravo\n");
	assert_int_equal(symlink("a.txt", "link"), 0);
	assert_int_equal(mkfifo("pipe", other ? 0622 : 0600), 0);
	assert_int_equal(chmod("program", other ? 0711 : 0755), 0);
	assert_int_equal(chmod("a.txt", other ? 0600 : 0664), 0);
	if (!other)
		return;
	assert_int_equal(unlink("unlike"), 0);
	assert_int_equal(link("a.txt", "../elsewhere"), 0);
	assert_int_equal(utimensat(AT_FDCWD, "a.txt", old, 0), 0);
	assert_int_equal(utimensat(AT_FDCWD, "sub", old, 0), 0);
}

TEST(nothing_of_the_host_shows)
{
	static struct told told[2];
	(void)state;
	const mode_t before = umask(022);
	for (int other = 0; other < 2; other++) {
		struct guest g;
		const char *name = other ? "../twin" : "../first";
		assert_int_equal(mkdir(name, 0755), 0);
		assert_int_equal(chdir(name), 0);
		inode_build_tree(other);
		inode_fixture_boot_guest(&g);
		umask(other ? 0777 : 022);
		inode_run_session(&g, &told[other]);
		umask(022);
		guest_drop(&g);
		assert_int_equal(chdir("../tree"), 0);
	}
	umask(before);
	assert_string_equal(told[0].names[0], told[1].names[0]);
	assert_string_equal(told[0].names[1], told[1].names[1]);
	for (unsigned i = 0; i < told[0].stats; i++)
		if (memcmp(&told[0].st[i], &told[1].st[i], sizeof told[0].st[i]) != 0)
			fail_msg("file %u is mode %o, links %u, size %lld, number %llu, changed "
			         "%lld; or %o, %u, %lld, %llu, %lld",
			         i, told[0].st[i].mode, told[0].st[i].nlink,
			         (long long)told[0].st[i].size,
			         (unsigned long long)told[0].st[i].ino,
			         (long long)told[0].st[i].mtime.sec, told[1].st[i].mode,
			         told[1].st[i].nlink, (long long)told[1].st[i].size,
			         (unsigned long long)told[1].st[i].ino,
			         (long long)told[1].st[i].mtime.sec);
	assert_memory_equal(&told[0], &told[1], sizeof told[0]);
}

/* ---- modes ---- */
TEST(modes_are_by_rule_or_the_guests)
{
	struct guest *g = inode_fixture_guest(state);
	assert_int_equal(chmod("a.txt", 0640), 0);
	assert_int_equal(inode_fixture_stat_path(g, "a.txt").mode, 0100644);
	assert_int_equal(chmod("a.txt", 0711), 0);
	assert_int_equal(inode_fixture_stat_path(g, "a.txt").mode, 0100755);
	assert_int_equal(chmod("sub", 01700), 0);
	assert_int_equal(inode_fixture_stat_path(g, "sub").mode, 040755);
	assert_int_equal(CALL(g, fchmodat, FDCWD, os_fixture_write_text(g, "a.txt"), 06640), 0);
	assert_int_equal(inode_fixture_stat_path(g, "a.txt").mode,
	                 0100640); /* no change of user */
	assert_int_equal(inode_fixture_stat_path(g, "a.txt").uid, GUEST_UID);
	assert_int_equal(CALL(g, umask, 027), 022);
	assert_int_equal(CALL(g, openat, FDCWD, os_fixture_write_text(g, "n"),
	                      LX_O_CREAT | LX_O_WRONLY, 04666),
	                 3);
	assert_int_equal(inode_fixture_stat_path(g, "n").mode, 0100640);
	assert_int_equal(CALL(g, mkdirat, FDCWD, os_fixture_write_text(g, "d"), 01777), 0);
	assert_int_equal(inode_fixture_stat_path(g, "d").mode, 041750);
	/* The owner's bits decide, for every user. */
	static const struct {
		uint32_t mode;
		int read, write, execute;
	} may[] = {{0444, 0, -EACCES, -EACCES},
	           {0277, -EACCES, 0, -EACCES},
	           {0100, -EACCES, -EACCES, 0},
	           {0644, 0, 0, -EACCES}};
	for (size_t i = 0; i < sizeof may / sizeof *may; i++) {
		const uint64_t path = os_fixture_write_text(g, "a.txt");
		assert_int_equal(CALL(g, fchmodat, FDCWD, path, may[i].mode), 0);
		assert_int_equal(CALL(g, faccessat, FDCWD, path, R_OK), may[i].read);
		assert_int_equal(CALL(g, faccessat, FDCWD, path, W_OK), may[i].write);
		assert_int_equal(CALL(g, faccessat, FDCWD, path, X_OK), may[i].execute);
		assert_int_equal(CALL(g, truncate, path, 9), may[i].write);
		for (uint64_t flags = LX_O_RDONLY; flags <= LX_O_WRONLY; flags++) {
			const int64_t fd = CALL(g, openat, FDCWD, path, flags, 0);
			assert_int_equal(fd < 0 ? fd : 0,
			                 flags == LX_O_RDONLY ? may[i].read : may[i].write);
			CALL(g, close, (uint64_t)fd);
			/* O_EXCL without O_CREAT has no effect */
			const int64_t excl = CALL(g, openat, FDCWD, path, flags | LX_O_EXCL, 0);
			assert_int_equal(excl < 0 ? excl : 0, fd < 0 ? fd : 0);
			CALL(g, close, (uint64_t)excl);
		}
	}
	/* Permissions of directories: to list, to change entries, to pass. */
	const uint64_t sub = os_fixture_write_text(g, "sub"),
		       in = os_fixture_write_text(g, "sub/x"),
		       b = os_fixture_write_text(g, "sub/b.txt");
	assert_int_equal(CALL(g, fchmodat, FDCWD, sub, 0500), 0);
	assert_int_equal(CALL(g, mkdirat, FDCWD, in, 0755), -EACCES);
	assert_int_equal(CALL(g, openat, FDCWD, in, LX_O_CREAT | LX_O_WRONLY, 0644), -EACCES);
	assert_int_equal(CALL(g, unlinkat, FDCWD, b, 0), -EACCES);
	assert_int_equal(CALL(g, renameat, FDCWD, b, FDCWD, os_fixture_write_text(g, "b")),
	                 -EACCES);
	assert_int_equal(CALL(g, symlinkat, b, FDCWD, in), -EACCES);
	assert_int_equal(CALL(g, linkat, FDCWD, os_fixture_write_text(g, "a.txt"), FDCWD, in, 0),
	                 -EACCES);
	assert_int_equal(CALL(g, faccessat, FDCWD, b, R_OK), 0);
	assert_int_equal(CALL(g, fchmodat, FDCWD, sub, 0600), 0);
	assert_int_equal(CALL(g, faccessat, FDCWD, b, F_OK), -EACCES);
	assert_int_equal(CALL(g, chdir, sub), -EACCES);
	assert_int_equal(CALL(g, fchmodat, FDCWD, sub, 0300), 0);
	assert_int_equal(CALL(g, openat, FDCWD, sub, LX_O_DIRECTORY, 0), -EACCES);
	assert_int_equal(CALL(g, fchmodat, FDCWD, sub, 0755), 0);
}

static mode_t on_host(const char *name)
{
	struct stat st;
	assert_int_equal(stat(name, &st), 0);
	return st.st_mode & 07777;
}

/* For any mode set by the guest, no other user may write to its files on the host, and no file is
 * set-user-ID. */
TEST(no_mode_of_the_host_gives_anything_away)
{
	struct guest *g = inode_fixture_guest(state);
	const uint64_t made = os_fixture_write_text(g, "made"),
		       file = os_fixture_write_text(g, "file");
	const mode_t umask_was = umask(0);
	assert_int_equal(CALL(g, umask, 0), 022);
	assert_int_equal(CALL(g, mkdirat, FDCWD, made, 07777), 0);
	assert_int_equal(on_host("made"), 0755);
	const int64_t fd = CALL(g, openat, FDCWD, file, LX_O_CREAT | LX_O_RDWR, 07777);
	assert_int_equal(fd, 3);
	assert_int_equal(on_host("file"), 0755);
	for (uint32_t mode = 0; mode < 010000; mode += 0111) {
		assert_int_equal(CALL(g, fchmodat, FDCWD, made, mode), 0);
		assert_int_equal(on_host("made"), mode & 0755);
		assert_int_equal(inode_fixture_stat_path(g, "made").mode, 040000 | (mode & 01777));
		assert_int_equal(CALL(g, fchmod, (uint64_t)fd, mode), 0);
		assert_int_equal(on_host("file"), mode & 0755);
		assert_int_equal(inode_fixture_stat_path(g, "file").mode, 0100000 | (mode & 01777));
	}
	/* The owner's permissions on the host stay, as far as the guest requests them. */
	assert_int_equal(chmod("made", 03777), 0);
	assert_int_equal(CALL(g, fchmodat, FDCWD, made, 0770), 0);
	assert_int_equal(on_host("made"), 03770);
	assert_int_equal(chmod("file", 06666), 0);
	assert_int_equal(CALL(g, fchmod, (uint64_t)fd, 07664), 0);
	assert_int_equal(on_host("file"), 0664);
	umask(umask_was);
}

/* ---- times ---- */

TEST(times_are_simulated)
{
	struct guest *g = inode_fixture_guest(state);
	expect_times(g, "a.txt", 0, 0, 0);
	expect_times(g, ".", 0, 0, 0);
	g->h.cycle = 100;
	const int64_t fd = inode_fixture_create_file(g, "n");
	expect_times(g, "n", 100, 100, 100);
	expect_times(g, ".", 0, 100, 100);
	g->h.cycle = 200;
	assert_int_equal(CALL(g, write, (uint64_t)fd, BUF, 5), 5);
	expect_times(g, "n", 100, 200, 200);
	expect_times(g, ".", 0, 100, 100);
	g->h.cycle = 300;
	assert_int_equal(CALL(g, lseek, (uint64_t)fd, 0, LX_SEEK_SET), 0);
	assert_int_equal(CALL(g, read, (uint64_t)fd, BUF, 5), 5);
	expect_times(g, "n", 100, 200, 200);
	assert_int_equal(CALL(g, fchmod, (uint64_t)fd, 0600), 0);
	expect_times(g, "n", 100, 200, 300);
	g->h.cycle = 400;
	assert_int_equal(CALL(g, ftruncate, (uint64_t)fd, 1), 0);
	expect_times(g, "n", 100, 400, 400);
	g->h.cycle = 500;
	struct lx_timespec t[2] = {{EPOCH, 7}, {EPOCH, 8}};
	assert_int_equal(CALL(g, utimensat, FDCWD, os_fixture_write_text(g, "n"),
	                      os_fixture_write_bytes(g, t, sizeof t), 0),
	                 0);
	expect_times(g, "n", 7, 8, 500);
	t[0].nsec = LX_UTIME_OMIT;
	t[1].nsec = LX_UTIME_NOW;
	g->h.cycle = 600;
	assert_int_equal(CALL(g, utimensat, FDCWD, os_fixture_write_text(g, "n"),
	                      os_fixture_write_bytes(g, t, sizeof t), 0),
	                 0);
	expect_times(g, "n", 7, 600, 600);
	g->h.cycle = 700;
	assert_int_equal(CALL(g, renameat, FDCWD, os_fixture_write_text(g, "n"), FDCWD,
	                      os_fixture_write_text(g, "sub/n")),
	                 0);
	expect_times(g, "sub/n", 7, 600, 700);
	expect_times(g, "sub", 0, 700, 700);
	expect_times(g, ".", 0, 700, 700);
	g->h.cycle = 800;
	assert_int_equal(CALL(g, linkat, FDCWD, os_fixture_write_text(g, "sub/n"), FDCWD,
	                      os_fixture_write_text(g, "n"), 0),
	                 0);
	expect_times(g, "sub/n", 7, 600, 800);
	assert_int_equal(inode_fixture_stat_path(g, "n").nlink, 2);
	expect_times(g, ".", 0, 800, 800);
	g->h.cycle = 900;
	assert_int_equal(CALL(g, unlinkat, FDCWD, os_fixture_write_text(g, "sub/n"), 0), 0);
	expect_times(g, "n", 7, 600, 900);
	assert_int_equal(inode_fixture_stat_path(g, "n").nlink, 1);
	expect_times(g, "sub", 0, 900, 900);
	g->h.cycle = 1000;
	assert_true(open_at(g, LX_AT_FDCWD, "a.txt", LX_O_WRONLY | LX_O_TRUNC) >= 0);
	expect_times(g, "a.txt", 0, 1000, 1000);
}

TEST_EACH(inode_fixture_setup_tree, tree_down)
