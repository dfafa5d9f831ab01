/* Phases of a program, found by the blocks it executes: Sherwood, Perelman, Hamerly and Calder,
 * "Automatically Characterizing Large Scale Program Behavior" (ASPLOS 2002), known as SimPoint.
 *
 * The program is cut into intervals. Each has a basic-block vector: how many of its instructions
 * each block executed. Vectors are divided by the interval's length and projected onto few
 * dimensions at random; k-means groups similar ones. The interval nearest to a group's mean
 * represents the group, weighted with its share of the program. */
#ifndef CYCLOPS_CORE_RUN_PHASES_H
#define CYCLOPS_CORE_RUN_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;

enum { PHASE_DIMS = 15, PHASES_MAX = 64 };

struct interval_vector {
	double at[PHASE_DIMS];
	uint64_t insts;
};

struct phases {
	struct interval_vector *interval; /* owned; [count] */
	uint32_t *phase;                  /* owned; [count] */
	size_t count, cap;
	unsigned k;                       /* phases, at most as many as there are intervals */
	size_t middle[PHASES_MAX];        /* the interval that represents each */
	double weight[PHASES_MAX];        /* share of all instructions */
	/* root mean square distance of vectors from their phase's mean */
	double spread[PHASES_MAX];
};

/* Executes the program to its end, or up to `most` instructions, in intervals of `interval`
 * instructions; the last may be shorter. False if memory is out. */
bool phases_collect(struct phases *p, struct machine *m, uint64_t interval, uint64_t most);
/* Puts the intervals into k phases; the same seed gives the same. False if memory is out. */
bool phases_group(struct phases *p, unsigned k, uint64_t seed);
void phases_deinit(struct phases *p);

#endif
