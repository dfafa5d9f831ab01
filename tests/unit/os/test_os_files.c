/* Files and names: reading, writing, listing, and the walls around the tree. */
#include "tests/unit/os/os_fixture.h"

static struct guest *guest(void **state)
{
	return &((struct tree *)*state)->g;
}

static void reading_moves_the_shared_offset(void **state)
{
	struct guest *g = guest(state);
	int64_t fd = open_at(g, LX_AT_FDCWD, "a.txt", LX_O_RDONLY);
	assert_int_equal(fd, 3);
	assert_int_equal(CALL(g, read, 3, BUF, 5), 5);
	expect_bytes(g, BUF, "alpha");
	assert_int_equal(CALL(g, dup, 3), 4);
	assert_int_equal(CALL(g, lseek, 4, 0, LX_SEEK_CUR), 5);
	assert_int_equal(CALL(g, lseek, 4, 1, LX_SEEK_CUR), 6);
	assert_int_equal(CALL(g, read, 3, BUF, 4), 4);
	expect_bytes(g, BUF, "beta");
	assert_int_equal(CALL(g, close, 3), 0);
	assert_int_equal(CALL(g, read, 3, BUF, 4), -EBADF);
	assert_int_equal(CALL(g, read, 4, BUF, 100), 7);
	assert_int_equal(CALL(g, read, 4, BUF, 100), 0);
	assert_int_equal(CALL(g, pread64, 4, BUF, 5, 11), 5);
	expect_bytes(g, BUF, "gamma");
	assert_int_equal(CALL(g, lseek, 4, (uint64_t)-17, LX_SEEK_END), 0);
	assert_int_equal(CALL(g, lseek, 4, (uint64_t)-1, LX_SEEK_SET), -EINVAL);
	assert_int_equal(CALL(g, write, 4, BUF, 1), -EBADF);
	assert_int_equal(CALL(g, dup3, 4, 4, 0), -EINVAL);
	assert_int_equal(CALL(g, dup3, 4, 20, LX_O_CLOEXEC), 20);
	assert_int_equal(CALL(g, fcntl, 20, LX_F_GETFD), LX_FD_CLOEXEC);
	assert_int_equal(CALL(g, fcntl, 4, LX_F_DUPFD, 10), 10);
	assert_int_equal(CALL(g, fcntl, 10, LX_F_GETFL), LX_O_RDONLY | LX_O_LARGEFILE);
	assert_int_equal(CALL(g, close, 63), -EBADF);
	assert_int_equal(CALL(g, close, 64), -EBADF);
	assert_int_equal(CALL(g, close, (uint64_t)-1), -EBADF);
}

static void vectors_scatter_and_faults_cut_short(void **state)
{
	struct guest *g = guest(state);
	open_at(g, LX_AT_FDCWD, "a.txt", LX_O_RDONLY);
	struct lx_iovec v[3] = {{BUF, 2}, {BUF + 100, 0}, {BUF + 200, 8}};
	assert_int_equal(CALL(g, readv, 3, put(g, v, sizeof v), 3), 10);
	expect_bytes(g, BUF, "al");
	expect_bytes(g, BUF + 200, "pha beta");
	/* Memory ends 4 bytes on. */
	assert_int_equal(CALL(g, lseek, 3, 0, LX_SEEK_SET), 0);
	assert_int_equal(CALL(g, read, 3, DATA_END - 4, 100), 4);
	expect_bytes(g, DATA_END - 4, "alph");
	assert_int_equal(CALL(g, lseek, 3, 0, LX_SEEK_CUR), 4);
	assert_int_equal(CALL(g, read, 3, DATA_END, 100), -EFAULT);
	assert_int_equal(CALL(g, read, 3, DATA_END, 0), 0);
	assert_int_equal(CALL(g, read, 3, BUF, UINT64_MAX), -EINVAL);
	assert_int_equal(CALL(g, readv, 3, DATA_END, 1), -EFAULT);
	assert_int_equal(CALL(g, readv, 3, BUF, LX_IOV_MAX + 1), -EINVAL);
	assert_int_equal(CALL(g, openat, FDCWD, DATA_END, 0), -EFAULT);
}

static void output_reaches_its_stream(void **state)
{
	struct guest *g = guest(state);
	struct lx_iovec v[2] = {{text(g, "one "), 4}, {text(g, "two"), 3}};
	assert_int_equal(CALL(g, writev, 1, put(g, v, sizeof v), 2), 7);
	assert_int_equal(CALL(g, write, 2, text(g, "oops"), 4), 4);
	assert_string_equal(g->out[1], "one two");
	assert_string_equal(g->out[2], "oops");
	assert_int_equal(os_state(g->os)->out_bytes[0], 7);
	uint64_t first;
	size_t n;
	const char *kept = os_output(g->os, 1, &first, &n);
	assert_int_equal(n, 7);
	assert_int_equal(first, 0);
	assert_memory_equal(kept, "one two", 7);
	assert_int_equal(CALL(g, lseek, 1, 0, LX_SEEK_CUR), -ESPIPE);
	assert_int_equal(CALL(g, read, 1, BUF, 1), -EBADF);
	assert_int_equal(CALL(g, write, 0, BUF, 1), -EBADF);
	/* A file in stdout's place takes what is written to 1. */
	os_allow_writing(g->os, true);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "log", LX_O_WRONLY | LX_O_CREAT), 3);
	assert_int_equal(CALL(g, dup3, 3, 1, 0), 1);
	assert_int_equal(CALL(g, write, 1, text(g, "filed"), 5), 5);
	assert_int_equal(g->out_n[1], 7);
	host_expect("log", "filed");
}

