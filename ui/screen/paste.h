/* Pasted text: it goes to the prompt, or to a guest that waits for a line, and is never taken as
 * keys. Several lines run only after confirmation. */
#ifndef CYCLOPS_UI_SCREEN_PASTE_H
#define CYCLOPS_UI_SCREEN_PASTE_H

#include <stdbool.h>

struct screen;

/* Call for each key from the terminal: keeps the text of TERM_PASTE. False: drop the key, its text
 * was appended to a paste that is still waiting. */
bool paste_keep(struct screen *s, int key);
/* Inserts the kept text where the user types. */
void paste_use(struct screen *s);
/* Puts the kept text into the keys typed ahead for the guest, from `at` on: each line ends with
 * Enter. */
void paste_to_guest(struct screen *s, unsigned at);

#endif
