/* Pages of the manual and of labs: Markdown as text that is read on a terminal.
 *
 * Headings are underlined, paragraphs and cells of tables filled to the width, links and pictures
 * are their words. Anything but headings, paragraphs, lists, quotations, tables and code stays as
 * it is. */
#ifndef CYCLOPS_UI_RENDER_MARKDOWN_H
#define CYCLOPS_UI_RENDER_MARKDOWN_H

#include <stdbool.h>
#include <stdio.h>

/* Writes the page, in lines of `width` cells; `styled`: bold and underlined as a terminal does. */
void markdown_text(const char *page, unsigned width, bool styled, FILE *f);
/* Shows a file: through a pager on a terminal, as it is elsewhere. The exit status. */
int markdown_show(const char *path);
/* Opens a file in a person's editor, EDITOR or vi. The exit status. */
int markdown_edit(const char *path);

#endif