static void large_output_keeps_its_end(void **state)
{
	struct guest *g = guest(state);
	for (int i = 0; i < 40; i++) {
		uint64_t word = (uint64_t)i;
		assert_true(mem_write(g->mem, DATA, &word, 8));
		assert_int_equal(CALL(g, write, 1, DATA, 100000), 100000);
	}
	uint64_t first;
	size_t n;
	const char *kept = os_output(g->os, 1, &first, &n);
	assert_int_equal(n, 1 << 20);
	assert_int_equal(first + n, 4000000);
	uint64_t word;
	memcpy(&word, kept + n - 100000, 8);
	assert_int_equal(word, 39);
	memcpy(&word, kept + n - 1000000, 8);
	assert_int_equal(word, 30);
}

static void a_tree_is_read_only_unless_writing_is_allowed(void **state)
{
	struct guest *g = guest(state);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "a.txt", LX_O_RDWR), -EROFS);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "a.txt", LX_O_RDONLY | LX_O_TRUNC), -EROFS);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "new", LX_O_WRONLY | LX_O_CREAT), -EROFS);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "a.txt", LX_O_WRONLY | LX_O_CREAT | LX_O_EXCL),
	                 -EEXIST);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "none", LX_O_WRONLY), -ENOENT);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "sub", LX_O_WRONLY), -EISDIR);
	assert_int_equal(CALL(g, unlinkat, FDCWD, text(g, "a.txt"), 0), -EROFS);
	assert_int_equal(CALL(g, mkdirat, FDCWD, text(g, "dir"), 0755), -EROFS);
	assert_int_equal(CALL(g, mkdirat, FDCWD, text(g, "sub"), 0755), -EEXIST);
	assert_int_equal(CALL(g, renameat2, FDCWD, text(g, "a.txt"), FDCWD, text(g, "c"), 0),
	                 -EROFS);
	assert_int_equal(CALL(g, faccessat, FDCWD, text(g, "a.txt"), W_OK), -EROFS);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "a.txt", LX_O_RDONLY | LX_O_CREAT), 3);
	assert_int_equal(CALL(g, ftruncate, 3, 0), -EINVAL);
	host_expect("a.txt", "alpha beta gamma\n");
	assert_false(host_exists("new"));
	assert_false(host_exists("dir"));
}

static void writing_changes_files(void **state)
{
	struct guest *g = guest(state);
	os_allow_writing(g->os, true);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "n.txt", LX_O_RDWR | LX_O_CREAT | LX_O_EXCL), 3);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "n.txt", LX_O_RDWR | LX_O_CREAT | LX_O_EXCL),
	                 -EEXIST);
	assert_int_equal(CALL(g, write, 3, text(g, "hello world"), 11), 11);
	assert_int_equal(CALL(g, pwrite64, 3, text(g, "J"), 1, 0), 1);
	assert_int_equal(CALL(g, lseek, 3, 0, LX_SEEK_CUR), 11);
	host_expect("n.txt", "Jello world");
	assert_int_equal(CALL(g, ftruncate, 3, 5), 0);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "n.txt", LX_O_WRONLY | LX_O_APPEND), 4);
	assert_int_equal(CALL(g, write, 4, text(g, "!?"), 2), 2);
	assert_int_equal(CALL(g, lseek, 4, 0, LX_SEEK_CUR), 7);
	host_expect("n.txt", "Jello!?");
	assert_int_equal(CALL(g, read, 4, BUF, 1), -EBADF);
	assert_true(CALL(g, fcntl, 4, LX_F_GETFL, 0) & LX_O_APPEND);
	assert_int_equal(CALL(g, fcntl, 4, LX_F_SETFL, 0), 0);
	assert_false(CALL(g, fcntl, 4, LX_F_GETFL, 0) & LX_O_APPEND);
	/* as a folder's name begins */
	assert_int_equal(open_at(g, LX_AT_FDCWD, "dirt", LX_O_RDWR | LX_O_CREAT), 5);

	assert_int_equal(CALL(g, mkdirat, FDCWD, text(g, "dir"), 0777), 0);
	assert_int_equal(CALL(g, mkdirat, FDCWD, text(g, "dir/deep/"), 0777), 0);
	assert_int_equal(
		CALL(g, renameat2, FDCWD, text(g, "n.txt"), FDCWD, text(g, "dir/deep/m.txt"), 0),
		0);
	assert_int_equal(CALL(g, renameat2, FDCWD, text(g, "dir"), FDCWD, text(g, "ren"), 0), 0);
	assert_string_equal(os_state(g->os)->file[os_state(g->os)->fd[3].file].path,
	                    "ren/deep/m.txt");
	assert_string_equal(os_state(g->os)->file[os_state(g->os)->fd[5].file].path, "dirt");
	assert_int_equal(CALL(g, renameat2, FDCWD, text(g, "a.txt"), FDCWD, text(g, "sub/b.txt"),
	                      LX_RENAME_NOREPLACE),
	                 -EEXIST);
	assert_int_equal(CALL(g, renameat2, FDCWD, text(g, "a.txt/"), FDCWD, text(g, "x"), 0),
	                 -ENOTDIR);
	assert_int_equal(CALL(g, unlinkat, FDCWD, text(g, "ren"), 0), -EISDIR);
	assert_int_equal(CALL(g, unlinkat, FDCWD, text(g, "ren"), LX_AT_REMOVEDIR), -ENOTEMPTY);
	assert_int_equal(CALL(g, unlinkat, FDCWD, text(g, "ren/deep/m.txt/"), 0), -ENOTDIR);
	assert_int_equal(CALL(g, unlinkat, FDCWD, text(g, "ren/deep/m.txt"), 0), 0);
	/* An open file outlives its name. */
	assert_int_equal(CALL(g, pread64, 3, BUF, 7, 0), 7);
	expect_bytes(g, BUF, "Jello!?");
	assert_int_equal(CALL(g, unlinkat, FDCWD, text(g, "ren/deep/"), LX_AT_REMOVEDIR), 0);
	assert_int_equal(CALL(g, unlinkat, FDCWD, text(g, "."), LX_AT_REMOVEDIR), -EINVAL);
	assert_int_equal(CALL(g, umask, 077), 022);
	assert_int_equal(CALL(g, umask, 022), 077);
}

