/* State that a squash restores beside registers and memory, without Xprof's (that:
 * test_recovery). */
#include "tests/xprof/bench.h"

#include <stdlib.h>

static uint32_t squash_encode_branch_if_x5(int32_t offset)
{
	return rv_bne(5, 0, offset);
}

/* A store conditional on a path that was never taken leaves nothing, and the reservation holds.
 */
TEST(a_reservation_comes_back)
{
	struct guest *g = guest_new();
	g->x[6] = 1;
	put(g, enc_r(OP_LR_D, 5, X_DATA, 0));
	put(g, rv_divu(5, 6, 6));
	const uint64_t over = bench_next_pc(g);
	put(g, 0);
	const uint64_t wrong = bench_next_pc(g);
	put(g, enc_r(OP_SC_D, 11, X_DATA, X_DATA));
	nops(g, 4);
	land(g, over, squash_encode_branch_if_x5);
	put(g, enc_r(OP_SC_D, 12, X_DATA, 6));
	finish(g);
	struct log *l = run(g, "bpred.kind=nottaken");
	assert_int_equal(count(l, EV_DISPATCH, wrong), 1);
	assert_int_equal(machine_reg(l->m, 12), 0); /* it stored */
	assert_int_equal(peek(l->m, DATA), 1);
	log_free(l);
	free(g);
}

/* Floating-point flags commit with their instruction: none from a wrong path, all from the correct
 * path. */
TEST(raised_flags_are_committed)
{
	struct guest *g = guest_new();
	g->x[6] = 1;
	put(g, enc_r(OP_FCVT_D_L, 1, 6, 0));
	put(g, rv_divu(5, 6, 6));
	const uint64_t over = bench_next_pc(g);
	put(g, 0);
	const uint64_t wrong = bench_next_pc(g);
	put(g, rv_fdiv(3, 1, 0)); /* by zero */
	nops(g, 4);
	land(g, over, squash_encode_branch_if_x5);
	put(g, rv_fdiv(3, 0, 0)); /* invalid */
	finish(g);
	struct log *l = run(g, "bpred.kind=nottaken");
	assert_int_equal(count(l, EV_DISPATCH, wrong), 1);
	assert_int_equal(machine_fcsr(l->m), 0x10);
	log_free(l);
	free(g);
}
