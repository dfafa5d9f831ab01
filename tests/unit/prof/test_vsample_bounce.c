/* The value sampler's bouncing back on small guests, with a program for each of its ends. On whole
 * programs: test_vsample_streams.c. */
#include "tests/unit/prof/vsample_methods.h"

#define BOUNCE EAGER, "vsample.method=bounce", "vsample.bounce_cycles=1"

/* ---- bouncing back ---- */
/* Runs to the end of the first attempt that `interval` instructions lead to. */
static struct machine *vsample_bounce_run_first_attempt(const uint32_t *code, size_t bytes,
                                                        unsigned interval, const char *const *more)
{
	char least[40], most[40];
	snprintf(least, sizeof least, "vsample.interval_min=%u", interval);
	snprintf(most, sizeof most, "vsample.interval_max=%u", interval);
	const char *how[32] = {BOUNCE, least, most};
	unsigned n = 0;
	while (how[n])
		n++;
	while (*more)
		how[n++] = *more++;
	struct machine *m = vsample_fixture_new_machine(code, bytes, how);
	while (!machine_stats(m)->vsample_interpretations || handler_of(m)->armed ||
	       handler_of(m)->phase != VSAMPLE_AWAY)
		assert_true(machine_step(m));
	assert_null(prof_check(machine_pipe(m)->prof));
	assert_int_equal(machine_stats(m)->vsample_cycles, cost_of(m));
	return m;
}

static const struct vsample_tuple *vsample_bounce_find_tuple(const struct machine *m,
                                                             uint64_t serial)
{
	const struct vsample_tuple *t = vsample_find(machine_pipe(m)->prof, serial);
	assert_non_null(t);
	return t;
}

#define ONE(reg) enc_i(OP_ADDI, reg, reg, 1)
#define THE_END enc_i(OP_ADDI, A7, X0, 93), enc_i(OP_ECALL, X0, X0, 0)
#define EIGHT ONE(A0), ONE(T3), ONE(T4), ONE(T5), ONE(A1), ONE(A2), ONE(18), ONE(19) /* at once */

struct bounce_case {
	const char *name;
	uint32_t code[40]; /* after eight instructions, at a block's beginning */
	enum vsample_stop stop;
	unsigned tuples, interval;
	const char *option[5];
};

/* Eight instructions precede: T0 is DATA, T1 the block's own address, T2 that of the block after
 * the next, A0 0. */
