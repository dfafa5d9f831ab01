/* `help gdb`: debugging with gdb itself, and what it needs to be told. */
#ifndef CYCLOPS_UI_HELP_HELP_GDB_H
#define CYCLOPS_UI_HELP_HELP_GDB_H

struct console;

void help_put_gdb(struct console *c);

#endif
