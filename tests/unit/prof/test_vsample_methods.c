/* The value sampler's other two methods on small guests: the library that an upcall enters, with
 * its cost, its frame on the program's stack and what does not stop it; and bouncing back, each way
 * in which that ends provoked by a program. Both on whole programs: test_vsample_streams.c. */
#include "core/pipe/interrupt/bounce.h"

#include "tests/unit/prof/vsample_fixture.h"

#define UPCALL EAGER, "vsample.method=upcall", "vsample.upcall_cycles=7", "vsample.return_cycles=6"
#define BOUNCE EAGER, "vsample.method=bounce", "vsample.bounce_cycles=1"

static uint64_t slots_of(const struct machine *m, const char *prefix)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < stat_row_count; i++)
		if (!strncmp(stat_rows[i].name, prefix, strlen(prefix)))
			sum += (uint64_t)stat_value(machine_stats(m), &stat_rows[i]);
	return sum;
}

static void assert_slots_add_up(const struct machine *m)
{
	const struct stats *s = machine_stats(m);
	const uint64_t width = (uint64_t)machine_config(m)->commit_width;
	assert_int_equal(s->vsample_cycles, cost_of(m));
	assert_int_equal(s->cpi_vsample, (s->vsample_cycles + s->vsample_refill_cycles) * width);
	assert_int_equal(slots_of(m, "cpi."), s->cycles * width);
	assert_int_equal(slots_of(m, "vsample.stop_"),
	                 s->vsample_interpretations - handler_of(m)->armed);
}

static void until_entered(struct machine *m)
{
	while (handler_of(m)->phase == VSAMPLE_AWAY)
		assert_true(machine_step(m));
}

static void until_away(struct machine *m)
{
	while (handler_of(m)->phase != VSAMPLE_AWAY)
		assert_true(machine_step(m));
}

/* ---- cost ---- */
static void each_method_costs_its_sum(void **state)
{
	(void)state;
	static const char *const cases[][4] = {
		{"vsample.interrupt_cycles=1", "vsample.start_cycles=0", "vsample.length=1"},
		{"vsample.interrupt_cycles=500", "vsample.every=3"},
		{"vsample.start_cycles=333", "vsample.length=5"},
		{"vsample.inst_cycles=99", "vsample.skip=4"},
		{"vsample.tuple_cycles=77", "vsample.context_cycles=50"},
		{"vsample.upcall_cycles=0", "vsample.return_cycles=0"},
		{"vsample.upcall_cycles=300", "vsample.return_cycles=0", "vsample.bounce_step=9"},
		{"vsample.upcall_cycles=0", "vsample.return_cycles=300",
	         "vsample.bounce_cycles=40"},
		{"l1d.mshrs=1", "l1d.write_buffer=1", "l1d.size=512", "l1d.line=8"},
		{"vsample.fault_cycles=40", "vsample.frame_bytes=0", "vsample.bounce_max=5"},
	};
	static const char *const methods[] = {"vsample.method=handler", "vsample.method=upcall",
	                                      "vsample.method=bounce"};
	for (size_t method = 0; method < 3; method++)
		for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
			const char *how[40] = {UPCALL, "vsample.interval_min=3",
			                       "vsample.interval_max=30",
			                       "vsample.bounce_cycles=10", methods[method]};
			unsigned n = 0;
			while (how[n])
				n++;
			for (unsigned i = 0; i < 4 && cases[k][i]; i++)
				how[n++] = cases[k][i];
			struct machine *m = looping(how);
			run_to_end(m);
			assert_true(machine_stats(m)->vsample_interpretations > 20);
			assert_slots_add_up(m);
			assert_int_equal(machine_stats(m)->insts,
			                 LOOP_BEFORE + LOOP_ROUND * ROUNDS + LOOP_AFTER);
			machine_free(m);
		}
}

/* ---- upcalls ---- */
/* The interrupt's cycles, the upcall's, the interpreter's, the way back; and fetch in the cycle
 * after. */
