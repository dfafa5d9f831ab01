/* The JSON of `why`: what befell an instruction, as hwviews/why/story.h has it. */
#ifndef CYCLOPS_UI_CONSOLE_ANSWER_STORY_H
#define CYCLOPS_UI_CONSOLE_ANSWER_STORY_H

#include <stdio.h>

#include "hwviews/why/story.h"

/* An object with every key: prediction, decode, outcome, data, cost, squashed_by; null for what did
 * not befall it. */
void answer_story(FILE *f, const struct story *y);

#endif
