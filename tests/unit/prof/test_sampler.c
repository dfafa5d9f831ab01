/* The sampler's selector: which tuples are picked, by mark, kind and stream. Expected values are
 * computed here, from the guest's code. */
#include "tests/unit/prof/sampler_fixture.h"

/* ---- what is selected ---- */
static struct stream {
	struct tuple tuple[STREAM_MAX];
	size_t n;
} seen, before;

static void sampler_record_tuple(void *ctx, struct tuple t)
{
	struct stream *s = ctx;
	assert_true(s->n < STREAM_MAX);
	s->tuple[s->n++] = t;
}

static void sampler_attach_stream(struct machine *m, struct stream *s)
{
	struct sampler *sampler = machine_pipe(m)->prof->sampler;
	s->n = 0;
	sampler->sink = sampler_record_tuple;
	sampler->sink_ctx = s;
}

/* ---- marks ---- */
/* Each round: a load with a mark and one without, but after a mark of another kind; a mark
 * that a branch goes around every now and then; a load after a mark that finds a store to its
 * address unknown, and is fetched again if it did not wait. */
enum { LOAD_MARKED = 4, LOAD_AROUND = 11, LOAD_AGAIN = 18 };

/* Tuples of marked loads, computed from the text above. */
static size_t marked_tuples(struct tuple *out)
{
	size_t n = 0;
	uint64_t x = 1;
	for (uint64_t left = ROUNDS; left; left--) {
		out[n++] = (struct tuple){CODE + 4 * LOAD_MARKED, 0};
		if (x & 1)
			out[n++] = (struct tuple){CODE + 4 * LOAD_AROUND, 0};
		out[n++] = (struct tuple){CODE + 4 * LOAD_AGAIN, left};
		x = (((x ^ x >> 3) + 0x155) & 0x3ff) | 2;
	}
	return n;
}

static void expect_stream(const struct stream *s, const struct tuple *right, size_t n,
                          const char *what)
{
	for (size_t i = 0; i < s->n && i < n; i++)
		if (s->tuple[i].pc != right[i].pc || s->tuple[i].value != right[i].value)
			fail_msg("%s: tuple %zu is <0x%llx, 0x%llx>, not <0x%llx, 0x%llx>", what, i,
			         (unsigned long long)s->tuple[i].pc,
			         (unsigned long long)s->tuple[i].value,
			         (unsigned long long)right[i].pc,
			         (unsigned long long)right[i].value);
	if (s->n != n)
		fail_msg("%s: %zu tuples, not %zu", what, s->n, n);
}

TEST(a_mark_is_about_the_next_instruction)
{
	static struct tuple right[3 * ROUNDS];
	size_t bytes, n = marked_tuples(right);
	const uint32_t *code = marked_code(&bytes);
	static const char *const machines[][6] = {
		{"sampler.select=value of load marked"},
		{"sampler.select=value of load marked", "lsq.speculate=true"},
		{"sampler.select=value of load marked", "pipe.decode_width=1"},
		{"sampler.select=value marked", "pipe.fetch_width=1"},
		{"sampler.select=value of load|int marked", "pipe.rob_size=256",
	         "pipe.decode_width=8", "pipe.fetch_width=8", "lsq.speculate=true"},
		{"sampler.select=value of load marked", "pipe.in_order=true"},
	};
	assert_true(n > 2 * ROUNDS && n < 3 * ROUNDS);
	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
		struct machine *m = sampler_fixture_new_machine(code, bytes, machines[i]);
		sampler_attach_stream(m, &seen);
		machine_run(m, UINT64_MAX, UINT64_MAX);
		assert_int_equal(machine_status(m), MACHINE_EXITED);
		expect_stream(&seen, right, n, machines[i][1] ? machines[i][1] : "as it is");
		if (i == 1)
			assert_true(machine_stats(m)->order_violations >
			            0); /* else the test does not cover refetched loads */
		assert_true(machine_stats(m)->bpred_mispredicts > 0);
		machine_free(m);
		m = sampler_fixture_new_machine(code, bytes, machines[i]);
		sampler_attach_stream(m, &seen);
		machine_run_functional(m, UINT64_MAX, false);
		expect_stream(&seen, right, n, "without timing");
		machine_free(m);
	}
}

/* Switches between modes, in both directions, between a mark and its instruction. */
TEST(a_mark_outlasts_a_change_of_mode)
{
	static struct tuple right[3 * ROUNDS];
	size_t bytes, n = marked_tuples(right);
	const uint32_t *code = marked_code(&bytes);
	static const char *const how[] = {"sampler.select=value of load marked", NULL};
	for (uint64_t first = 1; first < 60; first++) {
		struct machine *m = sampler_fixture_new_machine(code, bytes, how);
		sampler_attach_stream(m, &seen);
		machine_run_functional(m, first, false);
		machine_run(m, UINT64_MAX, UINT64_MAX);
		expect_stream(&seen, right, n, "fast, then with timing");
		machine_free(m);
	}
}

