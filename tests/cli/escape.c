/* Tries to reach files outside its tree, by every system call, and prints the result of each try.
 *
 *   escape links OUTER   makes the links that the tries go through
 *   escape OUTER         tries; OUTER is the host's path of the folder that holds the tree, inside/, and what is not to be reached,
 *                        outside/
 *
 * A line of output is a way, and what the calls on it gave, how many each error and which ones none: "12 l_rel | ENOENT 20 | ok readlink".
 * LEAK must not occur: a call that revealed something of outside/. The numbers of calls are
 * RISC-V's, and no C library is used where it could intervene. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "escape.h"

enum { SENTINEL_BYTES = 4321, PATH = 8192, CHAIN = 45 };
enum { WHITEOUT = 4, EXCHANGE = 2, NOREPLACE = 1, EMPTY_PATH = 0x1000, FOLLOW = 0x400, NOFOLLOW = 0x100, REMOVEDIR = 0x200 };

static const char *outer;

/* ---- leaks ---- */

static int read_from(long fd)
{
	char bytes[64] = "";
	if (fd < 0)
		return gave(fd);
	const long n = CALL(SYS_read, fd, bytes, sizeof bytes - 1);
	const long m = CALL(SYS_pread64, fd, bytes + 32, 8, 0);
	close_fd(fd);
	return !strncmp(bytes, "SENTINEL", 8) || !strncmp(bytes + 32, "SENTINEL", 8) ? LEAK : n < 0 && m < 0 ? gave(n) : 0;
}

static int write_to(long fd)
{
	if (fd < 0)
		return gave(fd);
	const int result = gave(CALL(SYS_write, fd, "harm", 4));
	CALL(SYS_ftruncate, fd, 3);
	CALL(SYS_fallocate, fd, 0, 0, 9);
	CALL(SYS_fchmod, fd, 0777);
	close_fd(fd);
	return result;
}

static int escape_list(long fd)
{
	static char names[4096];
	if (fd < 0)
		return gave(fd);
	const long n = CALL(SYS_getdents64, fd, names, sizeof names);
	close_fd(fd);
	for (long i = 0; i + 8 < n; i++)
		if (!memcmp(names + i, "NEIGHBOUR", 8))
			return LEAK;
	return gave(n);
}

static int stat_of(int dir, const char *path, int flags)
{
	struct stat st = {0};
	const long r = CALL(SYS_newfstatat, dir, path, &st, flags);
	return r < 0 ? gave(r) : st.st_size == SENTINEL_BYTES ? LEAK : 0;
}

static int statx_of(int dir, const char *path, int flags)
{
	struct statx st = {0};
	const long r = CALL(SYS_statx, dir, path, flags, 0x7ff, &st);
	return r < 0 ? gave(r) : st.stx_size == SENTINEL_BYTES ? LEAK : 0;
}

static int link_text(int dir, const char *path)
{
	char bytes[PATH] = "";
	const long r = CALL(SYS_readlinkat, dir, path, bytes, sizeof bytes - 1);
	return r < 0 ? gave(r) : strstr(bytes, "SECRET") ? LEAK : 0;
}

/* ---- every call that takes a path ---- */

static struct { const char *name, *text; } current; /* the link on the way; NULL: none */

static void escape_discard(const char *path)
{
	CALL(SYS_unlinkat, AT_FDCWD, path, 0);
	CALL(SYS_unlinkat, AT_FDCWD, path, REMOVEDIR);
}

static void escape_afresh(void)
{
	escape_discard("/got");
	escape_discard("/outside"); /* a file made by a path whose .. end at the root */
	escape_discard("/inside");
	close_fd(open_at(AT_FDCWD, "/mine", O_CREAT | O_WRONLY));
	if (current.name) {
		escape_discard(current.name);
		CALL(SYS_symlinkat, current.text, AT_FDCWD, current.name);
	}
}

/* Prints the result of a call, and undoes its changes. */
static void escape_change(const char *call, long r)
{
	note(call, gave(r));
	if (r >= 0)
		escape_afresh();
}

