/* The place at which the console sees the program (ui/console/spot.h), shared by commands, the
 * screen, and connected debuggers.
 *
 * A motion in the program's own terms, to a breakpoint or by source lines, ends between two
 * instructions, perhaps of one cycle. Until the machine moves, all reads of registers and memory
 * have their values at this place. A motion by cycles ends at the end of a cycle. */
#ifndef CYCLOPS_UI_CONSOLE_HERE_H
#define CYCLOPS_UI_CONSOLE_HERE_H

#include "core/machine/change.h"
#include "ui/console/command.h"
#include "ui/console/spot.h"

/* The console's place, borrowed: for commands and motions that update it. */
struct spot *here_spot(const struct console *c);
/* Makes reads of the machine see the place's state, for the thread of the place. */
void here_look(struct console *c);
/* Call before a command: drops a place that the machine has left, or that a change has removed. */
void here_settle(struct console *c);
/* Makes the end of the present cycle the place. */
void here_reset(struct console *c);
/* Applies a change to the machine's state at the place. False with *err. */
bool here_change(struct console *c, const struct change *what, struct err *err);
/* Number of instructions committed at the place. *older: how many of them are of the present cycle,
 * if the cycle has later ones; else 0. */
uint64_t here_insts(const struct console *c, unsigned *older);

/* A session's position: if it differs after a command, a debugger's copy of the state is stale. */
struct stand {
	uint64_t cycle, cuts, changes;
	unsigned back, ahead; /* struct spot's */
};
struct stand here_stand(const struct console *c);
bool here_has_moved(const struct console *c, const struct stand *was);

#endif
