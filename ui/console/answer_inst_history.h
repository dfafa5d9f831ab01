/* The JSON of `why`: the history of an instruction (hwviews/why/inst_history.h). */
#ifndef CYCLOPS_UI_CONSOLE_ANSWER_INST_HISTORY_H
#define CYCLOPS_UI_CONSOLE_ANSWER_INST_HISTORY_H

#include <stdio.h>

#include "hwviews/why/inst_history.h"

/* Writes an object with every key: prediction, decode, outcome, data, cost, squashed_by; null if it
 * does not apply. */
void answer_inst_history(FILE *f, const struct story *y);

#endif