static void each_call(int d, const char *p)
{
	static const struct timespec times[2] = {{1, 1}, {1, 1}};
	static char handle[128 + 8] = {[0] = (char)128};
	char *const argv[] = {(char *)p, NULL};
	int mount_id;
	const struct { uint64_t flags, mode, resolve; } how = {O_RDWR, 0, 0};
	struct { uint16_t family; char path[108]; } unix_name = {.family = 1};
	memcpy(unix_name.path, p, strnlen(p, 107));

	note("read", read_from(open_at(d, p, O_RDONLY)));
	note("readwrite", write_to(open_at(d, p, O_RDWR)));
	note("truncating", write_to(open_at(d, p, O_WRONLY | O_TRUNC)));
	note("appending", write_to(open_at(d, p, O_WRONLY | O_APPEND)));
	note("mode3", write_to(open_at(d, p, 3)));
	note("nofollow", read_from(open_at(d, p, O_RDONLY | O_NOFOLLOW)));
	note("path", read_from(open_at(d, p, O_PATH)));
	note("path_nofollow", read_from(open_at(d, p, O_PATH | O_NOFOLLOW)));
	note("directory", escape_list(open_at(d, p, O_RDONLY | O_DIRECTORY)));
	note("tmpfile", write_to(open_at(d, p, O_TMPFILE | O_RDWR)));
	note("openat2", write_to(CALL(437, d, p, &how, sizeof how)));
	note("stat", stat_of(d, p, 0));
	note("lstat", stat_of(d, p, NOFOLLOW));
	note("statx", statx_of(d, p, 0));
	note("readlink", link_text(d, p));
	note("access", gave(CALL(SYS_faccessat, d, p, F_OK)));
	note("access2", gave(CALL(439, d, p, W_OK, 0)));
	note("statfs", gave(CALL(SYS_statfs, p, handle + 8)));
	note("chdir", gave(CALL(SYS_chdir, p)));
	CALL(SYS_chdir, "/");

	note("creating", write_to(open_at(d, p, O_CREAT | O_WRONLY)));
	escape_afresh();
	note("exclusive", write_to(open_at(d, p, O_CREAT | O_EXCL | O_RDWR)));
	escape_afresh();
	escape_change("truncate", CALL(SYS_truncate, p, 1));
	escape_change("chmod", CALL(SYS_fchmodat, d, p, 0777));
	escape_change("chmod2", CALL(452, d, p, 0777, NOFOLLOW));
	escape_change("chown", CALL(SYS_fchownat, d, p, 0, 0, 0));
	escape_change("lchown", CALL(SYS_fchownat, d, p, 1000, 1000, NOFOLLOW));
	escape_change("utimes", CALL(SYS_utimensat, d, p, times, 0));
	escape_change("lutimes", CALL(SYS_utimensat, d, p, times, NOFOLLOW));
	escape_change("unlink", CALL(SYS_unlinkat, d, p, 0));
	escape_change("rmdir", CALL(SYS_unlinkat, d, p, REMOVEDIR));
	escape_change("mkdir", CALL(SYS_mkdirat, d, p, 0777));
	escape_change("symlink", CALL(SYS_symlinkat, "x", d, p));
	escape_change("fifo", CALL(SYS_mknodat, d, p, S_IFIFO | 0666, 0));
	escape_change("device", CALL(SYS_mknodat, d, p, S_IFCHR | 0666, 1 << 8 | 1));
	long r = CALL(276, d, p, AT_FDCWD, "/got", 0);
	note("rename_from", r < 0 ? gave(r) : read_from(open_at(AT_FDCWD, "/got", O_RDONLY)));
	escape_afresh();
	escape_change("rename_to", CALL(276, AT_FDCWD, "/mine", d, p, 0));
	escape_change("noreplace", CALL(276, AT_FDCWD, "/mine", d, p, NOREPLACE));
	escape_change("exchange", CALL(276, AT_FDCWD, "/mine", d, p, EXCHANGE));
	escape_change("whiteout", CALL(276, d, p, AT_FDCWD, "/got", WHITEOUT));
	r = CALL(SYS_linkat, d, p, AT_FDCWD, "/got", 0);
	note("link_from", r < 0 ? gave(r) : read_from(open_at(AT_FDCWD, "/got", O_RDONLY)));
	escape_afresh();
	r = CALL(SYS_linkat, d, p, AT_FDCWD, "/got", FOLLOW);
	note("link_follow", r < 0 ? gave(r) : write_to(open_at(AT_FDCWD, "/got", O_RDWR)));
	escape_afresh();
	escape_change("link_to", CALL(SYS_linkat, AT_FDCWD, "/mine", d, p, 0));
	escape_change("setxattr", CALL(SYS_setxattr, p, "user.x", "y", 1, 0));
	escape_change("lsetxattr", CALL(SYS_lsetxattr, p, "user.x", "y", 1, 0));
	escape_change("removexattr", CALL(SYS_removexattr, p, "user.x"));
	note("getxattr", gave(CALL(SYS_getxattr, p, "user.x", handle + 8, 100)));

	note("execve", gave(CALL(SYS_execve, p, argv, NULL)));
	note("execveat", gave(CALL(281, d, p, argv, NULL, EMPTY_PATH)));
	note("chroot", gave(CALL(SYS_chroot, p)));
	note("pivot_root", gave(CALL(SYS_pivot_root, p, p)));
	note("mount", gave(CALL(SYS_mount, p, "/sub", "none", 4096, NULL)));
	note("mount_over", gave(CALL(SYS_mount, "/sub", p, "none", 4096, NULL)));
	note("umount", gave(CALL(SYS_umount2, p, 2)));
	note("open_tree", gave(CALL(428, d, p, 1)));
	note("move_mount", gave(CALL(429, d, p, AT_FDCWD, "/sub", 0)));
	note("name_to_handle", gave(CALL(264, d, p, handle, &mount_id, 0)));
	note("open_by_handle", gave(CALL(265, d, handle, O_RDWR)));
	note("inotify", gave(CALL(27, 0, p, 0xfff)));
	note("fanotify", gave(CALL(263, 0, 1, 0xfff, d, p)));
	note("swapon", gave(CALL(SYS_swapon, p, 0)));
	note("swapoff", gave(CALL(SYS_swapoff, p)));
	note("acct", gave(CALL(SYS_acct, p)));
	note("quotactl", gave(CALL(SYS_quotactl, 0x80000200, p, 0, 0)));
	note("bind", gave(CALL(SYS_bind, 0, &unix_name, sizeof unix_name)));
	note("connect", gave(CALL(SYS_connect, 0, &unix_name, sizeof unix_name)));
}

