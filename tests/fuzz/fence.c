#include "tests/fuzz/fence.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	WRITES = IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
	         IN_CLOSE_WRITE,
	READS = IN_OPEN | IN_ACCESS
};

static struct {
	char top[PATH_MAX / 4], outside[PATH_MAX / 2];
	char secret[40];
	int back, tree, events;
} fence;

static void fence_require(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		abort();
	}
}

static void fence_write_file(int at, const char *name, const char *text)
{
	const int fd = openat(at, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	fence_require(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) &&
	                      close(fd) == 0,
	              name);
}

static void copy_program(int at, const char *from)
{
	char bytes[65536];
	const int in = open(from, O_RDONLY), out = openat(at, "guest", O_WRONLY | O_CREAT, 0700);
	fence_require(in >= 0 && out >= 0, from);
	for (ssize_t n; (n = read(in, bytes, sizeof bytes)) > 0;)
		fence_require(write(out, bytes, (size_t)n) == n, "guest");
	close(in);
	close(out);
}

static void fence_remove_tree(void)
{
	static const char *const names[] = {
		"tree/guest", "tree/lib.lua",         "tree/itself.lua",
		"tree/input", "tree/folder/deep.lua", "tree/fifo",
		"tree/link",  "outside/secret",       "outside/secret.lua"};
	static const char *const folders[] = {"tree/folder", "tree", "outside", ""};
	char path[PATH_MAX];
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", fence.top, names[i]);
		unlink(path);
	}
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		snprintf(path, sizeof path, "%s/%s", fence.top, folders[i]);
		rmdir(path);
	}
}

static void make_secret(void)
{
	uint64_t random[2];
	fence_require(getrandom(random, sizeof random, 0) == sizeof random, "a secret");
	snprintf(fence.secret, sizeof fence.secret, "%016llx%016llx", (unsigned long long)random[0],
	         (unsigned long long)random[1]);
	setenv("CYCLOPS_FUZZ_SECRET", fence.secret, 1);
}

void fence_make(const char *guest)
{
	char path[PATH_MAX], text[256];
	snprintf(fence.top, sizeof fence.top, "%s/cyclops-fence-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	fence_require(mkdtemp(fence.top) != NULL, fence.top);
	atexit(fence_remove_tree);
	make_secret();
	snprintf(fence.outside, sizeof fence.outside, "%s/outside", fence.top);
	snprintf(path, sizeof path, "%s/tree", fence.top);
	fence_require(mkdir(fence.outside, 0700) == 0 && mkdir(path, 0700) == 0, fence.top);
	const int outside = open(fence.outside, O_DIRECTORY | O_CLOEXEC);
	fence.tree = open(path, O_DIRECTORY | O_CLOEXEC);
	fence.back = open(".", O_DIRECTORY | O_CLOEXEC);
	fence_require(outside >= 0 && fence.tree >= 0 && fence.back >= 0, path);
	fence_write_file(outside, "secret", fence.secret);
	snprintf(text, sizeof text, "print '%s' return { ['pipe.rob_size'] = 16, secret = '%s' }\n",
	         fence.secret, fence.secret);
	fence_write_file(outside, "secret.lua", text);
	copy_program(fence.tree, guest);
	fence_write_file(fence.tree, "lib.lua",
	                 "local lib = { n = 1 } function lib.f(...) return ... end return lib\n");
	fence_write_file(fence.tree, "itself.lua", "return require 'itself'\n");
	fence_write_file(fence.tree, "input", "some input\nfor the program\n");
	fence_require(mkdirat(fence.tree, "folder", 0700) == 0 &&
	                      symlinkat("../outside", fence.tree, "link") == 0 &&
	                      mkfifoat(fence.tree, "fifo", 0600) == 0,
	              path);
	fence_write_file(fence.tree, "folder/deep.lua", "return {}\n");
	close(outside);
	fence.events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	fence_require(inotify_add_watch(fence.events, fence.outside, WRITES | READS) >= 0,
	              "inotify");
	fence_require(inotify_add_watch(fence.events, path, WRITES) >= 0, "inotify");
	snprintf(path, sizeof path, "%s/tree/folder", fence.top);
	fence_require(inotify_add_watch(fence.events, path, WRITES) >= 0, "inotify");
}

const char *fence_outside(void)
{
	return fence.outside;
}

void fence_enter(void)
{
	fence_require(fchdir(fence.tree) == 0, "tree");
}

void fence_leave(void)
{
	_Alignas(struct inotify_event) char bytes[sizeof(struct inotify_event) + NAME_MAX + 1];
	fence_require(fchdir(fence.back) == 0, "back");
	if (read(fence.events, bytes, sizeof bytes) <= 0)
		return;
	const struct inotify_event *e = (const void *)bytes;
	fprintf(stderr, "ERROR: the fence was crossed: %s%s%s, event 0x%x\n",
	        e->wd == 1 ? "outside/" : "tree/", e->len ? e->name : "",
	        e->mask & IN_ISDIR ? " (a folder)" : "", e->mask);
	abort();
}

void fence_look(const char *text, size_t n)
{
	if (memmem(text, n, fence.secret, strlen(fence.secret))) {
		fprintf(stderr, "ERROR: the secret came out\n");
		abort();
	}
}
