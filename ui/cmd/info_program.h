/* info program, status, sharedlibrary, memory: the program, its state, its memory. */
#ifndef CYCLOPS_UI_CMD_INFO_PROGRAM_H
#define CYCLOPS_UI_CMD_INFO_PROGRAM_H

#include "ui/console/command.h"

enum command_result info_program(struct console *c, const char *args);
enum command_result info_status(struct console *c, const char *args);
enum command_result info_sharedlibrary(struct console *c, const char *args);
enum command_result info_memory(struct console *c, const char *args);

#endif
