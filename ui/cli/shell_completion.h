/* Completions of a `cyclops` command line in a shell. The shells' scripts (ui/shell) request them
 * with `cyclops complete`, so that they match this build's options, presets, parameters and
 * reports. */
#ifndef CYCLOPS_UI_CLI_SHELL_COMPLETION_H
#define CYCLOPS_UI_CLI_SHELL_COMPLETION_H

#include <stdio.h>

/* Prints completions of the last of these words, which may be empty; "cyclops" is left out. One per
 * line: the whole word, a tab, its description or nothing. A word that ends in '=' or ',' can be
 * continued. A line that begins with a tab stands for files: "\tfiles PREFIX GLOB" or "\tfolders
 * PREFIX", where PREFIX is the text before the file's name in the word, "-" if none. */
void complete_command_line(FILE *f, int count, const char *const *words);

#endif