TEST(each_way_to_end)
{
	const uint32_t divide = enc_r(OP_DIV, T3, T0, T1);
	const struct bounce_case cases[] = {
		{"a block", {EIGHT, THE_END}, VSAMPLE_STOP_BLOCK, 4, 8, {0}},
		{"a block from anywhere", {EIGHT, EIGHT, THE_END}, VSAMPLE_STOP_BLOCK, 4, 10, {0}},
		{"what is left of a line", {EIGHT, EIGHT, THE_END}, VSAMPLE_STOP_BLOCK, 2, 14, {0}},
		{"the last of it", {EIGHT, EIGHT, THE_END}, VSAMPLE_STOP_BLOCK, 1, 15, {0}},
		{"two lines at once, and the second is late",
	         {EIGHT, EIGHT, THE_END},
	         VSAMPLE_STOP_PART,
	         2,
	         14,
	         {"pipe.fetch_lines=2"}},
		{"a block of two",
	         {EIGHT, THE_END},
	         VSAMPLE_STOP_BLOCK,
	         2,
	         8,
	         {"pipe.fetch_width=2"}},
		{"a block of eight",
	         {EIGHT, THE_END},
	         VSAMPLE_STOP_BLOCK,
	         8,
	         8,
	         {"pipe.fetch_width=8", "pipe.commit_width=8", "pipe.decode_width=8",
	          "pipe.issue_width=8", "fu.int=8"}},
		{"part of a block",
	         {ONE(A0), ONE(T4), divide, ONE(A0), ONE(A0), THE_END},
	         VSAMPLE_STOP_PART,
	         2,
	         8,
	         {0}},
		{"nothing", {EIGHT, THE_END}, VSAMPLE_STOP_STUCK, 0, 8, {"vsample.bounce_max=3"}},
		{"too much",
	         {EIGHT, EIGHT, EIGHT, THE_END},
	         VSAMPLE_STOP_FAR,
	         0,
	         8,
	         {"vsample.bounce_cycles=137"}},
		{"a jump",
	         {enc_j(X0, 16), ONE(A0), ONE(A0), ONE(A0), ONE(A0), THE_END},
	         VSAMPLE_STOP_BLOCK,
	         1,
	         8,
	         {0}},
		{"a branch out of it",
	         {ONE(A0), enc_b(OP_BNE, T0, X0, 28), ONE(A0), ONE(A0), EIGHT, THE_END},
	         VSAMPLE_STOP_PART,
	         2,
	         8,
	         {0}},
		{"a branch not taken",
	         {ONE(A0), enc_b(OP_BEQ, T0, X0, 28), ONE(T4), ONE(T5), EIGHT, THE_END},
	         VSAMPLE_STOP_BLOCK,
	         4,
	         8,
	         {0}},
		{"an indirect jump",
	         {ONE(A0), enc_i(OP_JALR, RA, T2, 0), EIGHT, THE_END},
	         VSAMPLE_STOP_BLOCK,
	         2,
	         8,
	         {0}},
		{"one whose register was written there",
	         {ONE(T3), ONE(T2), enc_i(OP_JALR, RA, T2, 0), ONE(A0), EIGHT, THE_END},
	         VSAMPLE_STOP_FAR,
	         0,
	         8,
	         {"vsample.bounce_cycles=40"}},
		{"a loop in the block",
	         {ONE(A0), enc_i(OP_SLTI, T3, A0, 100), enc_b(OP_BNE, T3, X0, -8), EIGHT, THE_END},
	         VSAMPLE_STOP_AMBIGUOUS,
	         0,
	         8,
	         {"vsample.bounce_cycles=60"}},
		{"it branches back to where it was",
	         {enc_b(OP_BNE, T0, X0, 0), THE_END},
	         VSAMPLE_STOP_AMBIGUOUS,
	         0,
	         8,
	         {0}},
		{"two ways to the same place",
	         {enc_b(OP_BEQ, T0, X0, 32), enc_b(OP_BNE, T0, X0, 28), EIGHT, THE_END},
	         VSAMPLE_STOP_AMBIGUOUS,
	         0,
	         8,
	         {0}},
		{"a branch to the block's end",
	         {enc_b(OP_BNE, T0, X0, 16), ONE(A0), ONE(A0), ONE(A0), EIGHT, THE_END},
	         VSAMPLE_STOP_AMBIGUOUS,
	         0,
	         8,
	         {0}},
		{"a branch to what follows it",
	         {ONE(A0), ONE(T4), ONE(T5), enc_b(OP_BNE, T0, X0, 4), EIGHT, THE_END},
	         VSAMPLE_STOP_BLOCK,
	         4,
	         8,
	         {0}},
		{"a profile instruction",
	         {0x0320a013, EIGHT, THE_END},
	         VSAMPLE_STOP_AMBIGUOUS,
	         0,
	         8,
	         {0}},
		{"one in the block",
	         {ONE(A0), ONE(T4), 0x0320a013, EIGHT, THE_END},
	         VSAMPLE_STOP_BLOCK,
	         2,
	         8,
	         {0}},
		{"the same, and they are no-ops",
	         {ONE(18), ONE(T4), 0x0320a013, EIGHT, THE_END},
	         VSAMPLE_STOP_BLOCK,
	         4,
	         8,
	         {"xprof.enable=false"}},
		{"a system call",
	         {enc_i(OP_ADDI, A7, X0, 172), enc_i(OP_ECALL, X0, X0, 0), ONE(A0), ONE(A0), EIGHT,
	          THE_END},
	         VSAMPLE_STOP_PART,
	         1,
	         8,
	         {0}},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		const struct bounce_case *c = &cases[k];
		uint32_t code[48] = {
			enc_u(OP_LUI, T0, DATA),    enc_u(OP_LUI, T1, CODE),
			enc_i(OP_ADDI, T1, T1, 32), enc_i(OP_ADDI, T2, T1, 32),
			enc_i(OP_ADDI, A0, X0, 0),  enc_i(OP_ADDI, X0, X0, 0),
			enc_i(OP_ADDI, X0, X0, 0),  enc_i(OP_ADDI, X0, X0, 0),
		};
		memcpy(code + 8, c->code, sizeof c->code);
		const char *more[6] = {NULL};
		memcpy(more, c->option, sizeof c->option);
		struct machine *m =
			vsample_bounce_run_first_attempt(code, sizeof code, c->interval, more);
		const struct stats *s = machine_stats(m);
		const struct vsample_state *v = handler_of(m);
		if (v->stop != c->stop || s->vsample_tuples != c->tuples)
			fail_msg("%s: it ends for '%s' behind %llu tuples and %llu cycles", c->name,
			         vsample_stop_name[v->stop], (unsigned long long)s->vsample_tuples,
			         (unsigned long long)v->user_cycles);
		assert_int_equal((&s->vsample_stop_length)[c->stop - VSAMPLE_STOP_LENGTH], 1);
		assert_int_equal(s->vsample_misjudged, 0);
		if (c->tuples)
			assert_int_equal(s->insts, c->interval + c->tuples);
		/* A block of ONE(A0) alone: its last result is known, earlier results are
		 * overwritten. */
		for (uint64_t i = 1; i <= c->tuples; i++) {
			const struct vsample_tuple *t = vsample_bounce_find_tuple(m, i);
			assert_int_equal(t->pc,
			                 i == 1 ? v->block.pc[0]
			                        : vsample_bounce_find_tuple(m, i - 1)->pc + 4);
			if (t->word == ONE(A0) && !(t->unknown & VSAMPLE_NO_RESULT))
				assert_int_equal(t->result, machine_reg(m, A0));
		}
		machine_free(m);
	}
}

