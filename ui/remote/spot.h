/* The place at which a debugger sees the program: between two instructions, though the machine
 * stands between two cycles, in each of which several instructions may commit.
 *
 * A place is the end of the present cycle without the last `back` of the instructions that
 * committed in it. Their effects on registers and memory are undone in the debugger's reads, by the
 * pipeline's undo records (struct uop_undo); the machine itself does not move. When the debugger
 * changes something, they are undone in the machine, too, as changes by hand. System calls and
 * accesses to control registers, which can't be undone, commit alone in their cycle: the place
 * before one is the end of an earlier cycle. */
#ifndef CYCLOPS_UI_REMOTE_SPOT_H
#define CYCLOPS_UI_REMOTE_SPOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
};

/* Returns the group; empty if the machine was changed by hand in this cycle, because the state
 * before is unknown. */
struct group spot_group(const struct spot *p);

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
		uint64_t addr, old; /* the bytes before the store */
		unsigned size;
	} store[GROUP_MAX]; /* [n], the youngest first */
};
/* Makes reads of the machine go through *out, until machine_look_from() ends that. Until then,
 * don't move *out or change the machine. */
void spot_look(const struct spot *p, struct spot_viewpoint *out);

/* Puts the place before instruction i of the group; moves the machine back a cycle if necessary.
 * False with *err. */
bool spot_before(struct spot *p, unsigned i, struct err *err);
/* Moves the machine back if the place is the end of an earlier cycle, for code that works in whole
 * cycles. False with *err. */
bool spot_settle(struct spot *p, struct err *err);
/* Applies a change to the machine's state at the place. False with *err. */
bool spot_change(struct spot *p, const struct change *c, struct err *err);

#endif
