/* The reference: all that help explains, as pages of Markdown generated from the tables of which
 * the program is built. A table that has no page is a table that strangers don't find;
 * tests/unit/ui/test_reference.c holds that each row occurs. */
#ifndef CYCLOPS_UI_REFERENCE_REFERENCE_H
#define CYCLOPS_UI_REFERENCE_REFERENCE_H

#include <stdio.h>

#include "ui/console/command.h"

struct reference_page {
	const char *name;    /* NAME.md */
	const char *title;
	const char *summary; /* what it has: one line, no full stop */
	/* c is for pages of help, which write through it. */
	void (*put)(FILE *f, struct console *c);
};

/* The first is the list of all others, index.md. */
extern const struct reference_page reference_pages[];
extern const unsigned reference_page_count;

/* The whole page with its title. The console's output is its own again afterwards. */
void reference_put(FILE *f, const struct reference_page *page, struct console *c);
/* All pages, each as a file of this folder, which is made if it isn't there. False with *err: not
 * all were written. */
bool reference_write(const char *folder, struct console *c, struct err *err);

#endif
