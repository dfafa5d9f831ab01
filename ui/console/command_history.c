#include "ui/console/command_history.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <readline/history.h>

#include "core/base/err.h"
#include "core/base/output_file.h"

enum { LINES_KEPT = 2000, LINES_MOST = 2 * LINES_KEPT };

/* Writes the file's path. False if there is no home folder. */
static bool history_path(char *path, size_t n)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	if (state && *state == '/') {
		snprintf(path, n, "%s/cyclops", state);
		if (mkdir(path, 0700) != 0 && errno != EEXIST)
			return false;
		snprintf(path, n, "%s/cyclops/history", state);
		return true;
	}
	if (!home || *home != '/')
		return false;
	snprintf(path, n, "%s/.cyclops_history", home);
	return true;
}

/* Opens the file and locks it; -1 on failure. Tries again if another session has replaced the file
 * by a shorter one meanwhile. */
static int open_locked(const char *path)
{
	for (;;) {
		struct stat ours, named;
		const int fd = open(
			path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
			0600);
		if (fd < 0)
			return -1;
		if (fstat(fd, &ours) == 0 && S_ISREG(ours.st_mode) && flock(fd, LOCK_EX) == 0) {
			if (lstat(path, &named) == 0 && named.st_dev == ours.st_dev &&
			    named.st_ino == ours.st_ino)
				return fd;
			close(fd);
			continue;
		}
		close(fd);
		return -1;
	}
}

/* Replaces the file, which is locked, by its newest lines. */
static void command_history_truncate_file(const char *path)
{
	struct output_file o;
	struct err unused;
	HIST_ENTRY **all = history_list();
	if (!all || !output_begin(&o, path, OUTPUT_FILE_REGULAR, &unused))
		return;
	for (int i = history_length > LINES_KEPT ? history_length - LINES_KEPT : 0;
	     i < history_length; i++)
		fprintf(o.f, "%s\n", all[i]->line);
	output_end(&o, path, &unused);
}

void history_load(void)
{
	char path[PATH_MAX];
	using_history();
	const int fd = history_path(path, sizeof path) ? open_locked(path) : -1;
	if (fd >= 0) {
		read_history(path);
		if (history_length > LINES_MOST)
			command_history_truncate_file(path);
		close(fd);
	}
	stifle_history(LINES_KEPT);
}

void history_append(const char *line)
{
	char path[PATH_MAX];
	const HIST_ENTRY *last =
		history_length ? history_get(history_base + history_length - 1) : NULL;
	if (!line[strspn(line, " \t")] || (last && !strcmp(last->line, line)))
		return;
	add_history(line);
	const int fd = history_path(path, sizeof path) ? open_locked(path) : -1;
	if (fd < 0)
		return;
	const struct iovec parts[] = {{(void *)(uintptr_t)line, strlen(line)}, {(char[]){"\n"}, 1}};
	(void)!writev(fd, parts, 2);
	close(fd);
}