static void an_upcall_in_time(void **state)
{
	(void)state;
	const char *const how[] = {UPCALL, AT_FIFTH_ROUND, "vsample.length=2", NULL};
	struct machine *m = looping(how);
	const struct vsample_state *v = handler_of(m);
	until_entered(m);
	const uint64_t taken = machine_cycle(m) - 1, pc = v->sampled_pc;
	uint64_t in[VSAMPLE_PHASES] = {0};
	while (v->phase != VSAMPLE_AWAY) {
		in[v->phase]++;
		machine_step(m);
	}
	const struct vsample_tuple *ld = vsample_find(machine_pipe(m)->prof, 1);
	assert_int_equal(ld->pc, pc);
	/* the level is the kernel's to know */
	assert_true(ld->latency > 2 && !ld->level && ld->unknown == VSAMPLE_NO_LEVEL);
	assert_int_equal(vsample_find(machine_pipe(m)->prof, 2)->unknown, 0);
	assert_int_equal(in[VSAMPLE_ENTERED], 3);
	assert_int_equal(in[VSAMPLE_UPCALL], 7);
	assert_int_equal(in[VSAMPLE_STARTS], 2);
	assert_int_equal(in[VSAMPLE_INST], 2 * 4);
	assert_int_equal(in[VSAMPLE_LOAD], ld->latency);
	assert_int_equal(in[VSAMPLE_RECORD], 2 * 5);
	assert_int_equal(in[VSAMPLE_RETURN], 6);
	assert_int_equal(machine_cycle(m) - 1, taken + 3 + 7 + 2 + 8 + ld->latency + 10 + 6);
	assert_int_equal(machine_pipe(m)->st->redirect_until, machine_cycle(m));
	assert_int_equal(v->stop, VSAMPLE_STOP_LENGTH);
	assert_int_equal(v->stop_pc, machine_pc(m));
	machine_free(m);
}

/* The frame lies below sp and the red zone, the context on top; all else is as it was. The handler
 * of the interrupt writes nothing. */
static void the_frame_is_on_the_programs_stack(void **state)
{
	(void)state;
	static const struct {
		const char *frame, *zone, *method;
		uint64_t end, bytes;
	} cases[] = {
		{"vsample.frame_bytes=1088", "vsample.red_zone=128", "vsample.method=upcall", 128,
	         1088},
		{"vsample.frame_bytes=100", "vsample.red_zone=0", "vsample.method=upcall", 0, 112},
		{"vsample.frame_bytes=16", "vsample.red_zone=1000", "vsample.method=upcall", 1008,
	         16},
		{"vsample.frame_bytes=0", "vsample.red_zone=0", "vsample.method=upcall", 0, 0},
		{"vsample.frame_bytes=1088", "vsample.red_zone=128", "vsample.method=handler", 0,
	         0},
		{"vsample.frame_bytes=1088", "vsample.red_zone=128", "vsample.method=bounce", 0, 0},
	};
	enum { SEEN = 8192 };
	static uint8_t before[SEEN], behind[SEEN];
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		const char *const how[] = {UPCALL,
		                           AT_FIFTH_ROUND,
		                           "vsample.length=1",
		                           cases[k].frame,
		                           cases[k].zone,
		                           cases[k].method,
		                           NULL};
		struct machine *m = looping(how);
		struct err err;
		until_entered(m);
		const uint64_t sp = DATA + 0x8000, bottom = sp - SEEN;
		memset(before, 0xa5, sizeof before);
		assert_true(machine_set_reg(m, SP, sp, &err) &&
		            machine_poke(m, bottom, before, sizeof before, &err));
		uint64_t reg[REG_COUNT];
		for (unsigned r = 0; r < REG_SINK; r++)
			reg[r] = machine_reg(m, r);
		const uint64_t pc = machine_pc(m);
		until_away(m);
		assert_true(machine_peek(m, bottom, behind, sizeof behind));
		const uint64_t end = SEEN - cases[k].end, start = end - cases[k].bytes;
		assert_memory_equal(behind, before, start);
		assert_memory_equal(behind + end, before + end, SEEN - end);
		for (uint64_t at = start, i = (end - start) / 8; at < end; at += 8) {
			uint64_t word;
			memcpy(&word, behind + at, 8);
			i--;
			assert_int_equal(word, !i ? pc : i < REG_SINK ? reg[i] : 0);
		}
		machine_free(m);
	}
}

