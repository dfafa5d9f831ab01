/* What customisation modules of the value sampler's daemon answer, and totals of that
 * (value_daemon.h). */
#ifndef CYCLOPS_CORE_PROF_VALUES_VALUE_ANSWER_H
#define CYCLOPS_CORE_PROF_VALUES_VALUE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	VALUE_MODULES = 16,
	VALUE_KINDS = 64,
	VALUE_STATE_MAX = 64 << 10 /* bytes */,
	HOTLIST_METHODS = 4
};

/* What a module says of a sequence; filled by value_answer_*(). */
struct value_answer {
	const void *state; /* [state_n]: what it remembers, as it said last; NULL, 0 at first */
	size_t state_n;
	uint8_t *bytes; /* owned: pairs, as the journal has them */
	size_t used, room;
	uint64_t pairs, refused;
	bool lost;      /* memory was out */
};

/* One more value. False: pc or kind can't be, and it is counted as refused. */
bool value_answer_add(struct value_answer *a, uint64_t pc, unsigned kind, uint64_t value);
/* What it remembers from now on; last. n <= VALUE_STATE_MAX. */
void value_answer_remember(struct value_answer *a, const void *state, size_t n);

/* No padding: they are hashed. */
struct value_totals {
	uint64_t through;   /* tuples that entered the queue and were handed over */
	uint64_t sequences; /* handed over, pieces each for itself */
	uint64_t gaps;      /* that divided them */
	uint64_t pairs;     /* values that modules made of them */
	uint64_t refused;   /* of no address of code */
	uint64_t broken;    /* bit by module: it failed */
};

#endif
