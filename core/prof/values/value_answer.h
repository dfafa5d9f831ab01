/* Answers of the customisation modules of the value sampler's daemon, and their totals
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

struct err;
struct vsample_tuple;
/* True if text can be a list of modules, names or files: "results,strides"; or "none". */
bool value_check_modules(const char *text, struct err *err);

/* A module's answer to a sequence; filled by value_answer_*(). */
struct value_answer {
	/* [state_n], borrowed: the module's memory as last set; NULL, 0 at first */
	const void *state;
	size_t state_n;
	uint8_t *bytes; /* owned: pairs, as the journal has them */
	size_t used, room;
	uint64_t pairs, refused;
	bool lost;      /* memory was out */
	/* [tuples], borrowed: the sequence, whose versions of code the values get; NULL: 0 */
	const struct vsample_tuple *tuple;
	uint32_t tuples;
};

/* Adds a value of the code that was at pc when the sequence was recorded. False: pc or kind is out
 * of range, and it is counted as refused. */
bool value_answer_add(struct value_answer *a, uint64_t pc, unsigned kind, uint64_t value);
/* Sets the module's memory from now on; the last call counts. n <= VALUE_STATE_MAX. */
void value_answer_remember(struct value_answer *a, const void *state, size_t n);

/* No padding: they are hashed. */
struct value_totals {
	uint64_t through;   /* tuples that entered the queue and were handed over */
	uint64_t sequences; /* handed over; each piece counts as one */
	uint64_t gaps;      /* gaps between pieces */
	uint64_t pairs;     /* values that modules made of them */
	uint64_t refused;   /* with a pc or kind out of range */
	uint64_t broken;    /* bit by module: it failed */
};

#endif