static void an_exchange_is_followed_by_open_files(void **state)
{
	struct guest *g = guest(state);
	os_allow_writing(g->os, true);
	open_at(g, LX_AT_FDCWD, "a.txt", LX_O_RDONLY);
	open_at(g, LX_AT_FDCWD, "sub/b.txt", LX_O_RDONLY);
	int64_t ret = CALL(g, renameat2, FDCWD, text(g, "a.txt"), FDCWD, text(g, "sub/b.txt"),
	                   LX_RENAME_EXCHANGE);
	if (ret == -EINVAL)
		skip(); /* this file system can't */
	assert_int_equal(ret, 0);
	assert_string_equal(os_state(g->os)->file[3].path, "sub/b.txt");
	assert_string_equal(os_state(g->os)->file[4].path, "a.txt");
	host_expect("a.txt", "bravo\n");
}

/* Names of a getdents64 buffer, each followed by a space. */
static void names_in(struct guest *g, int64_t n, char *out)
{
	uint8_t records[4096];
	assert_true(n >= 0 && (size_t)n <= sizeof records);
	assert_true(mem_read(g->mem, BUF, records, (size_t)n));
	*out = '\0';
	for (int64_t at = 0; at < n;) {
		struct lx_dirent d;
		memcpy(&d, records + at, sizeof d);
		strcat(strcat(out, (char *)records + at + sizeof d), " ");
		at += d.reclen;
	}
}

static void directories_list_in_order(void **state)
{
	struct guest *g = guest(state);
	char names[4096];
	assert_int_equal(open_at(g, LX_AT_FDCWD, ".", LX_O_RDONLY | LX_O_DIRECTORY), 3);
	assert_int_equal(CALL(g, read, 3, BUF, 10), -EISDIR);
	names_in(g, CALL(g, getdents64, 3, BUF, 4096), names);
	assert_string_equal(names, ". .. a.txt sub ");
	assert_int_equal(CALL(g, getdents64, 3, BUF, 4096), 0);
	/* A listing in pieces, with files coming and going meanwhile: each name once. */
	assert_int_equal(CALL(g, lseek, 3, 0, LX_SEEK_SET), 0);
	assert_int_equal(CALL(g, getdents64, 3, BUF, 10), -EINVAL);
	char all[4096] = "";
	int64_t n;
	while ((n = CALL(g, getdents64, 3, BUF, 32)) > 0) {
		names_in(g, n, names);
		strcat(all, names);
		host_put("z", "");
	}
	assert_int_equal(n, 0);
	assert_string_equal(all, ". .. a.txt sub ");
	CALL(g, lseek, 3, 0, LX_SEEK_SET);
	names_in(g, CALL(g, getdents64, 3, BUF, 4096), names);
	assert_string_equal(names, ". .. a.txt sub z ");
	assert_int_equal(CALL(g, lseek, 3, 13, LX_SEEK_SET), 13);
	assert_int_equal(CALL(g, getdents64, 3, BUF, 4096), -EINVAL);
	assert_int_equal(CALL(g, getdents64, 1, BUF, 4096), -ENOTDIR);
}

