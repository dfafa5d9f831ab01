/* The value sampler's upcalls on small guests: entering the library, its cost, its frame on the
 * program's stack, and events that do not end it. */
#include "tests/by_hand.h"
#include "tests/unit/prof/vsample_methods.h"

#define UPCALL EAGER, "vsample.method=upcall", "vsample.upcall_cycles=7", "vsample.return_cycles=6"

static uint64_t vsample_methods_sum_stats(const struct machine *m, const char *prefix)
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
	assert_int_equal(vsample_methods_sum_stats(m, "cpi."), s->cycles * width);
	assert_int_equal(vsample_methods_sum_stats(m, "vsample.stop_"),
	                 s->vsample_interpretations - handler_of(m)->armed);
}

/* ---- cost ---- */
TEST(each_method_costs_its_sum)
{
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
			struct machine *m = vsample_fixture_loop_machine(how);
			vsample_fixture_run_to_end(m);
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
TEST(an_upcall_in_time)
{
	const char *const how[] = {UPCALL, AT_FIFTH_ROUND, "vsample.length=2", NULL};
	struct machine *m = vsample_fixture_loop_machine(how);
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
	/* only the kernel has the level */
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

/* The frame lies below sp and the red zone, with the context on top; the rest of memory is
 * unchanged. The interrupt's handler writes nothing. */
TEST(the_frame_is_on_the_programs_stack)
{
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
		struct machine *m = vsample_fixture_loop_machine(how);
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

/* A leaf's data below sp, against the calling convention, survives only with a red zone. */
TEST(a_red_zone_protects_leaves)
{
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
		struct machine *m = vsample_fixture_new_machine(code, sizeof code, how);
		vsample_fixture_run_to_end(m);
		assert_int_equal(machine_stats(m)->vsample_upcalls, 1);
		assert_int_equal(machine_exit_status(m) == 110, zone);
		machine_free(m);
	}
}

/* Without a stack at sp, or with sp in memory that is not the thread's, such as a coroutine's stack
 * in an array, the program is left alone. */
TEST(without_a_stack_there_is_no_upcall)
{
	enum { ARRAY = DATA + DATA_BYTES + 16 * PAGE_BYTES };
	static const struct {
		uint64_t sp;
		bool made;
	} cases[] = {{ARRAY + PAGE_BYTES, false},
	             {DATA + 0x8000, true},
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
		struct machine *m = vsample_fixture_loop_machine(how);
		struct err err;
		assert_true(mem_map(machine_mem(m), ARRAY, PAGE_BYTES, PROT_R | PROT_W, "array"));
		machine_hart(m)->r[SP] = DATA + DATA_BYTES; /* its stack is mapped */
		machine_start(m, DATA + DATA_BYTES);
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

/* The library's routines, its queue and the frame lie in the program's address space: in L1I and
 * L1D, and in both TLBs. */
TEST(an_upcall_has_a_footprint)
{
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
		struct machine *m = vsample_fixture_loop_machine(how);
		struct err err;
		const struct hierarchy *h = &machine_pipe(m)->mem;
		until_entered(m);
		const uint64_t sp = DATA + 0x80000;
		assert_true(machine_set_reg(m, SP, sp, &err));
		assert_null(tlb_find(&h->dtlb, (sp - 8) >> h->dtlb.page_log2));
		until_away(m);
		assert_int_equal(vsample_methods_count_resident_lines(&h->l1i, VSAMPLE_BASE, 4096),
		                 5);
		assert_int_equal(
			vsample_methods_count_resident_lines(&h->l1i, VSAMPLE_LIBRARY, 4096),
			upcall ? 40 : 0);
		assert_int_equal(vsample_methods_count_resident_lines(&h->l1d, sp - 1024, 32),
		                 upcall ? 32 : 0);
		assert_int_equal(vsample_methods_count_resident_lines(
					 &h->l1i, VSAMPLE_LIBRARY_ROUTINES, 4096),
		                 upcall ? 18 : 0);
		assert_int_equal(
			vsample_methods_count_resident_lines(&h->l1i, VSAMPLE_ROUTINES, 4096),
			upcall ? 0 : 18);
		assert_int_equal(vsample_methods_count_resident_lines(
					 &h->l1d, VSAMPLE_LIBRARY_QUEUE, 4096) > 0,
		                 upcall);
		assert_int_equal(
			vsample_methods_count_resident_lines(&h->l1d, VSAMPLE_QUEUE, 4096) > 0,
			!upcall);
		assert_int_equal(tlb_find(&h->itlb, VSAMPLE_LIBRARY >> h->itlb.page_log2) != NULL,
		                 upcall);
		assert_int_equal(tlb_find(&h->dtlb, (sp - 8) >> h->dtlb.page_log2) != NULL, upcall);
		assert_int_equal(tlb_find(&h->dtlb, VSAMPLE_LIBRARY_QUEUE >> h->dtlb.page_log2) !=
		                         NULL,
		                 upcall);
		machine_free(m);
	}
}

/* The handler's time with interrupts off is bounded, except for its last instruction's memory
 * access; a library's is not. */
TEST(a_deadline_stops_the_handler)
{
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
			struct machine *m = vsample_fixture_loop_machine(how);
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
			if (stops) /* another instruction would have exceeded the deadline */
				assert_true(held + 4 + 5 + 2 > deadline);
			machine_free(m);
		}
}

/* The first store to a page ends the handler's interpretation; the operating system resolves a
 * library's. Loads never fault. */
TEST(page_faults_are_resolved_for_the_library)
{
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
		struct machine *m = vsample_fixture_new_machine(code, sizeof code, how);
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
		/* two stores, one of them across two pages */
		assert_int_equal(s->vsample_faults, k == 2 ? 2 : 0);
		vsample_fixture_run_to_end(m);
		assert_int_equal(machine_exit_status(m), 7);
		assert_int_equal(s->vsample_cycles, cost_of(m));
		machine_free(m);
	}
}
