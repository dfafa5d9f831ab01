/* A short model of profile instructions: one instruction after the other, no pipeline, no
 * prediction. The core executes ordinary instructions, on a hart without Xprof. */
#ifndef TESTS_XPROF_MODEL_H
#define TESTS_XPROF_MODEL_H

#include "tests/xprof/bench.h"

struct model_step {
	uint64_t pc;    /* of a counting instruction, or of its prefix */
	uint64_t flags; /* after it */
};

struct model {
	/* owned; its memory and dispatch-point state only. flags and pfbase are the hart's */
	struct machine *m;
	struct model_step *trace;
	size_t count, room;
	uint64_t unreached; /* pushpf and poppf whose byte is not cached */
	/* it has executed LR: an interrupt loses the reservation, which the program may notice */
	bool reserves;
	enum trap trap;    /* why it ended; TRAP_ECALL: exit */
};

/* Runs the guest to its end. */
struct model *model_run(const struct guest *g);
/* As model_run(), on a prepared machine, which is freed with the model. */
struct model *model_run_machine(struct machine *m);
void model_free(struct model *model);

/* m's end state equals the model's: registers, flags, their saved copies, memory, outcome. */
void model_agrees(const struct model *model, const struct machine *m);
/* The commits in the log are the model's trace, instruction by instruction. */
void model_agrees_trace(const struct model *model, const struct log *l);

#endif
