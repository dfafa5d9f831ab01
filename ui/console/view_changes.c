#include "ui/console/view_changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/grid/view.h"
#include "ui/console/command_state.h"
#include "ui/console/interrupt.h"

static bool view_changes_build_grid(struct console *c, const char *words, struct grid *out,
                                    struct err *err)
{
	return view_build(c->session, words, &(struct view_args){.columns = c->width}, out, err);
}

void view_changes_keep(struct console *c)
{
	struct command_state *st = c->state;
	for (int i = 0; i < SHOWN_MAX; i++) {
		struct shown *sh = &st->shown[i];
		if (!sh->words || sh->kept == sh->used)
			continue;
		if (sh->has_before)
			grid_deinit(&sh->before);
		sh->has_before = view_changes_build_grid(c, sh->words, &sh->before, NULL);
		sh->kept = sh->used;
	}
}

static struct shown *view_changes_find_shown(struct command_state *st, const char *words)
{
	struct shown *oldest = &st->shown[0];
	for (int i = 0; i < SHOWN_MAX; i++) {
		struct shown *sh = &st->shown[i];
		if (sh->words && !strcmp(sh->words, words))
			return sh;
		if (sh->used < oldest->used)
			oldest = sh;
	}
	free(oldest->words);
	if (oldest->has_before)
		grid_deinit(&oldest->before);
	*oldest = (struct shown){.words = alloc_text(words)};
	return oldest;
}

bool shown_build(struct console *c, const char *words, struct grid *out)
{
	if (!view_changes_build_grid(c, words, out, &c->err))
		return false;
	/* keeping one that Ctrl-C stopped would compute the whole of it before the next motion */
	if (interrupt_came())
		return true;
	struct shown *sh = view_changes_find_shown(c->state, words);
	sh->used = ++c->state->shown_clock;
	if (sh->has_before)
		grid_mark_changes(out, &sh->before);
	return true;
}
