/* Time in code without lines of the program's author (libc, the STL, a stripped library), charged
 * to the instruction of the author's that called it: the nearest caller with lines.
 *
 * Follows the committed instructions of each thread. A call that leaves the author's code is kept
 * until its return address commits, so a comparison function that qsort() calls returns into the
 * time of qsort()'s caller. Before the first line of the author's, and after main has returned,
 * nothing is charged. */
#ifndef CYCLOPS_HWVIEWS_WHY_CALLERS_H
#define CYCLOPS_HWVIEWS_WHY_CALLERS_H

#include "hwviews/why/charges.h"

struct caller {
	uint64_t pc;    /* of the call */
	uint64_t slots; /* commit slots that the called code used or held */
	uint64_t executed; /* the used ones */
	uint64_t row[SLOT_COUNT]; /* dispatch slots lost meanwhile, but to wrong predictions */
	uint64_t wrong; /* dispatch slots lost to wrong predictions of the called code */
};

/* A committed instruction. */
struct callers_inst {
	uint64_t pc, behind; /* addresses of the instruction and of its successor in memory */
	unsigned thread;
	bool own;            /* it has a line of the author's */
	bool calls, returns;
	bool wrong;          /* mispredicted */
	uint64_t slots;      /* slots used and held up */
};

struct callers;
/* NULL if memory is short. */
struct callers *callers_new(void);
void callers_free(struct callers *c);
/* The same contents, owned by the caller; NULL if memory is short. Adds its bytes to *bytes. */
struct callers *callers_copy(const struct callers *c, size_t *bytes);

/* True if its slots were charged to a caller. */
bool callers_commit(struct callers *c, const struct callers_inst *in);
/* A misprediction has resolved: slots lost to it are its caller's, known when it commits. */
void callers_squash(struct callers *c);
/* Call as charges_cycle(). */
void callers_cycle(struct callers *c, const struct machine *m, bool anew);
/* True if memory was short: the charges are incomplete. */
bool callers_short(const struct callers *c);

/* The first caller at or after pc. */
const struct caller *callers_at(const struct caller *all, size_t count, uint64_t pc);
/* Callers by pc; valid until more is added. */
const struct caller *callers_all(const struct callers *c, size_t *count);
/* Slots charged to the call at pc. */
uint64_t callers_slots(const struct callers *c, uint64_t pc);

#endif
