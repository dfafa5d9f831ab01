/* The pages of help: lists of what there is (help_tables.h), and how things are written. Help, its
 * search and the reference share them. */
#ifndef CYCLOPS_UI_HELP_HELP_PAGES_H
#define CYCLOPS_UI_HELP_HELP_PAGES_H

#include "ui/help/help_tables.h"

struct help_page {
	const char *name, *summary;
	void (*put)(struct console *c);
};

extern const struct help_page help_pages[];
extern const unsigned help_page_count;

/* Whether a word is how an instruction of Xprof begins: "pi.0", "setpf". Page "xprof" has them all.
 */
bool help_is_xprof(const char *word);

#endif