/* Without progress, the program runs on from its place with more cycles each time. The second
 * interrupt comes in the very cycle; the line is not in L1I when the program begins. */
TEST(cycles_are_added_until_there_is_progress)
{
	for (unsigned step = 1; step < 9; step += 3) {
		char add[40];
		const uint32_t code[] = {EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, THE_END};
		snprintf(add, sizeof add, "vsample.bounce_step=%u", step);
		const char *const how[] = {BOUNCE,
		                           "vsample.interval_min=16",
		                           "vsample.interval_max=16",
		                           "vsample.bounce_cycles=2",
		                           add,
		                           NULL};
		struct machine *m = vsample_fixture_new_machine(code, sizeof code, how);
		const struct vsample_state *v = handler_of(m);
		const struct stats *s = machine_stats(m);
		uint64_t cycles = 2, bounces = 0;
		until_entered(m);
		do {
			until_away(m);
			if (!v->armed)
				break;
			const uint64_t off = machine_cycle(m) - 1;
			assert_int_equal(s->insts, 16);
			assert_int_equal(v->user_cycles, cycles);
			assert_int_equal(vsample_distance(machine_pipe(m)->prof), 0);
			assert_int_equal(vsample_methods_count_resident_lines(
						 &machine_pipe(m)->mem.l1i, CODE + 64, 1),
			                 0);
			assert_int_equal(s->vsample_bounces, bounces);
			until_entered(m);
			assert_int_equal(machine_cycle(m) - 1, off + cycles);
			assert_int_equal(s->vsample_bounces, ++bounces);
			cycles += step;
		} while (true);
		assert_true(bounces > 2);
		assert_int_equal(s->vsample_retries, bounces - 1);
		/* longer steps go past the block's end */
		assert_int_equal(v->stop, step == 1 ? VSAMPLE_STOP_BLOCK : VSAMPLE_STOP_FAR);
		assert_int_equal(s->vsample_tuples, step == 1 ? 4 : 0);
		machine_free(m);
	}
}

