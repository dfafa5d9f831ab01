/* Where a run spent its time: the places in the program's code that have most of the dispatch
 * slots, the largest cause charged to each (stack_largest_loss()), and advice. Code without lines
 * that a place calls is part of it (hwviews/why/callers.h). In a program without lines places are
 * functions.
 *
 * Computed from the last profile (hwviews/why/hot.h). spent_gather() extends the profile piece by
 * piece, so that a screen answers keys between pieces. */
#ifndef CYCLOPS_HWVIEWS_WHY_SPENT_H
#define CYCLOPS_HWVIEWS_WHY_SPENT_H

#include "hwviews/program/code_place.h"
#include "hwviews/why/stacks.h"

/* Cycles that `slow` examines by default, and that what-if runs of a longer part. */
enum { SLOW_CYCLES = 50000 };

enum { SPENT_PLACES = 3 };
/* Row key of `view spent` for all other places; the listed places have the next keys. */
enum { SPENT_REST_KEY = 1 };

/* A cause in words: rows of the slot stack. */
struct spent_cause {
	const char *rows;   /* "l2 l2_held" */
	const char *doing;  /* "waits for L2" */
	const char *advice; /* advice for the programmer */
};

struct spent_place {
	struct code_place at;
	uint64_t pc;     /* the place's instruction with most slots */
	double share;    /* share of all dispatch slots, used or lost */
	const struct spent_cause *cause; /* its largest loss */
	double lost;     /* share of all dispatch slots lost to it; 0: the place commits */
};

struct spent {
	uint64_t from, to; /* cycles, like a region's */
	uint64_t insts;    /* committed in them */
	struct spent_place place[SPENT_PLACES];
	unsigned count;
	struct spent_place other; /* the largest place not listed; share 0: none */
	double others;     /* share of all other places together, `other` included */
};

/* The i-th cause; NULL past the last. */
const struct spent_cause *spent_cause_at(unsigned i);
/* Sums the last profile. False if there is no profile, or memory is short. */
bool spent_find(const struct session *s, struct spent *out);
/* Extends the profile by at most `most` cycles towards the whole recorded run, or its last
 * SPENT_RECENT cycles if it is longer than SPENT_WHOLE. *done: the profile is complete. False with
 * *err, as hot_take(). */
enum { SPENT_WHOLE = 20000000, SPENT_RECENT = 2000000 };
bool spent_gather(const struct session *s, uint64_t most, bool *done, struct err *err);
/* Fraction of spent_gather()'s cycles in the profile; 1 if there are none. */
double spent_counted(const struct session *s);

/* Finds a cycle amid those in which a place used or held most slots; the newest cycle if unknown.
 * pcs: addresses of the place's own instructions that waited longest to commit; if none waited, of
 * its instructions with most slots. Returns their number. */
enum { SPENT_INSTS = 64 };
size_t spent_goal(const struct session *s, const struct spent_place *place,
                  uint64_t pcs[SPENT_INSTS], uint64_t *cycle);
/* The part of the run for `what-if`: around spent_goal()'s cycle of the first place. */
bool spent_measured(const struct session *s, struct region *out);

/* "walk, linked.c:38". Returns buf. */
char *spent_where(const struct session *s, const struct spent_place *p, char *buf, size_t n);
/* "31 % of the time is in walk, linked.c:38; for 22 % it waits for L2". Returns buf. */
char *spent_sentence(const struct session *s, const struct spent_place *p, char *buf, size_t n);
/* Explains a row of `view spent` that is of what-if. False for any other row. */
bool spent_tell_help(const struct session *s, uint64_t key, char *buf, size_t n);

#endif
