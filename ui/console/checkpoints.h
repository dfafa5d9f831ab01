/* Numbered states of the program that `checkpoint` keeps and `restart` returns to. */
#ifndef CYCLOPS_UI_CONSOLE_CHECKPOINTS_H
#define CYCLOPS_UI_CONSOLE_CHECKPOINTS_H

#include "hwviews/session/kept_state.h"
#include "ui/console/command.h"
#include "ui/console/spot.h"

struct kept_place {
	struct kept_place *next; /* owned; the next older one */
	int id;
	struct kept_state state; /* owned */
	struct spot at;
	char where[200];         /* "main+0x88 (calls.c:37)" */
};

/* Keeps the present. NULL with c->err. */
const struct kept_place *checkpoints_add(struct console *c);
/* The i-th, by number; NULL: there are fewer. */
const struct kept_place *checkpoints_at(const struct console *c, unsigned i);
/* The one of a number in text; NULL with c->err. */
const struct kept_place *checkpoints_find(struct console *c, const char *text);
void checkpoints_drop(struct console *c, int id);
/* Drops all: the program was restarted, or the console ends. */
void checkpoints_clear(struct console *c);

#endif
