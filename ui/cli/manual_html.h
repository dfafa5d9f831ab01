/* The manual's pages as one HTML file, pictures included. md4c parses the Markdown, with tables;
 * HTML in a page is plain text. */
#ifndef CYCLOPS_UI_CLI_MANUAL_HTML_H
#define CYCLOPS_UI_CLI_MANUAL_HTML_H

#include <stdbool.h>

#include "core/base/err.h"

/* Writes the pages of these files to `out`, in order. A page's anchor is its name, a heading's
 * NAME-HEADING. False with *err: no file is written, or the file lacks a page. */
bool manual_html(const char *out, const char *const *paths, const char *const *names,
                 const char *const *titles, unsigned count, struct err *err);

#endif
