#include "core/host/sandbox.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/host/own_program.h"
#include "core/host/posix/sandbox_kernel.h"
#include "core/host/process.h"

void sandbox_init(struct sandbox *s)
{
	*s = (struct sandbox){.means = SANDBOX_ALL};
}

void sandbox_deinit(struct sandbox *s)
{
	for (unsigned i = 0; i < s->count; i++) {
		free(s->paths[i].path);
		free(s->paths[i].target);
	}
	free(s->folder);
	sandbox_init(s);
}

/* ---- the list ---- */

/* Takes over both strings; a path already in the list gains the rights. */
static bool sandbox_append(struct sandbox *s, char *path, char *target, unsigned rights,
                           struct err *err)
{
	for (unsigned i = 0; i < s->count; i++)
		if (!strcmp(s->paths[i].path, path)) {
			s->paths[i].rights |= rights;
			free(path);
			free(target);
			return true;
		}
	if (s->count == SANDBOX_PATHS_MAX) {
		free(path);
		free(target);
		return err_set(err, "a sandbox has at most %d paths", SANDBOX_PATHS_MAX);
	}
	s->paths[s->count++] = (struct sandbox_path){path, target, rights};
	return true;
}

/* Makes a path absolute without resolving links; owned by the caller, NULL if memory is out. */
static char *sandbox_absolute_name(const char *path)
{
	char folder[PATH_MAX];
	if (*path == '/')
		return alloc_text(path);
	return getcwd(folder, sizeof folder) ? alloc_format("%s/%s", folder, path) : NULL;
}

bool sandbox_allow(struct sandbox *s, const char *path, unsigned rights, struct err *err)
{
	char *real = alloc_real_path(path);
	if (!real)
		return errno != ENOMEM || err_set(err, "out of memory");
	char *name = sandbox_absolute_name(path);
	char *target = alloc_text(real);
	bool ok = name && target ? true : err_set(err, "out of memory");
	if (ok && strcmp(name, real) != 0) {
		ok = sandbox_append(s, name, target, 0, err);
		name = target = NULL;
	}
	free(name);
	free(target);
	if (ok)
		return sandbox_append(s, real, NULL, rights, err);
	free(real);
	return false;
}

struct sandbox_libraries {
	struct sandbox *s;
	struct err *err;
	bool ok;
};

static int sandbox_allow_library(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct sandbox_libraries *l = ctx;
	(void)size;
	if (info->dlpi_name && *info->dlpi_name == '/')
		l->ok = sandbox_allow(l->s, info->dlpi_name, SANDBOX_EXECUTE, l->err);
	return !l->ok;
}

bool sandbox_allow_own_program(struct sandbox *s, struct err *err)
{
	static const char *const read[] = {"/etc/ld.so.cache", "/etc/ld.so.preload",
	                                   "/usr/lib/locale", "/usr/share/terminfo",
	                                   "/lib/terminfo"};
	char own[PATH_MAX];
	own_program(own, sizeof own);
	struct sandbox_libraries l = {s, err, sandbox_allow(s, own, SANDBOX_EXECUTE, err)};
	if (l.ok)
		dl_iterate_phdr(sandbox_allow_library, &l);
	for (size_t i = 0; i < sizeof read / sizeof *read && l.ok; i++)
		l.ok = sandbox_allow(s, read[i], SANDBOX_READ, err);
	return l.ok && sandbox_allow(s, "/dev/null", SANDBOX_WRITE, err);
}

bool sandbox_allow_system_programs(struct sandbox *s, struct err *err)
{
	static const char *const run[] = {"/usr/bin",
	                                  "/usr/sbin",
	                                  "/usr/lib",
	                                  "/usr/lib32",
	                                  "/usr/lib64",
	                                  "/usr/libx32",
	                                  "/usr/libexec",
	                                  "/usr/include",
	                                  "/usr/riscv64-linux-gnu",
	                                  "/usr/share/locale",
	                                  "/usr/local/bin",
	                                  "/usr/local/lib",
	                                  "/usr/local/include",
	                                  "/bin",
	                                  "/sbin",
	                                  "/lib",
	                                  "/lib32",
	                                  "/lib64",
	                                  "/libx32",
	                                  "/etc/alternatives",
	                                  "/etc/ld.so.cache",
	                                  "/etc/ld.so.preload"};
	bool ok = true;
	for (size_t i = 0; i < sizeof run / sizeof *run && ok; i++)
		ok = sandbox_allow(s, run[i], SANDBOX_EXECUTE, err);
	return ok && sandbox_allow(s, "/dev/null", SANDBOX_WRITE, err);
}

/* Adds the folder of this program's C library. */
static int sandbox_allow_library_folder(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct sandbox_libraries *l = ctx;
	(void)size;
	const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
	if (!slash || strncmp(slash, "/libc.so", 8) != 0)
		return 0;
	char *folder = alloc_text_n(info->dlpi_name, (size_t)(slash - info->dlpi_name));
	l->ok = folder ? sandbox_allow(l->s, folder, SANDBOX_EXECUTE, l->err)
	               : err_set(l->err, "out of memory");
	free(folder);
	return 1;
}

