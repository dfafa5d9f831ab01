/* A predictor by itself, for its tests. */
#ifndef CYCLOPS_TESTS_UNIT_PIPE_BPRED_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_PIPE_BPRED_FIXTURE_H

#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/isa/op.h"
#include "core/isa/regs.h"
#include "core/machine/params.h"
#include "core/pipe/frontend/bpred.h"
#include "core/pipe/frontend/predictor.h"
#include "tests/cases.h"

struct rig {
	struct config cfg;
	struct stats stats;
	struct arena arena;
	struct bpred b;
};

static inline void bpred_fixture_open_rig(struct rig *r, const char *const assignments[])
{
	struct err err = {""};
	memset(r, 0, sizeof *r);
	config_default(&r->cfg);
	for (; *assignments; assignments++) {
		if (!config_set_assignment(&r->cfg, *assignments, &err))
			fail_msg("%s", err.msg);
	}
	if (!config_check(&r->cfg, &err))
		fail_msg("%s", err.msg);
	bpred_place(&r->b, &r->cfg, &r->arena);
	r->arena = (struct arena){.base = aligned_alloc(64, (r->arena.used + 63) & ~(size_t)63)};
	assert_non_null(r->arena.base);
	bpred_place(&r->b, &r->cfg, &r->arena);
	memset(r->arena.base, 0xab, r->arena.used);
	bpred_reset(&r->b);
}

static inline void bpred_fixture_close_rig(struct rig *r)
{
	free(r->arena.base);
}

#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})
static const struct inst branch = {.op = OP_BEQ, .rd = REG_SINK, .len = 4};
static const struct inst jump = {.op = OP_JAL, .rd = REG_SINK, .len = 4};
static const struct inst ret = {.op = OP_JALR, .rd = REG_SINK, .rs1 = 1, .len = 2};

/* Predicts and learns one branch; true if the direction was right. */
static inline bool bpred_fixture_predict_and_learn(struct rig *r, uint64_t pc, bool taken)
{
	struct bpred_mark mark;
	(void)bpred_lookup(&r->b, pc, &branch, &mark, &r->stats);
	bpred_learn(&r->b, pc, &branch, taken, pc + 64, &mark);
	return !(mark.flags & BPM_TAKEN) != taken;
}

/* Right predictions among n branches whose directions repeat `pattern`, a text of T and N. */
static inline unsigned right_in_pattern(struct rig *r, uint64_t pc, const char *pattern, unsigned n)
{
	unsigned hits = 0;
	for (unsigned i = 0; i < n; i++)
		hits += bpred_fixture_predict_and_learn(r, pc, pattern[i % strlen(pattern)] == 'T');
	return hits;
}

/* The tables' prediction now; changes nothing. */
static inline bool would_take(const struct bpred *b, uint64_t pc)
{
	struct bpred_mark mark;
	bpred_predict(b, pc, &branch, true, &mark);
	return mark.flags & BPM_TAKEN;
}

#endif
