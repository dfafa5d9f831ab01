/* Idle cycles are counted, not executed (core/pipe/idle.h): a running machine has, whenever it is
 * stopped, the state and the statistics of a machine that executes each cycle. */
#include "tests/unit/prof/vsample_fixture.h"

#include "core/base/hash.h"
#include "core/machine/params.h"
#include "core/machine/plugin_places.h"
#include "loader/launch.h"
#include "tests/reverse/plugins.h"

enum { CYCLES = 20000, CHUNK_MAX = 700, WORDS = 8 };

static const struct guest {
	const char *argv[WORDS]; /* NULL after the last */
	uint64_t ahead; /* instructions without timing */
	const char *firmware;
} guests[] = {
	{{"build/demos/linked"}, 150000, NULL},
	{{"build/demos/branchy"}, 0, NULL},
	{{"build/demos/matmul"}, 150000, NULL},
	{{"build/demos/selfmod"}, 0, NULL},
	{{"build/demos/hello"}, 0, NULL},
	{{"build/demos/nbody", "demos/programs/input/planets.txt", "60"}, 1000000, NULL},
	{{"build/demos/xprof/checks"}, 0, NULL},
	{{"build/demos/xprof/calls"}, 0, NULL},
	{{"build/demos/linked"}, 0, "build/tests/firmware/often.elf"},
	{{"build/demos/branchy"}, 0, "build/tests/firmware/cop.elf"},
};

static const char *const machines[][10] = {
	{NULL},
	{"mem.latency=400", "l2.size=16K", "tlb.penalty=150", "dtlb.sets=1", "dtlb.ways=2"},
	{"l1d.mshrs=1", "l1d.write_buffer=1", "l1d.size=1K", "pipe.rob_size=100", "lsq.size=80",
         "l1d.ports=1", "l2.ports=1", "pipe.int_writes=1"},
	{"pipe.in_order=true", "pipe.completion=out-of-order", "pipe.memory_stage=1",
         "pipe.fp_writes=1", "l1d.size=1K", "l1d.write_buffer=1", "l2.mshrs=1", "mem.latency=300",
         "fu.div=1"},
	{"l1d.mshrs=2", "l1d.mshr_targets=1", "l1d.write_buffer=2", "mem.latency=300",
         "bus.cycles=20", "l1d.size=1K", "lsq.speculate=true"},
	{"pipe.in_order=true", "pipe.issue_width=1", "fu.int=1", "lat.imul=20", "occ.idiv=40",
         "occ.fdiv=128", "occ.fsqrt=128", "lat.fma=64"},
	{"pipe.in_order=true", "pipe.completion=out-of-order", "pipe.memory_stage=1",
         "pipe.forwarding=false", "bpred.resolve=mem", "mem.unified_port=true", "l1d.size=1K",
         "l1i.size=1K", "mem.latency=300", "occ.fadd=20"},
	{"pipe.in_order=true", "bpred.resolve=id", "pipe.fetch_width=2", "lat.int=3", "l1i.size=1K",
         "l1d.size=1K", "occ.imul=40"},
	{"l1d.prefetch=stride", "l1i.prefetch=next-line", "l2.prefetch=next-line", "l1i.size=1K",
         "mem.latency=500", "l1i.latency=40"},
	{"pipe.rob_size=1024", "lsq.size=512", "pipe.fetch_queue=2", "bpred.penalty=40",
         "pipe.commit_delay=8", "lsq.forward_latency=16"},
	{"oracle.enable=true", "oracle.blocks=true", "sampler.enable=true",
         "sampler.compressor=P(1)", "sampler.service=90", "l1d.size=1K"},
	{"vsample.enable=true", "vsample.interval_min=100", "vsample.interval_max=200",
         "vsample.every=1", "vsample.interrupt_cycles=50", "vsample.inst_cycles=9", "l1i.size=1K"},
	{"lsq.speculate=true", "lsq.replay_size=true", "lsq.replay_synonym=4096",
         "bpred.penalty=30", "l1d.size=1K", "mem.latency=300"},
	{"vsample.enable=true", "vsample.method=bounce", "vsample.interval_min=50",
         "vsample.interval_max=90", "vsample.every=1", "vsample.interrupt_cycles=9", "l1i.size=1K",
         "mem.latency=200", "vsample.bounce_cycles=100"},
	{"vsample.enable=true", "vsample.method=upcall", "vsample.interval_min=50",
         "vsample.interval_max=90", "vsample.every=1", "l1d.size=1K", "profileme.enable=true"},
	{"pipe.decode_width=1", "pipe.commit_delay=8", "l1i.size=1K", "l1i.ways=1",
         "l1i.latency=30"},
	{"cop.enable=true", "cop.access=60", "cop.divider=4", "l1d.size=1K", "l1d.write_buffer=1"},
	{"sampler.enable=true", "sampler.compressor=P(1)", "sampler.service=300", "l1d.size=1K",
         "vsample.enable=true", "vsample.interval_min=200", "vsample.interval_max=400",
         "vsample.interrupt_cycles=500"},
	{"lsq.speculate=true", "lsq.predictor=wait-table", "lsq.predictor_clear=100",
         "bpred.update=commit", "l2.latency=30", "l1d.size=2K"},
};

