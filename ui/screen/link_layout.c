#include "ui/screen/link_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "ui/link/base64.h"
#include "ui/link/moment.h"
#include "ui/screen/screen_state.h"
#include "ui/screen/term.h"

void link_layout_of(const struct screen *s, char *name, size_t n, char **tree)
{
	const struct layout *l = &s->layouts.layout[s->layout];
	*tree = NULL;
	*name = '\0';
	if (s->narration.on_stage || s->end.shown)
		return;
	if (!l->own)
		snprintf(name, n, "%s", l->name);
	if (l->own || l->chosen)
		*tree = tiles_format(*s->root);
}

void link_layout_show(struct screen *s, const struct moment *m)
{
	struct err err;
	const int at = *m->layout ? layouts_find(&s->layouts, m->layout, &err) : s->layout;
	struct node *tree = m->tree ? tiles_parse(m->tree, &err) : NULL;
	if (at < 0 || (m->tree && !tree)) {
		screen_say(s, true, "the link's layout: %s", err.msg);
		tiles_free(tree);
		return;
	}
	if (*m->layout || tree)
		screen_set_layout(s, at);
	if (!tree)
		return;
	/* As if the user had changed the layout: `layout reset` leads back. */
	s->focus = NULL;
	tiles_free(*s->root);
	*s->root = tree;
	s->layouts.layout[at].chosen = s->root;
	screen_choose_tree(s);
}

void link_layout_copy(struct console *c, const char *address)
{
	char *coded = base64_encode(address, strlen(address), false);
	if (coded && term_copy(coded))
		console_print(c, "It is in the clipboard, if the terminal allows that; l shows it "
		                 "again\n");
	free(coded);
}
