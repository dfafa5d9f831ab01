/* Code that changes: flags switched by a 16-bit store under a filled queue and a filled table, and
 * blocks that are longer or shorter than in the table. */
#include "tests/by_hand.h"
#include "tests/xprof/model.h"

#include <stdlib.h>
#include <string.h>

#include "hwviews/session/session.h"
#include "hwviews/why/why_text.h"
#include "loader/program_priv.h"

enum {
	X_N = 8,
	X_PATCH = 18,
	X_WORD = 19,
	RESETPF_0 = 0x0002 | 16 << 2,
	SETPF_0 = 0x0002 | 24 << 2,
	FUNCTION = 1024
};

static const char *const settings[] = {"",
                                       "bdt.sets=0",
                                       "xprof.bpred=flag",
                                       "xprof.bpred=ignored-update",
                                       "bpred.kind=taken bdt.min_block=1",
                                       "l1i.line=8 pipe.decode_width=1",
                                       "lsq.speculate=true pipe.rob_size=8",
                                       "pipe.fetch_queue=1",
                                       "bdt.fence_i=false",
                                       "pipe.fetch_queue=64 pipe.rob_size=256 pipe.decode_width=1"};
enum { SETTINGS = sizeof settings / sizeof *settings };

static void patch_check_against_model(const struct guest *g, const char *options)
{
	struct model *model = model_run(g);
	struct log *l = run(g, options);
	struct machine *f = boot(g, options);
	machine_run_functional(f, 1000000, false);
	model_agrees(model, f);
	model_agrees(model, l->m);
	model_agrees_trace(model, l);
	machine_free(f);
	log_free(l);
	model_free(model);
}

static uint32_t rv_sh(unsigned rs2, int32_t imm, unsigned rs1)
{
	return enc_s(OP_SH, rs2, rs1, imm);
}

static uint32_t patch_encode_branch_if_x5(int32_t offset)
{
	return rv_bne(5, 0, offset);
}

/* A loop that calls a function of one long block; in round `when` it patches the function's resetpf
 * to setpf, and back four rounds later. */
static struct guest *patch_make_guest(unsigned rounds, unsigned when, uint64_t *control,
                                      uint64_t *leader)
{
	struct guest *g = guest_new();
	g->x[X_N] = rounds;
	g->x[X_PATCH] = TEXT + FUNCTION;
	const uint64_t top = bench_next_pc(g);
	for (int i = 0; i < 2; i++) {
		put(g, rv_addi(5, X_N, -(int32_t)(rounds - when) + 4 * i));
		put(g, rv_bne(5, 0, 16));
		put(g, rv_addi(X_WORD, 0, i ? RESETPF_0 : SETPF_0));
		put(g, rv_sh(X_WORD, 0, X_PATCH));
		put(g, rv_fence_i());
	}
	put(g, rv_jal(1, (int32_t)(TEXT + FUNCTION - bench_next_pc(g))));
	put(g, rv_addi(X_N, X_N, -1));
	put(g, rv_bne(X_N, 0, (int32_t)(top - bench_next_pc(g))));
	finish(g);
	go_to(g, FUNCTION);
	*control = bench_next_pc(g);
	bench_emit_resetpf(g, 0);
	nops(g, 2);
	*leader = bench_next_pc(g);
	for (int i = 0; i < 8; i++)
		prof(g, 0, rv_addi(15, 15, 1));
	put(g, rv_addi(16, 16, 1));
	put(g, rv_jalr(0, 1));
	return g;
}

TEST(by_the_guest)
{
	uint64_t control, leader;
	struct guest *g = patch_make_guest(16, 8, &control, &leader);
	for (unsigned i = 0; i < SETTINGS; i++) {
		struct log *l = run(g, settings[i]);
		assert_int_equal(machine_reg(l->m, 15), 4 * 8);
		assert_int_equal(machine_reg(l->m, 16), 16);
		log_free(l);
		patch_check_against_model(g, settings[i]);
	}
	struct log *l = run(g, "bdt.fence_i=false");
	assert_true(count(l, EV_SKIP, leader) > 8); /* the table was full of it, and is again */
	assert_int_equal(stat(l->m, "xprof.flag_mispredicts"), 1);
	log_free(l);
	free(g);
}

