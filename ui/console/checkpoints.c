#include "ui/console/checkpoints.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "ui/console/args.h"
#include "ui/console/command_state.h"
#include "ui/console/here.h"

const struct kept_place *checkpoints_add(struct console *c)
{
	struct command_state *st = c->state;
	struct kept_place *k = alloc_zeroed(1, sizeof *k);
	struct spot *at = here_spot(c);
	const bool reached = at->reached;
	struct err err;
	/* A change by hand here is one in the cycle that is kept. Without history it stays. */
	if (spot_settle(at, &err))
		here_look(c);
	at->reached = reached;
	if (!k || !kept_state_take(&k->state, c->session, &c->err)) {
		if (!k)
			console_fail(c, "out of memory for a checkpoint");
		free(k);
		return NULL;
	}
	k->id = ++st->last_checkpoint;
	k->at = *here_spot(c);
	session_where_here(c->session, k->where, sizeof k->where);
	k->next = st->checkpoints;
	st->checkpoints = k;
	return k;
}

const struct kept_place *checkpoints_at(const struct console *c, unsigned i)
{
	const struct kept_place *k;
	unsigned older = 0;
	for (k = c->state->checkpoints; k; k = k->next)
		older++;
	if (i >= older)
		return NULL;
	for (k = c->state->checkpoints; --older > i;)
		k = k->next;
	return k;
}

const struct kept_place *checkpoints_find(struct console *c, const char *text)
{
	uint64_t id;
	if (!c->state->checkpoints) {
		console_fail(c, "there are no checkpoints: `checkpoint` keeps the present; "
		                "`run` starts the program again");
		return NULL;
	}
	if (!*text) {
		console_fail(c, "no number given; `info checkpoints` lists them");
		return NULL;
	}
	if (!parse_count(c, text, 0, &id))
		return NULL;
	for (const struct kept_place *k = c->state->checkpoints; k; k = k->next)
		if ((uint64_t)k->id == id)
			return k;
	console_fail(c, "there is no checkpoint %.40s; `info checkpoints` lists them", text);
	return NULL;
}

void checkpoints_drop(struct console *c, int id)
{
	for (struct kept_place **k = &c->state->checkpoints; *k; k = &(*k)->next)
		if ((*k)->id == id) {
			struct kept_place *dropped = *k;
			*k = dropped->next;
			kept_state_drop(&dropped->state);
			free(dropped);
			return;
		}
}

void checkpoints_clear(struct console *c)
{
	while (c->state->checkpoints)
		checkpoints_drop(c, c->state->checkpoints->id);
	c->state->called_count = 0;
	c->state->ended_count = 0;
}
