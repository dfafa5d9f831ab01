/* Pasted text: it goes to the prompt, or to a guest that waits for a line, and is never taken as
 * keys. Several lines run only after confirmation. running.c reads it. */
#ifndef CYCLOPS_UI_SCREEN_PASTE_H
#define CYCLOPS_UI_SCREEN_PASTE_H


struct screen;

/* Inserts the kept text where the user types. */
void paste_use(struct screen *s);
/* Puts the kept text into the keys typed ahead for the guest, from `at` on: each line ends with
 * Enter. */
void paste_to_guest(struct screen *s, unsigned at);

#endif