static void stat_describes_files(void **state)
{
	struct guest *g = guest(state);
	struct lx_stat st;
	struct lx_statx sx;
	assert_int_equal(symlink("a.txt", "link"), 0);
	assert_int_equal(CALL(g, newfstatat, FDCWD, text(g, "link"), BUF, 0), 0);
	FETCH(g, BUF, &st);
	assert_int_equal(st.size, 17);
	assert_int_equal(st.mode & 0170000, 0100000);
	assert_int_equal(st.uid, GUEST_UID);
	assert_int_equal(st.blksize, 4096);
	assert_int_equal(CALL(g, newfstatat, FDCWD, text(g, "link"), BUF, LX_AT_SYMLINK_NOFOLLOW),
	                 0);
	FETCH(g, BUF, &st);
	assert_int_equal(st.mode & 0170000, 0120000);
	assert_int_equal(CALL(g, newfstatat, FDCWD, text(g, "link/"), BUF, LX_AT_SYMLINK_NOFOLLOW),
	                 -ENOTDIR);
	assert_int_equal(CALL(g, newfstatat, FDCWD, text(g, ""), BUF, 0), -ENOENT);
	assert_int_equal(CALL(g, readlinkat, FDCWD, text(g, "link"), BUF, 3), 3);
	expect_bytes(g, BUF, "a.t");
	assert_int_equal(CALL(g, readlinkat, FDCWD, text(g, "a.txt"), BUF, 3), -EINVAL);
	open_at(g, LX_AT_FDCWD, "sub/b.txt", 0);
	assert_int_equal(CALL(g, fstat, 3, BUF), 0);
	FETCH(g, BUF, &st);
	assert_int_equal(st.size, 6);
	assert_int_equal(
		CALL(g, statx, 3, text(g, ""), LX_AT_EMPTY_PATH, LX_STATX_BASIC_STATS, BUF), 0);
	FETCH(g, BUF, &sx);
	assert_int_equal(sx.size, 6);
	assert_int_equal(sx.ino, st.ino);
	assert_int_equal(sx.mtime.sec, st.mtime.sec);
	assert_int_equal(CALL(g, newfstatat, 1, text(g, ""), BUF, LX_AT_EMPTY_PATH), 0);
	FETCH(g, BUF, &st);
	assert_int_equal(st.mode & 0170000, 0010000);
	assert_int_equal(CALL(g, ioctl, 1, LX_TCGETS, BUF), -ENOTTY);
	assert_int_equal(CALL(g, faccessat, FDCWD, text(g, "a.txt"), R_OK), 0);
	assert_int_equal(CALL(g, faccessat2, FDCWD, text(g, "none"), F_OK, 0), -ENOENT);
	assert_int_equal(CALL(g, faccessat2, FDCWD, text(g, "link"), F_OK, LX_AT_SYMLINK_NOFOLLOW),
	                 0);
}

static void the_current_directory_is_the_guests_own(void **state)
{
	struct guest *g = guest(state);
	assert_int_equal(CALL(g, getcwd, BUF, 100), 2);
	expect_bytes(g, BUF, "/");
	assert_int_equal(symlink("sub", "way"), 0);
	assert_int_equal(CALL(g, chdir, text(g, "way/./")), 0);
	assert_int_equal(CALL(g, getcwd, BUF, 4), -ERANGE);
	assert_int_equal(CALL(g, getcwd, BUF, 5), 5);
	expect_bytes(g, BUF, "/sub");
	assert_int_equal(open_at(g, LX_AT_FDCWD, "b.txt", 0), 3);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "../a.txt", 0), 4);
	assert_int_equal(CALL(g, chdir, text(g, "b.txt")), -ENOTDIR);
	assert_int_equal(CALL(g, chdir, text(g, "..")), 0);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "sub", 0), 5);
	assert_int_equal(open_at(g, 5, "b.txt", 0), 6);
	assert_int_equal(open_at(g, 5, "../a.txt", 0), 7);
	assert_int_equal(open_at(g, 6, "b.txt", 0), -ENOTDIR);
	assert_int_equal(open_at(g, 60, "b.txt", 0), -EBADF);
	assert_int_equal(CALL(g, fchdir, 5), 0);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "b.txt", 0), 8);
	assert_int_equal(CALL(g, fchdir, 6), -ENOTDIR);
}

static void descriptors_run_out_cleanly(void **state)
{
	struct guest *g = guest(state);
	uint64_t path = text(g, "a.txt");
	for (int fd = 3; fd < OS_FDS; fd++)
		assert_int_equal(CALL(g, openat, FDCWD, path, 0, 0), fd);
	assert_int_equal(CALL(g, openat, FDCWD, path, 0, 0), -EMFILE);
	assert_int_equal(CALL(g, dup, 3), -EMFILE);
	assert_int_equal(CALL(g, close, 17), 0);
	assert_int_equal(CALL(g, openat, FDCWD, path, 0, 0), 17);
}

static void special_files_are_not_opened(void **state)
{
	struct guest *g = guest(state);
	assert_int_equal(mkfifo("pipe", 0644), 0);
	os_allow_writing(g->os, true);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "pipe", LX_O_RDONLY), -ENXIO);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "pipe", LX_O_RDWR | LX_O_TRUNC), -ENXIO);
	assert_int_equal(CALL(g, newfstatat, FDCWD, text(g, "pipe"), BUF, 0), 0);
}

/* Even where the tree is the whole host, its processes are not: ours is one of them. */
static void processes_are_not_opened(void **state)
{
	static const char *const names[] = {"/proc/self/mem", "/proc/self/environ", "/proc/1/maps",
	                                    "/proc/self/fd", "proc/self/task/../mem"};
	const struct tree *t = *state;
	if (chdir("/") != 0 || access("/proc/self/mem", F_OK) != 0)
		skip();
	struct guest g;
	guest_boot(&g);
	os_allow_writing(g.os, true);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (uint64_t flags = LX_O_RDONLY; flags <= LX_O_RDWR; flags++)
			assert_true(open_at(&g, LX_AT_FDCWD, names[i], flags) < 0);
	assert_int_equal(open_at(&g, LX_AT_FDCWD, "/proc/self/environ", LX_O_RDONLY), -ENXIO);
	assert_int_equal(open_at(&g, LX_AT_FDCWD, "/dev/null", LX_O_RDWR), 3);
	guest_drop(&g);
	assert_int_equal(chdir(t->base), 0);
	assert_int_equal(chdir("tree"), 0);
}

