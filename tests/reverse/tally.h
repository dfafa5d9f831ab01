/* An attachment for tests: how often each instruction committed, and how many left the machine, fed
 * by events. */
#ifndef TESTS_REVERSE_TALLY_H
#define TESTS_REVERSE_TALLY_H

#include "core/base/cow.h"
#include "core/prof/common/attachment.h"

struct tally {
	/* a word for each halfword of code, modulo the size; and the number of instructions that
	 * left */
	struct cow *cow;
	bool fails;       /* to be saved */
	unsigned saved, freed;
	int id;
};

/* Attaches a tally that is empty; owned by the caller, which outlives the machine or detaches
 * it. */
struct tally *tally_new(struct machine *m);
void tally_free(struct tally *t);
/* Sum of counted commits, and instructions that left. */
uint64_t tally_commits(const struct tally *t);
uint64_t tally_left(const struct tally *t);
uint64_t tally_hash(const struct tally *t);

#endif