/* A leaf that keeps its data below sp, against the calling convention, has it as long as the red
 * zone is there, and only then. */
static void a_red_zone_protects_leaves(void **state)
{
	(void)state;
	const uint32_t code[] = {
		enc_u(OP_LUI, SP, DATA + 0x8000), enc_i(OP_ADDI, T1, X0, 55),
		enc_i(OP_ADDI, A7, X0, 93),       enc_s(OP_SD, T1, SP, -8),
		enc_s(OP_SD, T1, SP, -128),       enc_i(OP_ADDI, T1, X0, 0),
		enc_i(OP_ADDI, T1, X0, 0),        enc_i(OP_ADDI, T1, X0, 0),
		enc_i(OP_LD, A0, SP, -8),         enc_i(OP_LD, T2, SP, -128),
		enc_r(OP_ADD, A0, A0, T2),        enc_i(OP_ECALL, X0, X0, 0),
	};
	for (unsigned zone = 0; zone < 2; zone++) {
		const char *const how[] = {UPCALL,
		                           "vsample.interval_min=6",
		                           "vsample.interval_max=6",
		                           "vsample.length=1",
		                           zone ? "vsample.red_zone=128" : "vsample.red_zone=0",
		                           NULL};
		struct machine *m = machine_with(code, sizeof code, how);
		run_to_end(m);
		assert_int_equal(machine_stats(m)->vsample_upcalls, 1);
		assert_int_equal(machine_exit_status(m) == 110, zone);
		machine_free(m);
	}
}

/* Where sp is no stack, the program is left alone. */
static void without_a_stack_there_is_no_upcall(void **state)
{
	(void)state;
	static const struct {
		uint64_t sp;
		bool made;
	} cases[] = {{DATA + 0x8000, true},
	             {0, false},
	             {100, false},
	             {DATA + 1088 + 128, true},
	             {DATA + 1088 + 127, false},
	             {CODE + 4096, false},
	             {UINT64_MAX, false},
	             {MEM_TOP + 4096, false},
	             {DATA + DATA_BYTES + 128, true},
	             {DATA + DATA_BYTES + 129 + 15, false}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		const char *const how[] = {UPCALL,
		                           AT_FIFTH_ROUND,
		                           "vsample.length=3",
		                           "vsample.frame_bytes=1088",
		                           "vsample.red_zone=128",
		                           NULL};
		struct machine *m = looping(how);
		struct err err;
		until_entered(m);
		assert_true(machine_set_reg(m, SP, cases[k].sp, &err));
		const uint64_t insts = machine_stats(m)->insts;
		until_away(m);
		const struct stats *s = machine_stats(m);
		assert_int_equal(s->vsample_upcalls, cases[k].made);
		assert_int_equal(s->vsample_stop_stack, !cases[k].made);
		assert_int_equal(s->insts, insts + s->vsample_insts);
		assert_true(s->vsample_insts > 0 || !cases[k].made);
		assert_int_equal(s->vsample_cycles, cost_of(m));
		if (!cases[k].made)
			assert_int_equal(handler_of(m)->stop, VSAMPLE_STOP_STACK);
		machine_free(m);
	}
}

static unsigned resident(const struct cache *c, uint64_t base, uint64_t lines)
{
	unsigned n = 0;
	for (uint64_t i = 0; i < lines; i++) {
		const uint64_t number = (base >> c->line_log2) + i;
		const struct cache_line *set =
			c->lines + (size_t)((uint32_t)number & c->set_mask) * c->ways;
		for (uint32_t w = 0; w < c->ways; w++)
			n += set[w].tag == number + 1;
	}
	return n;
}

/* The library's lines, its routines, its queue and the frame lie in the program's space: in L1I and
 * L1D, and in both TLBs. */
