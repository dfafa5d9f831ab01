/* Writes every file that Cyclops makes: complete or not at all, and no guest can redirect it.
 *
 * Complete. Output goes to a new file in the target's folder, without a name if the file system
 * supports that. Once all of it is on the disk, the file takes the target's name. Until then, and
 * on failure, the old target is unchanged. A replaced file keeps its permissions; a file that we
 * may not write is not replaced.
 *
 * Not redirected. A guest that may write (os_allow_writing()) can make a symbolic link of any name
 * in its folder. So a link with the target's name is replaced, never followed. The target's folder
 * is the one that had the name before any guest ran, if output_keep_folder() was called then; else
 * it is not reached through a link in a folder that a guest may write (output_guest_folder()).
 *
 * Targets that are not regular files (pipe, terminal, device, and links of the kernel such as
 * /dev/stdout and /dev/fd/63) are written directly.
 *
 * A process that is killed while it replaces a file leaves the new one as .cyclops-NUMBER beside
 * it. The next write of the target removes it. */
#ifndef CYCLOPS_CORE_BASE_OUTPUT_FILE_H
#define CYCLOPS_CORE_BASE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "core/base/err.h"

enum output_kind {
	OUTPUT_FILE_ANY,     /* pipes, terminals and devices, too */
	OUTPUT_FILE_REGULAR, /* a regular file only: it will be read again as a whole */
};

struct output_file {
	FILE *f;            /* to be written to */
	/* the target's, owned; -1: the target is not a regular file, and f writes to it directly */
	int folder;
	char *name;         /* in the folder, owned */
	char temporary[40]; /* the name until it takes the target's */
	bool named;         /* the file has this name */
	mode_t mode;        /* permissions of the new file */
};

/* Begins a file that gets this name when it is complete. False with *err, which begins with the
 * path: no file is open or created. */
bool output_begin(struct output_file *o, const char *path, enum output_kind kind, struct err *err);
/* Completes the file and gives it the target's name. False with *err, also if writing to o->f
 * failed: the target is unchanged. */
bool output_end(struct output_file *o, const char *path, struct err *err);
/* Abandons the file; the target is unchanged. */
void output_drop(struct output_file *o);
/* Begins, writes and ends a file. */
bool output_write(const char *path, const void *bytes, size_t n, enum output_kind kind,
                  struct err *err);
/* True if a file's name has this suffix (".json"). */
bool output_ends_in(const char *path, const char *end);
/* Removes a file of ours. False with errno. */
bool output_remove(const char *path);
/* A descriptor for the output of a program that we start, to be read while it is written: a new,
 * empty file that replaces a regular one or a link; any other kind of file is opened unchanged. -1
 * with errno. */
int output_create(const char *path);

/* Makes the new file executable. Call before output_end(). */
void output_make_executable(struct output_file *o);

#endif
