/* Writing a file that is there whole or not at all.
 *
 * What is written goes to a new file beside the target, with a name that nobody can know before; when all of it is on the disk, that takes
 * the target's name. Until then, and if anything fails, whatever had the name stays as it was. Only a regular file is ever
 * replaced, and only one that its owner lets us write; its permissions go on. A symbolic link is followed to the file. */
#ifndef CYCLOPS_UI_REPLACE_FILE_H
#define CYCLOPS_UI_REPLACE_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "core/err.h"

struct replacement {
	FILE *f;          /* to be written to */
	char *target;     /* owned; what is to be replaced, links followed */
	char *temporary;  /* owned */
	mode_t mode;      /* permissions that it gets */
};

/* False with *err, which begins with the path: nothing is open, nothing was made. */
bool replacement_begin(struct replacement *r, const char *path, struct err *err);
/* Ends it, one way or the other. False with *err: as if nothing had been begun. */
bool replacement_end(struct replacement *r, const char *path, struct err *err);
/* Gives it up: as if nothing had been begun. */
void replacement_drop(struct replacement *r);

#endif