static void paths_have_limits(void **state)
{
	struct guest *g = guest(state);
	char path[5000];
	memset(path, 'x', sizeof path);
	path[256] = '\0';
	assert_int_equal(open_at(g, LX_AT_FDCWD, path, 0), -ENAMETOOLONG);
	path[256] = 'x';
	path[sizeof path - 1] = '\0';
	assert_int_equal(open_at(g, LX_AT_FDCWD, path, 0), -ENAMETOOLONG);
	/* A long way to a near place. */
	strcpy(path, "");
	for (int i = 0; i < 200; i++)
		strcat(path, "sub/../");
	strcat(path, "a.txt");
	assert_int_equal(open_at(g, LX_AT_FDCWD, path, 0), 3);
	assert_string_equal(os_state(g->os)->file[3].path, "a.txt");
	/* Links to links. */
	assert_int_equal(symlink("loop2", "loop1"), 0);
	assert_int_equal(symlink("loop1", "loop2"), 0);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "loop1", 0), -ELOOP);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "loop1/x", 0), -ELOOP);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "loop1", LX_O_NOFOLLOW), -ELOOP);
	assert_int_equal(symlink("sub/../sub/b.txt", "good"), 0);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "good", 0), 4);
	assert_string_equal(os_state(g->os)->file[4].path, "sub/b.txt");
}

/* ---- nothing outside the tree exists ---- */

/* Symbolic links that lead out of the tree, things behind them, and names that only the host's root
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

/* Which lead to the root however far they go up. */
static const char *const ways_home[] = {
	"..",         "../",          "/",         "//",          "/.",      "/..",
	"../../..",   "./..",         "sub/../..", "/sub/../../", "absroot", "absroot/",
	"absroot/..", "way/../../..", "/dev/..",   "dev/../..",
};

/* Names outside the tree that inside it are free: they are made inside or not at all. */
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
	uint64_t at = (uint64_t)(int64_t)dirfd, path = text(g, way), inside = text(g, "a.txt");
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

	/* Below it, whether it is a directory or not, nothing is made, removed or moved. */
	char below[512];
	snprintf(below, sizeof below, "%s/x", way);
	path = text(g, below);
	assert_true(CALL(g, mkdirat, at, path, 0755) < 0);
	assert_true(CALL(g, unlinkat, at, path, 0) < 0);
	assert_true(CALL(g, unlinkat, at, path, LX_AT_REMOVEDIR) < 0);
	assert_true(CALL(g, renameat2, at, path, FDCWD, text(g, "got"), 0) < 0);
	assert_true(CALL(g, renameat2, FDCWD, inside, at, path, 0) < 0);
	assert_true(CALL(g, renameat2, at, path, FDCWD, inside, LX_RENAME_EXCHANGE) < 0);
	assert_true(CALL(g, readlinkat, at, path, BUF, 100) < 0);
	assert_true(CALL(g, symlinkat, inside, at, path) < 0);
	assert_true(CALL(g, linkat, FDCWD, inside, at, path, 0) < 0);
	assert_true(CALL(g, linkat, at, path, FDCWD, text(g, "got"), LX_AT_SYMLINK_FOLLOW) < 0);
	assert_false(host_exists("got"));
	path = text(g, way);
	assert_int_equal(CALL(g, fchmodat, at, path, 0777), -ENOENT);
	assert_int_equal(CALL(g, utimensat, at, path, 0, 0), -ENOENT);
	if (dirfd == LX_AT_FDCWD)
		assert_int_equal(CALL(g, truncate, path, 0), -ENOENT);
	assert_int_equal(CALL(g, linkat, at, path, FDCWD, text(g, "got"), LX_AT_SYMLINK_FOLLOW),
	                 -ENOENT);
	assert_false(host_exists("got"));
}

static void no_path_leaves_the_tree(void **state)
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
	/* The same from below, by descriptor and by current directory. */
	assert_int_equal(open_at(g, LX_AT_FDCWD, "sub", LX_O_DIRECTORY), 3);
	static const char *const from_sub[] = {
		"up2",           "up2/secret",       "../up/secret",   "/etc/passwd",
		"chain2/secret", "../../tree/a.txt", "/proc/self/cwd/"};
	for (size_t i = 0; i < sizeof from_sub / sizeof *from_sub; i++)
		try_everything(g, 3, from_sub[i]);
	assert_int_equal(CALL(g, chdir, text(g, "sub")), 0);
	for (size_t i = 0; i < sizeof from_sub / sizeof *from_sub; i++)
		assert_int_equal(open_at(g, LX_AT_FDCWD, from_sub[i], 0), -ENOENT);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "../../secret", 0), -ENOENT);
	expect_outside_untouched();
}

