/* The manual's pages as one HTML file. Supports only the Markdown that the pages use. */
#ifndef CYCLOPS_UI_CLI_MANUAL_HTML_H
#define CYCLOPS_UI_CLI_MANUAL_HTML_H

#include <stdbool.h>

#include "core/base/err.h"

/* Writes the pages of these files to `out`, in order, each with its name as an anchor. False with
 * *err: nothing is written. */
bool manual_html(const char *out, const char *const *paths, const char *const *names,
                 const char *const *titles, unsigned count, struct err *err);

#endif
