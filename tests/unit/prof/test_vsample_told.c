/* Listeners notified of instructions that the value sampler's handler interprets, and profile
 * instructions in it. */
#include "core/pipe/interrupt/interpret.h"

#include <math.h>

#include "tests/unit/prof/vsample_fixture.h"

#include "core/machine/change.h"
#include "core/prof/sampler/sampler.h"
#include "loader/launch.h"
#include "loader/program.h"
#include "tests/scale.h"
#include "tests/unit/loader/cross.h"
#include "tests/unit/prof/firmware_asm.h"

/* ---- listeners ---- */
static void vsample_told_collect_event(void *ctx, const struct machine *m, const struct event *ev)
{
	uint64_t *seen = ctx;
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	assert_int_equal(u->seq, ev->seq);
	assert_int_equal(u->pc, ev->pc);
	seen[ev->id]++;
	if (ev->id != EV_LEAVE)
		return;
	assert_int_equal(uop_is_interpreted(u), ev->leave.retired && !ev->leave.entered);
	if (ev->leave.entered)
		return;
	if (!ev->leave.retired)
		return;
	/* Interpreted: its stamps have the cycles. */
	assert_int_equal(u->when.end, ev->cycle);
	assert_int_equal(u->when.fetch, handler_of(m)->begun);
	assert_true(u->state == UOP_RETIRED && uop_in_window(u) == false);
	seen[EV_COUNT]++;
}

TEST(events_are_as_many_as_instructions)
{
	const char *const how[] = {EAGER, "vsample.interval_min=3", "vsample.interval_max=30",
	                           "vsample.length=9", NULL},
			  *const alone[] = {NULL};
	struct machine *m = vsample_fixture_loop_machine(how),
		       *plain = vsample_fixture_loop_machine(alone);
	uint64_t seen[EV_COUNT + 1] = {0}, right[EV_COUNT + 1] = {0};
	const struct event_filter f = {.mask = EV_BIT(COMMIT) | EV_BIT(STORE) | EV_BIT(LEAVE)};
	assert_true(machine_listen(m, &f, vsample_told_collect_event, seen) &&
	            machine_listen(plain, &f, vsample_told_collect_event, right));
	vsample_fixture_run_to_end(m);
	machine_run(plain, UINT64_MAX, UINT64_MAX);
	assert_int_equal(right[EV_COUNT], 0);
	assert_int_equal(seen[EV_COMMIT], right[EV_COMMIT]);
	assert_int_equal(seen[EV_STORE], right[EV_STORE]);
	assert_int_equal(seen[EV_COUNT], machine_stats(m)->vsample_insts);
	assert_int_equal(machine_stats(m)->insts, machine_stats(plain)->insts);
	assert_int_equal(machine_exit_status(m), machine_exit_status(plain));
	/* Statistics count the pipeline's work alone. */
	assert_int_equal(machine_stats(m)->cpi_base + machine_stats(m)->vsample_insts,
	                 machine_stats(m)->insts);
	assert_true(machine_stats(m)->commit_loads < machine_stats(plain)->commit_loads);
	machine_free(m);
	machine_free(plain);
}

/* The handler's own events: their fields add up to the counters, and their order is that of the
 * handler's work. */
struct handler {
	uint64_t interrupts, interpretations, insts, tuples, lost, cycles,
		stops[VSAMPLE_STOP_COUNT];
	/* in this interpretation; committed when the handler last returned */
	uint64_t place, recorded, committed;
	bool interprets;
};

static void vsample_told_follow_handler(void *ctx, const struct machine *m, const struct event *ev)
{
	struct handler *h = ctx;
	const uint64_t length = (uint64_t)machine_config(m)->vsample_length;
	switch ((enum event_id)ev->id) {
	case EV_VSAMPLE:
		assert_false(h->interprets);
		assert_true(ev->seq == 0 && ev->pc == machine_pc(m));
		assert_int_equal(ev->vsample.interval, machine_insts(m) - h->committed);
		assert_true(ev->vsample.skip == 0 || ev->vsample.interprets);
		h->interrupts++;
		h->interpretations += ev->vsample.interprets;
		h->interprets = ev->vsample.interprets;
		h->place = h->recorded = 0;
		h->committed = machine_insts(m); /* unless it interprets */
		return;
	case EV_INTERPRET:
		assert_true(h->interprets);
		assert_int_equal(ev->interpret.place, h->place++);
		assert_int_equal(ev->interpret.cycles,
		                 ev->cycle -
		                         pipe_uop(machine_pipe(m), (uint16_t)ev->slot)->when.fetch);
		assert_true(uop_is_interpreted(pipe_uop(machine_pipe(m), (uint16_t)ev->slot)));
		assert_true(ev->interpret.recorded || !ev->interpret.lost);
		h->insts++;
		h->recorded += ev->interpret.recorded;
		h->tuples += ev->interpret.recorded;
		h->lost += ev->interpret.lost;
		return;
	default:
		assert_true(h->interprets);
		assert_true(ev->interpreted.stop > VSAMPLE_GOES_ON &&
		            ev->interpreted.stop < VSAMPLE_STOP_COUNT);
		assert_true(ev->seq == 0 && ev->pc == machine_pc(m));
		assert_int_equal(ev->interpreted.count, h->place);
		assert_int_equal(ev->interpreted.recorded, h->recorded);
		assert_int_equal(ev->interpreted.stop == VSAMPLE_STOP_LENGTH,
		                 h->recorded == length);
		h->stops[ev->interpreted.stop]++;
		h->cycles += ev->interpreted.cycles;
		h->interprets = false;
		h->committed = machine_insts(m);
	}
}