static void an_upcall_has_a_footprint(void **state)
{
	(void)state;
	for (unsigned upcall = 0; upcall < 2; upcall++) {
		const char *const how[] = {UPCALL,
		                           AT_FIFTH_ROUND,
		                           "vsample.length=7",
		                           "vsample.upcall_cycles=400",
		                           "vsample.code_lines=5",
		                           "vsample.data_lines=3",
		                           "vsample.library_lines=40",
		                           "vsample.inst_lines=3",
		                           "vsample.frame_bytes=1024",
		                           "vsample.red_zone=0",
		                           "l1d.write_buffer=0",
		                           "l1d.mshrs=0",
		                           upcall ? "vsample.method=upcall"
		                                  : "vsample.method=handler",
		                           NULL};
		struct machine *m = looping(how);
		struct err err;
		const struct hierarchy *h = &machine_pipe(m)->mem;
		until_entered(m);
		const uint64_t sp = DATA + 0x80000;
		assert_true(machine_set_reg(m, SP, sp, &err));
		assert_null(tlb_find(&h->dtlb, (sp - 8) >> h->dtlb.page_log2));
		until_away(m);
		assert_int_equal(resident(&h->l1i, VSAMPLE_BASE, 4096), 5);
		assert_int_equal(resident(&h->l1i, VSAMPLE_LIBRARY, 4096), upcall ? 40 : 0);
		assert_int_equal(resident(&h->l1d, sp - 1024, 32), upcall ? 32 : 0);
		assert_int_equal(resident(&h->l1i, VSAMPLE_LIBRARY_ROUTINES, 4096),
		                 upcall ? 18 : 0);
		assert_int_equal(resident(&h->l1i, VSAMPLE_ROUTINES, 4096), upcall ? 0 : 18);
		assert_int_equal(resident(&h->l1d, VSAMPLE_LIBRARY_QUEUE, 4096) > 0, upcall);
		assert_int_equal(resident(&h->l1d, VSAMPLE_QUEUE, 4096) > 0, !upcall);
		assert_int_equal(tlb_find(&h->itlb, VSAMPLE_LIBRARY >> h->itlb.page_log2) != NULL,
		                 upcall);
		assert_int_equal(tlb_find(&h->dtlb, (sp - 8) >> h->dtlb.page_log2) != NULL, upcall);
		assert_int_equal(tlb_find(&h->dtlb, VSAMPLE_LIBRARY_QUEUE >> h->dtlb.page_log2) !=
		                         NULL,
		                 upcall);
		machine_free(m);
	}
}

/* The handler's time with interrupts off is bounded, but for the memory of its last instruction; a
 * library's is not. */
static void a_deadline_stops_the_handler(void **state)
{
	(void)state;
	for (unsigned deadline = 0; deadline < 120; deadline += 7)
		for (unsigned upcall = 0; upcall < 2; upcall++) {
			char limit[40];
			snprintf(limit, sizeof limit, "vsample.deadline=%u", deadline);
			const char *const how[] = {UPCALL,
			                           AT_FIFTH_ROUND,
			                           "vsample.length=9",
			                           limit,
			                           "vsample.context_cycles=2",
			                           upcall ? "vsample.method=upcall"
			                                  : "vsample.method=handler",
			                           NULL};
			struct machine *m = looping(how);
			until_entered(m);
			const uint64_t from = machine_cycle(m) - 1;
			until_away(m);
			const struct stats *s = machine_stats(m);
			const bool stops = !upcall && deadline && s->vsample_insts < 9;
			const uint64_t held = machine_cycle(m) - 1 - from;
			assert_int_equal(s->vsample_cycles, cost_of(m));
			assert_int_equal(handler_of(m)->stop,
			                 stops ? VSAMPLE_STOP_DEADLINE : VSAMPLE_STOP_LENGTH);
			assert_int_equal(s->vsample_stop_deadline, stops);
			if (upcall || !deadline)
				assert_int_equal(s->vsample_insts, 9);
			else
				assert_true(held <= deadline + s->vsample_memory_cycles ||
				            s->vsample_insts == 0);
			if (stops) /* another one would have gone beyond it */
				assert_true(held + 4 + 5 + 2 > deadline);
			machine_free(m);
		}
}

/* The first store to a page ends the handler's interpretation; the operating system resolves a
 * library's. Loads never fault. */
