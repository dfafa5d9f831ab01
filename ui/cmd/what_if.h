/* Shared by the commands what-if and slow. */
#ifndef CYCLOPS_UI_CMD_WHAT_IF_H
#define CYCLOPS_UI_CMD_WHAT_IF_H

#include "hwviews/why/what_if.h"
#include "ui/console/command.h"

/* Runs what-if on a part, with progress, and keeps the answer with the session. NULL with *err; it
 * stays as it was, and machine_interrupted() is true if Esc or Ctrl-C came. */
const struct what_if *cmd_what_if_measure(struct console *c, const struct region *part,
                                          struct err *err);

#endif
