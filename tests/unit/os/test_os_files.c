/* Files and names: reading, writing, listing, attributes. */
#include "tests/unit/os/os_files.h"

TEST(reading_moves_the_shared_offset)
{
	struct guest *g = os_files_guest(state);
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
	assert_int_equal(CALL(g, lseek, 4, 17, LX_SEEK_DATA), -ENXIO);
	assert_int_equal(CALL(g, lseek, 4, 17, LX_SEEK_HOLE), -ENXIO);
	assert_int_equal(CALL(g, lseek, 4, (uint64_t)-1, LX_SEEK_DATA), -ENXIO);
	assert_int_equal(CALL(g, lseek, 4, 16, LX_SEEK_DATA), 16);
	assert_int_equal(CALL(g, lseek, 4, 16, LX_SEEK_HOLE), 17);
	assert_int_equal(CALL(g, dup3, 4, 20, LX_O_CLOEXEC), 20);
	assert_int_equal(CALL(g, fcntl, 20, LX_F_GETFD), LX_FD_CLOEXEC);
	assert_int_equal(CALL(g, fcntl, 4, LX_F_DUPFD, 10), 10);
	assert_int_equal(CALL(g, fcntl, 10, LX_F_GETFL), LX_O_RDONLY | LX_O_LARGEFILE);
}

TEST(vectors_scatter_and_faults_cut_short)
{
	struct guest *g = os_files_guest(state);
	open_at(g, LX_AT_FDCWD, "a.txt", LX_O_RDONLY);
	struct lx_iovec v[3] = {{BUF, 2}, {BUF + 100, 0}, {BUF + 200, 8}};
	assert_int_equal(CALL(g, readv, 3, os_fixture_write_bytes(g, v, sizeof v), 3), 10);
	expect_bytes(g, BUF, "al");
	expect_bytes(g, BUF + 200, "pha beta");
	/* Memory ends 4 bytes on. */
	assert_int_equal(CALL(g, lseek, 3, 0, LX_SEEK_SET), 0);
	assert_int_equal(CALL(g, read, 3, DATA_END - 4, 100), 4);
	expect_bytes(g, DATA_END - 4, "alph");
	assert_int_equal(CALL(g, lseek, 3, 0, LX_SEEK_CUR), 4);
	assert_int_equal(CALL(g, read, 3, DATA_END, 100), -EFAULT);
	assert_int_equal(CALL(g, read, 3, DATA_END, 0), 0);
	assert_int_equal(CALL(g, read, 3, BUF, UINT64_MAX), -EFAULT);
	assert_int_equal(CALL(g, readv, 3, DATA_END, 1), -EFAULT);
	assert_int_equal(CALL(g, readv, 3, BUF, LX_IOV_MAX + 1), -EINVAL);
}

TEST(output_reaches_its_stream)
{
	struct guest *g = os_files_guest(state);
	struct lx_iovec v[2] = {{os_fixture_write_text(g, "one "), 4},
	                        {os_fixture_write_text(g, "two"), 3}};
	assert_int_equal(CALL(g, writev, 1, os_fixture_write_bytes(g, v, sizeof v), 2), 7);
	assert_int_equal(CALL(g, write, 2, os_fixture_write_text(g, "oops"), 4), 4);
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
	assert_int_equal(CALL(g, write, 1, os_fixture_write_text(g, "filed"), 5), 5);
	assert_int_equal(g->out_n[1], 7);
	host_expect("log", "filed");
}

TEST(large_output_keeps_its_end)
{
	struct guest *g = os_files_guest(state);
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

TEST(a_tree_is_read_only_unless_writing_is_allowed)
{
	struct guest *g = os_files_guest(state);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "a.txt", LX_O_RDWR), -EROFS);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "a.txt", LX_O_RDONLY | LX_O_TRUNC), -EROFS);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "new", LX_O_WRONLY | LX_O_CREAT), -EROFS);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "a.txt", LX_O_WRONLY | LX_O_CREAT | LX_O_EXCL),
	                 -EEXIST);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "none", LX_O_WRONLY), -ENOENT);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "sub", LX_O_WRONLY), -EISDIR);
	assert_int_equal(CALL(g, unlinkat, FDCWD, os_fixture_write_text(g, "a.txt"), 0), -EROFS);
	assert_int_equal(CALL(g, mkdirat, FDCWD, os_fixture_write_text(g, "dir"), 0755), -EROFS);
	assert_int_equal(CALL(g, mkdirat, FDCWD, os_fixture_write_text(g, "sub"), 0755), -EEXIST);
	assert_int_equal(CALL(g, renameat2, FDCWD, os_fixture_write_text(g, "a.txt"), FDCWD,
	                      os_fixture_write_text(g, "c"), 0),
	                 -EROFS);
	assert_int_equal(CALL(g, faccessat, FDCWD, os_fixture_write_text(g, "a.txt"), W_OK),
	                 -EROFS);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "a.txt", LX_O_RDONLY | LX_O_CREAT), 3);
	assert_int_equal(CALL(g, ftruncate, 3, 0), -EINVAL);
	host_expect("a.txt", "alpha beta gamma\n");
	assert_false(host_exists("new"));
	assert_false(host_exists("dir"));
}

