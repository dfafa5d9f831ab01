/* `help values`: customisation modules of the value sampler. */
#ifndef CYCLOPS_UI_HELP_HELP_VALUES_H
#define CYCLOPS_UI_HELP_HELP_VALUES_H

struct console;

void help_put_values(struct console *c);

#endif
