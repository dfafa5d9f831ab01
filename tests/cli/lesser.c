/* A preloaded library: file systems with fewer features, and processes that swap files between a check and its use.
 *
 *   LESSER="WORD..."            missing features, of: tmpfile link rename sync mode; "kill" dies before a rename
 *   SWAP="CALL NAME WITH"       before the first CALL, openat or fchmodat, on the name NAME: NAME is moved to NAME.away, and WITH takes its place */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int lesser_lacks(const char *what)
{
	const char *words = getenv("LESSER");
	return words && strstr(words, what);
}

static int lesser_refuse(int why)
{
	errno = why;
	return -1;
}

static void lesser_swap(const char *call, int folder, const char *name)
{
	char wanted[16], target[256], with[256], away[272];
	const char *text = getenv("SWAP");
	if (!text || sscanf(text, "%15s %255s %255s", wanted, target, with) != 3 || strcmp(wanted, call) || strcmp(target, name))
		return;
	unsetenv("SWAP");
	snprintf(away, sizeof away, "%s.away", name);
	if (REAL(renameat)(folder, name, folder, away) != 0 || REAL(renameat)(AT_FDCWD, with, folder, name) != 0)
		abort();
}

int openat(int folder, const char *name, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	if ((flags & O_TMPFILE) == O_TMPFILE && lesser_lacks("tmpfile"))
		return lesser_refuse(EOPNOTSUPP);
	lesser_swap("openat", folder, name);
	return REAL(openat)(folder, name, flags, mode);
}

int linkat(int from, const char *name, int to, const char *other, int flags)
{
	return lesser_lacks("link") ? lesser_refuse(EPERM) : REAL(linkat)(from, name, to, other, flags);
}

int renameat(int from, const char *name, int to, const char *other)
{
	if (lesser_lacks("kill"))
		raise(SIGKILL);
	return lesser_lacks("rename") ? lesser_refuse(EIO) : REAL(renameat)(from, name, to, other);
}

int fsync(int fd)
{
	return lesser_lacks("sync") ? lesser_refuse(EIO) : REAL(fsync)(fd);
}

int fchmod(int fd, mode_t mode)
{
	return lesser_lacks("mode") ? lesser_refuse(EPERM) : REAL(fchmod)(fd, mode);
}

int fchmodat(int folder, const char *name, mode_t mode, int flags)
{
	lesser_swap("fchmodat", folder, name);
	return REAL(fchmodat)(folder, name, mode, flags);
}
