/* The manual page, cyclops(1), from the tables of the command line. */
#ifndef CYCLOPS_UI_REFERENCE_MAN_H
#define CYCLOPS_UI_REFERENCE_MAN_H

#include <stdio.h>

/* Writes it as troff with the man macros. */
void man_put(FILE *f);

#endif