/* By a debugger, in any cycle: the queue holds the old instruction, or the block that was skipped
 * after it. Rounds that have not begun count; one that is under way does if the resetpf comes
 * again, which acts at decode and never commits. */
TEST(by_hand_in_any_cycle)
{
	enum { ROUNDS = 10 };
	uint64_t control, leader;
	struct guest *g =
		patch_make_guest(ROUNDS, 60, &control, &leader); /* it doesn't patch itself */
	const uint16_t on = SETPF_0;
	for (unsigned i = 0; i < SETTINGS; i++) {
		const int64_t end = cycles_of(g, settings[i]);
		for (int64_t c = 1 + i; c < end - 1; c += bench_cycle_stride(i)) {
			struct err err;
			struct machine *m = boot(g, settings[i]);
			machine_run(m, (uint64_t)c, UINT64_MAX);
			const uint64_t ended = machine_reg(m, 16), at = machine_pc(m);
			assert_true(machine_poke(m, control, &on, 2, &err));
			run_to_end(m);
			/* The oldest instruction left is after the resetpf, and the round has not
			 * ended. */
			const bool under_way = at > control && at <= leader + 8 * 6;
			assert_int_equal(machine_reg(m, 15), 8 * (ROUNDS - ended - under_way));
			assert_int_equal(machine_reg(m, 16), ROUNDS);
			machine_free(m);
		}
	}
	free(g);
}

/* By a debugger, in any cycle: the block becomes ordinary instructions, and no round that has not
 * ended skips them. */
TEST(by_hand_over_a_block)
{
	enum { ROUNDS = 10, INSTS = 8, BYTES = 6 };
	uint64_t control, leader;
	struct guest *g = patch_make_guest(ROUNDS, 60, &control, &leader);
	uint8_t code[INSTS * BYTES];
	memcpy(code, g->text + (leader - TEXT), sizeof code);
	for (unsigned i = 0; i < INSTS; i++)
		memcpy(code + i * BYTES, &(uint16_t){1 /* c.nop */}, 2);
	for (unsigned i = 0; i < SETTINGS; i++) {
		const int64_t end = cycles_of(g, settings[i]);
		for (int64_t c = 1 + i; c < end - 1; c += bench_cycle_stride(i)) {
			struct err err;
			struct machine *m = boot(g, settings[i]);
			machine_run(m, (uint64_t)c, UINT64_MAX);
			const uint64_t ended = machine_reg(m, 16);
			assert_true(machine_poke(m, leader, code, sizeof code, &err));
			run_to_end(m);
			assert_int_equal(machine_reg(m, 15), INSTS * (ROUNDS - ended));
			machine_free(m);
		}
	}
	free(g);
}

/* ---- blocks of another length ---- */
/* Rounds around a block of `before` instructions, whose last one is turned into an ordinary one in
 * round 6, or the reverse, with or without fence.i, announced by pblen or not. The ordinary one
 * counts in x20. */
