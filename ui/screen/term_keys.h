/* Keys and mouse as the terminal sends them. For term.c alone; what others call is in term.h. */
#ifndef CYCLOPS_UI_SCREEN_TERM_KEYS_H
#define CYCLOPS_UI_SCREEN_TERM_KEYS_H

/* After ncurses has begun. */
void keys_begin(void);
void keys_end(void);
/* What switches reports of the mouse, and marks around what is pasted, on and off; empty for
 * terminals without a mouse. */
const char *keys_reports_on(void);
const char *keys_reports_off(void);

#endif
