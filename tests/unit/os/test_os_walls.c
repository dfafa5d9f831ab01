/* Nothing outside the tree can be reached by paths, links, devices, the root or descriptors. */
#include "tests/unit/os/os_files.h"

/* ---- names outside the tree ---- */

/* Symbolic links that lead out of the tree, their targets, and names that only the host's root
 * has. */
static const char *const ways_out[] = {
	"/etc/passwd",
	"up/secret",
	"up",
	"up/",
	"up/tree/../secret",
	"sub/up2/secret",
	"absolute",
	"absroot/etc/passwd",
	"to_secret",
	"chain1",
	"sub/chain2/secret",
	"abstree/a.txt",
	"up/outside/x",
	"up/outside/",
	"up/..",
	"to_proc",
	"/proc/self/mem",
	"/proc/self/fd/0",
	"/dev/mem",
	"/dev/fd/0",
	"/dev/fd/",
	"/dev/stdin",
	"dev/../proc/self/root/",
	"absroot/../proc/self/cwd/",
	"links_up/../secret",
};

/* Each leads to the root, however many `..` it has. */
static const char *const ways_home[] = {
	"..",         "../",          "/",         "//",          "/.",      "/..",
	"../../..",   "./..",         "sub/../..", "/sub/../../", "absroot", "absroot/",
	"absroot/..", "way/../../..", "/dev/..",   "dev/../..",
};

/* Paths that lead outside the tree, and are free inside it: a call creates them inside or fails. */
static const char *const ways_past[] = {
	"../new",      "/new",           "sub/../../new", "/../../new",
	"absroot/new", "absroot/../new", "way/../../new", "/dev/../new",
};

static void build_ways_out(const char *base)
{
	char path[256];
	const char *links[][2] = {
		{"..", "up"},
		{"../..", "sub/up2"},
		{"/etc/passwd", "absolute"},
		{"/", "absroot"},
		{"../secret", "to_secret"},
		{"../outside/new", "to_new"},
		{"sub", "way"},
		{"chain1b", "chain1"},
		{"sub/../../secret", "chain1b"},
		{"../up", "sub/chain2"},
		{"/proc/self/mem", "to_proc"},
		{"./sub/../..", "links_up"},
	};
	for (size_t i = 0; i < sizeof links / sizeof *links; i++)
		assert_int_equal(symlink(links[i][0], links[i][1]), 0);
	snprintf(path, sizeof path, "%s/tree", base);
	assert_int_equal(symlink(path, "abstree"), 0);
	host_put("../outside/x", "untouched");
}

static void expect_outside_untouched(void)
{
	host_expect("../secret", "do not tell");
	host_expect("../outside/x", "untouched");
	assert_false(host_exists("../outside/new"));
	assert_false(host_exists("../new"));
	assert_false(host_exists("/new"));
	host_expect("a.txt", "alpha beta gamma\n");
	host_expect("sub/b.txt", "bravo\n");
}

