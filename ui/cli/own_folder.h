/* The folder for what a session writes for a person: cyclops/ in XDG_DATA_HOME or ~/.local/share.
 */
#ifndef CYCLOPS_UI_CLI_OWN_FOLDER_H
#define CYCLOPS_UI_CLI_OWN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

/* The path of a file of that folder, which is made if it isn't there. False with *err. */
bool own_file(const char *name, char *out, size_t n, struct err *err);

#endif
