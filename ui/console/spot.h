/* The place at which a debugger sees the program: between two instructions, though the machine
 * stands between two cycles, in each of which several instructions may commit.
 *
 * A place is the end of the present cycle without the last `back` of the instructions that
 * committed in it. Their effects on registers and memory are undone in the debugger's reads, by the
 * pipeline's undo records (struct uop_undo); the machine itself does not move. When the debugger
 * changes something, they are undone in the machine, too, as changes by hand. System calls and
 * accesses to control registers, which can't be undone, commit alone in their cycle: the place
 * before one is the end of an earlier cycle.
 *
 * A cycle at whose end the machine was changed by hand has no other state than that after its
 * changes. Places before them are therefore those of the cycle before, `ahead`: the machine stands
 * there, and reads add the effects of the next cycle's instructions. */
#ifndef CYCLOPS_UI_CONSOLE_SPOT_H
#define CYCLOPS_UI_CONSOLE_SPOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/os/linux.h"
#include "core/pipe/uop.h"
#include "hwviews/session/session.h"

enum { GROUP_MAX = 16 };

/* The instructions that committed in the present cycle. */
struct group {
	unsigned n;
	const struct uop *u[GROUP_MAX]; /* [n], in program order; borrowed until the next motion */
};

struct spot {
	struct session *s; /* borrowed */
	unsigned back;     /* at most the group's n */
	/* not 0: the group is that of the next cycle, which ends with changes by hand; its number
	 * of instructions, without those that the changes undid. 0: the present cycle's group
	 */
	unsigned ahead;
	/* guest address of the signal frame that the cycle's system call made at its end: the place
	 * is before the handler was entered; 0: none */
	uint64_t frame;
	uint64_t cycle; /* the machine's; a place of another cycle is stale */
	/* a motion in the program's own terms, such as `next`, ended here */
	bool reached;
};

/* Returns the group; empty if the machine was changed by hand in this cycle, because the state
 * before is unknown. */
struct group spot_group(const struct spot *p);

/* Moves the machine by a cycle, and the place to its end. False with *err. */
bool spot_move(struct spot *p, bool forward, struct err *err);
/* Call when the machine has moved: the place becomes the end of its cycle. */
void spot_reset(struct spot *p);
/* True if the place is the end of a cycle in which the machine was changed by hand. */
bool spot_is_changed(const struct spot *p);
/* From such a place, goes to the place before the changes: `ahead`, or the end of the previous
 * cycle if no instruction of this cycle is left. False with *err, as where history begins here. */
bool spot_before_changes(struct spot *p, struct err *err);
/* Goes from a place in the cycle before changes to the place after the changes. False with *err.
 */
bool spot_after_changes(struct spot *p, struct err *err);

/* Makes the place one that the machine had before, in this cycle. cut: changes at the end of the
 * next cycle are no longer recorded. */
void spot_return(struct spot *p, const struct spot *was, bool cut);

/* Number of the thread that executes next at the place. */
uint32_t spot_tid(const struct spot *p);
/* Registers 0..63, and fcsr, of that thread. */
uint64_t spot_reg(const struct spot *p, unsigned reg);
uint64_t spot_fcsr(const struct spot *p);
uint64_t spot_pc(const struct spot *p);
/* As machine_peek(). */
bool spot_peek(const struct spot *p, uint64_t addr, void *buf, size_t n);
/* Reads up to n bytes, until the first unmapped one; returns their number. */
size_t spot_read(const struct spot *p, uint64_t addr, void *buf, size_t n);

/* A viewpoint through which the machine is read as at the place. */
struct spot_viewpoint {
	struct machine_viewpoint viewpoint;
	unsigned n;
	struct {
		uint64_t addr, bytes; /* there at the place */
		unsigned size;
	} store[GROUP_MAX]; /* [n], the last one counts */
};
/* Makes reads of the machine go through *out, until machine_look_from() ends that. Until then,
 * don't move *out or change the machine. */
void spot_look(const struct spot *p, struct spot_viewpoint *out);

/* Reads the signal frame at a guest address. */
bool spot_frame(const struct spot *p, uint64_t at, struct lx_sigframe *frame);
/* At the end of a cycle whose system call let a signal act: makes the signal wait until the next
 * cycle, by changes. False with *err. */
bool spot_defer_signal(struct spot *p, struct err *err);

/* Puts the place before instruction i of the group; moves the machine back a cycle if necessary.
 * False with *err. */
bool spot_before(struct spot *p, unsigned i, struct err *err);
/* Moves the machine back if the place is the end of an earlier cycle, for code that works in whole
 * cycles. False with *err. */
bool spot_settle(struct spot *p, struct err *err);
/* Applies a change to the machine's state at the place. False with *err. */
bool spot_change(struct spot *p, const struct change *c, struct err *err);

#endif
