/* Keys, mouse and pasted text as the terminal sends them. */
#ifndef CYCLOPS_UI_SCREEN_TERM_KEYS_H
#define CYCLOPS_UI_SCREEN_TERM_KEYS_H

#include <stdbool.h>
#include <stddef.h>

/* Keys: a Unicode character, or a value below. */
enum {
	TERM_NO_KEY = -1,
	TERM_SPECIAL = 0x200000, /* + a KEY_ of ncurses */
	TERM_ALT = 0x400000,     /* + a character */
	TERM_MOUSE = 0x800000,   /* term_mouse() has the details */
	TERM_CTRL_LEFT,
	TERM_CTRL_RIGHT,
	TERM_PASTE,  /* term_paste() has the text */
	TERM_IGNORED /* an unknown sequence */
};
/* Returns the next key without waiting, or TERM_NO_KEY. */
int term_key(void);

enum term_button { MOUSE_PRESS, MOUSE_DOUBLE, MOUSE_DRAG, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };
struct term_mouse {
	enum term_button button;
	int y, x; /* character cells from the upper left */
};
const struct term_mouse *term_mouse(void);
/* Text pasted last, in UTF-8, unfiltered; borrowed until the next key. */
const char *term_paste(void);
/* True if the terminal's background is light, as far as known: from the terminal's answer, which
 * arrives among the keys; before it, from COLORFGBG. */
bool term_background_light(void);

/* ---- for term.c ---- */
/* Call after ncurses has started. */
void keys_begin(void);
void keys_end(void);
/* Escape sequences that switch mouse reports and bracketed paste on and off; empty for terminals
 * without a mouse. */
const char *keys_reports_on(void);
const char *keys_reports_off(void);

#endif