/* ---- the ways ---- */

struct way {
	const char *label; /* as printed; NULL: the path */
	const char *path;  /* @ is OUTER */
	const char *name, *text; /* of a link on the path */
};

static const struct way ways[] = {
	{NULL, "../outside/SENTINEL", NULL, NULL},
	{NULL, "../../../../../../../../../../outside/SENTINEL", NULL, NULL},
	{NULL, "/../outside/SENTINEL", NULL, NULL},
	{NULL, "@/outside/SENTINEL", NULL, NULL},
	{NULL, "//@//outside/./SENTINEL", NULL, NULL},
	{NULL, "sub/../../outside/SENTINEL", NULL, NULL},
	{NULL, "sub/./.././../outside/SENTINEL", NULL, NULL},
	{NULL, "sub/deep/../../../outside", NULL, NULL},
	{NULL, "..", NULL, NULL},
	{NULL, "/..", NULL, NULL},
	{NULL, ".", NULL, NULL},
	{NULL, "/", NULL, NULL},
	{NULL, "sub/..", NULL, NULL},
	{NULL, "../inside", NULL, NULL},
	{NULL, "l_rel", "l_rel", "../outside/SENTINEL"},
	{NULL, "l_rel/", "l_rel", "../outside/SENTINEL"},
	{NULL, "l_rel/.", "l_rel", "../outside/SENTINEL"},
	{NULL, "l_abs", "l_abs", "@/outside/SENTINEL"},
	{NULL, "l_high", "l_high", "../../../../../../../../../../../..@/outside/SENTINEL"},
	{NULL, "l_dir", "l_dir", "../outside"},
	{NULL, "l_dir/", "l_dir", "../outside"},
	{NULL, "l_dir/.", "l_dir", "../outside"},
	{NULL, "l_dir/..", "l_dir", "../outside"},
	{NULL, "l_dir/SENTINEL", "l_dir", "../outside"},
	{NULL, "l_dir/folder/SENTINEL", "l_dir", "../outside"},
	{NULL, "l_dir/new", "l_dir", "../outside"},
	{NULL, "l_dir/link", "l_dir", "../outside"},
	{NULL, "l_dirabs/SENTINEL", "l_dirabs", "@/outside"},
	{NULL, "l_dirslash/SENTINEL", "l_dirslash", "@/outside/"},
	{NULL, "l_fileslash", "l_fileslash", "../outside/SENTINEL/"},
	{NULL, "l_new", "l_new", "../outside/new"},
	{NULL, "l_new/", "l_new", "../outside/new"},
	{NULL, "l_newabs", "l_newabs", "@/outside/new"},
	{NULL, "l_to_link", "l_to_link", "l_rel"},
	{NULL, "l_via_dir", "l_via_dir", "l_dir/SENTINEL"},
	{NULL, "l_back", "l_back", "../inside/mine"},
	{NULL, "sub/l_up/outside/SENTINEL", "sub/l_up", "../.."},
	{NULL, "sub/l_one/../outside/SENTINEL", "sub/l_one", ".."},
	{NULL, "l_dots/outside/SENTINEL", "l_dots", ".."},
	{NULL, "l_root/../outside/SENTINEL", "l_root", "/"},
	{NULL, "l_root/@/outside/SENTINEL", "l_root", "/"},
	{NULL, "l_self", "l_self", "l_self"},
	{NULL, "l_self/../../outside/SENTINEL", "l_self", "l_self"},
	{NULL, "l_pair/x", "l_pair", "l_other"},
	{NULL, "chain44", "chain44", "chain43"},
	{NULL, "chain38", "chain38", "chain37"},
	{NULL, "l_cwd", "l_cwd", "/proc/self/cwd/../outside/SENTINEL"},
	{NULL, "/proc/self/cwd/../outside/SENTINEL", NULL, NULL},
	{NULL, "/proc/self/root/@/outside/SENTINEL", NULL, NULL},
	{NULL, "/proc/1/root/@/outside/SENTINEL", NULL, NULL},
	{NULL, "/proc/self/exe", NULL, NULL},
	{NULL, "/proc/self/fd/3/../outside/SENTINEL", NULL, NULL},
	{NULL, "/proc/self/fd/4/../outside/SENTINEL", NULL, NULL},
	{NULL, "/proc/self/mem", NULL, NULL},
	{NULL, "l_fd", "l_fd", "/proc/self/fd/3/../outside/SENTINEL"},
	{NULL, "l_devfd", "l_devfd", "/dev/fd/3"},
	{NULL, "/dev/fd/3/../outside/SENTINEL", NULL, NULL},
	{NULL, "/dev/stdin", NULL, NULL},
	{NULL, "/dev/mem", NULL, NULL},
	{NULL, "/dev/kmsg", NULL, NULL},
	{NULL, "/dev/..", NULL, NULL},
	{NULL, "/dev/../../outside/SENTINEL", NULL, NULL},
	{NULL, "/dev/null/../../outside/SENTINEL", NULL, NULL},
	{NULL, "/etc/passwd", NULL, NULL},
	{NULL, "l_passwd", "l_passwd", "/etc/passwd"},
	{"new\\nline/../../outside/SENTINEL", "new\nline/../../outside/SENTINEL", NULL, NULL},
	{"..\\n/outside/SENTINEL", "..\n/outside/SENTINEL", NULL, NULL},
	{NULL, ".../outside/SENTINEL", NULL, NULL},
	{NULL, ".. /outside/SENTINEL", NULL, NULL},
	{"\\xc0\\xae\\xc0\\xae/outside/SENTINEL", "\xc0\xae\xc0\xae/outside/SENTINEL", NULL, NULL},
	{NULL, "..\\outside\\SENTINEL", NULL, NULL},
	{"255 bytes/../../outside/SENTINEL", "<255>/../../outside/SENTINEL", NULL, NULL},
	{"256 bytes/../../outside/SENTINEL", "<256>/../../outside/SENTINEL", NULL, NULL},
	{"4095 bytes of ../, outside/SENTINEL", "<up>outside/SENTINEL", NULL, NULL},
	{"5000 bytes of ./, ../outside/SENTINEL", "<here>../outside/SENTINEL", NULL, NULL},
	{"4000 slashes, ../outside/SENTINEL", "<slashes>../outside/SENTINEL", NULL, NULL},
	{"l_long: 4000 bytes of ../", "l_long", "l_long", "<up4000>outside/SENTINEL"},
	{"l_longdir/SENTINEL: 4000 bytes of ./, then ../outside", "l_longdir/SENTINEL", "l_longdir", "<here4000>../outside"},
};
enum { WAYS = sizeof ways / sizeof *ways };

