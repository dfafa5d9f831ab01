/* Two machines in step: a second one, the twin, does what the session's machine does, the same
 * program with the same arguments and input, with other parameters, or that program with code put
 * in by the editor (hwviews/twin/twin_code.h).
 *
 * It is brought to where the session's machine is when somebody asks, forwards and backwards: to
 * the first cycle at whose end it has committed as many instructions, or to the same cycle. Where
 * it is follows from where the session's machine is alone, however both came there. It has run
 * control and history of its own, and the session's machine knows nothing of it.
 *
 * Machine A is the session's, B the twin. */
#ifndef CYCLOPS_HWVIEWS_TWIN_TWIN_H
#define CYCLOPS_HWVIEWS_TWIN_TWIN_H

#include <stddef.h>

#include "core/base/err.h"
#include "core/defs/config.h"
#include "hwviews/twin/twin_state.h"

struct program;
struct session;
struct uop;

/* other: the session's program with code put in, which is taken over; NULL: the same program. The
 * twin that there was gives way. False with *err, and it stays: the run can't be repeated, there is
 * no such machine, or other is another program. */
bool twin_open(struct session *s, const struct config *cfg, struct program *other,
               const char *what, struct err *err);
/* Nothing if there is none. */
void twin_close(struct session *s);

/* How far B is behind A: cycles at the same instruction, or in step by cycle instructions. */
int64_t twin_behind(const struct twin_place *p);

/* Where an instruction of a machine stands in the session's program; 0: it was put into B's. */
uint64_t twin_was(const struct twin *t, unsigned machine, uint64_t pc);
/* Brings B to where A is. False with *err: there is no twin, B can't follow, or the way was
 * interrupted. */
bool twin_bring(const struct session *s, struct twin_place *out, struct err *err);

/* B's instruction that is what A's of this seq is, by its number in the order of commit; B is left
 * where it has just committed, until it is brought to A again. *number: how manieth it is, from 1.
 * False with *err: A has not committed it, or squashed it, B can't follow, or does something else
 * there. */
bool twin_same(const struct session *s, uint64_t seq, uint64_t *number, uint64_t *twin_seq,
               struct err *err);

/* An instruction of one of the machines. */
struct twin_inst {
	const struct uop *u; /* borrowed until that machine moves */
	/* how manieth in the order of commit, from 1; 0: it was put in, or the other machine has no
	 * such */
	uint64_t number;
};
/* Of machine `machine`, which stands where it was brought to, the instructions from the first-th to
 * the last-th with what was put between them: committed and still remembered, or in flight and not
 * known to be squashed. Returns how many, at most max. */
size_t twin_insts(const struct session *s, unsigned machine, uint64_t first, uint64_t last,
                  struct twin_inst *out, size_t max);
/* The number-th alone. NULL: there is none. */
const struct uop *twin_uop(const struct session *s, unsigned machine, uint64_t number);

#endif
