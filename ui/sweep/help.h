/* `help sweep`: the contents of a sweep's file. */
#ifndef CYCLOPS_UI_SWEEP_HELP_H
#define CYCLOPS_UI_SWEEP_HELP_H

struct console;

void sweep_put_help(struct console *c);

#endif