static void escape_repeat(char *to, const char *what, size_t bytes)
{
	const size_t n = strlen(what);
	for (size_t at = strlen(to), end = at + bytes / n * n; at < end; at += n)
		memcpy(to + at, what, n + 1);
}

/* Expands abbreviations in a path or a link's text. */
static const char *escape_spell(const char *s, char *to)
{
	static const struct { const char *name, *what; size_t bytes; } more[] = {
		{"<255>", "a", 255}, {"<256>", "a", 256}, {"<up>", "../", 4095 - 16}, {"<here>", "./", 5000}, {"<slashes>", "/", 4000},
		{"<up4000>", "../", 4000}, {"<here4000>", "./", 4000},
	};
	*to = '\0';
	for (unsigned i = 0; i < sizeof more / sizeof *more; i++)
		if (!strncmp(s, more[i].name, strlen(more[i].name))) {
			escape_repeat(to, more[i].what, more[i].bytes);
			s += strlen(more[i].name);
		}
	const char *at = strchr(s, '@');
	const size_t n = at ? (size_t)(at - s) : strlen(s);
	strncat(to, s, n);
	if (at) {
		strcat(to, outer);
		strcat(to, at + 1);
	}
	return to;
}

static void chain_name(char *name, unsigned i)
{
	strcpy(name, "chain");
	name[5] = (char)('0' + i / 10);
	name[6] = (char)('0' + i % 10);
	name[7] = '\0';
}