static struct guest *another_length(bool shorter, bool fence, bool announced, uint64_t *leader)
{
	struct guest *g = guest_new();
	g->x[X_N] = 12;
	const uint64_t top = bench_next_pc(g);
	put(g, rv_addi(5, X_N, -6));
	const uint64_t branch = bench_next_pc(g);
	put(g, 0);
	/* c.nop, c.addi x20,1, c.nop and pi.0 addi x20,x20,1 are 6 bytes each. */
	const uint16_t block[3] = {0x0002 | 8 << 2, (uint16_t)rv_addi(20, 20, 1),
	                           (uint16_t)(rv_addi(20, 20, 1) >> 16)};
	const uint16_t plain[3] = {1, ENC_C(ADDI, .rd = 20, .rs1 = 20, .imm = 1), 1};
	const uint16_t *from = shorter ? block : plain, *to = shorter ? plain : block;
	g->x[21] = (uint64_t)to[0] | (uint64_t)to[1] << 16;
	g->x[22] = to[2];
	const uint64_t store = bench_next_pc(g);
	put(g, 0);
	put(g, 0);
	const uint64_t length_store = bench_next_pc(g);
	put(g, rv_nop());
	put(g, fence ? rv_fence_i() : rv_nop());
	land(g, branch, patch_encode_branch_if_x5);
	nops(g, 60); /* the rest of the round is not fetched yet when the stores are done */
	put(g, rv_divu(23, 23, 23));
	put(g, rv_divu(23, 23, 23));
	put(g, rv_divu(23, 23, 23));
	nops(g, 60);
	const uint64_t length = bench_next_pc(g);
	if (announced)
		pblen(g, shorter ? 30 : 24);
	*leader = bench_next_pc(g);
	for (int i = 0; i < 4; i++)
		prof(g, 0, rv_addi(15, 15, 1));
	const uint64_t at = bench_next_pc(g);
	for (int i = 0; i < 3; i++)
		put16(g, from[i]);
	put(g, rv_addi(16, 16, 1));
	put(g, rv_addi(X_N, X_N, -1));
	put(g, rv_bne(X_N, 0, (int32_t)(top - bench_next_pc(g))));
	finish(g);
	/* The stores, as their addresses are known now. */
	g->x[X_PATCH] = at;
	const uint32_t stores[2] = {enc_s(OP_SW, 21, X_PATCH, 0), rv_sh(22, 4, X_PATCH)};
	memcpy(g->text + (store - TEXT), stores, 8);
	if (announced) {
		const uint32_t other = 0x00002013 | (shorter ? 24u : 30u) << 20,
			       sw = enc_s(OP_SW, 24, X_PATCH, (int32_t)(length - at));
		g->x[24] = other;
		memcpy(g->text + (length_store - TEXT), &sw, 4);
	}
	return g;
}

/* The ordinary instruction is there in 12 - 6 rounds. A stale entry skips it: instructions of the
 * program are lost, as in the paper. pblen and fence.i help, each alone.
 */
TEST(shorter_than_recorded)
{
	for (int fence = 0; fence < 2; fence++)
		for (int announced = 0; announced < 2; announced++) {
			uint64_t leader;
			struct guest *g = another_length(true, fence, announced, &leader);
			struct log *l = run(g, "");
			const bool cured = fence || announced;
			assert_int_equal(machine_reg(l->m, 20), cured ? 6 : 0);
			assert_int_equal(machine_reg(l->m, 16), 12);
			assert_int_equal(stat(l->m, "xprof.stale"), announced && !fence);
			if (cured)
				patch_check_against_model(g, "");
			log_free(l);
			/* Where only pblen shows the change. */
			if (announced) {
				struct log *again = run(g, "bdt.fence_i=false");
				assert_int_equal(machine_reg(again->m, 20), 6);
				assert_int_equal(stat(again->m, "xprof.stale"), 1);
				log_free(again);
			} else if (fence) {
				struct log *again = run(g, "bdt.fence_i=false");
				assert_int_equal(machine_reg(again->m, 20), 0);
				log_free(again);
			}
			free(g);
		}
}

/* The number of cycles after which the leader counts as dropped, and `why` describes its skip in
 * these words. */
static unsigned patch_count_explained_skips(const struct guest *g, uint64_t leader,
                                            const char *words)
{
	struct machine *m = boot(g, "");
	struct program_debug no_debug = {0};
	struct program nameless = {.debug = &no_debug};
	const struct session s = {.program = &nameless, .machine = m};
	const struct pipe *p = machine_pipe(m);
	unsigned n = 0;
	while (machine_step(m))
		for (uint32_t i = 0; i < p->pool_size; i++) {
			const struct uop *u = &p->pool[i];
			char text[512];
			if (u->pc == leader && u->state == UOP_DROPPED && (u->flags & UF_SKIPS) &&
			    u->when.end + 1 == p->st->cycle)
				n += strstr(why_line(&s, u, text, sizeof text), words) != NULL;
		}
	machine_free(m);
	return n;
}

