/* A confined child reaches only the listed files, with each of the kernel's means alone and with
 * all: the child makes the attempts below, and prints a letter for each one's success. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/host/sandbox.h"
#include "tests/cases.h"

enum { ATTEMPTS = 13 };
/* In the order of sandbox_try(). */
static const char *const attempts[ATTEMPTS] = {
	"read a listed file",
	"read a file beside it",
	"list a folder that is not listed",
	"read by a link that leads out",
	"write a file that may be read",
	"make a file in a listed folder",
	"make a file in a folder that may be read",
	"execute a listed program",
	"execute another",
	"see that a file exists",
	"make a socket",
	"read the parent's memory",
	"read its own open files",
};

static char place[] = "/tmp/test_sandbox-XXXXXX", path[8][64];
enum { READ, BESIDE, LINK, WRITE, INNER, OUTER, PROGRAM, OTHER };

static bool sandbox_can_open(const char *name, int flags)
{
	const int fd = open(name, flags | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool sandbox_can_execute(const char *name)
{
	int status = -1;
	const pid_t pid = fork();
	if (pid == 0) {
		execl(name, name, (char *)NULL);
		_exit(100);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void sandbox_try(char *out, pid_t parent)
{
	char memory[40], own[40];
	struct stat st;
	snprintf(memory, sizeof memory, "/proc/%d/mem", (int)parent);
	snprintf(own, sizeof own, "/proc/self/fd/%d", STDERR_FILENO);
	const bool got[ATTEMPTS] = {
		sandbox_can_open(path[READ], O_RDONLY),
		sandbox_can_open(path[BESIDE], O_RDONLY),
		sandbox_can_open(place, O_RDONLY | O_DIRECTORY),
		sandbox_can_open(path[LINK], O_RDONLY),
		sandbox_can_open(path[READ], O_WRONLY),
		sandbox_can_open(path[INNER], O_WRONLY | O_CREAT),
		sandbox_can_open(path[OUTER], O_WRONLY | O_CREAT),
		sandbox_can_execute(path[PROGRAM]),
		sandbox_can_execute(path[OTHER]),
		stat(path[BESIDE], &st) == 0,
		socket(AF_INET, SOCK_STREAM, 0) >= 0,
		sandbox_can_open(memory, O_RDONLY),
		readlink(own, memory, sizeof memory) > 0,
	};
	for (int i = 0; i < ATTEMPTS; i++)
		out[i] = got[i] ? 'y' : 'n';
}

/* A child's abilities after it entered the sandbox with these means. *held: the means that
 * worked. */
static void sandbox_ask(unsigned means, char *out, unsigned *held)
{
	int way[2], status;
	struct sandbox s;
	struct err err;
	sandbox_init(&s);
	assert_true(sandbox_allow_system_programs(&s, &err));
	assert_true(sandbox_allow(&s, path[READ], SANDBOX_READ, &err));
	assert_true(sandbox_allow(&s, path[PROGRAM], SANDBOX_EXECUTE, &err));
	char folder[64];
	snprintf(folder, sizeof folder, "%s/w", place);
	assert_true(sandbox_allow(&s, folder, SANDBOX_WRITE, &err));
	snprintf(folder, sizeof folder, "%s/r", place);
	assert_true(sandbox_allow(&s, folder, SANDBOX_READ, &err));
	assert_true(sandbox_allow(&s, "/nosuch/file", SANDBOX_READ, &err));
	assert_true(sandbox_begin_in(&s, folder, &err));
	s.means = means;
	s.own_process = true;
	assert_int_equal(pipe2(way, O_CLOEXEC), 0);
	const pid_t parent = getpid(), pid = fork();
	if (pid == 0) {
		char line[ATTEMPTS + 2];
		line[0] = (char)('0' + sandbox_enter(&s));
		sandbox_try(line + 1, parent);
		_exit(write(way[1], line, sizeof line) == sizeof line ? 0 : 1);
	}
	close(way[1]);
	char line[ATTEMPTS + 2] = "";
	assert_int_equal(read(way[0], line, sizeof line), sizeof line);
	close(way[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	*held = (unsigned)(line[0] - '0');
	snprintf(out, ATTEMPTS + 1, "%.*s", ATTEMPTS, line + 1);
	sandbox_deinit(&s);
}

static void sandbox_expect(unsigned means, const char *expected)
{
	char got[ATTEMPTS + 1], names[80];
	unsigned held;
	if (sandbox_probe(means) != means) {
		print_message("this host has no %s: skipped\n",
		              sandbox_means_text(means, names, sizeof names));
		return;
	}
	sandbox_ask(means, got, &held);
	assert_int_equal(held, means);
	for (int i = 0; i < ATTEMPTS; i++)
		if (got[i] != expected[i])
			fail_msg("%s: could %s: %c, expected %c",
			         sandbox_means_text(means, names, sizeof names), attempts[i],
			         got[i], expected[i]);
}

TEST(test_means)
{
	/* Without means, all attempts succeed. */
	sandbox_expect(0, "yyyyyyyyyyyyy");
	sandbox_expect(SANDBOX_NAMESPACES, "ynynnynynnyny");
	sandbox_expect(SANDBOX_LANDLOCK, "ynnnnynynyyny");
	sandbox_expect(SANDBOX_SECCOMP, "yyyyyyyyyynyy");
	sandbox_expect(SANDBOX_ALL, "ynnnnynynnnny");
}

static void sandbox_put(const char *name, const char *text, mode_t mode)
{
	const int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, mode);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static int sandbox_make_place(void **state)
{
	static const char *const names[] = {"read",  "beside", "r/link",  "read",
	                                    "w/new", "r/new",  "program", "other"};
	char folder[64];
	(void)state;
	if (!mkdtemp(place))
		return -1;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		snprintf(path[i], sizeof path[i], "%s/%s", place, names[i]);
	snprintf(folder, sizeof folder, "%s/w", place);
	mkdir(folder, 0700);
	snprintf(folder, sizeof folder, "%s/r", place);
	mkdir(folder, 0700);
	sandbox_put(path[READ], "read", 0600);
	sandbox_put(path[BESIDE], "beside", 0600);
	sandbox_put(path[PROGRAM], "#!/bin/sh\nexit 0\n", 0700);
	sandbox_put(path[OTHER], "#!/bin/sh\nexit 0\n", 0700);
	return symlink(path[BESIDE], path[LINK]);
}

static int remove_place(void **state)
{
	char line[80];
	(void)state;
	snprintf(line, sizeof line, "rm -r '%s'", place);
	return system(line) == 0 ? 0 : -1;
}

/* A limit applies to the child alone, and a signal shows that it was reached. */
TEST(test_limits)
{
	int status;
	struct sandbox s;
	(void)state;
	sandbox_init(&s);
	s.means = 0;
	s.file_bytes = 4;
	const pid_t pid = fork();
	if (pid == 0) {
		sandbox_enter(&s);
		const int fd = open(path[INNER], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		_exit(write(fd, "12345678", 8) == 4 && write(fd, "9", 1) < 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
}

TEST_GROUP(sandbox_make_place, remove_place)
