/* Pasted text: it goes to the prompt, or to the guest that waits for a line, and is never pressed
 * as keys. Several lines are run only after a person has said so. */
#ifndef CYCLOPS_UI_SCREEN_PASTE_H
#define CYCLOPS_UI_SCREEN_PASTE_H

#include <stdbool.h>

struct screen;

/* A terminal's key, where TERM_PASTE is not handed on yet: keeps what was pasted. False: behind a
 * paste that has not been used yet, and is part of it. */
bool paste_keep(struct screen *s, int key);
/* What was kept goes to where a person types. */
void paste_use(struct screen *s);
/* What was kept, as keys typed ahead for the guest from `at` on: each line ends with Enter. */
void paste_to_guest(struct screen *s, unsigned at);

#endif
