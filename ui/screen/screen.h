/* The ncurses screen: panes of views, keys that are command lines, a prompt. */
#ifndef CYCLOPS_UI_SCREEN_SCREEN_H
#define CYCLOPS_UI_SCREEN_SCREEN_H

#include "ui/console/command.h"

struct text;
struct tour_place;

/* Runs the session on the terminal (stdin and stdout) until a person quits; c->session is open.
 * While it lasts, answers of commands, guest output and warnings go to the screen; what was `said`
 * before heads its log. If *place is in a tour, that is played from there on. Returns the exit
 * status: 0, and *place says whether a person wants a tour next; or 125 with a message on stderr if
 * this terminal can't show the screen. */
int screen_main(struct console *c, struct tour_place *place, const struct text *said);
/* Whether stdin and stdout are a terminal that can place text anywhere. */
bool screen_possible(void);

#endif