/* A skip corrected by pblen isn't reported as a good one. */
TEST(why_knows_stale_skips)
{
	uint64_t leader;
	struct guest *g = another_length(true, false, true, &leader);
	assert_int_equal(
		patch_count_explained_skips(g, leader, "pblen gives another end of the block"), 1);
	const unsigned good = patch_count_explained_skips(
		g, leader, "was not fetched: the descriptor table expected that");
	assert_true(good > 2);
	free(g);
	g = another_length(true, false, false, &leader);
	assert_int_equal(patch_count_explained_skips(g, leader, "pblen"), 0);
	assert_true(patch_count_explained_skips(g, leader, "was not fetched") > good);
	free(g);
}

/* A longer block is skipped in part; the rest is dropped, no harm is done. With pblen the entry is
 * made anew. */
TEST(longer_than_recorded)
{
	for (int fence = 0; fence < 2; fence++)
		for (int announced = 0; announced < 2; announced++) {
			uint64_t leader;
			struct guest *g = another_length(false, fence, announced, &leader);
			struct log *l = run(g, "");
			assert_int_equal(machine_reg(l->m, 20), 6);
			patch_check_against_model(g, "");
			const struct bdt_entry *e =
				bdt_find(&machine_pipe(l->m)->xprof.bdt, leader);
			assert_non_null(e);
			assert_int_equal(e->count, fence || announced ? 5 : 4);
			assert_int_equal(stat(l->m, "xprof.stale"), announced && !fence);
			log_free(l);
			free(g);
		}
}

/* A correct pblen changes nothing. */
TEST(pblen_agrees)
{
	for (int tells = 0; tells < 2; tells++) {
		struct guest *g = guest_new();
		g->x[X_N] = 12;
		const uint64_t top = bench_next_pc(g);
		nops(g, 40);
		if (tells)
			pblen(g, 30);
		else
			put(g, rv_nop());
		const uint64_t leader = bench_next_pc(g);
		for (int i = 0; i < 5; i++)
			prof(g, 0, rv_addi(15, 15, 1));
		nops(g, 40);
		put(g, rv_addi(X_N, X_N, -1));
		put(g, rv_bne(X_N, 0, (int32_t)(top - bench_next_pc(g))));
		finish(g);
		struct log *l = run(g, "");
		assert_int_equal(count(l, EV_SKIP, leader), 10);
		assert_int_equal(stat(l->m, "xprof.stale"), 0);
		patch_check_against_model(g, "");
		log_free(l);
		free(g);
	}
}

/* fence.i empties the table, unless bdt.fence_i is off. */
TEST(fence_i)
{
	for (int keeps = 0; keeps < 2; keeps++) {
		struct guest *g = guest_new();
		g->x[X_N] = 12;
		const uint64_t top = bench_next_pc(g);
		nops(g, 40);
		const uint64_t leader = bench_next_pc(g);
		for (int i = 0; i < 5; i++)
			prof(g, 0, rv_addi(15, 15, 1));
		nops(g, 40);
		put(g, rv_fence_i());
		put(g, rv_addi(X_N, X_N, -1));
		put(g, rv_bne(X_N, 0, (int32_t)(top - bench_next_pc(g))));
		finish(g);
		struct log *l = run(g, keeps ? "bdt.fence_i=false" : "");
		assert_int_equal(count(l, EV_SKIP, leader), keeps ? 10 : 0);
		assert_true((bdt_find(&machine_pipe(l->m)->xprof.bdt, leader) != NULL) == keeps);
		log_free(l);
		free(g);
	}
}
