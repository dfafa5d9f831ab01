/* Pages of `help` that are texts: ui/help/pages/NAME.txt, unchanged. */
#ifndef CYCLOPS_UI_HELP_HELP_TEXTS_H
#define CYCLOPS_UI_HELP_HELP_TEXTS_H

struct console;

void help_put_dap(struct console *c);
void help_put_gdb(struct console *c);
void help_put_json(struct console *c);
void help_put_locations(struct console *c);
void help_put_plugins(struct console *c);
void help_put_programs(struct console *c);
void help_put_values(struct console *c);
void help_put_xprof(struct console *c);

#endif