static void try_everything(struct guest *g, int dirfd, const char *way)
{
	static const uint64_t flags[] = {LX_O_RDONLY, LX_O_RDONLY | LX_O_DIRECTORY, LX_O_WRONLY,
	                                 LX_O_RDWR | LX_O_CREAT,
	                                 LX_O_WRONLY | LX_O_CREAT | LX_O_TRUNC};
	uint64_t at = (uint64_t)(int64_t)dirfd, path = os_fixture_write_text(g, way),
		 inside = os_fixture_write_text(g, "a.txt");
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		int64_t ret = CALL(g, openat, at, path, flags[i], 0644);
		if (ret != -ENOENT)
			fail_msg("openat(%s, %#llo) = %lld", way, (unsigned long long)flags[i],
			         (long long)ret);
	}
	assert_int_equal(CALL(g, newfstatat, at, path, BUF, 0), -ENOENT);
	assert_int_equal(CALL(g, statx, at, path, 0, LX_STATX_BASIC_STATS, BUF), -ENOENT);
	assert_int_equal(CALL(g, faccessat, at, path, F_OK), -ENOENT);
	if (dirfd == LX_AT_FDCWD)
		assert_int_equal(CALL(g, chdir, path), -ENOENT);
	assert_true(CALL(g, mkdirat, at, path, 0755) < 0);

	/* Nothing is made, removed or moved below it, whether it is a directory or not. */
	char below[512];
	snprintf(below, sizeof below, "%s/x", way);
	path = os_fixture_write_text(g, below);
	assert_true(CALL(g, mkdirat, at, path, 0755) < 0);
	assert_true(CALL(g, unlinkat, at, path, 0) < 0);
	assert_true(CALL(g, unlinkat, at, path, LX_AT_REMOVEDIR) < 0);
	assert_true(CALL(g, renameat2, at, path, FDCWD, os_fixture_write_text(g, "got"), 0) < 0);
	assert_true(CALL(g, renameat2, FDCWD, inside, at, path, 0) < 0);
	assert_true(CALL(g, renameat2, at, path, FDCWD, inside, LX_RENAME_EXCHANGE) < 0);
	assert_true(CALL(g, readlinkat, at, path, BUF, 100) < 0);
	assert_true(CALL(g, symlinkat, inside, at, path) < 0);
	assert_true(CALL(g, linkat, FDCWD, inside, at, path, 0) < 0);
	assert_true(CALL(g, linkat, at, path, FDCWD, os_fixture_write_text(g, "got"),
	                 LX_AT_SYMLINK_FOLLOW) < 0);
	assert_false(host_exists("got"));
	path = os_fixture_write_text(g, way);
	assert_int_equal(CALL(g, fchmodat, at, path, 0777), -ENOENT);
	assert_int_equal(CALL(g, utimensat, at, path, 0, 0), -ENOENT);
	if (dirfd == LX_AT_FDCWD)
		assert_int_equal(CALL(g, truncate, path, 0), -ENOENT);
	assert_int_equal(CALL(g, linkat, at, path, FDCWD, os_fixture_write_text(g, "got"),
	                      LX_AT_SYMLINK_FOLLOW),
	                 -ENOENT);
	assert_false(host_exists("got"));
}

TEST(no_path_leaves_the_tree)
{
	struct tree *t = *state;
	struct guest *g = &t->g;
	build_ways_out(t->base);
	for (int writing = 0; writing < 2; writing++) {
		os_allow_writing(g->os, writing);
		for (size_t i = 0; i < sizeof ways_out / sizeof *ways_out; i++)
			try_everything(g, LX_AT_FDCWD, ways_out[i]);
		expect_outside_untouched();
	}
	/* The same from a folder below, by descriptor and by current directory. */
	assert_int_equal(open_at(g, LX_AT_FDCWD, "sub", LX_O_DIRECTORY), 3);
	static const char *const from_sub[] = {
		"up2",           "up2/secret",       "../up/secret",   "/etc/passwd",
		"chain2/secret", "../../tree/a.txt", "/proc/self/cwd/"};
	for (size_t i = 0; i < sizeof from_sub / sizeof *from_sub; i++)
		try_everything(g, 3, from_sub[i]);
	assert_int_equal(CALL(g, chdir, os_fixture_write_text(g, "sub")), 0);
	for (size_t i = 0; i < sizeof from_sub / sizeof *from_sub; i++)
		assert_int_equal(open_at(g, LX_AT_FDCWD, from_sub[i], 0), -ENOENT);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "../../secret", 0), -ENOENT);
	expect_outside_untouched();
}

static uint64_t os_walls_inode_of_path(struct guest *g, int dirfd, const char *path)
{
	struct lx_stat st;
	int64_t ret = CALL(g, newfstatat, (uint64_t)(int64_t)dirfd, os_fixture_write_text(g, path),
	                   BUF, 0);
	if (ret)
		fail_msg("stat(%s) = %lld", path, (long long)ret);
	FETCH(g, BUF, &st);
	return st.ino;
}

