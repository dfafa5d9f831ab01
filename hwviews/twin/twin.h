/* Two machines in step: a second one, the twin, does what the session's machine does, the same
 * program with the same arguments and input, with other parameters.
 *
 * It is brought to where the session's machine is when somebody asks, forwards and backwards: to
 * the first cycle at whose end it has committed as many instructions, or to the same cycle. Where
 * it is follows from where the session's machine is alone, however both came there. It has run
 * control and history of its own, and the session's machine knows nothing of it.
 *
 * Machine A is the session's, B the twin. */
#ifndef CYCLOPS_HWVIEWS_TWIN_TWIN_H
#define CYCLOPS_HWVIEWS_TWIN_TWIN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/defs/config.h"

struct gap;
struct session;
struct uop;

enum { TWIN_A, TWIN_B, TWIN_MACHINES };

/* Where both are. Numbers are of each machine. */
struct twin_place {
	uint64_t insts[TWIN_MACHINES];  /* committed */
	uint64_t cycle[TWIN_MACHINES];  /* done */
	uint64_t common;                /* instructions that both have committed */
	/* in step by instruction: the cycles it took until the last of them had committed; else as
	 * cycle */
	uint64_t at[TWIN_MACHINES];
	bool by_cycle;                  /* in step by cycle */
};

struct twin {
	struct session *session; /* owned: B */
	/* owned; hwviews/twin/gap.h; NULL: nobody has asked yet */
	struct gap *gap;
	void (*gap_free)(struct gap *g);
	bool by_cycle;           /* in step by cycle, not by instruction */
	uint64_t aim;            /* what B was brought to last: its number of instructions; */
	uint64_t arrived;        /* in this cycle */
	char what[160];          /* how B differs, as a person said it */
	/* what twin_bring() said last, and how far B was behind at the place before; [known] */
	struct twin_place place;
	int64_t behind_before;
	unsigned known;          /* places said so far, 2 at most */
};

/* The twin that there was gives way. False with *err, and it stays: the run can't be repeated, or
 * there is no such machine. */
bool twin_open(struct session *s, const struct config *cfg, const char *what, struct err *err);
/* Nothing if there is none. */
void twin_close(struct session *s);

/* How far B is behind A: cycles at the same instruction, or in step by cycle instructions. */
int64_t twin_behind(const struct twin_place *p);

/* Committed since the beginning, but for those without timing. */
uint64_t twin_insts(const struct session *s);
/* Brings B to where A is. False with *err: there is no twin, B can't follow, or the way was
 * interrupted. */
bool twin_bring(const struct session *s, struct twin_place *out, struct err *err);

/* B's instruction that is what A's of this seq is, by its number in the order of commit; B is left
 * where it has just committed, until it is brought to A again. *number: how manieth it is, from 1.
 * False with *err: A has not committed it, or squashed it, B can't follow, or does something else
 * there. */
bool twin_same(const struct session *s, uint64_t seq, uint64_t *number, uint64_t *twin_seq,
               struct err *err);
/* The number-th instruction of a machine in the order of commit, from 1: committed and still
 * remembered, or in flight and not known to be squashed. NULL: there is none. */
const struct uop *twin_uop(const struct session *s, uint64_t number);

#endif
