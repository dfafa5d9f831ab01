/* Edits the program's source and runs the program again: recompiled if the source has changed, in a
 * new session of the same command line. The ends of both runs are compared. */
#ifndef CYCLOPS_UI_SCREEN_REBUILD_H
#define CYCLOPS_UI_SCREEN_REBUILD_H

struct screen;

/* Notes which version of the program runs. */
void rebuild_begin(struct screen *s);

#endif
