/* The place at which the console sees the program (ui/console/spot.h): one for commands, the
 * screen, and debuggers that are connected.
 *
 * A motion in the program's own terms, to a breakpoint or by source lines, ends between two
 * instructions: before those of its cycle that come later. All reads of registers and memory look
 * from there, until the machine moves. A motion by cycles ends at the end of one. */
#ifndef CYCLOPS_UI_CONSOLE_HERE_H
#define CYCLOPS_UI_CONSOLE_HERE_H

#include "core/machine/change.h"
#include "ui/console/command.h"
#include "ui/console/spot.h"

/* The place. Borrowed; for commands and motions that keep it up to date. */
struct spot *here_spot(const struct console *c);
/* Makes reads of the machine look from the place, and from no other thread. */
void here_look(struct console *c);
/* Call before a command: a place that the machine has left, or that a change took away, is over. */
void here_settle(struct console *c);
/* The place is the end of the present cycle. */
void here_reset(struct console *c);
/* Applies a change to the machine's state at the place. False with *err. */
bool here_change(struct console *c, const struct change *what, struct err *err);
/* Number of instructions that were committed at the place; *older: of them, those of the present
 * cycle, if later ones of that cycle are not done at the place, else 0. */
uint64_t here_insts(const struct console *c, unsigned *older);

/* A session's position: if it differs after a command, a debugger's copy of the state is stale. */
struct stand {
	uint64_t cycle, cuts, changes;
	unsigned back, ahead; /* struct spot's */
};
struct stand here_stand(const struct console *c);
bool here_has_moved(const struct console *c, const struct stand *was);

#endif
