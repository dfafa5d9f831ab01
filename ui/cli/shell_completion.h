/* What may stand where a person types a command line of `cyclops` in a shell. The shells' scripts
 * (ui/shell) ask for it with `cyclops complete`, so that they know what this build knows: options,
 * presets, parameters, reports. */
#ifndef CYCLOPS_UI_CLI_SHELL_COMPLETION_H
#define CYCLOPS_UI_CLI_SHELL_COMPLETION_H

#include <stdio.h>

/* What fits at the end of the command line whose words these are, "cyclops" left out; the last one,
 * which may be empty, is still being typed. A line each: the whole word, a tab, what it is or
 * nothing. A word that ends in '=' or ',' goes on. What files may stand there is a line that begins
 * with a tab: "\tfiles PREFIX GLOB" or "\tfolders PREFIX", PREFIX being what stands before the
 * file's name in the word, "-" if nothing does. */
void complete_command_line(FILE *f, int count, const char *const *words);

#endif