/* Known words of completed instructions are in their tuples, and the rest is marked. */
TEST(tuples_say_what_is_unknown)
{
	const uint32_t code[] = {
		enc_u(OP_LUI, T0, DATA),
		enc_i(OP_ADDI, T1, X0, 10),
		enc_u(OP_LUI, SP, DATA),
		enc_i(OP_ADDI, RA, X0, 77),
		ENC(CSRRS, .rd = T2, .imm = CSR_FCSR),
		enc_i(OP_LD, T2, T0, 64),
		enc_i(OP_LD, T2, SP, 0),
		ENC(CSRRS, .rd = T2, .imm = CSR_FCSR),
		enc_r(OP_DIV, T4, T0,
	              T1), /* 0: overwritten; the others complete before it, and commit with it */
		enc_i(OP_ADDI, T4, X0, 3), /* 1: overwritten, too */
		enc_r(OP_ADD, T2, T4, T0), /* 2: operand lost, result known */
		enc_i(OP_ADDI, T4, X0, 9), /* 3 */
		enc_i(OP_ADDI, T0, T0, 8), /* 4 */
		enc_s(OP_SD, T2, T0, 0),   /* 5: base and data from the second interrupt */
		enc_i(OP_LD, T5, SP, 64),  /* 6: the top of the stack may have been stored */
		enc_i(OP_ADDI, RA, X0, 5), /* 7: overwritten */
		enc_i(OP_ADDI, T3, RA, 0), /* 8: its ra is lost */
		enc_j(RA, 4),              /* 9: result known */
		THE_END,
	};
	const char *const more[] = {"pipe.fetch_width=16",
	                            "pipe.decode_width=10",
	                            "pipe.issue_width=10",
	                            "pipe.commit_width=10",
	                            "fu.int=10",
	                            "l1i.line=128",
	                            "l2.line=128",
	                            "fu.mem=2",
	                            NULL};
	struct machine *m = vsample_bounce_run_first_attempt(code, sizeof code, 8, more);
	enum {
		R = VSAMPLE_NO_RESULT,
		O1 = VSAMPLE_NO_OPERAND,
		L = VSAMPLE_NO_LATENCY | VSAMPLE_NO_LEVEL,
		RAS = VSAMPLE_NO_RA,
		TOP = VSAMPLE_NO_TOP
	};
	static const struct vsample_tuple right[] = {
		{.operand = {DATA, 10}, .unknown = R, .ra = 77},
		{.unknown = R, .ra = 77},
		{.operand = {0, DATA}, .result = DATA + 3, .unknown = O1, .ra = 77},
		{.result = 9, .ra = 77},
		{.operand = {DATA}, .result = DATA + 8, .ra = 77},
		{.operand = {DATA + 8, DATA + 3}, .address = DATA + 8, .ra = 77},
		{.operand = {DATA},
	         .address = DATA + 64,
	         .result = 1,
	         .unknown = L | TOP,
	         .ra = 77},
		{.unknown = R | TOP, .ra = 77},
		{.result = 5, .unknown = O1 | RAS | TOP},
		{.result = CODE + 4 * 18, .unknown = RAS | TOP},
	};
	assert_int_equal(handler_of(m)->stop, VSAMPLE_STOP_BLOCK);
	for (unsigned i = 0; i < 10; i++) {
		const struct vsample_tuple *t = vsample_bounce_find_tuple(m, i + 1), *r = &right[i];
		if (t->unknown != r->unknown || t->operand[0] != r->operand[0] ||
		    t->operand[1] != r->operand[1] || t->result != r->result ||
		    t->address != r->address || t->ra != r->ra || t->top || t->place != i ||
		    t->pc != CODE + 4 * (8 + i))
			fail_msg("instruction %u: unknown 0x%x, operands 0x%llx and 0x%llx, result "
			         "0x%llx, address 0x%llx, ra 0x%llx",
			         i, t->unknown, (unsigned long long)t->operand[0],
			         (unsigned long long)t->operand[1], (unsigned long long)t->result,
			         (unsigned long long)t->address, (unsigned long long)t->ra);
	}
	machine_free(m);
}

