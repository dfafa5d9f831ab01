/* The screen's part of links: its layout, and the terminal's clipboard. */
#ifndef CYCLOPS_UI_SCREEN_LINK_LAYOUT_H
#define CYCLOPS_UI_SCREEN_LINK_LAYOUT_H

#include <stddef.h>

struct console;
struct moment;
struct screen;

/* Writes the name of the layout that is shown; "" if a tour, a playground or the end page chose the
 * panes. *tree: its tree if that is not the built-in one, owned by the caller; else NULL. */
void link_layout_of(const struct screen *s, char *name, size_t n, char **tree);
/* Shows a link's layout. */
void link_layout_show(struct screen *s, const struct moment *m);
/* Gives a link to the terminal's clipboard, and reports that as a part of the answer. */
void link_layout_copy(struct console *c, const char *address);

#endif
