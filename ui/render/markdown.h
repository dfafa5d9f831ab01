/* Pages of the manual and of labs: Markdown as text that is read on a terminal.
 *
 * Headings are underlined, paragraphs and table cells filled to the width, links and pictures
 * replaced by their text. Markdown other than headings, paragraphs, lists, quotations, tables and
 * code is printed unchanged. */
#ifndef CYCLOPS_UI_RENDER_MARKDOWN_H
#define CYCLOPS_UI_RENDER_MARKDOWN_H

#include <stdbool.h>
#include <stdio.h>

/* Writes the page in lines of `width` cells; `styled`: with terminal escapes for bold and
 * underline. */
void markdown_text(const char *page, unsigned width, bool styled, FILE *f);
/* Shows a file: through a pager on a terminal, unchanged elsewhere. Returns the exit status. */
int markdown_show(const char *path);
/* Opens a file in EDITOR or vi. Returns the exit status. */
int markdown_edit(const char *path);

#endif
