/* A guided tour on the screen: a pane with its words, beside a stage with the views that it shows.
 *
 * Space plays the next beat (ui/tour/tour.h). Everything else that a person does is exploring, from
 * which Space leads back: where the machine was moved within what is recorded it is moved back;
 * after anything else the session begins anew and what has been played so far is played again, so a
 * tour is the same for all who take it. */
#ifndef CYCLOPS_UI_SCREEN_NARRATION_H
#define CYCLOPS_UI_SCREEN_NARRATION_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/screen/draw.h"
#include "ui/screen/keys.h"
#include "ui/screen/layout.h"
#include "ui/screen/parts.h"
#include "ui/tour/tour.h"

struct screen;

/* Begins at the place, which may be in the middle: what was played before is played again. */
bool narration_begin(struct screen *s, struct tour_place *place, struct err *err);
void narration_deinit(struct narration *n);
static inline bool narration_on(const struct narration *n)
{
	return n->place && n->place->tour;
}

/* What a key is for in a tour, NULL: as ever. The first one whether or not one is played. */
const struct key *narration_own_key(int key);
const struct key *narration_key(const struct narration *n, int key);
/* Takes its part of the area of panes; returns the rest. */
struct rect narration_place(struct narration *n, struct rect area);
/* A person's command line has been carried out. */
void narration_explored(struct screen *s, const char *line);
void narration_lines(const struct narration *n, struct canvas *c);
void narration_draw(struct screen *s);

bool narration_add_line(struct narration_line **all, unsigned *count, char *text, unsigned meaning);
void narration_free_lines(struct narration_line **all, unsigned *count);
const struct tour_beat *narration_next_beat(const struct narration *n);

#endif
