/* Two machines in step: the twin repeats the session's machine's run, the same program with the
 * same arguments and input, with other parameters, or the program with code inserted by the editor
 * (hwviews/twin/twin_code.h).
 *
 * On request it is brought to the place of the session's machine, forwards or backwards: to the
 * first cycle at whose end it has committed as many instructions, or to the same cycle. Its place
 * depends only on that of the session's machine, not on the way there. It has its own run control
 * and history, and the session's machine is independent of it.
 *
 * Machine A is the session's, B the twin. */
#ifndef CYCLOPS_HWVIEWS_TWIN_TWIN_H
#define CYCLOPS_HWVIEWS_TWIN_TWIN_H

#include <stddef.h>

#include "core/base/err.h"
#include "core/defs/config.h"
#include "hwviews/twin/twin_state.h"

struct plugins;
struct program;
struct session;
struct uop;

/* Opens a twin, and closes an earlier one. other: the session's program with inserted code, which
 * is taken over; NULL: the same program. plugins: see session_beside(); for the twin's lifetime.
 * False with *err, and an earlier twin stays: the run can't
 * be repeated, the configuration is invalid, or other is another program. */
bool twin_open(struct session *s, const struct config *cfg, struct program *other,
               const struct plugins *plugins, const char *what, struct err *err);
/* Closes the twin, if there is one. */
void twin_close(struct session *s);

/* B's distance behind A: cycles at the same instruction, or, in step by cycle, instructions. */
int64_t twin_behind(const struct twin_place *p);

/* An instruction's address in the session's program; 0: it was inserted into B's. */
uint64_t twin_was(const struct twin *t, unsigned machine, uint64_t pc);
/* Brings B to A's place. False with *err: there is no twin, B can't follow, or it was
 * interrupted. */
bool twin_bring(const struct session *s, struct twin_place *out, struct err *err);

/* Finds B's instruction paired with A's instruction seq, and leaves B just after its commit, until
 * twin_bring(). *number: its number in commit order, from 1; *twin_seq: its seq in B. False with
 * *err: A has not committed the instruction, or squashed it; B can't follow, or executes another.
 */
bool twin_same(const struct session *s, uint64_t seq, uint64_t *number, uint64_t *twin_seq,
               struct err *err);

/* An instruction of one of the machines. */
struct twin_inst {
	const struct uop *u; /* borrowed until that machine moves */
	/* number in the order of commit, from 1; 0: inserted, or without counterpart */
	uint64_t number;
};
/* Instructions `first` to `last` of machine `machine`, at its present place, with inserted ones
 * between them: committed and still in the pool, or in flight and not known to be squashed. Returns
 * their number, at most max. */
size_t twin_insts(const struct session *s, unsigned machine, uint64_t first, uint64_t last,
                  struct twin_inst *out, size_t max);
/* The instruction of this number; NULL: none. */
const struct uop *twin_uop(const struct session *s, unsigned machine, uint64_t number);

#endif
