/* info locals, info args. */
#ifndef CYCLOPS_UI_CMD_INFO_VARIABLES_H
#define CYCLOPS_UI_CMD_INFO_VARIABLES_H

#include "ui/console/command.h"

enum command_result info_locals(struct console *c, const char *args);
enum command_result info_scope(struct console *c, const char *args);
enum command_result info_args(struct console *c, const char *args);

#endif
