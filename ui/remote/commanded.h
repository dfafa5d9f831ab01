/* Motions from place to place (ui/remote/mover.h) for the console's own commands.
 *
 * A command begins, moves once or several times, and ends with the report. */
#ifndef CYCLOPS_UI_REMOTE_COMMANDED_H
#define CYCLOPS_UI_REMOTE_COMMANDED_H

#include "ui/console/motion.h"
#include "ui/remote/mover.h"

/* Begins a motion of the selected thread; NULL with c->err. */
struct mover *commanded_begin(struct console *c, bool forward);
/* True if the motion reached its goal, so that a further motion may follow. */
bool commanded_goes_on(const struct mover *v);
/* Call after a motion by cycles: if it ended with the return of a function that an expression has
 * called, sets the registers back, and the stop is none. */
void commanded_cycles_end(struct console *c, struct run_stop_info *info);
/* Prints the report of the stop. */
enum command_result commanded_end(struct mover *v, enum motion_style style);

#endif