TEST(writing_changes_files)
{
	struct guest *g = os_files_guest(state);
	os_allow_writing(g->os, true);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "n.txt", LX_O_RDWR | LX_O_CREAT | LX_O_EXCL), 3);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "n.txt", LX_O_RDWR | LX_O_CREAT | LX_O_EXCL),
	                 -EEXIST);
	assert_int_equal(CALL(g, write, 3, os_fixture_write_text(g, "hello world"), 11), 11);
	assert_int_equal(CALL(g, pwrite64, 3, os_fixture_write_text(g, "J"), 1, 0), 1);
	assert_int_equal(CALL(g, lseek, 3, 0, LX_SEEK_CUR), 11);
	host_expect("n.txt", "Jello world");
	assert_int_equal(CALL(g, ftruncate, 3, 5), 0);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "n.txt", LX_O_WRONLY | LX_O_APPEND), 4);
	assert_int_equal(CALL(g, write, 4, os_fixture_write_text(g, "!?"), 2), 2);
	assert_int_equal(CALL(g, lseek, 4, 0, LX_SEEK_CUR), 7);
	host_expect("n.txt", "Jello!?");
	assert_int_equal(CALL(g, read, 4, BUF, 1), -EBADF);
	assert_true(CALL(g, fcntl, 4, LX_F_GETFL, 0) & LX_O_APPEND);
	assert_int_equal(CALL(g, fcntl, 4, LX_F_SETFL, 0), 0);
	assert_false(CALL(g, fcntl, 4, LX_F_GETFL, 0) & LX_O_APPEND);
	/* a name that begins like the folder's */
	assert_int_equal(open_at(g, LX_AT_FDCWD, "dirt", LX_O_RDWR | LX_O_CREAT), 5);

	assert_int_equal(CALL(g, mkdirat, FDCWD, os_fixture_write_text(g, "dir"), 0777), 0);
	assert_int_equal(CALL(g, mkdirat, FDCWD, os_fixture_write_text(g, "dir/deep/"), 0777), 0);
	assert_int_equal(CALL(g, renameat2, FDCWD, os_fixture_write_text(g, "n.txt"), FDCWD,
	                      os_fixture_write_text(g, "dir/deep/m.txt"), 0),
	                 0);
	assert_int_equal(CALL(g, renameat2, FDCWD, os_fixture_write_text(g, "dir"), FDCWD,
	                      os_fixture_write_text(g, "ren"), 0),
	                 0);
	assert_string_equal(os_state(g->os)->file[os_state(g->os)->fd[3].file].path,
	                    "ren/deep/m.txt");
	assert_string_equal(os_state(g->os)->file[os_state(g->os)->fd[5].file].path, "dirt");
	assert_int_equal(CALL(g, renameat2, FDCWD, os_fixture_write_text(g, "a.txt"), FDCWD,
	                      os_fixture_write_text(g, "sub/b.txt"), LX_RENAME_NOREPLACE),
	                 -EEXIST);
	assert_int_equal(CALL(g, renameat2, FDCWD, os_fixture_write_text(g, "a.txt/"), FDCWD,
	                      os_fixture_write_text(g, "x"), 0),
	                 -ENOTDIR);
	assert_int_equal(CALL(g, unlinkat, FDCWD, os_fixture_write_text(g, "ren"), 0), -EISDIR);
	assert_int_equal(CALL(g, unlinkat, FDCWD, os_fixture_write_text(g, "ren"), LX_AT_REMOVEDIR),
	                 -ENOTEMPTY);
	assert_int_equal(CALL(g, unlinkat, FDCWD, os_fixture_write_text(g, "ren/deep/m.txt/"), 0),
	                 -ENOTDIR);
	assert_int_equal(CALL(g, unlinkat, FDCWD, os_fixture_write_text(g, "ren/deep/m.txt"), 0),
	                 0);
	/* An open file outlives its name. */
	assert_int_equal(CALL(g, pread64, 3, BUF, 7, 0), 7);
	expect_bytes(g, BUF, "Jello!?");
	assert_int_equal(
		CALL(g, unlinkat, FDCWD, os_fixture_write_text(g, "ren/deep/"), LX_AT_REMOVEDIR),
		0);
	assert_int_equal(CALL(g, unlinkat, FDCWD, os_fixture_write_text(g, "."), LX_AT_REMOVEDIR),
	                 -EINVAL);
	assert_int_equal(CALL(g, umask, 077), 022);
	assert_int_equal(CALL(g, umask, 022), 077);
}