/* ---- kinds of tuples ---- */
/* Two calls through the method table in a receiver's first word; then a load with an offset, which
 * is no load of a method table. */
TEST(types_are_the_first_word_of_the_receiver)
{
	static const char *const how[] = {"sampler.select=type tag 7", "sampler.tuple_queue=64",
	                                  NULL};
	const uint32_t code[] = {
		enc_u(OP_LUI, A0, DATA),
		enc_u(OP_LUI, A2, DATA),
		enc_i(OP_LD, A1, A0, 0),   /* table of the object at DATA */
		enc_i(OP_LD, A3, A2, 8),   /* in the same object, but not its first word */
		enc_i(OP_LD, T2, A1, 0),   /* method */
		enc_i(OP_JALR, RA, T2, 0), /* 5: the call */
		enc_i(OP_ADDI, A0, A0, 64),
		enc_i(OP_LD, A1, A0, 0),
		enc_i(OP_LD, T2, A1, 8),
		enc_i(OP_JALR, RA, T2, 0), /* 9 */
		enc_i(OP_LD, A3, A0, 64),  /* of the next object, not through a pointer to it */
		enc_i(OP_ADDI, A0, A0, 64),
		enc_i(OP_JALR, RA, T2, 0), /* of an object without another load */
		enc_i(OP_ADDI, A0, X0, 0),
		enc_i(OP_ADDI, A7, X0, 93),
		enc_i(OP_ECALL, X0, X0, 0),
		enc_i(OP_JALR, X0, RA, 0), /* 16: a method */
	};
	const uint64_t tables[] = {DATA + 256, DATA + 512}, method = CODE + 4 * 16;
	const struct tuple right[] = {
		{(CODE + 4 * 5) | UINT64_C(7) << TUPLE_TAG_SHIFT, DATA + 256},
		{(CODE + 4 * 9) | UINT64_C(7) << TUPLE_TAG_SHIFT, DATA + 512}};
	for (unsigned functional = 0; functional < 2; functional++) {
		struct machine *m = sampler_fixture_new_machine(code, sizeof code, how);
		assert_true(mem_poke(machine_mem(m), DATA, &tables[0], 8) &&
		            mem_poke(machine_mem(m), DATA + 64, &tables[1], 8));
		for (unsigned at = 256; at <= 512; at += 256)
			assert_true(mem_poke(machine_mem(m), DATA + at, &method, 8) &&
			            mem_poke(machine_mem(m), DATA + at + 8, &method, 8));
		sampler_attach_stream(m, &seen);
		if (functional)
			machine_run_functional(m, UINT64_MAX, false);
		else
			machine_run(m, UINT64_MAX, UINT64_MAX);
		expect_stream(&seen, right, 2, functional ? "without timing" : "with timing");
		machine_free(m);
	}
}

static void stream_of_guest(const char *path, const char *const *how, bool functional,
                            struct stream *out)
{
	char name[256];
	struct err err;
	snprintf(name, sizeof name, "%s", path);
	char *argv[] = {name, NULL}, *env[] = {NULL};
	const struct launch l = {.path = name, .argv = argv, .env = env};
	const struct config cfg = sampler_fixture_config(how);
	struct program *p = launch_program(&l, &err);
	struct machine *m = p ? launch_machine(&l, p, &cfg, &err) : NULL;
	if (!m)
		fail_msg("%s", err.msg);
	sampler_attach_stream(m, out);
	if (functional)
		machine_run_functional(m, 100000, false);
	else
		machine_run(m, UINT64_MAX, 100000);
	machine_free(m);
	program_free(p);
}

/* Commits equal executions without timing: equal streams, up to the last cycle's commits. */
TEST(streams_are_the_same_without_timing)
{
	static const char *const guests[] = {"build/demos/fib", "build/demos/longjmp",
	                                     "build/demos/matmul"};
	static const char *const how[] = {
		"sampler.select=value of load, edge tag 1, call tag 2, address of store|load tag "
	        "3, value of int|mul in 0x10000-0x14000|0x16000-0x18000 tag 4, type tag 5",
		NULL};
	size_t in_range = 0;
	for (size_t i = 0; i < sizeof guests / sizeof *guests; i++) {
		FILE *f = fopen(guests[i], "r");
		if (!f)
			skip(); /* make demos */
		fclose(f);
		stream_of_guest(guests[i], how, false, &seen);
		stream_of_guest(guests[i], how, true, &before);
		/* The last cycle may commit a few more than requested. */
		assert_true(before.n > 100 && seen.n >= before.n && seen.n <= before.n + 8);
		seen.n = before.n;
		expect_stream(&seen, before.tuple, before.n, guests[i]);
		for (size_t k = 0; k < before.n; k++) {
			const uint64_t pc = tuple_pc(before.tuple[k]);
			if (tuple_tag(before.tuple[k]) != 4)
				continue;
			in_range++;
			assert_true((pc >= 0x10000 && pc < 0x14000) ||
			            (pc >= 0x16000 && pc < 0x18000));
		}
	}
	assert_true(in_range > 100);
}

