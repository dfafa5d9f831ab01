/* A prefix and the instruction after it are one instruction from the fetch queue on, wherever they
 * lie. */
#include "tests/xprof/model.h"

#include <stdlib.h>
#include <string.h>

static const char *const lines[] = {"l1i.line=8",
                                    "l1i.line=32",
                                    "l1i.line=64 pipe.fetch_width=1",
                                    "l1i.line=16 bdt.min_block=1",
                                    "pipe.fetch_past_taken=true l1i.latency=3",
                                    "l1i.line=8 pipe.fetch_lines=16",
                                    "pipe.fetch_lines=2 pipe.fetch_past_taken=true tlb.page=4K",
                                    "l1i.size=512 itlb.sets=1 itlb.ways=1 tlb.page=4K"};
enum { LINES = sizeof lines / sizeof *lines };

/* A jump to a pair of these sizes that begins `before` bytes before the end of a page, and an
 * instruction after it. */
static struct guest *pair_at(unsigned prefix, unsigned bytes, unsigned before, bool on,
                             uint64_t *at)
{
	struct guest *g = guest_new();
	g->wide = prefix == 4;
	g->pflags = on ? 1 << 3 : 0xff & ~(1 << 3);
	const uint32_t to = PAGE_BYTES - before;
	put(g, rv_jal(0, (int32_t)to));
	go_to(g, to);
	*at = prof(g, 3,
	           bytes == 4 ? rv_addi(15, 15, 7) : ENC_C(ADDI, .rd = 15, .rs1 = 15, .imm = 7));
	put(g, rv_addi(16, 15, 1));
	finish(g);
	return g;
}

/* All sizes, on both sides of the end of a line and of a page. */
TEST(sizes_and_places)
{
	for (unsigned prefix = 2; prefix <= 4; prefix += 2)
		for (unsigned bytes = 2; bytes <= 4; bytes += 2)
			for (unsigned before = 0; before <= (small() ? 10u : 40u); before += 2)
				for (int on = 0; on < 2; on++) {
					uint64_t at;
					struct guest *g = pair_at(prefix, bytes, before, on, &at);
					struct model *model = model_run(g);
					for (unsigned i = 0; i < LINES; i++) {
						struct log *l = run(g, lines[i]);
						model_agrees(model, l->m);
						model_agrees_trace(model, l);
						assert_int_equal(machine_reg(l->m, 16), on ? 8 : 1);
						/* Executes once, as a whole; no instruction at its
						 * second part.
						 */
						assert_int_equal(count(l, EV_FETCH, at), 1);
						assert_int_equal(
							nth(l, EV_FETCH, at, 0)->fetch.bytes,
							prefix + bytes);
						assert_int_equal(count(l, EV_FETCH, at + prefix),
						                 0);
						assert_int_equal(
							count(l, EV_FETCH, at + prefix + bytes), 1);
						assert_int_equal(
							count(l, on ? EV_COMMIT : EV_DROP, at), 1);
						assert_int_equal(
							count(l, on ? EV_DROP : EV_COMMIT, at), 0);
						assert_int_equal(stat(l->m, "xprof.fetched"), 1);
						log_free(l);
					}
					model_free(model);
					free(g);
				}
}

/* An instruction across two lines is fetched with the second one, a cycle after its predecessor,
 * like the first instruction of that line. */
TEST(waits_for_the_other_line)
{
	for (unsigned before = 0; before <= 12; before += 2) {
		struct guest *g = guest_new();
		g->pflags = 1;
		put(g, rv_addi(8, 0, 2));
		go_to(g, 4); /* the loop */
		nops(g, 5);
		while (g->size < 128 - before - 4)
			put16(g, ENC_C(ADDI, .rd = 15, .rs1 = 15, .imm = 1));
		const uint64_t front = bench_next_pc(g);
		put(g, rv_nop());
		const uint64_t at = prof(g, 0, rv_addi(16, 16, 1)), behind = bench_next_pc(g);
		put(g, rv_addi(8, 8, -1));
		put(g, rv_bne(8, 0, (int32_t)(TEXT + 4 - bench_next_pc(g))));
		finish(g);
		struct log *l =
			run(g, "l1i.line=64 l2.line=64 pipe.fetch_width=16 pipe.decode_width=16");
		const uint64_t in_front = cycle_of(l, EV_FETCH, front, 1);
		assert_int_equal(cycle_of(l, EV_FETCH, at, 1) - in_front, before < 6);
		assert_int_equal(cycle_of(l, EV_FETCH, behind, 1) - in_front, before < 10);
		assert_int_equal(machine_reg(l->m, 16), 2);
		log_free(l);
		free(g);
	}
}

/* Executable memory ends after the prefix, or in the middle of the instruction there. */
TEST(into_an_unmapped_page)
{
	const uint64_t end = TEXT + TEXT_BYTES;
	for (unsigned prefix = 2; prefix <= 4; prefix += 2)
		for (int half = 0; half < 2; half++)
			for (int on = 0; on < 2; on++) {
				struct guest *g = guest_new();
				g->wide = prefix == 4;
				g->pflags = (uint64_t)on;
				const uint32_t at = TEXT_BYTES - prefix - (half ? 2 : 0);
				put(g, rv_addi(15, 15, 1));
				put(g, rv_jal(0, (int32_t)(at - 4)));
				go_to(g, at);
				bench_emit_pi(g, 0);
				if (half)
					put16(g, rv_nop());
				struct model *model = model_run(g);
				assert_int_equal(model->trap, TRAP_FETCH_FAULT);
				assert_int_equal(machine_hart(model->m)->pc, half ? end - 2 : end);
				for (unsigned i = 0; i < LINES; i++) {
					struct machine *m = boot(g, lines[i]),
						       *f = boot(g, lines[i]),
						       *w = boot(g, lines[i]);
					run_to_end(m);
					model_agrees(model, m);
					machine_run_functional(f, 1000, false);
					machine_run_functional(w, 1000, true);
					assert_int_equal(machine_fault(m)->addr,
					                 machine_fault(f)->addr);
					assert_memory_equal(machine_fault(m), machine_fault(f),
					                    offsetof(struct fault, inst));
					assert_memory_equal(machine_fault(m), machine_fault(w),
					                    offsetof(struct fault, inst));
					machine_free(m);
					machine_free(f);
					machine_free(w);
				}
				model_free(model);
				free(g);
			}
}