static int make_links(void)
{
	int bad = 0;
	char to[PATH], name[16], next[16];
	for (unsigned i = 0; i < WAYS; i++)
		if (ways[i].name && stat_of(AT_FDCWD, ways[i].name, NOFOLLOW) == ENOENT)
			bad |= gave(CALL(SYS_symlinkat, escape_spell(ways[i].text, to), AT_FDCWD, ways[i].name));
	bad |= gave(CALL(SYS_symlinkat, "l_pair", AT_FDCWD, "l_other"));
	for (unsigned i = 0; i < CHAIN; i++) {
		chain_name(name, i);
		chain_name(next, i - 1);
		if (stat_of(AT_FDCWD, name, NOFOLLOW) == ENOENT)
			bad |= gave(CALL(SYS_symlinkat, i ? next : "../outside/SENTINEL", AT_FDCWD, name));
	}
	return bad;
}

static void escape_walk(void)
{
	char path[PATH], to[PATH];
	for (unsigned i = 0; i < WAYS; i++) {
		current.name = ways[i].name;
		current.text = ways[i].name ? escape_spell(ways[i].text, to) : NULL;
		escape_afresh();
		each_call(AT_FDCWD, escape_spell(ways[i].path, path));
		tell(ways[i].label ? ways[i].label : ways[i].path);
		escape_afresh();
	}
	current.name = NULL;
}