TEST(the_root_is_its_own_parent)
{
	struct tree *t = *state;
	struct guest *g = &t->g;
	build_ways_out(t->base);
	uint64_t home = os_walls_inode_of_path(g, LX_AT_FDCWD, ".");
	assert_int_equal(open_at(g, LX_AT_FDCWD, "sub", LX_O_DIRECTORY), 3);
	for (size_t i = 0; i < sizeof ways_home / sizeof *ways_home; i++) {
		char path[512];
		assert_int_equal(os_walls_inode_of_path(g, LX_AT_FDCWD, ways_home[i]), home);
		assert_int_equal(open_at(g, LX_AT_FDCWD, ways_home[i], LX_O_DIRECTORY), 4);
		assert_string_equal(os_state(g->os)->file[4].path, "");
		assert_int_equal(os_walls_inode_of_path(g, 4, "../a.txt"),
		                 os_walls_inode_of_path(g, LX_AT_FDCWD, "a.txt"));
		assert_int_equal(CALL(g, close, 4), 0);
		snprintf(path, sizeof path, "%s/a.txt", ways_home[i]);
		assert_int_equal(os_walls_inode_of_path(g, LX_AT_FDCWD, path),
		                 os_walls_inode_of_path(g, LX_AT_FDCWD, "a.txt"));
		assert_int_equal(CALL(g, chdir, os_fixture_write_text(g, "sub")), 0);
		assert_int_equal(CALL(g, chdir, os_fixture_write_text(g, "/..")), 0);
		assert_int_equal(CALL(g, getcwd, BUF, 100), 2);
	}
	assert_int_equal(os_walls_inode_of_path(g, 3, "../../.."), home);
	assert_int_equal(CALL(g, fchdir, 3), 0);
	assert_int_equal(CALL(g, chdir, os_fixture_write_text(g, "../../..")), 0);
	assert_int_equal(os_walls_inode_of_path(g, LX_AT_FDCWD, "."), home);

	os_allow_writing(g->os, true);
	for (size_t i = 0; i < sizeof ways_past / sizeof *ways_past; i++) {
		assert_int_equal(
			open_at(g, LX_AT_FDCWD, ways_past[i], LX_O_WRONLY | LX_O_CREAT | LX_O_EXCL),
			4);
		assert_int_equal(CALL(g, close, 4), 0);
		assert_true(host_exists("new"));
		expect_outside_untouched();
		assert_int_equal(CALL(g, renameat2, FDCWD, os_fixture_write_text(g, ways_past[i]),
		                      FDCWD, os_fixture_write_text(g, "/../moved"), 0),
		                 0);
		assert_true(host_exists("moved"));
		assert_int_equal(CALL(g, renameat2, 3, os_fixture_write_text(g, "../../moved"),
		                      FDCWD, os_fixture_write_text(g, ways_past[i]), 0),
		                 0);
		assert_int_equal(
			CALL(g, unlinkat, FDCWD, os_fixture_write_text(g, ways_past[i]), 0), 0);
		assert_false(host_exists("new"));
	}
	assert_true(CALL(g, mkdirat, FDCWD, os_fixture_write_text(g, "/"), 0755) == -EEXIST);
	assert_true(CALL(g, unlinkat, FDCWD, os_fixture_write_text(g, "/"), LX_AT_REMOVEDIR) < 0);
	expect_outside_untouched();
}

/* getcwd's result can be opened, and an absolute link means a place in the tree. */
TEST(absolute_paths_begin_at_the_root)
{
	struct guest *g = os_files_guest(state);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "/a.txt", 0), 3);
	assert_string_equal(os_state(g->os)->file[3].path, "a.txt");
	assert_int_equal(CALL(g, chdir, os_fixture_write_text(g, "/sub")), 0);
	assert_int_equal(CALL(g, getcwd, BUF, 100), 5);
	expect_bytes(g, BUF, "/sub");
	assert_int_equal(open_at(g, LX_AT_FDCWD, "/sub/b.txt", 0), 4);
	assert_int_equal(open_at(g, 60, "//sub//b.txt", 0), 5); /* the descriptor does not matter */
	assert_int_equal(symlink("/a.txt", "sub/to_a"), 0);
	assert_int_equal(symlink("/sub/", "to_sub"), 0);
	assert_int_equal(symlink("/", "sub/to_root"), 0);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "to_a", 0), 6);
	assert_string_equal(os_state(g->os)->file[6].path, "a.txt");
	assert_int_equal(open_at(g, LX_AT_FDCWD, "/to_sub/to_root/to_sub/b.txt", 0), 7);
	assert_string_equal(os_state(g->os)->file[7].path, "sub/b.txt");
	assert_int_equal(CALL(g, readlinkat, FDCWD, os_fixture_write_text(g, "to_a"), BUF, 100), 6);
}