/* Edges and calls as the oracle counts them; no instruction is in both. */
TEST(edges_and_calls_are_apart)
{
	static const char *const how[] = {"sampler.select=edge, call", "oracle.enable=true",
	                                  "oracle.blocks=true", NULL};
	const uint32_t code[] = {
		enc_i(OP_ADDI, T1, X0, 50),
		enc_j(RA, 4 * 7),            /* 1, loop: a call */
		enc_u(OP_AUIPC, T2, 0),
		enc_i(OP_JALR, RA, T2, 4 * 6), /* 3: an indirect call */
		enc_i(OP_ADDI, T1, T1, -1),
		enc_b(OP_BNE, T1, X0, -4 * 4), /* 5 */
		enc_j(X0, 4 * 3),            /* 6: a jump, neither edge nor call */
		NOP_C | NOP_C << 16,
		enc_i(OP_JALR, X0, RA, 0),   /* 8: a return */
		enc_i(OP_ADDI, A0, X0, 0),
		enc_i(OP_ADDI, A7, X0, 93),
		enc_i(OP_ECALL, X0, X0, 0),
	};
	struct machine *m = sampler_fixture_new_machine(code, sizeof code, how);
	const struct oracle *o = oracle_of(machine_pipe(m)->prof);
	uint64_t edges = 0;
	sampler_attach_stream(m, &seen);
	machine_run(m, UINT64_MAX, UINT64_MAX);
	for (uint32_t i = 0; i < oracle_entries(o, ORACLE_EDGES); i++) {
		const struct oracle_entry *e = oracle_entry(o, ORACLE_EDGES, i);
		uint64_t found = 0;
		for (size_t k = 0; k < seen.n; k++)
			found += seen.tuple[k].pc == e->key[0] && seen.tuple[k].value == e->key[1];
		assert_int_equal(found, e->aux == EDGE_JUMP ? 0 : e->count);
		edges += found;
	}
	assert_int_equal(edges, seen.n);
	assert_int_equal(seen.n, 50 * 5);
	machine_free(m);
}

/* Timing's own counts, beside the statistics and the oracle. */
TEST(misses_and_mispredictions_are_all_there)
{
	static const char *const how[] = {"sampler.select=mispredict tag 1, miss tag 2",
	                                  "oracle.enable=true",
	                                  "oracle.loads=true",
	                                  "l1d.size=1K",
	                                  "l1d.ways=1",
	                                  NULL};
	size_t bytes;
	const uint32_t *code = marked_code(&bytes);
	struct machine *m = sampler_fixture_new_machine(code, bytes, how);
	const struct prof *d = machine_pipe(m)->prof;
	const struct oracle *o = oracle_of(d);
	uint64_t mispredicted = 0, missed[LEVEL_COUNT] = {0};
	sampler_attach_stream(m, &seen);
	machine_run(m, UINT64_MAX, UINT64_MAX);
	for (size_t i = 0; i < seen.n; i++) {
		const struct tuple t = seen.tuple[i];
		mispredicted += tuple_tag(t) == 1;
		assert_true(tuple_tag(t) == 1 || t.value < LEVEL_COUNT);
		missed[tuple_tag(t) == 1 ? LEVEL_NONE : t.value]++;
	}
	assert_true(mispredicted > 10);
	assert_int_equal(mispredicted, machine_stats(m)->bpred_mispredicts);
	/* Of loads that L2 and memory served, delayed hits miss nothing. */
	uint64_t late = 0, delayed = 0;
	for (uint32_t i = 0; i < oracle_entries(o, ORACLE_LOADS); i++) {
		const uint64_t *more = oracle_entry(o, ORACLE_LOADS, i)->more;
		late += more[LEVEL_L2] + more[LEVEL_MEMORY];
		delayed += more[LOAD_DELAYED];
	}
	assert_int_equal(missed[LEVEL_L2] + missed[LEVEL_MEMORY], late - delayed);
	assert_int_equal(missed[LEVEL_FORWARD] + missed[LEVEL_BUFFER] + missed[LEVEL_L1], 0);
	assert_true(missed[LEVEL_MEMORY] > 0 && delayed > 0);
	machine_free(m);
}
