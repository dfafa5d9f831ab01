/* A reference model of a direction predictor: functions over plain tables, one
 * `model_NAME` in model_NAME.c for each row of BPRED_ROWS (core/defs/kinds.h) that does not stand
 * apart. Tables, histories and their order of learning are model.c's. */
#ifndef TESTS_PREDICT_DIRECTION_H
#define TESTS_PREDICT_DIRECTION_H

#include <stdbool.h>
#include <stdint.h>

struct model_options;

enum { TABLE = 1 << 12, OWN = 33 };

/* The state that branches change in program order. */
struct tables {
	uint8_t bimodal[TABLE], second[TABLE], chooser[TABLE]; /* weak at first */
	uint32_t history[TABLE];
	int own[TABLE][OWN]; /* a model's own numbers, 0 at first */
};

/* A conditional branch when it was predicted. */
struct direction {
	uint64_t pc;
	bool backward;
	uint32_t history;                 /* value of the branch's history register before it */
	bool taken;                       /* the prediction */
	bool bimodal_taken, second_taken; /* for models of two predictors */
};

/* A number that the machine's views must show of the prediction. */
struct model_part {
	const char *name; /* NULL: end */
	int value;
};
enum { MODEL_PARTS = 4 };

struct direction_model {
	bool history; /* it shifts histories */
	/* Sets d->taken. Tables are as fetch finds them. */
	void (*predict)(const struct model_options *o, const struct tables *t, struct direction *d);
	/* Learns the outcome. NULL: it learns nothing. */
	void (*train)(const struct model_options *o, struct tables *t, const struct direction *d,
	              bool taken);
	/* The parts, the believed one first; zero before. NULL: none. */
	void (*parts)(const struct model_options *o, const struct tables *t,
	              const struct direction *d, struct model_part out[MODEL_PARTS + 1]);
};

/* Two-bit counters. */
static inline void direction_count(uint8_t *counter, bool up)
{
	if (up && *counter < 3)
		++*counter;
	if (!up && *counter > 0)
		--*counter;
}

static inline unsigned direction_word(const struct direction *d, unsigned entries)
{
	return (unsigned)(d->pc / 2 % entries);
}

#endif
