/* Reads the guest's input from the bottom line of the screen. The machine is in the middle of a
 * system call then: only the guest's output may be inspected. */
#ifndef CYCLOPS_UI_SCREEN_GUEST_INPUT_H
#define CYCLOPS_UI_SCREEN_GUEST_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/screen/parts.h"
#include "ui/screen/text.h"

struct machine;
struct screen;

/* Makes the guest read its input here, if it would read from the terminal. */
void guest_input_begin(struct screen *s);
void guest_input_end(struct screen *s);

#endif
