/* What `handle` is to others: signals that are told, and kept from the program. */
#ifndef CYCLOPS_UI_CMD_HANDLE_H
#define CYCLOPS_UI_CMD_HANDLE_H

#include "ui/console/command.h"

enum command_result info_signals(struct console *c, const char *args);
/* The signals of this set don't reach the program from now on. False with c->err. */
bool handle_hold_back(struct console *c, uint64_t set);

#endif
