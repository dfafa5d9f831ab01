/* The user's own folder for files that sessions keep: cyclops/ in XDG_DATA_HOME or ~/.local/share.
 */
#ifndef CYCLOPS_UI_CLI_OWN_FOLDER_H
#define CYCLOPS_UI_CLI_OWN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

/* Writes the path of a file in that folder, created if missing. False with *err. */
bool own_file(const char *name, char *out, size_t n, struct err *err);

#endif
