/* Signals that `handle` prints or keeps from the program. */
#ifndef CYCLOPS_UI_CMD_HANDLE_H
#define CYCLOPS_UI_CMD_HANDLE_H

#include "ui/console/command.h"

enum command_result info_signals(struct console *c, const char *args);
/* Keeps exactly the signals of this set from the program from now on. False with c->err. */
bool handle_hold_back(struct console *c, uint64_t set);

#endif