static void expect_device(struct guest *g, uint64_t minor)
{
	struct lx_stat st;
	FETCH(g, BUF, &st);
	assert_int_equal(st.mode, 020666);
	assert_int_equal(st.rdev, minor == 0 ? 0x500 : 0x100 | minor);
	assert_int_equal(st.uid, 0);
	assert_int_equal(st.size, 0);
}

TEST(devices_are_ours)
{
	struct guest *g = os_files_guest(state);
	static const struct {
		const char *path;
		uint64_t minor;
		int64_t opens;
	} all[] = {{"/dev/null", 3, 3},      {"dev/zero", 5, 3},        {"/dev/random", 8, 3},
	           {"/dev/./urandom", 9, 3}, {"sub/../dev/null", 3, 3}, {"to_null", 3, 3},
	           {"/dev/tty", 0, -ENXIO}};
	assert_int_equal(symlink("/dev/null", "to_null"), 0);
	for (int real = 0; real < 2; real++) {
		if (real) { /* a host folder of that name does not replace the devices */
			assert_int_equal(mkdir("dev", 0755), 0);
			host_put("dev/null", "not this one");
			host_put("dev/own", "mine");
		}
		for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
			uint64_t path = os_fixture_write_text(g, all[i].path);
			assert_int_equal(CALL(g, newfstatat, FDCWD, path, BUF, 0), 0);
			expect_device(g, all[i].minor);
			assert_int_equal(CALL(g, faccessat, FDCWD, path, R_OK | W_OK), 0);
			assert_int_equal(CALL(g, faccessat, FDCWD, path, X_OK), -EACCES);
			int64_t fd = CALL(g, openat, FDCWD, path,
			                  LX_O_RDWR | LX_O_CREAT | LX_O_TRUNC, 0644);
			assert_int_equal(fd, all[i].opens);
			if (fd < 0)
				continue;
			assert_int_equal(CALL(g, fstat, 3, BUF), 0);
			expect_device(g, all[i].minor);
			assert_int_equal(CALL(g, lseek, 3, 5, LX_SEEK_END), 0);
			assert_int_equal(CALL(g, write, 3, BUF, 100), 100);
			assert_int_equal(CALL(g, pread64, 3, BUF, 100, 7),
			                 all[i].minor == 3 ? 0 : 100);
			assert_int_equal(CALL(g, ioctl, 3, LX_TCGETS, BUF), -ENOTTY);
			assert_int_equal(CALL(g, fsync, 3), -EINVAL);
			assert_int_equal(CALL(g, ftruncate, 3, 0), -EINVAL);
			assert_int_equal(CALL(g, getdents64, 3, BUF, 100), -ENOTDIR);
			assert_int_equal(CALL(g, close, 3), 0);
			assert_int_equal(CALL(g, openat, FDCWD, path, LX_O_DIRECTORY), -ENOTDIR);
			assert_int_equal(
				CALL(g, openat, FDCWD, path, LX_O_RDWR | LX_O_CREAT | LX_O_EXCL),
				-EEXIST);
			assert_int_equal(CALL(g, openat, FDCWD, path, LX_O_RDONLY), 3);
			assert_int_equal(CALL(g, write, 3, BUF, 100), -EBADF);
			assert_int_equal(CALL(g, close, 3), 0);
		}
		assert_int_equal(open_at(g, LX_AT_FDCWD, "/dev/null/", 0), -ENOTDIR);
		assert_int_equal(open_at(g, LX_AT_FDCWD, "/dev/null/x", 0), -ENOTDIR);
		assert_int_equal(open_at(g, LX_AT_FDCWD, "/dev/mem", 0), -ENOENT);
		assert_int_equal(open_at(g, LX_AT_FDCWD, "sub/dev/null", 0), -ENOENT);
		assert_int_equal(
			CALL(g, readlinkat, FDCWD, os_fixture_write_text(g, "/dev/zero"), BUF, 9),
			-EINVAL);
		os_allow_writing(g->os, true);
		assert_int_equal(CALL(g, unlinkat, FDCWD, os_fixture_write_text(g, "/dev/null"), 0),
		                 -EACCES);
		assert_int_equal(CALL(g, renameat2, FDCWD, os_fixture_write_text(g, "a.txt"), FDCWD,
		                      os_fixture_write_text(g, "/dev/null"), 0),
		                 -EACCES);
		assert_int_equal(
			CALL(g, mkdirat, FDCWD, os_fixture_write_text(g, "/dev/null"), 0755),
			-EEXIST);
		assert_int_equal(CALL(g, mkdirat, FDCWD, os_fixture_write_text(g, "/dev"), 0755),
		                 -EEXIST);
		os_allow_writing(g->os, false);
	}
	assert_int_equal(open_at(g, LX_AT_FDCWD, "/dev/own", 0), 3);
	assert_int_equal(CALL(g, read, 3, BUF, 10), 4);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "/dev", LX_O_DIRECTORY), 4);
	host_expect("dev/null", "not this one");
}