TEST(the_handler_tells_what_it_does)
{
	const char *const how[][20] = {
		{EAGER, "vsample.interval_min=3", "vsample.interval_max=30", "vsample.length=9",
	         "vsample.skip=5", "vsample.queue=3", "vsample.service=40"},
		{EAGER, "vsample.every=3", "vsample.interval_min=20", "vsample.interval_max=90",
	         "vsample.length=3"},
		{EAGER, "vsample.every=0", "vsample.interval_min=20", "vsample.interval_max=90"},
	};
	for (unsigned i = 0; i < sizeof how / sizeof *how; i++) {
		struct machine *m = vsample_fixture_loop_machine(how[i]);
		struct handler h = {0};
		const struct event_filter f = {.mask = EV_BIT(VSAMPLE) | EV_BIT(INTERPRET) |
		                                       EV_BIT(INTERPRETED)};
		assert_true(machine_listen(m, &f, vsample_told_follow_handler, &h));
		vsample_fixture_run_to_end(m);
		const struct stats *s = machine_stats(m);
		assert_int_equal(h.interrupts, s->vsample_interrupts);
		assert_int_equal(h.interpretations, s->vsample_interpretations);
		assert_int_equal(h.insts, s->vsample_insts);
		assert_int_equal(h.tuples, s->vsample_tuples);
		assert_int_equal(h.lost, s->vsample_lost);
		assert_int_equal(h.stops[VSAMPLE_STOP_LENGTH], s->vsample_stop_length);
		assert_int_equal(h.stops[VSAMPLE_STOP_SYSCALL], s->vsample_stop_syscall);
		assert_true(h.interrupts > 10);
		/* each interrupt interprets, some reach the system call, and some tuples find no
		 * room */
		if (!i) {
			assert_int_equal(h.cycles, s->vsample_cycles);
			assert_true(h.lost > 10 && h.tuples > h.lost + 10 && h.insts > h.tuples &&
			            h.stops[VSAMPLE_STOP_SYSCALL] == 1);
		}
		machine_free(m);
	}
}

/* instret counts interpreted instructions; a reservation survives any number of interrupts between
 * lr and sc. */
TEST(nothing_is_executed_twice)
{
	const unsigned by = scale_is("small") ? 6 : 1;
	for (unsigned interval = 1; interval < 20; interval += by)
		for (unsigned length = 1; length < 20; length += 3 * by) {
			char least[40], most[40], n[40];
			snprintf(least, sizeof least, "vsample.interval_min=%u", interval);
			snprintf(most, sizeof most, "vsample.interval_max=%u", interval);
			snprintf(n, sizeof n, "vsample.length=%u", length);
			const char *const how[] = {EAGER, least, most, n, "l1d.size=1K", NULL};
			struct machine *m = vsample_fixture_loop_machine(how);
			vsample_fixture_run_to_end(m);
			assert_int_equal(machine_stats(m)->insts,
			                 LOOP_BEFORE + LOOP_ROUND * ROUNDS + LOOP_AFTER);
			machine_free(m);
		}
}

/* ---- profile instructions ---- */
enum {
	MARK = 0x0320a013,
	SETPF_3 = 0x01b0a013,
	RESETPF_3 = 0x0130a013,
	PI_3 = 0x00b0a013,
	PUSHPF_3 = 0x0230a013,
	POPPF_3 = 0x02b0a013
};

struct selected {
	struct tuple tuple[8192];
	unsigned n;
};

static void select_tuple(void *ctx, struct tuple t)
{
	struct selected *s = ctx;
	assert_true(s->n < 8192);
	s->tuple[s->n++] = t;
}

/* A mark affects the next instruction; decode or the interpreter may handle either. Both see the
 * same flags, including saved ones. */
