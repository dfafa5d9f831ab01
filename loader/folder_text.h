/* "/PLACE=FOLDER[:rw]": a folder of the host that a program has in its tree, as options and scripts
 * say it. */
#ifndef CYCLOPS_LOADER_FOLDER_TEXT_H
#define CYCLOPS_LOADER_FOLDER_TEXT_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/os/os.h"

/* Adds what the text says to all, [OS_FOLDERS]. Its words lie in room, as long as the text with its
 * end, from then on. False with *err: nothing is added. */
/* Only the text is looked at. */
bool folder_text_add(struct os_folder *all, unsigned *count, const char *text, char *room,
                     struct err *err);
/* Whether there is such a folder on the host; if not, says why. */
bool folder_is_there(const struct os_folder *f, struct err *err);

#endif