static uint64_t inode(struct guest *g, int dirfd, const char *path)
{
	struct lx_stat st;
	int64_t ret = CALL(g, newfstatat, (uint64_t)(int64_t)dirfd, text(g, path), BUF, 0);
	if (ret)
		fail_msg("stat(%s) = %lld", path, (long long)ret);
	FETCH(g, BUF, &st);
	return st.ino;
}

static void the_root_is_its_own_parent(void **state)
{
	struct tree *t = *state;
	struct guest *g = &t->g;
	build_ways_out(t->base);
	uint64_t home = inode(g, LX_AT_FDCWD, ".");
	assert_int_equal(open_at(g, LX_AT_FDCWD, "sub", LX_O_DIRECTORY), 3);
	for (size_t i = 0; i < sizeof ways_home / sizeof *ways_home; i++) {
		char path[512];
		assert_int_equal(inode(g, LX_AT_FDCWD, ways_home[i]), home);
		assert_int_equal(open_at(g, LX_AT_FDCWD, ways_home[i], LX_O_DIRECTORY), 4);
		assert_string_equal(os_state(g->os)->file[4].path, "");
		assert_int_equal(inode(g, 4, "../a.txt"), inode(g, LX_AT_FDCWD, "a.txt"));
		assert_int_equal(CALL(g, close, 4), 0);
		snprintf(path, sizeof path, "%s/a.txt", ways_home[i]);
		assert_int_equal(inode(g, LX_AT_FDCWD, path), inode(g, LX_AT_FDCWD, "a.txt"));
		assert_int_equal(CALL(g, chdir, text(g, "sub")), 0);
		assert_int_equal(CALL(g, chdir, text(g, "/..")), 0);
		assert_int_equal(CALL(g, getcwd, BUF, 100), 2);
	}
	assert_int_equal(inode(g, 3, "../../.."), home);
	assert_int_equal(CALL(g, fchdir, 3), 0);
	assert_int_equal(CALL(g, chdir, text(g, "../../..")), 0);
	assert_int_equal(inode(g, LX_AT_FDCWD, "."), home);

	os_allow_writing(g->os, true);
	for (size_t i = 0; i < sizeof ways_past / sizeof *ways_past; i++) {
		assert_int_equal(
			open_at(g, LX_AT_FDCWD, ways_past[i], LX_O_WRONLY | LX_O_CREAT | LX_O_EXCL),
			4);
		assert_int_equal(CALL(g, close, 4), 0);
		assert_true(host_exists("new"));
		expect_outside_untouched();
		assert_int_equal(CALL(g, renameat2, FDCWD, text(g, ways_past[i]), FDCWD,
		                      text(g, "/../moved"), 0),
		                 0);
		assert_true(host_exists("moved"));
		assert_int_equal(CALL(g, renameat2, 3, text(g, "../../moved"), FDCWD,
		                      text(g, ways_past[i]), 0),
		                 0);
		assert_int_equal(CALL(g, unlinkat, FDCWD, text(g, ways_past[i]), 0), 0);
		assert_false(host_exists("new"));
	}
	assert_true(CALL(g, mkdirat, FDCWD, text(g, "/"), 0755) == -EEXIST);
	assert_true(CALL(g, unlinkat, FDCWD, text(g, "/"), LX_AT_REMOVEDIR) < 0);
	expect_outside_untouched();
}

/* What getcwd says can be opened, and an absolute link means a place in the tree. */
static void absolute_paths_begin_at_the_root(void **state)
{
	struct guest *g = guest(state);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "/a.txt", 0), 3);
	assert_string_equal(os_state(g->os)->file[3].path, "a.txt");
	assert_int_equal(CALL(g, chdir, text(g, "/sub")), 0);
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
	assert_int_equal(CALL(g, readlinkat, FDCWD, text(g, "to_a"), BUF, 100), 6);
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

static void devices_are_ours(void **state)
{
	struct guest *g = guest(state);
	static const struct {
		const char *path;
		uint64_t minor;
		int64_t opens;
	} all[] = {{"/dev/null", 3, 3},      {"dev/zero", 5, 3},        {"/dev/random", 8, 3},
	           {"/dev/./urandom", 9, 3}, {"sub/../dev/null", 3, 3}, {"to_null", 3, 3},
	           {"/dev/tty", 0, -ENXIO}};
	assert_int_equal(symlink("/dev/null", "to_null"), 0);
	for (int real = 0; real < 2; real++) {
		if (real) { /* a folder of that name changes nothing about them */
			assert_int_equal(mkdir("dev", 0755), 0);
			host_put("dev/null", "not this one");
			host_put("dev/own", "mine");
		}
		for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
			uint64_t path = text(g, all[i].path);
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
		assert_int_equal(CALL(g, readlinkat, FDCWD, text(g, "/dev/zero"), BUF, 9), -EINVAL);
		os_allow_writing(g->os, true);
		assert_int_equal(CALL(g, unlinkat, FDCWD, text(g, "/dev/null"), 0), -EACCES);
		assert_int_equal(
			CALL(g, renameat2, FDCWD, text(g, "a.txt"), FDCWD, text(g, "/dev/null"), 0),
			-EACCES);
		assert_int_equal(CALL(g, mkdirat, FDCWD, text(g, "/dev/null"), 0755), -EEXIST);
		assert_int_equal(CALL(g, mkdirat, FDCWD, text(g, "/dev"), 0755), -EEXIST);
		os_allow_writing(g->os, false);
	}
	assert_int_equal(open_at(g, LX_AT_FDCWD, "/dev/own", 0), 3);
	assert_int_equal(CALL(g, read, 3, BUF, 10), 4);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "/dev", LX_O_DIRECTORY), 4);
	host_expect("dev/null", "not this one");
}

