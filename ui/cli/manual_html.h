/* The manual's pages as one HTML file: what Markdown of theirs needs, and no more. */
#ifndef CYCLOPS_UI_CLI_MANUAL_HTML_H
#define CYCLOPS_UI_CLI_MANUAL_HTML_H

#include <stdbool.h>

#include "core/base/err.h"

/* Writes out, with the pages of these files in order, each under its name as an anchor. False with
 * *err: nothing is written. */
bool manual_html(const char *out, const char *const *paths, const char *const *names,
                 const char *const *titles, unsigned count, struct err *err);

#endif