TEST(a_made_up_dev_is_passed_through)
{
	struct guest *g = os_files_guest(state);
	struct lx_stat st;
	assert_int_equal(CALL(g, newfstatat, FDCWD, os_fixture_write_text(g, "/dev/"), BUF, 0), 0);
	FETCH(g, BUF, &st);
	assert_int_equal(st.mode, 040711);
	assert_int_equal(CALL(g, newfstatat, FDCWD, os_fixture_write_text(g, "/dev/."), BUF, 0), 0);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "/dev", LX_O_DIRECTORY), -EACCES);
	assert_int_equal(CALL(g, chdir, os_fixture_write_text(g, "/dev")), 0);
	assert_int_equal(CALL(g, getcwd, BUF, 100), 5);
	expect_bytes(g, BUF, "/dev");
	assert_int_equal(open_at(g, LX_AT_FDCWD, "null", 0), 3);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "../a.txt", 0), 4);
	os_allow_writing(g->os, true);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "new", LX_O_WRONLY | LX_O_CREAT), -ENOENT);
	assert_int_equal(CALL(g, mkdirat, FDCWD, os_fixture_write_text(g, "new"), 0755), -EACCES);
	assert_false(host_exists("dev"));
}

TEST(devices_deliver_what_they_are_for)
{
	struct guest *g = os_files_guest(state);
	char have[3][64];
	assert_int_equal(open_at(g, LX_AT_FDCWD, "/dev/zero", LX_O_RDWR), 3);
	assert_int_equal(CALL(g, read, 3, DATA, 300000), 300000);
	assert_int_equal(CALL(g, read, 3, DATA_END - 5, 10), 5);
	const struct lx_iovec pieces[] = {{DATA, 10}, {DATA + 100, 0}, {DATA + 200, 20}};
	assert_int_equal(CALL(g, readv, 3, os_fixture_write_bytes(g, pieces, sizeof pieces), 3),
	                 30);
	uint64_t at = (uint64_t)CALL(g, mmap, 0, PAGE_BYTES, PROT_R | PROT_W, LX_MAP_SHARED, 3, 0);
	assert_true(mem_store(g->mem, at, 8, 1));
	assert_int_equal(CALL(g, dup, 3), 4);
	assert_int_equal(CALL(g, close, 3), 0);
	assert_int_equal(CALL(g, read, 4, BUF, 10), 10);
	/* Random numbers repeat in each run, and differ with another seed. */
	for (unsigned i = 0; i < 3; i++) {
		struct guest again;
		guest_boot(&again);
		if (i == 2) {
			struct config cfg = again.cfg;
			cfg.seed = 77;
			os_free(again.os);
			again.os = os_new(&cfg, &again.journal);
			again.arena.used = 0;
			os_place(again.os, &again.arena);
			os_reset(again.os);
		}
		assert_int_equal(open_at(&again, LX_AT_FDCWD, "/dev/urandom", 0), 3);
		assert_int_equal(CALL(&again, read, 3, BUF, 64), 64);
		assert_true(mem_read(again.mem, BUF, have[i], 64));
		guest_drop(&again);
	}
	assert_memory_equal(have[0], have[1], 64);
	assert_memory_not_equal(have[0], have[2], 64);
}

