/* The lines of --help. */
#ifndef CYCLOPS_UI_CLI_OPTION_TEXT_H
#define CYCLOPS_UI_CLI_OPTION_TEXT_H

#include <stdio.h>

/* Prints an option and its help, wrapped to the terminal, or to 80 columns if f is none. */
void option_text_print(FILE *f, const char *left, const char *help);
/* Prints a line "cyclops USAGE" after `before`, wrapped likewise. */
void option_text_usage(FILE *f, const char *before, const char *usage);
/* Prints a command's usage and the text above its options, wrapped likewise. */
void option_text_head(FILE *f, const char *usage, const char *help);

#endif
