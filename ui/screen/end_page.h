/* The page at a program's end: the cost of the run, its hot places, remedies, and the output.
 * Replaces the layout until the machine moves back or the user chooses a layout. */
#ifndef CYCLOPS_UI_SCREEN_END_PAGE_H
#define CYCLOPS_UI_SCREEN_END_PAGE_H

#include <stdbool.h>

#include "core/base/err.h"
#include "ui/screen/screen_state.h"

bool end_page_init(struct end_page *e, struct err *err);
void end_page_deinit(struct end_page *e);
/* The panes for this room. */
struct node **end_page_tree(struct end_page *e, const struct rect *area);
/* Call after each command: shows the page if the command brought the program to its end (`ended`:
 * it had ended before), or hides it after a motion back. */
void end_page_follow(struct screen *s, bool ended);
/* Hides the page if the machine is no more at its end. */
void end_page_leave(struct screen *s);
/* True if the program reached or left its end after the layout's tree was chosen. */
bool end_page_has_passed(const struct screen *s);

#endif