/* A loop longer than a block returns to the block, whose beginning is misjudged and counted. The
 * loop counts in A0, so that a tuple's own value shows the iteration. */
TEST(a_round_of_a_loop_looks_like_a_block)
{
	const uint32_t code[] = {
		enc_i(OP_ADDI, A0, X0, 0),
		enc_i(OP_ADDI, T1, X0, 400),
		enc_i(OP_ADDI, X0, X0, 0),
		enc_i(OP_ADDI, X0, X0, 0),
		ONE(A0),
		ONE(T2),
		ONE(T3),
		ONE(T4),
		ONE(T5),
		ONE(A1),
		enc_i(OP_ADDI, T1, T1, -1),
		enc_b(OP_BNE, T1, X0, -28),
		THE_END,
	};
	unsigned wrong = 0, right = 0;
	for (unsigned cycles = 10; cycles < 80; cycles++) {
		char start[40];
		snprintf(start, sizeof start, "vsample.bounce_cycles=%u", cycles);
		const char *const more[] = {start, NULL};
		struct machine *m =
			vsample_bounce_run_first_attempt(code, sizeof code, 4 + 8 * 3, more);
		const struct stats *s = machine_stats(m);
		const uint64_t n = s->vsample_tuples;
		if (n) {
			const bool misled = vsample_bounce_find_tuple(m, 1)->result != 4;
			assert_int_equal(s->vsample_wrong, misled ? n : 0);
			assert_true(s->vsample_misjudged >= misled);
			wrong += misled;
			right += !misled;
		}
		machine_free(m);
	}
	assert_true(wrong > 3 && right > 0);
}

/* A path around the block with equally many instructions: reaches the block's end, but not through
 * the block. */
TEST(as_many_instructions_are_not_the_same)
{
	const uint32_t code[] = {
		enc_u(OP_LUI, T0, DATA),
		EIGHT,
		enc_i(OP_ADDI, X0, X0, 0),
		enc_i(OP_ADDI, X0, X0, 0),
		enc_i(OP_ADDI, X0, X0, 0),
		enc_i(OP_ADDI, X0, X0, 0),
		enc_i(OP_ADDI, X0, X0, 0),
		enc_i(OP_ADDI, X0, X0, 0),
		enc_i(OP_ADDI, X0, X0, 0),
		ONE(18),
		enc_b(OP_BEQ, X0, X0, 20),
		ONE(T4),
		ONE(T5), /* 16: the block, and its exit */
		enc_j(X0, 16),
		ONE(A1), /* 20: its end */
		ONE(T3),
		enc_j(X0, -12), /* 22: the path around */
		EIGHT,
		EIGHT,
		EIGHT,
		THE_END,
	};
	unsigned around = 0;
	for (unsigned cycles = 10; cycles < 60; cycles++) {
		char start[40];
		snprintf(start, sizeof start, "vsample.bounce_cycles=%u", cycles);
		const char *const more[] = {start, NULL};
		struct machine *m = vsample_bounce_run_first_attempt(code, sizeof code, 16, more);
		const struct stats *s = machine_stats(m);
		if (handler_of(m)->stop == VSAMPLE_STOP_BLOCK) {
			around++;
			assert_int_equal(s->insts, 16 + 4);
			assert_int_equal(s->vsample_misjudged, 1);
			assert_int_equal(s->vsample_wrong, 4);
		} else {
			assert_int_equal(s->vsample_wrong, 0);
		}
		machine_free(m);
	}
	assert_true(around > 0);
}
