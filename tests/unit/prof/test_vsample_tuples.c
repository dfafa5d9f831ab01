/* The value sampler on small guests: reasons why interpretations stop, and the fate of tuples. */
#include "core/machine/params.h"
#include "core/prof/values/vsample.h"

#include "tests/unit/prof/vsample_fixture.h"

/* ---- contents of tuples ---- */
TEST(tuples_have_what_is_captured)
{
	static const struct {
		const char *text;
		unsigned bits;
	} cases[] = {{"all", 31},    {"none", 0},    {"operands", 1}, {"result", 2},
	             {"address", 4}, {"latency", 8}, {"context", 16}, {"  latency  result ", 10}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		char capture[64];
		snprintf(capture, sizeof capture, "vsample.capture=%s", cases[k].text);
		const char *const how[] = {EAGER, capture, AT_FIFTH_ROUND, "vsample.length=14",
		                           NULL};
		uint32_t code[LOOP_WORDS];
		struct machine *m = vsample_fixture_new_machine(code, loop_code(code), how);
		const struct prof *d = machine_pipe(m)->prof;
		assert_int_equal(d->vsample->capture->fields[OP_LD], cases[k].bits | VSAMPLE_TUPLE);
		while (!vsample_find(d, 14))
			machine_step(m);
		const unsigned b = cases[k].bits;
		const uint64_t row = DATA + 64 * 4; /* the fifth round */
		for (unsigned i = 0; i < 14; i++) {
			const struct vsample_tuple *t = vsample_find(d, i + 1);
			assert_non_null(t);
			assert_int_equal(t->sequence, 1);
			assert_int_equal(t->place, i);
			assert_int_equal(t->word, code[(t->pc - CODE) / 4]);
			assert_int_equal(t->ra, b & VSAMPLE_CONTEXT ? CODE + 4 * 9 : 0);
			/* The word at the top of the stack counts rounds, from 64 * 64 on: `sc` is
			 * the eleventh of a round. */
			assert_int_equal(t->top, b & VSAMPLE_CONTEXT ? 4096 + 4 + (i > 10) : 0);
		}
		const struct vsample_tuple *load = vsample_find(d, 1), *mul = vsample_find(d, 7);
		assert_int_equal(load->pc, CODE + 4 * 4);
		assert_int_equal(load->operand[0], b & VSAMPLE_OPERANDS ? row : 0);
		assert_int_equal(load->result, b & VSAMPLE_RESULT ? 16 : 0);
		assert_int_equal(load->address, b & VSAMPLE_ADDRESS ? row : 0);
		assert_int_equal(load->latency != 0, (b & VSAMPLE_LATENCY) != 0);
		assert_int_equal(load->level, b & VSAMPLE_LATENCY ? LEVEL_MEMORY : LEVEL_NONE);
		assert_int_equal(mul->pc, CODE + 4 * 18);
		assert_int_equal(mul->operand[0], b & VSAMPLE_OPERANDS ? row + 64 : 0);
		assert_int_equal(mul->operand[1], b & VSAMPLE_OPERANDS ? ROUNDS - 4 : 0);
		assert_int_equal(mul->result, b & VSAMPLE_RESULT ? (row + 64) * (ROUNDS - 4) : 0);
		assert_int_equal(mul->address, 0);
		assert_int_equal(mul->latency, 0);
		machine_free(m);
	}
}