static struct machine *idle_boot_machine(const struct guest *g, const char *const *how,
                                         const struct plugins *plugins, struct program **program)
{
	char words[WORDS][64], *argv[WORDS] = {NULL}, *env[] = {NULL};
	struct config cfg;
	struct err err;
	int argc = 0;
	for (; g->argv[argc]; argc++) {
		snprintf(words[argc], sizeof words[argc], "%s", g->argv[argc]);
		argv[argc] = words[argc];
	}
	const struct launch l = {.path = g->argv[0],
	                         .argc = argc,
	                         .argv = argv,
	                         .env = env,
	                         .stdin_fd = -1,
	                         .firmware = g->firmware,
	                         .plugins = plugins};
	config_default(&cfg);
	/* states are hashed at each step: a small one */
	assert_true(config_set_assignment(&cfg, "l2.size=32K", &err));
	for (unsigned i = 0; i < 10 && how[i]; i++)
		if (!config_set_assignment(&cfg, how[i], &err))
			fail_msg("%s", err.msg);
	if (plugins)
		plugins_ask(plugins, &cfg);
	*program = launch_program(&l, &err);
	struct machine *m = *program ? launch_machine(&l, *program, &cfg, &err) : NULL;
	if (!m)
		fail_msg("%s", err.msg);
	return m;
}

static void idle_sum_event_cycles(void *ctx, const struct machine *m, const struct event *ev)
{
	(void)m;
	*(uint64_t *)ctx += ev->cycle;
}

/* Runs both machines, `stepped` cycle by cycle, and compares them. Frees neither. */
static void idle_compare_machines(const char *what, unsigned k, struct machine *stepped,
                                  struct machine *run)
{
	const struct event_filter f = {.mask = EV_BIT(LEAVE) | EV_BIT(SQUASH) | EV_BIT(STORE)};
	uint64_t random = k + 1, heard[2] = {0, 0};
	if (random & 1) {
		assert_true(machine_listen(stepped, &f, idle_sum_event_cycles, &heard[0]) > 0);
		assert_true(machine_listen(run, &f, idle_sum_event_cycles, &heard[1]) > 0);
	}
	while (machine_status(run) == MACHINE_RUNNING && machine_cycle(run) < CYCLES) {
		random = hash_word(HASH_WORDS_START, random);
		const uint64_t to = machine_cycle(run) + 1 + random % CHUNK_MAX;
		machine_run(run, to, UINT64_MAX);
		assert_in_range(machine_cycle(run), 1, to);
		while (machine_cycle(stepped) < machine_cycle(run))
			machine_step(stepped);
		if (machine_hash(stepped) != machine_hash(run) || heard[0] != heard[1])
			fail_msg("%s on machine %u: stopped at cycle %llu, it is not in the state "
			         "of a stepped one",
			         what, k, (unsigned long long)machine_cycle(run));
	}
	assert_int_equal(machine_status(stepped), machine_status(run));
}

static void idle_compare_guest(const struct guest *g, unsigned k, const struct plugins *plugins)
{
	struct program *one, *other;
	struct machine *stepped = idle_boot_machine(g, machines[k], plugins, &one),
		       *run = idle_boot_machine(g, machines[k], plugins, &other);
	assert_int_equal(machine_run_functional(stepped, g->ahead, true),
	                 machine_run_functional(run, g->ahead, true));
	idle_compare_machines(g->argv[0], k, stepped, run);
	machine_free(stepped);
	machine_free(run);
	program_free(one);
	program_free(other);
}

static bool idle_scale_is_long(void)
{
	const char *scale = getenv("CYCLOPS_TEST_SCALE");
	return scale && !strcmp(scale, "long");
}

TEST(a_run_is_what_its_steps_are)
{
	/* else each guest runs on the first machine and on every second machine */
	const bool all = idle_scale_is_long();
	for (unsigned g = 0; g < sizeof guests / sizeof *guests; g++) {
		FILE *there = fopen(guests[g].argv[0], "r");
		if (!there)
			skip(); /* make demos */
		fclose(there);
		for (unsigned k = 0; k < sizeof machines / sizeof *machines; k++)
			if (all || !k || (g + k + k / 2) % 2)
				idle_compare_guest(&guests[g], k, NULL);
	}
}

/* Plug-ins get the same calls in the same cycles, and a failing plug-in ends both runs in the same
 * cycle. */
