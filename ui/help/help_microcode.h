/* `help microcode`: how to write programs of the co-processor, and all microinstructions, from
 * their table. */
#ifndef CYCLOPS_UI_HELP_HELP_MICROCODE_H
#define CYCLOPS_UI_HELP_HELP_MICROCODE_H

struct console;

void help_put_microcode(struct console *c);

#endif
