/* Editing the program's source, and running it again: compiled anew if its source has changed, in a
 * new session of the same command line, whose end is compared with this one's. */
#ifndef CYCLOPS_UI_SCREEN_REBUILD_H
#define CYCLOPS_UI_SCREEN_REBUILD_H

struct screen;

/* Notes which version of the program runs. */
void rebuild_begin(struct screen *s);

#endif