static void page_faults_are_resolved_for_the_library(void **state)
{
	(void)state;
	const uint32_t code[] = {
		enc_u(OP_LUI, T0, DATA + 0x80000),
		enc_u(OP_LUI, SP, DATA + 0x8000),
		enc_i(OP_ADDI, A7, X0, 93),
		enc_i(OP_ADDI, A0, X0, 7),
		enc_i(OP_ADDI, T4, X0, -1),
		enc_i(OP_LD, T2, T0, 0),
		enc_s(OP_SD, A7, T0, 0),
		enc_s(OP_SD, A7, T0, 8),
		enc_u(OP_LUI, T1, 0x2000),
		enc_r(OP_ADD, T0, T0, T1),
		enc_s(OP_SD, T4, T0, -4),
		enc_s(OP_SD, T4, T0, -4),
		ENC(AMOADD_D, .rd = T4, .rs1 = T0, .rs2 = A7),
		enc_i(OP_ECALL, X0, X0, 0),
	};
	for (unsigned k = 0; k < 3; k++) {
		const char *const how[] = {UPCALL,
		                           "vsample.interval_min=4",
		                           "vsample.interval_max=4",
		                           "vsample.length=20",
		                           k ? "vsample.fault_cycles=50" : "vsample.fault_cycles=0",
		                           k == 2 ? "vsample.method=upcall"
		                                  : "vsample.method=handler",
		                           NULL};
		struct machine *m = machine_with(code, sizeof code, how);
		uint64_t expected = 9;
		while (!machine_stats(m)->vsample_interpretations)
			machine_step(m);
		until_away(m);
		const struct stats *s = machine_stats(m);
		if (k == 1)
			expected = 2;
		assert_int_equal(s->vsample_insts, expected);
		assert_int_equal(handler_of(m)->stop,
		                 k == 1 ? VSAMPLE_STOP_TRAP : VSAMPLE_STOP_SYSCALL);
		/* two stores: one of them into two pages */
		assert_int_equal(s->vsample_faults, k == 2 ? 2 : 0);
		run_to_end(m);
		assert_int_equal(machine_exit_status(m), 7);
		assert_int_equal(s->vsample_cycles, cost_of(m));
		machine_free(m);
	}
}

/* ---- bouncing back ---- */
/* Up to the end of the first attempt that `interval` instructions lead to. */
static struct machine *bounced(const uint32_t *code, size_t bytes, unsigned interval,
                               const char *const *more)
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
	struct machine *m = machine_with(code, bytes, how);
	while (!machine_stats(m)->vsample_interpretations || handler_of(m)->armed ||
	       handler_of(m)->phase != VSAMPLE_AWAY)
		assert_true(machine_step(m));
	assert_null(prof_check(machine_pipe(m)->prof));
	assert_int_equal(machine_stats(m)->vsample_cycles, cost_of(m));
	return m;
}

static const struct vsample_tuple *tuple(const struct machine *m, uint64_t serial)
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
	uint32_t code[40]; /* behind eight instructions: from a block's beginning on */
	enum vsample_stop stop;
	unsigned tuples, interval;
	const char *option[5];
};

/* Eight instructions go before: T0 is DATA, T1 the block's own address, T2 that of the block behind
 * the next, A0 0. */
static void each_way_to_end(void **state)
{
	(void)state;
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
		struct machine *m = bounced(code, sizeof code, c->interval, more);
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
		/* A block of ONE(A0) alone: the last result is known, the others are overwritten.
		 */
		for (uint64_t i = 1; i <= c->tuples; i++) {
			const struct vsample_tuple *t = tuple(m, i);
			assert_int_equal(t->pc, i == 1 ? v->block.pc[0] : tuple(m, i - 1)->pc + 4);
			if (t->word == ONE(A0) && !(t->unknown & VSAMPLE_NO_RESULT))
				assert_int_equal(t->result, machine_reg(m, A0));
		}
		machine_free(m);
	}
}

/* No progress, and the program is sent off from where it is with more cycles, until there is some.
 * The second interrupt comes in the very cycle; the line is out of L1I when the program begins. */
