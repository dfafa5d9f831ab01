/* Every file that Cyclops makes is written here: it is there whole or not at all, and no guest can
 * lead it elsewhere.
 *
 * Whole. What is written goes to a new file in the target's folder, one without a name where the
 * file system has that. When all of it is on the disk, it takes the target's name. Until then, and
 * if anything fails, whatever had the name stays as it was. A file that is replaced keeps its
 * permissions; one that its owner does not let us write is not replaced.
 *
 * Elsewhere. A guest that may write (os_allow_writing()) can make a symbolic link of any name in
 * its folder. So a link that has the target's name is replaced, never followed. And its folder is
 * the one that had the name before any guest ran (output_keep_folder()), or, if nobody asked then,
 * it is not reached through a link that lies in a folder that a guest may write
 * (output_guest_folder()).
 *
 * What is no regular file, a pipe, a terminal, a device, is written to as it is; so are the links
 * of the kernel, /dev/stdout, /dev/fd/63.
 *
 * A process that is killed in the moment in which a file is replaced leaves the new one as
 * .cyclops-NUMBER beside it. Who writes the target next removes it. */
#ifndef CYCLOPS_CORE_BASE_OUTPUT_FILE_H
#define CYCLOPS_CORE_BASE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "core/base/err.h"

enum output_kind {
	OUTPUT_FILE_ANY,     /* also what is no regular file */
	OUTPUT_FILE_REGULAR, /* nothing else: what has to be read again as a whole */
};

struct output_file {
	FILE *f;            /* to be written to */
	/* the target's, owned; -1: it is no regular file, and f writes to itself */
	int folder;
	char *name;         /* in the folder, owned */
	char temporary[40]; /* the name that it has until it takes the target's */
	bool named;         /* it has it */
	mode_t mode;        /* permissions that it gets */
};

/* Opens what is to have this name. False with *err, which begins with the path: nothing is open,
 * nothing was made. */
bool output_begin(struct output_file *o, const char *path, enum output_kind kind, struct err *err);
/* All is written: it takes the name. False with *err, also where writing to o->f failed: as if
 * nothing had been begun. */
bool output_end(struct output_file *o, const char *path, struct err *err);
/* Gives it up: as if nothing had been begun. */
void output_drop(struct output_file *o);
/* All at once. */
bool output_write(const char *path, const void *bytes, size_t n, enum output_kind kind,
                  struct err *err);
/* Whether a file's name has this end (".json"), by which its kind is told. */
bool output_ends_in(const char *path, const char *end);
/* Removes a file that was made here. False with errno. */
bool output_remove(const char *path);
/* For the output of a program that we start, which is read while it is written: a descriptor of a
 * new, empty file, in the place of a regular one or of a link; what else is there is opened as it
 * is. -1 with errno. */
int output_create(const char *path);

/* A new file that is executable, too: for programs. Before output_end(). */
void output_make_executable(struct output_file *o);

#endif
