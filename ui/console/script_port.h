/* Gives scripts access to commands and checkpoint files, which only ui/ has (scripting/script.h).
 */
#ifndef CYCLOPS_UI_CONSOLE_SCRIPT_PORT_H
#define CYCLOPS_UI_CONSOLE_SCRIPT_PORT_H

#include "scripting/script.h"

extern const struct command_port script_commands;

#endif
