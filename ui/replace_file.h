/* Writing a file that is there whole or not at all.
 *
 * What is written goes to a new file in the target's folder: one without a name, where the file system has that, so that nothing is left if we are
 * killed; else with one that nobody can know before. When all of it is on the disk, that takes the target's name. Until then, and if anything fails, whatever had the name stays as it was. Only a regular file is ever
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
	char *temporary;  /* owned; the name that it has until then, or will have for a moment */
	bool named;       /* it has it */
	mode_t mode;      /* permissions that it gets */
};

/* False with *err, which begins with the path: nothing is open, nothing was made. */
bool replacement_begin(struct replacement *r, const char *path, struct err *err);
/* Ends it, one way or the other. False with *err: as if nothing had been begun. */
bool replacement_end(struct replacement *r, const char *path, struct err *err);
/* Gives it up: as if nothing had been begun. */
void replacement_drop(struct replacement *r);

#endif
