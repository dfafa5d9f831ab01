/* Lets a person type what the guest reads, on the bottom line of the screen.
 * The machine is in the middle of a system call then: nothing of it is looked at but what the guest
 * has written. */
#ifndef CYCLOPS_UI_SCREEN_GUEST_INPUT_H
#define CYCLOPS_UI_SCREEN_GUEST_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/screen/parts.h"
#include "ui/screen/text.h"

struct machine;
struct screen;

/* From now on the guest's input is typed here, if it would be read from the terminal. */
void guest_input_begin(struct screen *s);
void guest_input_end(struct screen *s);

#endif