TEST(marks_and_flags_are_kept_up)
{
	const uint32_t code[] = {
		enc_u(OP_LUI, T0, DATA),
		enc_u(OP_LUI, SP, DATA + 0x1000),
		enc_i(OP_ADDI, T1, X0, 200),
		enc_i(OP_SRLI, T5, SP, 1),
		enc_i(OP_ADDI, T5, T5, 1024), /* flags are saved above sp */
		ENC(CSRRW, .rd = X0, .rs1 = T5, .imm = CSR_PFBASE),
		MARK, /* 6: the round */
		enc_i(OP_ADDI, T2, T2, 3),
		/* a mark of no instruction */
		MARK,
		RESETPF_3,
		ENC(CSRRS, .rd = T2, .imm = CSR_INSTRET),
		/* the interpreter stops before it */
		MARK,
		ENC(CSRRS, .rd = T2, .imm = CSR_INSTRET),
		enc_i(OP_ANDI, T3, T1, 1),
		MARK,
		enc_b(OP_BEQ, T3, X0, 12), /* every other time */
		SETPF_3,
		enc_j(X0, 8),
		RESETPF_3, /* the branch's target */
		enc_i(OP_ANDI, T3, T1, 2),
		enc_b(OP_BEQ, T3, X0, 8), /* sometimes around the mark */
		/* marked if the mark was executed, and was not dropped */
		MARK,
		PI_3,
		enc_i(OP_ADDI, T4, T4, 7),
		PUSHPF_3,
		SETPF_3,
		MARK,
		PI_3,
		enc_i(OP_ADDI, T4, T4, 100),
		POPPF_3,
		PI_3,
		enc_i(OP_ADDI, T4, T4, 1000),
		/* dropped, also after it stopped */
		RESETPF_3,
		enc_i(OP_ADDI, T2, T2, 3),
		PI_3,
		enc_i(OP_ADDI, T4, T4, 2000),
		SETPF_3,
		CSRR(CSR_INSTRET),
		enc_i(OP_ADDI, T1, T1, -1),
		enc_b(OP_BNE, T1, X0, -4 * 33),
		enc_i(OP_ADDI, A0, T4, 0),
		enc_i(OP_SRLI, A0, A0, 4),
		enc_i(OP_ADDI, A7, X0, 93),
		enc_i(OP_ECALL, X0, X0, 0),
	};
	static struct selected seen, right;
	uint64_t insts = 0, total = 0;
	const unsigned by = scale_is("small") ? 5 : 1;
	for (unsigned interval = 0; interval < 14; interval += by)
		for (unsigned length = 1; length < 9; length += by) {
			char least[40], most[40], n[40];
			snprintf(least, sizeof least, "vsample.interval_min=%u",
			         interval ? interval : 1);
			snprintf(most, sizeof most, "vsample.interval_max=%u",
			         interval ? interval : 1);
			snprintf(n, sizeof n, "vsample.length=%u", length);
			const char *const how[] = {EAGER,
			                           least,
			                           most,
			                           n,
			                           "sampler.enable=true",
			                           "sampler.select=value of int|system marked",
			                           "sampler.tuple_queue=256",
			                           interval ? "vsample.seed=3"
			                                    : "vsample.enable=false",
			                           NULL};
			struct machine *m = vsample_fixture_new_machine(code, sizeof code, how);
			struct sampler *s = machine_pipe(m)->prof->sampler;
			struct selected *to = interval ? &seen : &right;
			to->n = 0;
			s->sink = select_tuple;
			s->sink_ctx = to;
			machine_run(m, UINT64_MAX, UINT64_MAX);
			assert_int_equal(machine_status(m), MACHINE_EXITED);
			if (!interval) {
				insts = machine_stats(m)->insts;
				total = machine_reg(m, T4);
				/* The flag is on in every other of 200 rounds, and between pushpf
				 * and poppf in all. */
				assert_int_equal(total, 100 * 7 + 200 * 100 + 100 * 1000);
				/* not marks of branches, of control instructions, and of dropped
				 * instructions */
				assert_int_equal(right.n, 200 * 3 + 50);
			}
			assert_int_equal(machine_reg(m, T4), total);
			assert_int_equal(machine_stats(m)->insts, insts);
			assert_int_equal(to->n, right.n);
			assert_memory_equal(to->tuple, right.tuple, right.n * sizeof *right.tuple);
			assert_int_equal(machine_stats(m)->vsample_insts != 0, interval != 0);
			machine_free(m);
		}
}

/* A mark of a dropped instruction does not apply when the instruction is fetched again. */
TEST(a_mark_may_be_about_nothing)
{
	const uint32_t code[] = {
		enc_i(OP_ADDI, T1, X0, 60),
		enc_i(OP_ANDI, T3, T1, 1), enc_b(OP_BNE, T3, X0, 12),
		SETPF_3, enc_j(X0, 12),
		RESETPF_3, MARK,
		PI_3, enc_i(OP_ADDI, T4, T4, 1),
		enc_i(OP_ADDI, T1, T1, -1), enc_b(OP_BNE, T1, X0, -4 * 9),
		enc_i(OP_ADDI, A7, X0, 93), enc_i(OP_ECALL, X0, X0, 0),
	};
	const char *const how[] = {EAGER,
	                           "vsample.interval_min=3",
	                           "vsample.interval_max=3",
	                           "vsample.length=100",
	                           "sampler.enable=true",
	                           "sampler.select=value of int marked",
	                           NULL};
	static struct selected seen;
	struct machine *m = vsample_fixture_new_machine(code, sizeof code, how);
	machine_pipe(m)->prof->sampler->sink = select_tuple;
	machine_pipe(m)->prof->sampler->sink_ctx = &seen;
	vsample_fixture_run_to_end(m);
	assert_int_equal(machine_reg(m, T4), 30);
	assert_true(machine_stats(m)->vsample_insts > 200);
	assert_int_equal(seen.n, 0);
	machine_free(m);
}
