/* Where a debugger sees the program: between two instructions, though the machine stands between
 * two cycles, in each of which several instructions may have committed.
 *
 * A place is the end of the present cycle less the last `back` of the instructions that committed
 * in it. What these did to registers and memory is taken back in what the debugger reads, by what
 * the pipeline remembers of each (struct uop_undo); the machine itself does not move. Where the
 * debugger changes something, the same is undone in the machine, as changes by hand. System calls
 * and control registers, which can't be taken back, commit alone in their cycle: there the machine
 * itself is a cycle earlier. */
#ifndef CYCLOPS_UI_REMOTE_SPOT_H
#define CYCLOPS_UI_REMOTE_SPOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/pipe/uop.h"
#include "hwviews/session/session.h"

enum { GROUP_MAX = 16 };

/* What committed in the present cycle. */
struct group {
	unsigned n;
	const struct uop *u[GROUP_MAX]; /* [n], in program order; borrowed until the next motion */
};

struct spot {
	struct session *s; /* borrowed */
	unsigned back;     /* at most the group's n */
};

/* None where the machine was changed by hand in this cycle: what was there before is unknown. */
struct group spot_group(const struct spot *p);

/* Number of the thread whose instruction is executed next at the place. */
uint32_t spot_tid(const struct spot *p);
/* Registers 0..63, and fcsr, of that thread. */
uint64_t spot_reg(const struct spot *p, unsigned reg);
uint64_t spot_fcsr(const struct spot *p);
uint64_t spot_pc(const struct spot *p);
/* As machine_peek(). */
bool spot_peek(const struct spot *p, uint64_t addr, void *buf, size_t n);
/* As many of n bytes as there are. */
size_t spot_read(const struct spot *p, uint64_t addr, void *buf, size_t n);

/* The place, for who looks at the machine through it. */
struct spot_viewpoint {
	struct machine_viewpoint viewpoint;
	unsigned n;
	struct {
		uint64_t addr, old; /* what was there */
		unsigned size;
	} store[GROUP_MAX]; /* [n], the youngest first */
};
/* Looks through it from now on; it must neither move nor the machine be changed before
 * machine_look_from() ends that. */
void spot_look(const struct spot *p, struct spot_viewpoint *out);

/* Puts the place before group instruction i; the machine goes a cycle back where nothing less does.
 * False with *err. */
bool spot_before(struct spot *p, unsigned i, struct err *err);
/* Moves the machine to the place exactly, for whom a cycle is a cycle: where it is the end of an
 * earlier one. False with *err. */
bool spot_settle(struct spot *p, struct err *err);
/* Changes the machine as it is at the place. False with *err. */
bool spot_change(struct spot *p, const struct change *c, struct err *err);

#endif