/* Fetch reaches the end of memory on a wrong path, after a branch that is not taken: no fault. */
TEST(the_end_of_memory_on_a_wrong_path)
{
	struct guest *g = guest_new();
	g->x[6] = 1;
	put(g, rv_jal(0, TEXT_BYTES - 16));
	const uint64_t right = bench_next_pc(g);
	put(g, rv_addi(15, 15, 1));
	finish(g);
	go_to(g, TEXT_BYTES - 16);
	put(g, rv_divu(5, 6, 6));
	put(g, rv_beq(5, 0, 10)); /* predicted taken, at decode: to the end */
	put(g, rv_jal(0, (int32_t)(right - bench_next_pc(g))));
	put16(g, 0);
	const uint64_t at = bench_next_pc(g);
	bench_emit_pi(g, 1);
	assert_int_equal(g->size, TEXT_BYTES);
	unsigned times = 0;
	struct model *model = model_run(g);
	for (unsigned i = 0; i < LINES; i++) {
		char options[256];
		snprintf(options, sizeof options,
		         "%s bpred.kind=taken btb.sets=0 mem.latency=1 l2.latency=1 tlb.penalty=1",
		         lines[i]);
		struct log *l = run(g, options);
		model_agrees(model, l->m);
		model_agrees_trace(model, l);
		times += count(l, EV_FETCH, at);
		log_free(l);
	}
	assert_true(times >= LINES);
	model_free(model);
	free(g);
}

/* Xprof's own instructions ignore a prefix: they act whatever its flag is. */
TEST(in_front_of_control)
{
	for (int on = 0; on < 2; on++)
		for (int wide = 0; wide < 2; wide++) {
			struct guest *g = guest_new();
			g->pflags = (uint64_t)on;
			g->wide = wide;
			bench_emit_pi(g, 0);
			bench_emit_setpf(g, 1);
			bench_emit_pi(g, 0);
			bench_emit_pushpf(g, 1);
			bench_emit_pi(g, 0);
			bench_emit_resetpf(g, 1);
			bench_emit_pi(g, 0);
			bench_emit_pi(g, 1); /* the one that counts */
			put(g, rv_addi(15, 15, 1));
			bench_emit_pi(g, 0);
			bench_emit_poppf(g, 1);
			bench_emit_pi(g, 0);
			pblen(g, 8);
			prof(g, 1, rv_addi(16, 16, 1));
			finish(g);
			struct model *model = model_run(g);
			assert_int_equal(machine_hart(model->m)->r[15], 0);
			assert_int_equal(machine_hart(model->m)->r[16], 1);
			for (unsigned i = 0; i < LINES; i++) {
				struct log *l = run(g, lines[i]);
				model_agrees(model, l->m);
				model_agrees_trace(model, l);
				log_free(l);
			}
			model_free(model);
			free(g);
		}
}

/* Without Xprof the prefix and its instruction are two no-ops, as on any machine. */
TEST(not_enabled)
{
	for (int wide = 0; wide < 2; wide++) {
		struct guest *g = guest_new();
		g->wide = wide;
		for (unsigned k = 0; k < 8; k++) {
			bench_emit_pushpf(g, k);
			bench_emit_resetpf(g, k);
			prof(g, k, rv_addi(15, 15, 1));
			bench_emit_setpf(g, k);
			bench_emit_poppf(g, k);
		}
		poppf_all(g);
		pushpf_all(g);
		pblen(g, 100);
		hint(g, 50);
		finish(g);
		struct machine *m = boot(g, "xprof.enable=false"),
			       *f = boot(g, "xprof.enable=false");
		run_to_end(m);
		machine_run_functional(f, 1000, false);
		assert_int_equal(machine_status(m), MACHINE_EXITED);
		assert_int_equal(machine_reg(m, 15), 8);
		assert_int_equal(machine_reg(f, 15), 8);
		assert_int_equal(machine_insts(m), 8 * 6 + 4 + 3);
		assert_int_equal(stat(f, "sim.functional_insts"), 8 * 6 + 4 + 3);
		assert_int_equal(peek(m, bench_saved_flag_address(SP, 0)), 0);
		static const char *const none[] = {"xprof.fetched", "xprof.dropped",
		                                   "xprof.dispatched", "xprof.control"};
		for (unsigned i = 0; i < 4; i++)
			assert_int_equal(stat(m, none[i]), 0);
		machine_free(m);
		machine_free(f);
		free(g);
	}
	/* Nor are there its registers. */
	for (unsigned csr = CSR_PFBASE; csr <= CSR_PFLAGS; csr++) {
		struct guest *g = guest_new();
		put(g, rv_csrr(15, csr));
		finish(g);
		struct machine *without = boot(g, "xprof.enable=false"), *with = boot(g, "");
		run_to_end(without);
		run_to_end(with);
		assert_int_equal(machine_status(without), MACHINE_FAULTED);
		assert_int_equal(machine_fault(without)->trap, TRAP_ILLEGAL);
		assert_int_equal(machine_status(with), MACHINE_EXITED);
		machine_free(without);
		machine_free(with);
		free(g);
	}
}