/* ---- descriptors of moved folders ---- */

/* A few calls for each, with paths relative to it. */
static void escape_relative(const char *way, int fd)
{
	static const char *const names[] = {"../outside/SENTINEL", "../../outside/SENTINEL", "../../../../outside/SENTINEL", "SENTINEL", "folder/SENTINEL",
	                                    "..", "../..", "link"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		note("read", read_from(open_at(fd, names[i], O_RDONLY)));
		note("write", write_to(open_at(fd, names[i], O_RDWR | O_TRUNC)));
		note("stat", stat_of(fd, names[i], 0));
		note("list", escape_list(open_at(fd, names[i], O_RDONLY | O_DIRECTORY)));
		note("chmod", gave(CALL(SYS_fchmodat, fd, names[i], 0700)));
	}
	note("make", write_to(open_at(fd, "../../outside/new", O_CREAT | O_EXCL | O_RDWR)));
	note("make_here", write_to(open_at(fd, "new", O_CREAT | O_RDWR)));
	note("mkdir", gave(CALL(SYS_mkdirat, fd, "../outside/new", 0777)));
	note("mkdir_here", gave(CALL(SYS_mkdirat, fd, "newdir", 0777)));
	note("rename", gave(CALL(276, fd, "SENTINEL", AT_FDCWD, "/got", 0)));
	note("unlink", gave(CALL(SYS_unlinkat, fd, "SENTINEL", 0)));
	note("link", gave(CALL(SYS_linkat, fd, "SENTINEL", AT_FDCWD, "/got", FOLLOW)));
	note("empty_stat", stat_of(fd, "", EMPTY_PATH));
	note("empty_link", gave(CALL(SYS_linkat, fd, "", AT_FDCWD, "/got", EMPTY_PATH)));
	note("empty_chown", gave(CALL(SYS_fchownat, fd, "", 0, 0, EMPTY_PATH)));
	note("fchmod", gave(CALL(SYS_fchmod, fd, 0755)));
	note("futimens", gave(CALL(SYS_utimensat, fd, NULL, NULL, 0)));
	note("getdents", escape_list(CALL(SYS_dup, fd)));
	note("fchdir", gave(CALL(SYS_fchdir, fd)));
	note("then_up", read_from(open_at(AT_FDCWD, "../outside/SENTINEL", O_RDONLY)));
	note("then_up_up", read_from(open_at(AT_FDCWD, "../../outside/SENTINEL", O_RDONLY)));
	note("then_here", read_from(open_at(AT_FDCWD, "SENTINEL", O_RDONLY)));
	CALL(SYS_chdir, "/");
	close_fd(fd);
	tell(way);
}

static int escape_folder(const char *path)
{
	CALL(SYS_mkdirat, AT_FDCWD, path, 0777);
	return (int)open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY);
}

