/* The ncurses screen: panes of views, keys bound to command lines, a prompt. */
#ifndef CYCLOPS_UI_SCREEN_SCREEN_H
#define CYCLOPS_UI_SCREEN_SCREEN_H

#include "ui/console/command.h"

struct text;
struct tour_place;

/* Runs the session on the terminal (stdin and stdout) until the user quits; c->session is open.
 * Meanwhile, answers of commands, guest output and warnings go to the screen; its log begins with
 * `said`. If *place is in a tour, plays it from there. Returns the exit status: 0, and *place has
 * the tour or session to continue with; or 125 with a message on stderr if this terminal can't show
 * the screen. */
int screen_main(struct console *c, struct tour_place *place, const struct text *said);
/* True if stdin and stdout are a terminal with cursor addressing. */
bool screen_possible(void);

#endif
