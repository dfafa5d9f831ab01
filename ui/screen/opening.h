/* Starts a session on the screen at main, reached in detailed simulation, so that the pipeline has
 * contents. */
#ifndef CYCLOPS_UI_SCREEN_OPENING_H
#define CYCLOPS_UI_SCREEN_OPENING_H

struct screen;

/* Runs a machine at its first cycle to main, unless ui.start says otherwise, commands have been
 * given or a tour is played. If main is not reached, the machine returns to the start. Shows a
 * message about keys. */
void opening_go(struct screen *s);

#endif
