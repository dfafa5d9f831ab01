/* "/PLACE=FOLDER[:rw]": a host folder in the guest's tree, as options and scripts write it. */
#ifndef CYCLOPS_LOADER_FOLDER_TEXT_H
#define CYCLOPS_LOADER_FOLDER_TEXT_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/os/os.h"

/* Adds the folder that text describes to all, [OS_FOLDERS]. Its strings are kept in room, which
 * must be as long as the text with its NUL. False with *err: nothing is added. */
/* The folder itself is not looked at. */
bool folder_text_add(struct os_folder *all, unsigned *count, const char *text, char *room,
                     struct err *err);
/* Whether the folder exists on the host; if not, *err has the reason. */
bool folder_is_there(const struct os_folder *f, struct err *err);

#endif