TEST(an_exchange_is_followed_by_open_files)
{
	struct guest *g = os_files_guest(state);
	os_allow_writing(g->os, true);
	open_at(g, LX_AT_FDCWD, "a.txt", LX_O_RDONLY);
	open_at(g, LX_AT_FDCWD, "sub/b.txt", LX_O_RDONLY);
	int64_t ret = CALL(g, renameat2, FDCWD, os_fixture_write_text(g, "a.txt"), FDCWD,
	                   os_fixture_write_text(g, "sub/b.txt"), LX_RENAME_EXCHANGE);
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

TEST(directories_list_in_order)
{
	struct guest *g = os_files_guest(state);
	char names[4096];
	assert_int_equal(open_at(g, LX_AT_FDCWD, ".", LX_O_RDONLY | LX_O_DIRECTORY), 3);
	assert_int_equal(CALL(g, read, 3, BUF, 10), -EISDIR);
	names_in(g, CALL(g, getdents64, 3, BUF, 4096), names);
	assert_string_equal(names, ". .. a.txt sub ");
	assert_int_equal(CALL(g, getdents64, 3, BUF, 4096), 0);
	/* A listing in pieces, with files coming and going meanwhile: each name once. */
	assert_int_equal(CALL(g, lseek, 3, 0, LX_SEEK_SET), 0);
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
	for (uint64_t whence = LX_SEEK_END; whence <= LX_SEEK_HOLE; whence++)
		assert_int_equal(CALL(g, lseek, 3, 0, whence), -EINVAL);
	assert_int_equal(CALL(g, getdents64, 1, BUF, 4096), -ENOTDIR);
}

TEST(stat_describes_files)
{
	struct guest *g = os_files_guest(state);
	struct lx_stat st;
	struct lx_statx sx;
	assert_int_equal(symlink("a.txt", "link"), 0);
	assert_int_equal(CALL(g, newfstatat, FDCWD, os_fixture_write_text(g, "link"), BUF, 0), 0);
	FETCH(g, BUF, &st);
	assert_int_equal(st.size, 17);
	assert_int_equal(st.mode & 0170000, 0100000);
	assert_int_equal(st.uid, GUEST_UID);
	assert_int_equal(st.blksize, 4096);
	assert_int_equal(CALL(g, newfstatat, FDCWD, os_fixture_write_text(g, "link"), BUF,
	                      LX_AT_SYMLINK_NOFOLLOW),
	                 0);
	FETCH(g, BUF, &st);
	assert_int_equal(st.mode & 0170000, 0120000);
	assert_int_equal(CALL(g, newfstatat, FDCWD, os_fixture_write_text(g, "link/"), BUF,
	                      LX_AT_SYMLINK_NOFOLLOW),
	                 -ENOTDIR);
	assert_int_equal(CALL(g, readlinkat, FDCWD, os_fixture_write_text(g, "link"), BUF, 3), 3);
	expect_bytes(g, BUF, "a.t");
	assert_int_equal(CALL(g, readlinkat, FDCWD, os_fixture_write_text(g, "a.txt"), BUF, 3),
	                 -EINVAL);
	open_at(g, LX_AT_FDCWD, "sub/b.txt", 0);
	assert_int_equal(CALL(g, fstat, 3, BUF), 0);
	FETCH(g, BUF, &st);
	assert_int_equal(st.size, 6);
	assert_int_equal(CALL(g, statx, 3, os_fixture_write_text(g, ""), LX_AT_EMPTY_PATH,
	                      LX_STATX_BASIC_STATS, BUF),
	                 0);
	FETCH(g, BUF, &sx);
	assert_int_equal(sx.size, 6);
	assert_int_equal(sx.ino, st.ino);
	assert_int_equal(sx.mtime.sec, st.mtime.sec);
	assert_int_equal(
		CALL(g, newfstatat, 1, os_fixture_write_text(g, ""), BUF, LX_AT_EMPTY_PATH), 0);
	FETCH(g, BUF, &st);
	assert_int_equal(st.mode & 0170000, 0010000);
	assert_int_equal(CALL(g, ioctl, 1, LX_TCGETS, BUF), -ENOTTY);
	assert_int_equal(CALL(g, faccessat, FDCWD, os_fixture_write_text(g, "a.txt"), R_OK), 0);
	assert_int_equal(CALL(g, faccessat2, FDCWD, os_fixture_write_text(g, "none"), F_OK, 0),
	                 -ENOENT);
	assert_int_equal(CALL(g, faccessat2, FDCWD, os_fixture_write_text(g, "link"), F_OK,
	                      LX_AT_SYMLINK_NOFOLLOW),
	                 0);
}

TEST(the_current_directory_is_the_guests_own)
{
	struct guest *g = os_files_guest(state);
	assert_int_equal(CALL(g, getcwd, BUF, 100), 2);
	expect_bytes(g, BUF, "/");
	assert_int_equal(symlink("sub", "way"), 0);
	assert_int_equal(CALL(g, chdir, os_fixture_write_text(g, "way/./")), 0);
	assert_int_equal(CALL(g, getcwd, BUF, 5), 5);
	expect_bytes(g, BUF, "/sub");
	assert_int_equal(open_at(g, LX_AT_FDCWD, "b.txt", 0), 3);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "../a.txt", 0), 4);
	assert_int_equal(CALL(g, chdir, os_fixture_write_text(g, "..")), 0);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "sub", 0), 5);
	assert_int_equal(open_at(g, 5, "b.txt", 0), 6);
	assert_int_equal(open_at(g, 5, "../a.txt", 0), 7);
	assert_int_equal(open_at(g, 6, "b.txt", 0), -ENOTDIR);
	assert_int_equal(open_at(g, 60, "b.txt", 0), -EBADF);
	assert_int_equal(CALL(g, fchdir, 5), 0);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "b.txt", 0), 8);
}