TEST(test_vsample_tuples_refuse_bad_config)
{
	static const struct {
		const char *first, *second, *says;
	} cases[] = {
		{"vsample.capture=resutl", NULL,
	         "vsample.capture: unknown capture 'resutl'; did you mean 'result'?"},
		{"vsample.capture=result, address", NULL,
	         "vsample.capture: unknown capture 'result,'; did you mean 'result'?"},
		{"vsample.capture=12345678901234567890123456789", NULL,
	         "vsample.capture: unknown capture '12345678901234567890123'; expected "
	         "operands, result, address, latency, context, all or none"},
		{"vsample.capture= ", NULL,
	         "vsample.capture: nothing is named; expected operands, result, address, latency, "
	         "context, all or none"},
		{"vsample.interval_min=9", "vsample.interval_max=8",
	         "vsample.interval_min: 9 is more than vsample.interval_max, 8"},
		{"vsample.protect_from=0x20", "vsample.protect_to=0x10",
	         "vsample.protect_from: 0x20 is above vsample.protect_to, 0x10"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct config cfg;
		struct err err = {""};
		config_default(&cfg);
		const bool ok =
			config_set_assignment(&cfg, cases[i].first, &err) &&
			(!cases[i].second || config_set_assignment(&cfg, cases[i].second, &err)) &&
			config_check(&cfg, &err);
		assert_false(ok);
		assert_string_equal(err.msg, cases[i].says);
	}
}

/* ---- the queue ---- */
/* Without a daemon the first tuples stay and the others are lost. A daemon of n cycles a tuple
 * takes as many as time allows; taken tuples are readable until their places are needed. */
TEST(the_queue_is_bounded)
{
	for (unsigned service = 0; service < 2; service++) {
		const char *const how[] = {EAGER,
		                           AT_FIFTH_ROUND,
		                           "vsample.length=40",
		                           "vsample.queue=8",
		                           service ? "vsample.service=30" : "vsample.service=0",
		                           NULL};
		struct machine *m = vsample_fixture_loop_machine(how);
		const struct prof *d = machine_pipe(m)->prof;
		const struct stats *s = machine_stats(m);
		uint64_t waiting = 0, lost = 0, tuples = 0, begun = 0, entered[1000] = {0}, in = 0;
		/* A model: the tuple in service began when it reached the head of the queue. */
		for (unsigned c = 0; c < 4000; c++) {
			machine_step(m);
			const uint64_t now = machine_cycle(m) - 1;
			if (service && waiting && now == begun + 30) {
				waiting--;
				begun = now;
			}
			if (s->vsample_tuples != tuples) {
				tuples++;
				if (waiting < 8)
					entered[in++] = tuples;
				if (waiting == 8)
					lost++;
				else if (!waiting++)
					begun = now;
			}
			assert_int_equal(s->vsample_tuples, tuples);
			assert_int_equal(s->vsample_lost, lost);
			/* Read in the next cycle: its work is complete. */
			assert_int_equal(vsample_waiting(d),
			                 waiting - (service && waiting && now + 1 == begun + 30));
			assert_null(prof_check(d));
			assert_null(vsample_find(d, tuples + 1));
			assert_null(vsample_find(d, 0));
			for (uint64_t n = 1; n <= tuples; n++) {
				bool there = false;
				for (uint64_t i = in < 8 ? 0 : in - 8; i < in; i++)
					there |= entered[i] == n;
				assert_int_equal(vsample_find(d, n) != NULL, there);
			}
		}
		assert_true(tuples > 100 && lost > 0 && in > (service ? 50 : 7));
		machine_free(m);
	}
}

/* ---- stops ---- */
struct stop_case {
	const char *name;
	uint32_t code[8]; /* after three interpreted instructions */
	enum vsample_stop stop;
	enum machine_status end;
	unsigned before; /* number of interpreted instructions of `code` */
	const char *option;
};

/* The first interrupt comes after four instructions; three more are interpreted, then the cause of
 * the stop follows. The program ends as without a sampler. */
TEST(interpretations_stop)
{
	const uint32_t load = enc_i(OP_LD, T3, T0, 0), store = enc_s(OP_SD, T1, T0, 16),
		       exit = enc_i(OP_ECALL, X0, X0, 0);
	const struct stop_case cases[] = {
		{"a system call", {exit}, VSAMPLE_STOP_SYSCALL, MACHINE_EXITED, 0, NULL},
		{"a breakpoint instruction",
	         {enc_i(OP_EBREAK, X0, X0, 0)},
	         VSAMPLE_STOP_TRAP,
	         MACHINE_FAULTED,
	         0,
	         NULL},
		{"no instruction", {0xffffffff}, VSAMPLE_STOP_TRAP, MACHINE_FAULTED, 0, NULL},
		{"mret", {enc_i(OP_MRET, X0, X0, 0)}, VSAMPLE_STOP_TRAP, MACHINE_FAULTED, 0, NULL},
		{"a load from nowhere",
	         {enc_i(OP_LD, T3, X0, 8)},
	         VSAMPLE_STOP_TRAP,
	         MACHINE_FAULTED,
	         0,
	         NULL},
		{"a load from M-mode's memory",
	         {enc_i(OP_ADDI, T3, X0, 1), enc_i(OP_SLLI, T3, T3, 38), enc_i(OP_LD, T3, T3, 0)},
	         VSAMPLE_STOP_TRAP,
	         MACHINE_FAULTED,
	         2,
	         NULL},
		{"a store to code",
	         {enc_u(OP_LUI, T3, CODE), enc_s(OP_SD, T1, T3, 0)},
	         VSAMPLE_STOP_TRAP,
	         MACHINE_FAULTED,
	         1,
	         NULL},
		{"an odd lr",
	         {enc_i(OP_ADDI, T3, T0, 4), ENC(LR_D, .rd = T4, .rs1 = T3)},
	         VSAMPLE_STOP_TRAP,
	         MACHINE_FAULTED,
	         1,
	         NULL},
		{"an odd amo",
	         {enc_i(OP_ADDI, T3, T0, 4), ENC(AMOADD_D, .rd = T4, .rs1 = T3, .rs2 = T1)},
	         VSAMPLE_STOP_TRAP,
	         MACHINE_FAULTED,
	         1,
	         NULL},
		{"a register that is not there",
	         {CSRR(CSR_MSTATUS)},
	         VSAMPLE_STOP_TRAP,
	         MACHINE_FAULTED,
	         0,
	         NULL},
		{"a rounding mode that is none",
	         {ENC(CSRRWI, .rd = X0, .rm = 5, .imm = CSR_FRM),
	          ENC(FADD_S, .rd = 1, .rs1 = 1, .rs2 = 1, .rm = 7)},
	         VSAMPLE_STOP_TRAP,
	         MACHINE_FAULTED,
	         1,
	         NULL},
		{"a jump to nowhere",
	         {enc_u(OP_LUI, T2, NOWHERE), enc_i(OP_JALR, RA, T2, 0)},
	         VSAMPLE_STOP_TRAP,
	         MACHINE_FAULTED,
	         2,
	         NULL},
		{"fence.i",
	         {enc_i(OP_FENCE_I, X0, X0, 0), exit},
	         VSAMPLE_STOP_FENCE,
	         MACHINE_EXITED,
	         0,
	         NULL},
		{"rdcycle", {CSRR(CSR_CYCLE), exit}, VSAMPLE_STOP_TIME, MACHINE_EXITED, 0, NULL},
		{"rdtime", {CSRR(CSR_TIME), exit}, VSAMPLE_STOP_TIME, MACHINE_EXITED, 0, NULL},
		{"rdinstret",
	         {CSRR(CSR_INSTRET), exit},
	         VSAMPLE_STOP_TIME,
	         MACHINE_EXITED,
	         0,
	         NULL},
		{"hpmcounter9",
	         {CSRR(CSR_HPMCOUNTER3 + 6), exit},
	         VSAMPLE_STOP_TIME,
	         MACHINE_EXITED,
	         0,
	         NULL},
		{"pic0", {CSRR(CSR_PIC0), exit}, VSAMPLE_STOP_TIME, MACHINE_EXITED, 0, NULL},
		{"protected code",
	         {store, exit},
	         VSAMPLE_STOP_PROTECTED,
	         MACHINE_EXITED,
	         0,
	         "vsample.protect_from=0x1001f"},
		{"protected data, loaded",
	         {load, exit},
	         VSAMPLE_STOP_PROTECTED,
	         MACHINE_EXITED,
	         0,
	         "vsample.protect_from=0x40007"},
		{"protected data, stored",
	         {store, exit},
	         VSAMPLE_STOP_PROTECTED,
	         MACHINE_EXITED,
	         0,
	         "vsample.protect_from=0x40017"},
		{"data before it",
	         {store, exit},
	         VSAMPLE_STOP_SYSCALL,
	         MACHINE_EXITED,
	         1,
	         "vsample.protect_from=0x40018"},
		{"fcsr and fence",
	         {CSRR(CSR_FCSR), enc_i(OP_FENCE, X0, X0, 0xff), exit},
	         VSAMPLE_STOP_SYSCALL,
	         MACHINE_EXITED,
	         2,
	         NULL},
		{"its length",
	         {load, load, load, exit},
	         VSAMPLE_STOP_LENGTH,
	         MACHINE_EXITED,
	         3,
	         NULL},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		const struct stop_case *c = &cases[k];
		uint32_t code[16] = {
			enc_u(OP_LUI, T0, DATA),    enc_i(OP_ADDI, T1, X0, 1),
			enc_i(OP_ADDI, A7, X0, 93), enc_i(OP_ADDI, A0, X0, 7),
			enc_i(OP_ADDI, T1, T1, 1),  enc_s(OP_SD, T1, T0, 8),
			enc_i(OP_LD, T2, T0, 8),
		};
		const uint64_t from =
			c->option ? strtoull(strchr(c->option, '=') + 1, NULL, 16) : 0;
		char to[40];
		memcpy(code + 7, c->code, sizeof c->code);
		snprintf(to, sizeof to, "vsample.protect_to=0x%llx",
		         (unsigned long long)(from ? from + 1 : 0));
		const char *const how[] = {EAGER,
		                           "vsample.interval_min=4",
		                           "vsample.interval_max=4",
		                           "vsample.length=6",
		                           to,
		                           c->option ? c->option : "vsample.queue=9",
		                           NULL},
				  *const alone[] = {NULL};
		struct machine *m = vsample_fixture_new_machine(code, sizeof code, how),
			       *plain = vsample_fixture_new_machine(code, sizeof code, alone);
		machine_run(m, UINT64_MAX, UINT64_MAX);
		machine_run(plain, UINT64_MAX, UINT64_MAX);
		const struct stats *s = machine_stats(m);
		const struct fault *f = machine_fault(m), *right = machine_fault(plain);
		if (machine_status(m) != c->end || machine_status(plain) != c->end)
			fail_msg("%s: the program ends otherwise", c->name);
		assert_int_equal(machine_exit_status(m), machine_exit_status(plain));
		assert_true(f->trap == right->trap && f->pc == right->pc && f->addr == right->addr);
		assert_int_equal(s->insts, machine_stats(plain)->insts);
		const struct vsample_state *v = handler_of(m);
		if (s->vsample_interpretations != 1 || v->stop != c->stop ||
		    s->vsample_insts != 3 + c->before)
			fail_msg("%s: %llu interpretations, the last one stopped for '%s', %llu "
			         "instructions",
			         c->name, (unsigned long long)s->vsample_interpretations,
			         vsample_stop_name[v->stop], (unsigned long long)s->vsample_insts);
		assert_int_equal(v->stop_pc,
		                 strstr(c->name, "jump") ? NOWHERE : CODE + 4 * (7 + c->before));
		assert_int_equal((&s->vsample_stop_length)[c->stop - VSAMPLE_STOP_LENGTH], 1);
		assert_int_equal(s->vsample_cycles, cost_of(m));
		machine_free(m);
		machine_free(plain);
	}
}