bool sandbox_allow_gcc(struct sandbox *s, const char *target, struct err *err)
{
	/* %s: the target. /lib and /lib64 are links where they are not folders of their own. */
	static const char *const run[] = {"/usr/bin/%s-*",        "/usr/lib/gcc-cross/%s",
	                                  "/usr/lib/gcc/%s",      "/usr/libexec/gcc-cross/%s",
	                                  "/usr/libexec/gcc/%s",  "/usr/%s",
	                                  "/usr/lib/%s",          "/usr/include",
	                                  "/usr/local/include",   "/usr/lib/bfd-plugins",
	                                  "/usr/share/locale",    "/usr/lib64/ld-linux*.so*",
	                                  "/usr/lib/ld-linux*.so*"};
	static const char *const links[] = {"/lib", "/lib64"};
	struct sandbox_libraries l = {s, err, true};
	for (size_t i = 0; i < sizeof run / sizeof *run && l.ok; i++) {
		char *pattern = alloc_format(run[i], target);
		glob_t found = {0};
		if (!pattern || glob(pattern, GLOB_NOSORT, NULL, &found) == GLOB_NOSPACE)
			l.ok = err_set(err, "out of memory");
		for (size_t k = 0; k < found.gl_pathc && l.ok; k++)
			l.ok = sandbox_allow(s, found.gl_pathv[k], SANDBOX_EXECUTE, err);
		globfree(&found);
		free(pattern);
	}
	if (l.ok)
		dl_iterate_phdr(sandbox_allow_library_folder, &l);
	/* Last: no other path may lead through them while the new root is filled. */
	for (size_t i = 0; i < sizeof links / sizeof *links && l.ok; i++) {
		char *real = alloc_real_path(links[i]), *name = alloc_text(links[i]);
		if (real && name && strcmp(real, links[i]) != 0) {
			l.ok = sandbox_append(s, name, real, 0, err);
			continue;
		}
		free(real);
		free(name);
	}
	return l.ok && sandbox_allow(s, "/dev/null", SANDBOX_WRITE, err);
}

bool sandbox_begin_in(struct sandbox *s, const char *folder, struct err *err)
{
	free(s->folder);
	s->folder = alloc_real_path(folder);
	return s->folder || err_set(err, "%s: %s", folder, strerror(errno));
}

/* ---- the child ---- */

/* Sets the soft limit to `most`, and the hard one `beyond` above it. */
static void sandbox_limit(unsigned what, uint64_t most, uint64_t beyond)
{
	struct rlimit r;
	if (!most || getrlimit(what, &r) != 0)
		return;
	if (r.rlim_max == RLIM_INFINITY || r.rlim_max > most + beyond)
		r.rlim_max = most + beyond;
	r.rlim_cur = r.rlim_max < most ? r.rlim_max : most;
	setrlimit(what, &r);
}

unsigned sandbox_enter(const struct sandbox *s)
{
	unsigned held = 0;
	const struct rlimit none = {0, 0};
	setrlimit(RLIMIT_CORE, &none);
	sandbox_limit(RLIMIT_FSIZE, s->file_bytes, 0);
	/* A second between the limits, or the kernel sends SIGKILL instead of SIGXCPU. */
	sandbox_limit(RLIMIT_CPU, s->cpu_seconds, 1);
#ifndef __SANITIZE_ADDRESS__
	sandbox_limit(RLIMIT_DATA, s->memory_bytes, 0);
#endif
	if (s->means & SANDBOX_NAMESPACES && sandbox_enter_namespaces(s))
		held |= SANDBOX_NAMESPACES;
	const bool begun = chdir(s->folder ? s->folder : "/") == 0;
	if (s->means & SANDBOX_LANDLOCK && sandbox_enter_landlock(s))
		held |= SANDBOX_LANDLOCK;
	if (s->means & SANDBOX_SECCOMP && sandbox_enter_seccomp())
		held |= SANDBOX_SECCOMP;
	return begun ? held : 0;
}

/* ---- probing the host ---- */

unsigned sandbox_probe(unsigned means)
{
	struct sandbox s;
	int status;
	sandbox_init(&s);
	s.means = means;
	const pid_t pid = process_copy();
	if (pid == 0)
		_exit((int)sandbox_enter(&s));
	const bool ended = pid > 0 && process_wait(pid, &status) && WIFEXITED(status);
	return ended ? (unsigned)WEXITSTATUS(status) & means : 0;
}

const char *sandbox_means_text(unsigned means, char *buf, size_t n)
{
	static const char *const names[] = {"namespaces", "Landlock", "seccomp"};
	size_t used = 0;
	snprintf(buf, n, "resource limits only");
	for (unsigned i = 0; i < 3; i++)
		if (means >> i & 1 && used < n)
			used += (size_t)snprintf(buf + used, n - used, "%s%s",
			                         !used              ? ""
			                         : means >> (i + 1) ? ", "
			                                            : " and ",
			                         names[i]);
	return buf;
}
