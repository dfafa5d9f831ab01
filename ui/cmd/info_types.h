/* Topics of `info` about types of C and C++. */
#ifndef CYCLOPS_UI_CMD_INFO_TYPES_H
#define CYCLOPS_UI_CMD_INFO_TYPES_H

#include "ui/console/command.h"

enum command_result info_types(struct console *c, const char *args);
enum command_result info_vtbl(struct console *c, const char *args);

#endif