static void a_made_up_dev_is_passed_through(void **state)
{
	struct guest *g = guest(state);
	struct lx_stat st;
	assert_int_equal(CALL(g, newfstatat, FDCWD, text(g, "/dev/"), BUF, 0), 0);
	FETCH(g, BUF, &st);
	assert_int_equal(st.mode, 040711);
	assert_int_equal(CALL(g, newfstatat, FDCWD, text(g, "/dev/."), BUF, 0), 0);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "/dev", LX_O_DIRECTORY), -EACCES);
	assert_int_equal(CALL(g, chdir, text(g, "/dev")), 0);
	assert_int_equal(CALL(g, getcwd, BUF, 100), 5);
	expect_bytes(g, BUF, "/dev");
	assert_int_equal(open_at(g, LX_AT_FDCWD, "null", 0), 3);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "../a.txt", 0), 4);
	os_allow_writing(g->os, true);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "new", LX_O_WRONLY | LX_O_CREAT), -ENOENT);
	assert_int_equal(CALL(g, mkdirat, FDCWD, text(g, "new"), 0755), -EACCES);
	assert_false(host_exists("dev"));
}

static void devices_deliver_what_they_are_for(void **state)
{
	struct guest *g = guest(state);
	char have[3][64];
	assert_int_equal(open_at(g, LX_AT_FDCWD, "/dev/zero", LX_O_RDWR), 3);
	assert_int_equal(CALL(g, read, 3, DATA, 300000), 300000);
	assert_int_equal(CALL(g, read, 3, DATA_END - 5, 10), 5);
	uint64_t at = (uint64_t)CALL(g, mmap, 0, PAGE_BYTES, PROT_R | PROT_W, LX_MAP_SHARED, 3, 0);
	assert_true(mem_store(g->mem, at, 8, 1));
	assert_int_equal(CALL(g, dup, 3), 4);
	assert_int_equal(CALL(g, close, 3), 0);
	assert_int_equal(CALL(g, read, 4, BUF, 10), 10);
	/* The same numbers in each run, other ones with another seed. */
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

static void attributes_change_where_writing_is_allowed(void **state)
{
	struct guest *g = guest(state);
	struct lx_stat st;
	struct lx_timespec t[2] = {{5, 6}, {1000, 7}};
	uint64_t a = text(g, "/a.txt"), link = text(g, "sub/link"), times = put(g, t, sizeof t);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "a.txt", 0), 3);
	assert_int_equal(CALL(g, fchmodat, FDCWD, a, 0600), -EROFS);
	assert_int_equal(CALL(g, fchmod, 3, 0600), -EROFS);
	assert_int_equal(CALL(g, utimensat, FDCWD, a, times, 0), -EROFS);
	assert_int_equal(CALL(g, truncate, a, 3), -EROFS);
	assert_int_equal(CALL(g, symlinkat, a, FDCWD, link), -EROFS);
	assert_int_equal(CALL(g, linkat, FDCWD, a, FDCWD, link, 0), -EROFS);
	os_allow_writing(g->os, true);
	assert_int_equal(CALL(g, fchmodat, FDCWD, a, 06640), 0);
	assert_int_equal(CALL(g, utimensat, FDCWD, a, times, 0), 0);
	assert_int_equal(CALL(g, symlinkat, a, FDCWD, link), 0);
	assert_int_equal(CALL(g, truncate, link, 3), 0);
	assert_int_equal(CALL(g, utimensat, FDCWD, link, times, 0), 0);
	assert_int_equal(CALL(g, newfstatat, FDCWD, link, BUF, 0), 0);
	FETCH(g, BUF, &st);
	assert_int_equal(st.mode, 0100640); /* nobody becomes somebody else */
	assert_int_equal(st.mtime.sec, 1000);
	assert_int_equal(st.size, 3);
	assert_int_equal(CALL(g, linkat, FDCWD, link, FDCWD, text(g, "hard"), LX_AT_SYMLINK_FOLLOW),
	                 0);
	host_expect("hard", "alp");
	assert_int_equal(CALL(g, linkat, FDCWD, a, FDCWD, text(g, "hard"), 0), -EEXIST);
	assert_int_equal(CALL(g, fchmod, 1, 0600), -EPERM);
	assert_int_equal(CALL(g, fchmodat, FDCWD, text(g, "/dev/null"), 0600), -EPERM);
	assert_int_equal(CALL(g, truncate, text(g, "sub"), 0), -EISDIR);
	assert_int_equal(CALL(g, fchownat, FDCWD, a, GUEST_UID, UINT64_MAX, 0), 0);
	assert_int_equal(CALL(g, fchownat, FDCWD, a, 0, 0, 0), -EPERM);
	assert_int_equal(CALL(g, fallocate, 3, 0, 0, 100), -EBADF);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "a.txt", LX_O_RDWR), 4);
	assert_int_equal(CALL(g, fallocate, 4, 0, 2, 8), 0);
	assert_int_equal(CALL(g, fallocate, 4, 0, 0, 4), 0);
	assert_int_equal(CALL(g, lseek, 4, 0, LX_SEEK_END), 10);
	assert_int_equal(CALL(g, close_range, 3, UINT32_MAX, LX_CLOSE_RANGE_CLOEXEC), 0);
	assert_int_equal(CALL(g, fcntl, 4, LX_F_GETFD), LX_FD_CLOEXEC);
	assert_int_equal(CALL(g, close_range, 3, 4, 0), 0);
	assert_int_equal(CALL(g, close, 4), -EBADF);
}

