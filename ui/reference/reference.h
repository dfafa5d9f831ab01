/* The reference: all that help explains, as Markdown pages generated from the program's own tables.
 * tests/unit/ui/test_reference.c checks that each row of a table occurs. */
#ifndef CYCLOPS_UI_REFERENCE_REFERENCE_H
#define CYCLOPS_UI_REFERENCE_REFERENCE_H

#include <stdio.h>

#include "ui/console/command.h"

struct reference_page {
	const char *name;    /* NAME.md */
	const char *title;
	const char *summary; /* its contents: one line, no full stop */
	/* c: pages of help are written through it */
	void (*put)(FILE *f, struct console *c);
};

/* All pages; the first, index.md, lists the others. */
extern const struct reference_page reference_pages[];
extern const unsigned reference_page_count;

/* Writes the whole page with its title. Redirects the console's output meanwhile. */
void reference_put(FILE *f, const struct reference_page *page, struct console *c);
/* Writes each page to a file of this folder, created if needed. False with *err: some pages were
 * not written. */
bool reference_write(const char *folder, struct console *c, struct err *err);

#endif