TEST(plugins_are_asked_alike)
{
	struct failing when = {0};
	struct plugins plugins = plugins_all;
	for (unsigned k = 0; k < sizeof machines / sizeof *machines; k++) {
		if (k % 4 > 1 && !idle_scale_is_long())
			continue;
		const struct guest *g = &guests[k % 2 ? 1 : 3]; /* branchy, selfmod */
		FILE *there = fopen(g->argv[0], "r");
		if (!there)
			skip(); /* make demos */
		fclose(there);
		idle_compare_guest(g, k, &plugins_all);
		when.calls = 40 + 7 * k;
		for (unsigned place = 0; place <= PLUGIN_STAGE; place++) {
			const struct plugin failing = plugin_failing_at(place, &when);
			plugins.at[place] = &failing;
			idle_compare_guest(g, k, &plugins);
			plugins.at[place] = plugins_all.at[place];
		}
	}
}

/* Pairs of divisions: one is ready, and waits for the other's unit. */
TEST(units_are_waited_for)
{
	const uint32_t code[] = {
		enc_i(OP_ADDI, T1, X0, ROUNDS),
		enc_i(OP_ADDI, A1, X0, 1000),
		enc_r(OP_DIV, T2, A1, T1), /* 2: the round */
		enc_r(OP_DIV, T3, A1, T1),
		enc_i(OP_ADDI, T1, T1, -1),
		enc_b(OP_BNE, T1, X0, -4 * 3),
		enc_i(OP_ADDI, A7, X0, 93),
		enc_i(OP_ECALL, X0, X0, 0),
	};
	for (unsigned k = 0; k < sizeof machines / sizeof *machines; k++) {
		struct machine *stepped =
				       vsample_fixture_new_machine(code, sizeof code, machines[k]),
			       *run = vsample_fixture_new_machine(code, sizeof code, machines[k]);
		idle_compare_machines("divides", k, stepped, run);
		assert_true(machine_stats(run)->issue_fu_busy > ROUNDS);
		machine_free(stepped);
		machine_free(run);
	}
}

/* Xprof's instructions, for the flag of type 0. */
static uint32_t idle_encode_hint(enum op op)
{
	return enc_i(op, X0, X0, 0);
}

/* Decode waits for a flag that a poppf loads, and drops profile instructions; those that execute
 * wait for room in the window. anew: each round saves flags elsewhere, with an instruction that is
 * alone in the window; else it has another stack. */
static size_t profiled_code(uint32_t *code, bool anew)
{
	const uint32_t nop = enc_i(OP_ADDI, X0, X0, 0),
		       set = ENC(CSRRW, .rs1 = T0, .imm = CSR_PFBASE);
	const uint32_t text[] = {
		enc_u(OP_LUI, T0, DATA + 0x1000),
		enc_i(OP_ADDI, T1, X0, ROUNDS),
		enc_i(OP_ADDI, T5, X0, 64 * 17),
		enc_i(OP_ADDI, SP, X0, 32),
		set,
		anew ? set : nop, /* 5: the round */
		idle_encode_hint(OP_RESETPF),
		anew ? set : nop,
		enc_i(OP_LD, T2, T0, 512),
		idle_encode_hint(OP_SETPF),
		idle_encode_hint(OP_PI),
		enc_r(OP_ADD, T2, T2, T1),
		idle_encode_hint(OP_PI),
		enc_r(OP_DIV, A1, T2, T1),
		idle_encode_hint(OP_POPPF),
		idle_encode_hint(OP_PI),
		enc_j(X0, 4 * 2), /* taken or dropped, by turns */
		enc_r(OP_DIV, A2, T1, T5),
		anew ? set : enc_r(OP_ADD, SP, SP, T5),
		anew ? idle_encode_hint(OP_PUSHPF) : nop,
		idle_encode_hint(OP_RESETPF),
		idle_encode_hint(OP_PI),
		enc_i(OP_ADDI, A2, A2, 1),
		enc_r(OP_ADD, T0, T0, T5),
		enc_i(OP_ADDI, T1, T1, -1),
		enc_b(OP_BNE, T1, X0, -4 * 20),
		enc_i(OP_ADDI, A7, X0, 93),
		enc_i(OP_ECALL, X0, X0, 0),
	};
	memcpy(code, text, sizeof text);
	return sizeof text;
}

TEST(flags_are_waited_for)
{
	uint32_t code[28];
	for (unsigned anew = 0; anew < 2; anew++) {
		const size_t bytes = profiled_code(code, anew);
		uint64_t decoded = 0;
		for (unsigned k = 0; k < sizeof machines / sizeof *machines; k++) {
			struct machine *stepped = vsample_fixture_new_machine(code, bytes,
			                                                      machines[k]),
				       *run = vsample_fixture_new_machine(code, bytes, machines[k]);
			idle_compare_machines("profile instructions", k, stepped, run);
			const struct stats *s = machine_stats(run);
			assert_true(s->xprof_poppf_stalls && s->xprof_dropped &&
			            s->xprof_dispatched && s->cpi_profile_wait);
			decoded += s->cpi_profile_decode;
			machine_free(stepped);
			machine_free(run);
		}
		assert_true(decoded > 0);
	}
}