static void links_themselves_may_be_removed_and_renamed(void **state)
{
	struct tree *t = *state;
	struct guest *g = &t->g;
	build_ways_out(t->base);
	os_allow_writing(g->os, true);
	assert_int_equal(CALL(g, unlinkat, FDCWD, text(g, "to_secret"), 0), 0);
	assert_int_equal(CALL(g, renameat2, FDCWD, text(g, "absolute"), FDCWD, text(g, "moved"), 0),
	                 0);
	assert_int_equal(CALL(g, unlinkat, FDCWD, text(g, "up/"), LX_AT_REMOVEDIR), -ENOTDIR);
	assert_int_equal(CALL(g, renameat2, FDCWD, text(g, "up/"), FDCWD, text(g, "down/"), 0),
	                 -ENOTDIR);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "to_new", LX_O_WRONLY | LX_O_CREAT | LX_O_EXCL),
	                 -EEXIST);
	assert_int_equal(CALL(g, mkdirat, FDCWD, text(g, "to_new"), 0755), -EEXIST);
	assert_int_equal(CALL(g, mkdirat, FDCWD, text(g, "to_new/"), 0755), -EEXIST);
	expect_outside_untouched();
	assert_false(host_exists("to_secret"));
	assert_true(host_exists("moved"));
	/* A directory that becomes a link under an open descriptor leads nowhere else. */
	assert_int_equal(open_at(g, LX_AT_FDCWD, "sub", LX_O_DIRECTORY), 3);
	assert_int_equal(rename("sub", "was_sub"), 0);
	assert_int_equal(symlink("../outside", "sub"), 0);
	assert_int_equal(open_at(g, 3, "x", 0), -ENOENT);
}

/* As after a checkpoint is restored: what the machine's state says is open, and no descriptor of
 * the host's. */
static void forget_descriptors(struct guest *g)
{
	void *bytes;
	size_t n;
	os_save_output(g->os, &bytes, &n);
	assert_true(os_load_output(g->os, bytes, n));
	free(bytes);
}

static void what_was_opened_for_writing_may_be_no_more(void **state)
{
	struct guest *g = guest(state);
	for (int fresh = 0; fresh < 2; fresh++) {
		os_allow_writing(g->os, true);
		assert_int_equal(open_at(g, LX_AT_FDCWD, "a.txt", LX_O_RDWR), 3);
		os_allow_writing(g->os, false);
		if (fresh)
			forget_descriptors(g);
		uint64_t bytes = text(g, "ruined");
		assert_int_equal(CALL(g, write, 3, bytes, 6), -EROFS);
		assert_int_equal(CALL(g, pwrite64, 3, bytes, 6, 0), -EROFS);
		assert_int_equal(CALL(g, ftruncate, 3, 0), -EROFS);
		assert_int_equal(CALL(g, read, 3, BUF, 5), 5);
		expect_bytes(g, BUF, "alpha");
		assert_int_equal(CALL(g, close, 3), 0);
		host_expect("a.txt", "alpha beta gamma\n");
	}
}

/* Names of open files that no open() gave them. */
static void names_of_open_files_lead_nowhere_else(void **state)
{
	static const struct {
		const char *path;
		int answer;
	} wrong[] = {{"../secret", -ENOENT},   {"sub/../../secret", -ENOENT},
	             {"/etc/passwd", -ENOENT}, {"fifo", -ENXIO},
	             {"out", -ELOOP},          {"dev/null", -ENXIO}};
	struct guest *g = guest(state);
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

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, tree_up, tree_down)
	const struct CMUnitTest tests[] = {
		TEST(reading_moves_the_shared_offset),
		TEST(vectors_scatter_and_faults_cut_short),
		TEST(output_reaches_its_stream),
		TEST(large_output_keeps_its_end),
		TEST(a_tree_is_read_only_unless_writing_is_allowed),
		TEST(writing_changes_files),
		TEST(an_exchange_is_followed_by_open_files),
		TEST(directories_list_in_order),
		TEST(stat_describes_files),
		TEST(the_current_directory_is_the_guests_own),
		TEST(descriptors_run_out_cleanly),
		TEST(special_files_are_not_opened),
		TEST(processes_are_not_opened),
		TEST(paths_have_limits),
		TEST(no_path_leaves_the_tree),
		TEST(the_root_is_its_own_parent),
		TEST(absolute_paths_begin_at_the_root),
		TEST(devices_are_ours),
		TEST(a_made_up_dev_is_passed_through),
		TEST(devices_deliver_what_they_are_for),
		TEST(attributes_change_where_writing_is_allowed),
		TEST(what_was_opened_for_writing_may_be_no_more),
		TEST(names_of_open_files_lead_nowhere_else),
		TEST(links_themselves_may_be_removed_and_renamed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
