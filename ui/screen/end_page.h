/* The page at a program's end: what the run cost, where, what would help, and its output. It stands
 * in place of the layout until the machine moves back or a layout is chosen. */
#ifndef CYCLOPS_UI_SCREEN_END_PAGE_H
#define CYCLOPS_UI_SCREEN_END_PAGE_H

#include <stdbool.h>

#include "core/base/err.h"
#include "ui/screen/screen_state.h"

bool end_page_init(struct end_page *e, struct err *err);
void end_page_deinit(struct end_page *e);
/* Call after each command: shows the page if the command brought the program to its end (`ended`:
 * it had ended before), or hides it after a motion back. */
void end_page_follow(struct screen *s, bool ended);
/* Hides the page if the machine is no more at its end. */
void end_page_leave(struct screen *s);

#endif
