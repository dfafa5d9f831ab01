/* `help microcode`: how programs of the co-processor are written, and what a microinstruction is,
 * from its table. */
#ifndef CYCLOPS_UI_HELP_HELP_MICROCODE_H
#define CYCLOPS_UI_HELP_HELP_MICROCODE_H

struct console;

void help_put_microcode(struct console *c);

#endif