TEST(descriptors_run_out_cleanly)
{
	struct guest *g = os_files_guest(state);
	uint64_t path = os_fixture_write_text(g, "a.txt");
	for (int fd = 3; fd < OS_FDS; fd++)
		assert_int_equal(CALL(g, openat, FDCWD, path, 0, 0), fd);
	assert_int_equal(CALL(g, openat, FDCWD, path, 0, 0), -EMFILE);
	assert_int_equal(CALL(g, dup, 3), -EMFILE);
	assert_int_equal(CALL(g, close, 17), 0);
	assert_int_equal(CALL(g, openat, FDCWD, path, 0, 0), 17);
}

TEST(special_files_are_not_opened)
{
	struct guest *g = os_files_guest(state);
	assert_int_equal(mkfifo("pipe", 0644), 0);
	os_allow_writing(g->os, true);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "pipe", LX_O_RDONLY), -ENXIO);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "pipe", LX_O_RDWR | LX_O_TRUNC), -ENXIO);
	assert_int_equal(CALL(g, newfstatat, FDCWD, os_fixture_write_text(g, "pipe"), BUF, 0), 0);
}

/* Even if the tree is the whole host, /proc stays out of reach: this process is there. */
TEST(processes_are_not_opened)
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

TEST(paths_have_limits)
{
	struct guest *g = os_files_guest(state);
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

/* ---- names outside the tree ---- */

TEST(attributes_change_where_writing_is_allowed)
{
	struct guest *g = os_files_guest(state);
	struct lx_stat st;
	struct lx_timespec t[2] = {{5, 6}, {1000, 7}};
	uint64_t a = os_fixture_write_text(g, "/a.txt"),
		 link = os_fixture_write_text(g, "sub/link"),
		 times = os_fixture_write_bytes(g, t, sizeof t);
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
	assert_int_equal(st.mode, 0100640); /* no change of user */
	assert_int_equal(st.mtime.sec, 1000);
	assert_int_equal(st.size, 3);
	assert_int_equal(CALL(g, linkat, FDCWD, link, FDCWD, os_fixture_write_text(g, "hard"),
	                      LX_AT_SYMLINK_FOLLOW),
	                 0);
	host_expect("hard", "alp");
	assert_int_equal(CALL(g, linkat, FDCWD, a, FDCWD, os_fixture_write_text(g, "hard"), 0),
	                 -EEXIST);
	assert_int_equal(CALL(g, fchmod, 1, 0600), -EPERM);
	assert_int_equal(CALL(g, fchmodat, FDCWD, os_fixture_write_text(g, "/dev/null"), 0600),
	                 -EPERM);
	assert_int_equal(CALL(g, fchownat, FDCWD, a, GUEST_UID, UINT64_MAX, 0), 0);
	assert_int_equal(CALL(g, fchownat, FDCWD, a, 0, 0, 0), -EPERM);
	assert_int_equal(open_at(g, LX_AT_FDCWD, "a.txt", LX_O_RDWR), 4);
	assert_int_equal(CALL(g, fallocate, 4, 0, 2, 8), 0);
	assert_int_equal(CALL(g, fallocate, 4, 0, 0, 4), 0);
	assert_int_equal(CALL(g, lseek, 4, 0, LX_SEEK_END), 10);
	assert_int_equal(CALL(g, close_range, 3, UINT32_MAX, LX_CLOSE_RANGE_CLOEXEC), 0);
	assert_int_equal(CALL(g, fcntl, 4, LX_F_GETFD), LX_FD_CLOEXEC);
	assert_int_equal(CALL(g, close_range, 3, 4, 0), 0);
	assert_int_equal(CALL(g, close, 4), -EBADF);
}

TEST_EACH(tree_up, tree_down)