static void cycles_are_added_until_there_is_progress(void **state)
{
	(void)state;
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
		struct machine *m = machine_with(code, sizeof code, how);
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
			assert_int_equal(resident(&machine_pipe(m)->mem.l1i, CODE + 64, 1), 0);
			assert_int_equal(s->vsample_bounces, bounces);
			until_entered(m);
			assert_int_equal(machine_cycle(m) - 1, off + cycles);
			assert_int_equal(s->vsample_bounces, ++bounces);
			cycles += step;
		} while (true);
		assert_true(bounces > 2);
		assert_int_equal(s->vsample_retries, bounces - 1);
		/* longer steps go too far here */
		assert_int_equal(v->stop, step == 1 ? VSAMPLE_STOP_BLOCK : VSAMPLE_STOP_FAR);
		assert_int_equal(s->vsample_tuples, step == 1 ? 4 : 0);
		machine_free(m);
	}
}

/* What can be known of instructions that are over is in their tuples, and the rest is marked. */
static void tuples_say_what_is_unknown(void **state)
{
	(void)state;
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
	              T1), /* 0: overwritten; all others are done before it, and commit with it */
		enc_i(OP_ADDI, T4, X0, 3), /* 1: overwritten, too */
		enc_r(OP_ADD, T2, T4, T0), /* 2: its operand is gone, its result is there */
		enc_i(OP_ADDI, T4, X0, 9), /* 3 */
		enc_i(OP_ADDI, T0, T0, 8), /* 4 */
		enc_s(OP_SD, T2, T0, 0),   /* 5: base and data from the second interrupt */
		enc_i(OP_LD, T5, SP, 64),  /* 6: what is on top of the stack may have been stored */
		enc_i(OP_ADDI, RA, X0, 5), /* 7: overwritten */
		enc_i(OP_ADDI, T3, RA, 0), /* 8: its ra is gone */
		enc_j(RA, 4),              /* 9: and this one's result is there */
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
	struct machine *m = bounced(code, sizeof code, 8, more);
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
		const struct vsample_tuple *t = tuple(m, i + 1), *r = &right[i];
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

/* A loop of more than a block comes round to the block: what looks like its beginning is not, and
 * is counted. The loop counts in A0, so that a tuple's own value tells. */
static void a_round_of_a_loop_looks_like_a_block(void **state)
{
	(void)state;
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
		struct machine *m = bounced(code, sizeof code, 4 + 8 * 3, more);
		const struct stats *s = machine_stats(m);
		const uint64_t n = s->vsample_tuples;
		if (n) {
			const bool misled = tuple(m, 1)->result != 4;
			assert_int_equal(s->vsample_wrong, misled ? n : 0);
			assert_true(s->vsample_misjudged >= misled);
			wrong += misled;
			right += !misled;
		}
		machine_free(m);
	}
	assert_true(wrong > 3 && right > 0);
}

/* A way around through other instructions, as many as the block's: its end was reached, but not
 * through it. */
static void as_many_instructions_are_not_the_same(void **state)
{
	(void)state;
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
		ONE(T5), /* 16: the block, and the way out of it */
		enc_j(X0, 16),
		ONE(A1), /* 20: its end */
		ONE(T3),
		enc_j(X0, -12), /* 22: the way around */
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
		struct machine *m = bounced(code, sizeof code, 16, more);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_method_costs_its_sum),
		cmocka_unit_test(an_upcall_in_time),
		cmocka_unit_test(the_frame_is_on_the_programs_stack),
		cmocka_unit_test(a_red_zone_protects_leaves),
		cmocka_unit_test(without_a_stack_there_is_no_upcall),
		cmocka_unit_test(an_upcall_has_a_footprint),
		cmocka_unit_test(a_deadline_stops_the_handler),
		cmocka_unit_test(page_faults_are_resolved_for_the_library),
		cmocka_unit_test(each_way_to_end),
		cmocka_unit_test(cycles_are_added_until_there_is_progress),
		cmocka_unit_test(tuples_say_what_is_unknown),
		cmocka_unit_test(a_round_of_a_loop_looks_like_a_block),
		cmocka_unit_test(as_many_instructions_are_not_the_same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
