/* Checkpoints as topics of other commands: `info checkpoints`, `delete checkpoint N`. */
#ifndef CYCLOPS_UI_CMD_CHECKPOINT_H
#define CYCLOPS_UI_CMD_CHECKPOINT_H

#include "ui/console/command.h"

enum command_result checkpoint_list(struct console *c, const char *args);
enum command_result checkpoint_delete(struct console *c, const char *args);

#endif
