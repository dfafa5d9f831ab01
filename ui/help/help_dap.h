/* `help dap`: debugging with gdb itself, and what it needs to be told. */
#ifndef CYCLOPS_UI_HELP_HELP_DAP_H
#define CYCLOPS_UI_HELP_HELP_DAP_H

struct console;

void help_put_dap(struct console *c);

#endif
