/* Pages shared by help, its search and the reference: lists from tables (help_tables.h), and texts
 * on syntax and formats. */
#ifndef CYCLOPS_UI_HELP_HELP_PAGES_H
#define CYCLOPS_UI_HELP_HELP_PAGES_H

#include "ui/help/help_tables.h"

struct help_page {
	const char *name, *summary;
	void (*put)(struct console *c);
	bool text; /* it has sentences of its own, which a search reads */
};

extern const struct help_page help_pages[];
extern const unsigned help_page_count;

/* True if an Xprof instruction begins with this word: "pi.0", "setpf". Page "xprof" lists them. */
bool help_is_xprof(const char *word);

#endif
