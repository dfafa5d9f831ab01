/* Textbook predictors, to which the machine's are compared: no code is shared with core/.
 *
 * A branch goes through model_predict() when it is fetched, model_dispatch() when it is dispatched
 * on the right path, model_resolve() when it completes, and leaves by model_commit() or
 * model_squash(), the youngest first. After a squash the state is not undone step by step but
 * rebuilt: committed state, then the branches in flight again. */
#ifndef TESTS_PREDICT_MODEL_H
#define TESTS_PREDICT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/predict/direction.h"

/* When tables and histories learn; AT_FETCH: histories at fetch, from predictions, the rest at
 * commit. */
enum model_update { AT_DISPATCH, AT_COMMIT, AT_FETCH };

struct model_options {
	const struct direction_model *by; /* bpred.kind */
	enum model_update update;
	unsigned bimodal, histories, second, chooser, perceptrons; /* sizes of the tables */
	unsigned history_bits;
	unsigned btb_sets, btb_ways, ras;
};

enum branch_class { CONDITIONAL, JUMP, INDIRECT };

struct branch {
	uint64_t seq, pc, behind; /* behind: address of the next instruction in memory */
	enum branch_class class;
	bool call, returns;
	bool backward; /* of a conditional one: its target comes before it */
	/* outcome: known from dispatch on */
	bool taken;
	uint64_t next;
};

struct counts {
	uint64_t branches, direction_hits, mispredicts, indirect, indirect_hits, returns,
		return_hits, lookups, hits;
};

/* Inputs of the latest prediction, before its own changes. */
struct looked_at {
	struct model_part part[MODEL_PARTS + 1];
	uint32_t history;
	bool from_stack, found; /* the target was on the return stack, or in the buffer */
};

struct model;
struct model *model_new(const struct model_options *o);
void model_free(struct model *m);
/* Returns where fetch goes on; *taken: the predicted direction. */
uint64_t model_predict(struct model *m, const struct branch *b, bool *taken);
struct looked_at model_looked_at(const struct model *m);
void model_dispatch(struct model *m, const struct branch *outcome);
/* A branch is complete, on the right path or a wrong one; younger instructions leave afterwards if
 * it was mispredicted. */
void model_resolve(struct model *m, const struct branch *outcome);
void model_commit(struct model *m, const struct branch *outcome);
void model_squash(struct model *m, uint64_t seq);
const struct counts *model_counts(const struct model *m);

#endif
