/* info symbol, address, line, source, functions, variables: symbols and debug information of the
 * program's file. */
#ifndef CYCLOPS_UI_CMD_INFO_SYMBOLS_H
#define CYCLOPS_UI_CMD_INFO_SYMBOLS_H

#include "ui/console/command.h"

enum command_result info_symbol(struct console *c, const char *args);
enum command_result info_address(struct console *c, const char *args);
enum command_result info_line(struct console *c, const char *args);
enum command_result info_source(struct console *c, const char *args);
enum command_result info_functions(struct console *c, const char *args);
enum command_result info_variables(struct console *c, const char *args); /* data symbols */

#endif