static void escape_folders(void)
{
	escape_relative("a descriptor of the root", escape_folder("/"));
	escape_relative("of a folder", escape_folder("sub"));
	int fd = escape_folder("gone");
	CALL(SYS_unlinkat, AT_FDCWD, "gone", REMOVEDIR);
	escape_relative("of one that is removed", fd);
	fd = escape_folder("replaced");
	CALL(SYS_unlinkat, AT_FDCWD, "replaced", REMOVEDIR);
	CALL(SYS_symlinkat, "../outside", AT_FDCWD, "replaced");
	escape_relative("of one that is a link to outside by now", fd);
	fd = escape_folder("moved");
	CALL(276, AT_FDCWD, "moved", AT_FDCWD, "sub/moved", 0);
	CALL(SYS_symlinkat, "../outside", AT_FDCWD, "moved");
	escape_relative("of one that was moved, with a link to outside in its place", fd);
	CALL(SYS_mkdirat, AT_FDCWD, "one", 0777);
	CALL(SYS_mkdirat, AT_FDCWD, "one/two", 0777);
	fd = escape_folder("one/two/three");
	CALL(276, AT_FDCWD, "one/two", AT_FDCWD, "up", 0);
	escape_relative("of one whose folder was moved up", fd);
	fd = escape_folder("up/three");
	CALL(SYS_symlinkat, "../outside", AT_FDCWD, "swap");
	CALL(276, AT_FDCWD, "up", AT_FDCWD, "swap", EXCHANGE);
	escape_relative("of one whose folder changed places with a link to outside", fd);
	fd = escape_folder("sub/deep");
	CALL(SYS_chdir, "sub/deep");
	CALL(276, AT_FDCWD, "/sub", AT_FDCWD, "/sub2", 0);
	CALL(SYS_symlinkat, "../outside", AT_FDCWD, "/sub");
	note("up", read_from(open_at(AT_FDCWD, "../../outside/SENTINEL", O_RDONLY)));
	note("by_link", read_from(open_at(AT_FDCWD, "../../sub/SENTINEL", O_RDONLY)));
	note("up_up", read_from(open_at(AT_FDCWD, "../../../outside/SENTINEL", O_RDONLY)));
	CALL(SYS_unlinkat, AT_FDCWD, "/sub2/deep/x", 0);
	CALL(SYS_unlinkat, AT_FDCWD, "/sub2/deep", REMOVEDIR);
	note("from_removed", read_from(open_at(AT_FDCWD, "../../outside/SENTINEL", O_RDONLY)));
	note("create_in_removed", write_to(open_at(AT_FDCWD, "x", O_CREAT | O_RDWR)));
	tell("the current folder, moved and removed");
	escape_relative("of a folder that is removed within one that was moved", fd);

	/* Each combination of a folder and a link that change places. */
	CALL(SYS_mkdirat, AT_FDCWD, "a", 0777);
	CALL(SYS_mkdirat, AT_FDCWD, "a/b", 0777);
	CALL(SYS_symlinkat, "../../outside", AT_FDCWD, "a/l");
	fd = escape_folder("a/b");
	for (unsigned i = 0; i < 8; i++) {
		CALL(276, AT_FDCWD, "a/b", AT_FDCWD, "a/l", EXCHANGE);
		note("read", read_from(open_at(AT_FDCWD, i & 1 ? "a/l/SENTINEL" : "a/b/SENTINEL", O_RDONLY)));
		note("write", write_to(open_at(AT_FDCWD, i & 1 ? "a/b/../../../outside/SENTINEL" : "a/l/../../../outside/SENTINEL", O_RDWR)));
		note("by_fd", read_from(open_at(fd, "../../../outside/SENTINEL", O_RDONLY)));
	}
	close_fd(fd);
	tell("folder and link, exchanged to and fro");

	/* An open file, and the file that has its name now. */
	fd = (int)open_at(AT_FDCWD, "f", O_CREAT | O_RDWR);
	CALL(SYS_unlinkat, AT_FDCWD, "f", 0);
	CALL(SYS_symlinkat, "../outside/SENTINEL", AT_FDCWD, "f");
	note("write", gave(CALL(SYS_write, fd, "harm", 4)));
	note("ftruncate", gave(CALL(SYS_ftruncate, fd, 2)));
	note("fchmod", gave(CALL(SYS_fchmod, fd, 0700)));
	note("futimens", gave(CALL(SYS_utimensat, fd, NULL, NULL, 0)));
	note("stat", stat_of(fd, "", EMPTY_PATH));
	note("link", gave(CALL(SYS_linkat, fd, "", AT_FDCWD, "/got", EMPTY_PATH)));
	close_fd(fd);
	tell("a file that is open, with a link to outside in its place");
}

int main(int argc, char **argv)
{
	outer = argv[argc - 1];
	if (argc > 2)
		return make_links();
	escape_walk();
	escape_folders();
	descriptors();
	processes();
	machine();
	nonsense();
	put("tries: ");
	put_number(tries);
	flush();
	put("leaks: ");
	put_number(leaks);
	flush();
	return 0;
}