TEST(links_themselves_may_be_removed_and_renamed)
{
	struct tree *t = *state;
	struct guest *g = &t->g;
	build_ways_out(t->base);
	os_allow_writing(g->os, true);
	assert_int_equal(CALL(g, unlinkat, FDCWD, os_fixture_write_text(g, "to_secret"), 0), 0);
	assert_int_equal(CALL(g, renameat2, FDCWD, os_fixture_write_text(g, "absolute"), FDCWD,
	                      os_fixture_write_text(g, "moved"), 0),
	                 0);
	assert_int_equal(CALL(g, unlinkat, FDCWD, os_fixture_write_text(g, "up/"), LX_AT_REMOVEDIR),
	                 -ENOTDIR);
	assert_int_equal(CALL(g, renameat2, FDCWD, os_fixture_write_text(g, "up/"), FDCWD,
	                      os_fixture_write_text(g, "down/"), 0),
	                 -ENOTDIR);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "to_new", LX_O_WRONLY | LX_O_CREAT | LX_O_EXCL),
	                 -EEXIST);
	assert_int_equal(CALL(g, mkdirat, FDCWD, os_fixture_write_text(g, "to_new"), 0755),
	                 -EEXIST);
	assert_int_equal(CALL(g, mkdirat, FDCWD, os_fixture_write_text(g, "to_new/"), 0755),
	                 -EEXIST);
	expect_outside_untouched();
	assert_false(host_exists("to_secret"));
	assert_true(host_exists("moved"));
	/* An open descriptor stays inside the tree when its directory becomes a link. */
	assert_int_equal(open_at(g, LX_AT_FDCWD, "sub", LX_O_DIRECTORY), 3);
	assert_int_equal(rename("sub", "was_sub"), 0);
	assert_int_equal(symlink("../outside", "sub"), 0);
	assert_int_equal(open_at(g, 3, "x", 0), -ENOENT);
}

/* As after a checkpoint is restored: the machine's state has open files, and no descriptor of the
 * host's. */
static void forget_descriptors(struct guest *g)
{
	void *bytes;
	size_t n;
	os_save_output(g->os, &bytes, &n);
	assert_true(os_load_output(g->os, bytes, n));
	free(bytes);
}

TEST(what_was_opened_for_writing_may_be_no_more)
{
	struct guest *g = os_files_guest(state);
	for (int fresh = 0; fresh < 2; fresh++) {
		os_allow_writing(g->os, true);
		assert_int_equal(open_at(g, LX_AT_FDCWD, "a.txt", LX_O_RDWR), 3);
		os_allow_writing(g->os, false);
		if (fresh)
			forget_descriptors(g);
		uint64_t bytes = os_fixture_write_text(g, "ruined");
		assert_int_equal(CALL(g, write, 3, bytes, 6), -EROFS);
		assert_int_equal(CALL(g, pwrite64, 3, bytes, 6, 0), -EROFS);
		assert_int_equal(CALL(g, ftruncate, 3, 0), -EROFS);
		assert_int_equal(CALL(g, read, 3, BUF, 5), 5);
		expect_bytes(g, BUF, "alpha");
		assert_int_equal(CALL(g, close, 3), 0);
		host_expect("a.txt", "alpha beta gamma\n");
	}
}

/* Names of open files other than those passed to open(). */
TEST(names_of_open_files_lead_nowhere_else)
{
	static const struct {
		const char *path;
		int answer;
	} wrong[] = {{"../secret", -ENOENT},   {"sub/../../secret", -ENOENT},
	             {"/etc/passwd", -ENOENT}, {"fifo", -ENXIO},
	             {"out", -ELOOP},          {"dev/null", -ENXIO}};
	struct guest *g = os_files_guest(state);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(symlink("../secret", "out"), 0);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "a.txt", 0), 3);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct os_state *st = os_state(g->os);
		struct os_file *f = &st->file[st->fd[3].file];
		forget_descriptors(g);
		memset(f->path, 0, sizeof f->path);
		memcpy(f->path, wrong[i].path, strlen(wrong[i].path));
		assert_int_equal(CALL(g, read, 3, BUF, 5), wrong[i].answer);
	}
}

TEST_EACH(tree_up, tree_down)
