/* A guided tour on the screen: a pane with the prose, beside a stage with the tour's views.
 *
 * Space plays the next beat (ui/tour/tour.h). Other commands explore, and Space returns to the
 * tour: if the machine was only moved within the recording, moves it back; else restarts the
 * session and replays the beats so far, so that the tour's state does not depend on the
 * exploration. */
#ifndef CYCLOPS_UI_SCREEN_NARRATION_H
#define CYCLOPS_UI_SCREEN_NARRATION_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/screen/draw.h"
#include "ui/screen/layout.h"
#include "ui/screen/parts.h"
#include "ui/tour/tour.h"

struct screen;

/* Begins at the place, which may be in the middle: replays the beats before it. */
bool narration_begin(struct screen *s, struct tour_place *place, struct err *err);
void narration_deinit(struct narration *n);
static inline bool narration_on(const struct narration *n)
{
	return n->place && n->place->tour;
}

/* Takes its part of the area for panes; returns the rest. */
struct rect narration_place(struct narration *n, struct rect area);
/* Call after executing a command line of the user's. */
void narration_explored(struct screen *s, const char *line);
/* Plays on to the verdict on a question of a lab that has just been answered. */
void narration_go_on(struct screen *s);
/* True if the key, a digit, begins an answer to the open question. */
bool narration_takes_key(const struct screen *s, int key);
void narration_lines(const struct narration *n, struct canvas *c);
void narration_draw(struct screen *s);

/* ---- narration_box.c, for narration.c ---- */
/* Adds a line, and takes over its text. False, with text freed, if memory is out. */
bool narration_add_line(struct narration_line **all, unsigned *count, char *text, unsigned meaning);
void narration_free_lines(struct narration_line **all, unsigned *count);
const struct tour_beat *narration_next_beat(const struct narration *n);
/* True if no beat with commands is left. */
bool narration_at_end(const struct narration *n);

#endif
