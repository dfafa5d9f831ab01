/* Where a session on the screen begins: at main, which the program gets to in detail, so that there
 * is something to see. */
#ifndef CYCLOPS_UI_SCREEN_OPENING_H
#define CYCLOPS_UI_SCREEN_OPENING_H

struct screen;

/* A machine at its first cycle goes to main, unless a person wants it to stay (ui.start), commands
 * have been given or a tour is played. What does not get there is where it was. Says how to go on.
 */
void opening_go(struct screen *s);

#endif
