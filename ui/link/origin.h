/* The beginning of this process's session, as a link can carry it: a demo or texts, arguments.
 *
 * The command line sets it before the session opens (ui/cli/cli_link.h); a session that was opened
 * otherwise has none. */
#ifndef CYCLOPS_UI_LINK_ORIGIN_H
#define CYCLOPS_UI_LINK_ORIGIN_H

#include "ui/link/link.h"

struct console;

struct link_origin {
	struct link begins; /* program, arguments, ABI; owned */
	bool input;         /* a demo with the input that the course gives it */
	char lacks[256];    /* why no link can begin so; "": one can */
};

/* Takes over *o, in place of the former origin, and empties it. */
void link_origin_set(struct link_origin *o);

/* Makes a link to the console's present moment. layout, tree: the screen's; NULL: none. Returns the
 * fragment, malloc'd; NULL with *err: the reason why this moment has none. */
char *link_here(const struct console *c, const char *layout, const char *tree, struct err *err);
/* Makes the text to paste: '#' and the fragment, after the address of the page if the environment
 * has one in CYCLOPS_PAGE. malloc'd; NULL with *err. */
char *link_address(const char *fragment, struct err *err);

#endif
