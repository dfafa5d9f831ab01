/* The manual's pages as one HTML file, with their pictures in it. Markdown is parsed by md4c: with
 * tables, and HTML in a page is text. */
#ifndef CYCLOPS_UI_CLI_MANUAL_HTML_H
#define CYCLOPS_UI_CLI_MANUAL_HTML_H

#include <stdbool.h>

#include "core/base/err.h"

/* Writes the pages of these files to `out`, in order, each with its name as an anchor, and its
 * headings with anchors NAME-HEADING. False with *err: nothing is written, or a page is missing
 * there. */
bool manual_html(const char *out, const char *const *paths, const char *const *names,
                 const char *const *titles, unsigned count, struct err *err);

#endif
