/* The JSON of `why`: what befell an instruction, as hwviews/why/inst_history.h has it. */
#ifndef CYCLOPS_UI_CONSOLE_ANSWER_INST_HISTORY_H
#define CYCLOPS_UI_CONSOLE_ANSWER_INST_HISTORY_H

#include <stdio.h>

#include "hwviews/why/inst_history.h"

/* An object with every key: prediction, decode, outcome, data, cost, squashed_by; null for what did
 * not befall it. */
void answer_inst_history(FILE *f, const struct story *y);

#endif
