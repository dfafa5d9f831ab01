/* The sampler's selector and queues: which tuples are picked, in which cycle they go on, what is
 * dropped, and that no count is lost on the way. What is expected is computed here, from what the
 * guest's code says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/isa/csr.h"
#include "core/machine/machine.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "core/prof/common/prof.h"
#include "core/prof/oracle/oracle.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/sampler/sampler_exact.h"
#include "loader/launch.h"
#include "tests/encode.h"

enum { CODE = 0x10000, DATA = 0x40000, ROUNDS = 400, STREAM_MAX = 400000 };
enum {
	X0,
	RA = 1,
	T0 = 5,
	T1 = 6,
	T2 = 7,
	A0 = 10,
	A1 = 11,
	A2 = 12,
	A3 = 13,
	A7 = 17,
	T3 = 28,
	T4 = 29,
	T5 = 30
};
enum { MARK = 0x0320a013, MARK_C = 0x104a, SETPF_7 = 0x01f0a013, NOP_C = 0x0001 };

/* ---- what is selected ---- */
static struct stream {
	struct tuple tuple[STREAM_MAX];
	size_t n;
} seen, before;

static void hear(void *ctx, struct tuple t)
{
	struct stream *s = ctx;
	assert_true(s->n < STREAM_MAX);
	s->tuple[s->n++] = t;
}

static void listen_to(struct machine *m, struct stream *s)
{
	struct sampler *sampler = machine_pipe(m)->prof->sampler;
	s->n = 0;
	sampler->sink = hear;
	sampler->sink_ctx = s;
}

static struct config configured(const char *const *assignments)
{
	struct config cfg;
	struct err err;
	config_default(&cfg);
	assert_true(config_set_assignment(&cfg, "sampler.enable=true", &err));
	for (; *assignments; assignments++)
		if (!config_set_assignment(&cfg, *assignments, &err))
			fail_msg("%s", err.msg);
	return cfg;
}

static struct machine *machine_with(const uint32_t *code, size_t bytes,
                                    const char *const *assignments)
{
	struct err err;
	const struct config cfg = configured(assignments);
	struct machine *m = machine_new(&cfg, &err);
	if (!m)
		fail_msg("%s", err.msg);
	struct mem *mem = machine_mem(m);
	assert_true(mem_map(mem, CODE, PAGE_BYTES, PROT_R | PROT_X, "code"));
	assert_true(mem_map(mem, DATA, PAGE_BYTES, PROT_R | PROT_W, "data"));
	assert_true(mem_poke(mem, CODE, code, bytes));
	machine_hart(m)->pc = CODE;
	machine_start(m, DATA + PAGE_BYTES);
	return m;
}

/* ---- marks ---- */
/* Each round: a load with a mark and one without, but behind a mark about something else; a mark
 * that a branch goes around every now and then; a load behind a mark that finds a store to its
 * address unknown, and is fetched again if it did not wait. */
enum { LOAD_MARKED = 4, LOAD_AROUND = 11, LOAD_AGAIN = 18 };

static const uint32_t *marked_code(size_t *bytes)
{
	static uint32_t code[32];
	const uint32_t text[] = {
		enc_u(OP_LUI, T0, DATA),
		enc_i(OP_ADDI, T1, X0, ROUNDS),
		enc_i(OP_ADDI, T3, X0, 1),
		MARK, /* loop */
		enc_i(OP_LD, T2, T0, 0),
		MARK, /* about what follows, which is no instruction of the machine */
		SETPF_7,
		enc_i(OP_LD, T2, T0, 8),
		enc_i(OP_ANDI, T4, T3, 1),
		enc_b(OP_BEQ, T4, X0, 8),
		MARK,
		enc_i(OP_LD, T2, T0, 16),
		enc_r(OP_DIV, T5, T1, T3), /* slow */
		enc_r(OP_AND, T5, T5, X0),
		enc_r(OP_ADD, T5, T5, T0),
		enc_s(OP_SD, T1, T5, 24),
		MARK_C | NOP_C << 16, /* the mark is about the no-op, which writes nothing */
		MARK,
		enc_i(OP_LD, T2, T0, 24),
		enc_i(OP_SRLI, T4, T3, 3), /* the next random number: x = x >> 1 ^ (x << 7 ^ x >> 3
	                                      ...) & 0x3ff, odd now and then */
		enc_r(OP_XOR, T3, T3, T4),
		enc_i(OP_ADDI, T3, T3, 0x155),
		enc_i(OP_ANDI, T3, T3, 0x3ff),
		enc_i(OP_ORI, T3, T3, 2),
		enc_i(OP_ADDI, T1, T1, -1),
		enc_b(OP_BNE, T1, X0, -4 * 22),
		enc_i(OP_ADDI, A0, X0, 0),
		enc_i(OP_ADDI, A7, X0, 93),
		enc_i(OP_ECALL, X0, X0, 0),
	};
	memcpy(code, text, sizeof text);
	*bytes = sizeof text;
	return code;
}

/* What marked loads give, from the text above. */
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

static void a_mark_is_about_the_next_instruction(void **state)
{
	(void)state;
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
		struct machine *m = machine_with(code, bytes, machines[i]);
		listen_to(m, &seen);
		machine_run(m, UINT64_MAX, UINT64_MAX);
		assert_int_equal(machine_status(m), MACHINE_EXITED);
		expect_stream(&seen, right, n, machines[i][1] ? machines[i][1] : "as it is");
		if (i == 1)
			assert_true(machine_stats(m)->order_violations >
			            0); /* else this says nothing about loads fetched again */
		assert_true(machine_stats(m)->bpred_mispredicts > 0);
		machine_free(m);
		m = machine_with(code, bytes, machines[i]);
		listen_to(m, &seen);
		machine_run_functional(m, UINT64_MAX, false);
		expect_stream(&seen, right, n, "without timing");
		machine_free(m);
	}
}

/* From one to the other in the middle of a mark and its instruction, both ways. */
static void a_mark_outlasts_a_change_of_mode(void **state)
{
	(void)state;
	static struct tuple right[3 * ROUNDS];
	size_t bytes, n = marked_tuples(right);
	const uint32_t *code = marked_code(&bytes);
	static const char *const how[] = {"sampler.select=value of load marked", NULL};
	for (uint64_t first = 1; first < 60; first++) {
		struct machine *m = machine_with(code, bytes, how);
		listen_to(m, &seen);
		machine_run_functional(m, first, false);
		machine_run(m, UINT64_MAX, UINT64_MAX);
		expect_stream(&seen, right, n, "fast, then with timing");
		machine_free(m);
	}
}

/* ---- kinds of tuples ---- */
/* A receiver whose first word is a method table, twice, called through; then a load with an offset
 * that must not be taken for one. */
static void types_are_the_first_word_of_the_receiver(void **state)
{
	(void)state;
	static const char *const how[] = {"sampler.select=type tag 7", "sampler.tuple_queue=64",
	                                  NULL};
	const uint32_t code[] = {
		enc_u(OP_LUI, A0, DATA),
		enc_u(OP_LUI, A2, DATA),
		enc_i(OP_LD, A1, A0, 0),   /* table of the object at DATA */
		enc_i(OP_LD, A3, A2, 8),   /* not a first word, though of the same object */
		enc_i(OP_LD, T2, A1, 0),   /* method */
		enc_i(OP_JALR, RA, T2, 0), /* 5: the call */
		enc_i(OP_ADDI, A0, A0, 64),
		enc_i(OP_LD, A1, A0, 0),
		enc_i(OP_LD, T2, A1, 8),
		enc_i(OP_JALR, RA, T2, 0), /* 9 */
		enc_i(OP_LD, A3, A0, 64),  /* the next object's, but not through a pointer to it */
		enc_i(OP_ADDI, A0, A0, 64),
		enc_i(OP_JALR, RA, T2, 0), /* of an object that nothing was loaded through */
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
		struct machine *m = machine_with(code, sizeof code, how);
		assert_true(mem_poke(machine_mem(m), DATA, &tables[0], 8) &&
		            mem_poke(machine_mem(m), DATA + 64, &tables[1], 8));
		for (unsigned at = 256; at <= 512; at += 256)
			assert_true(mem_poke(machine_mem(m), DATA + at, &method, 8) &&
			            mem_poke(machine_mem(m), DATA + at + 8, &method, 8));
		listen_to(m, &seen);
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
	const struct config cfg = configured(how);
	struct program *p = launch_program(&l, &err);
	struct machine *m = p ? launch_machine(&l, p, &cfg, &err) : NULL;
	if (!m)
		fail_msg("%s", err.msg);
	listen_to(m, out);
	if (functional)
		machine_run_functional(m, 100000, false);
	else
		machine_run(m, UINT64_MAX, 100000);
	machine_free(m);
	program_free(p);
}

/* What commits is what executes without timing: the same stream, to its last tuple but for a
 * cycle's width. */
static void streams_are_the_same_without_timing(void **state)
{
	(void)state;
	static const char *const guests[] = {"build/demos/fib", "build/demos/longjmp",
	                                     "build/demos/matmul"};
	static const char *const how[] = {
		"sampler.select=value of load, edge tag 1, call tag 2, address of store|load tag "
	        "3, value of int|mul in 0x10000-0x14000|0x16000-0x18000 tag 4, type tag 5",
		NULL};
	for (size_t i = 0; i < sizeof guests / sizeof *guests; i++) {
		FILE *f = fopen(guests[i], "r");
		if (!f)
			skip(); /* make demos */
		fclose(f);
		stream_of_guest(guests[i], how, false, &seen);
		stream_of_guest(guests[i], how, true, &before);
		/* The last cycle may commit a few more than were asked for. */
		assert_true(before.n > 100 && seen.n >= before.n && seen.n <= before.n + 8);
		seen.n = before.n;
		expect_stream(&seen, before.tuple, before.n, guests[i]);
	}
}

/* Edges and calls as the oracle counts them; no instruction is in both. */
static void edges_and_calls_are_apart(void **state)
{
	(void)state;
	static const char *const how[] = {"sampler.select=edge, call", "oracle.enable=true",
	                                  "oracle.blocks=true", NULL};
	const uint32_t code[] = {
		enc_i(OP_ADDI, T1, X0, 50),
		enc_j(RA, 4 * 7),            /* 1, loop: a call */
		enc_u(OP_AUIPC, T2, 0),
		enc_i(OP_JALR, RA, T2, 4 * 6), /* 3: an indirect one */
		enc_i(OP_ADDI, T1, T1, -1),
		enc_b(OP_BNE, T1, X0, -4 * 4), /* 5 */
		enc_j(X0, 4 * 3),            /* 6: a jump, which is neither */
		NOP_C | NOP_C << 16,
		enc_i(OP_JALR, X0, RA, 0),   /* 8: a return */
		enc_i(OP_ADDI, A0, X0, 0),
		enc_i(OP_ADDI, A7, X0, 93),
		enc_i(OP_ECALL, X0, X0, 0),
	};
	struct machine *m = machine_with(code, sizeof code, how);
	const struct oracle *o = oracle_of(machine_pipe(m)->prof);
	uint64_t edges = 0;
	listen_to(m, &seen);
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

/* What only timing knows, beside what the statistics and the oracle say. */
static void misses_and_mispredictions_are_all_there(void **state)
{
	(void)state;
	static const char *const how[] = {"sampler.select=mispredict tag 1, miss tag 2",
	                                  "oracle.enable=true",
	                                  "oracle.loads=true",
	                                  "l1d.size=1K",
	                                  "l1d.ways=1",
	                                  NULL};
	size_t bytes;
	const uint32_t *code = marked_code(&bytes);
	struct machine *m = machine_with(code, bytes, how);
	const struct prof *d = machine_pipe(m)->prof;
	const struct oracle *o = oracle_of(d);
	uint64_t mispredicted = 0, missed[LEVEL_COUNT] = {0};
	listen_to(m, &seen);
	machine_run(m, UINT64_MAX, UINT64_MAX);
	for (size_t i = 0; i < seen.n; i++) {
		const struct tuple t = seen.tuple[i];
		mispredicted += tuple_tag(t) == 1;
		assert_true(tuple_tag(t) == 1 || t.value < LEVEL_COUNT);
		missed[tuple_tag(t) == 1 ? LEVEL_NONE : t.value]++;
	}
	assert_true(mispredicted > 10);
	assert_int_equal(mispredicted, machine_stats(m)->bpred_mispredicts);
	for (unsigned level = LEVEL_NONE + 1; level < LEVEL_COUNT; level++) {
		uint64_t counted = 0;
		for (uint32_t i = 0; i < oracle_entries(o, ORACLE_LOADS); i++)
			counted += oracle_entry(o, ORACLE_LOADS, i)->more[level];
		assert_int_equal(missed[level], level > LEVEL_L1 ? counted : 0);
	}
	assert_true(missed[LEVEL_MEMORY] > 0);
	machine_free(m);
}

/* ---- queues ---- */
/* Independent adds, four a cycle, then loads. */
static const uint32_t *burst_code(size_t *bytes)
{
	static uint32_t code[256];
	size_t n = 0;
	code[n++] = enc_u(OP_LUI, T0, DATA);
	code[n++] = enc_i(OP_ADDI, T1, X0, 30);
	for (unsigned i = 0; i < 40; i++)
		code[n++] = enc_i(OP_ADDI, A0 + i % 4, X0, (int32_t)i % 7);
	for (unsigned i = 0; i < 60; i++)
		code[n++] = i % 3 ? enc_i(OP_LD, T2, T0, (int32_t)(8 * i))
		                  : enc_s(OP_SD, T1, T0, (int32_t)(8 * i));
	code[n++] = enc_i(OP_ADDI, T1, T1, -1);
	code[n] = enc_b(OP_BNE, T1, X0, -4 * 101);
	n++;
	code[n++] = enc_i(OP_ADDI, A0, X0, 0);
	code[n++] = enc_i(OP_ADDI, A7, X0, 93);
	code[n++] = enc_i(OP_ECALL, X0, X0, 0);
	*bytes = 4 * n;
	return code;
}

/* One tuple a cycle leaves; those of this cycle find room before that. */
static void the_queue_is_a_queue(void **state)
{
	(void)state;
	static const char *const how[][4] = {
		{"sampler.select=value of int", "sampler.tuple_queue=1"},
		{"sampler.select=value of int", "sampler.tuple_queue=8"},
		{"sampler.select=value of int|load", "sampler.tuple_queue=16",
	         "sampler.compressor=T(64), A(4)"},
		{"sampler.select=value of int, value of int tag 1", "sampler.tuple_queue=100"},
	};
	size_t bytes;
	const uint32_t *code = burst_code(&bytes);
	for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
		struct machine *m = machine_with(code, bytes, how[i]);
		const struct prof *d = machine_pipe(m)->prof;
		const uint64_t room = (uint64_t)machine_config(m)->sampler_tuple_queue;
		uint64_t waiting = 0, dropped = 0, selected = 0;
		do {
			machine_step(m);
			uint64_t came = d->stats->sampler_selected - selected,
				 in = came < room - waiting ? came : room - waiting;
			selected += came;
			dropped += came - in;
			waiting = waiting + in - (waiting > 0);
			assert_int_equal(d->sampler->st->tuple_count, waiting);
			assert_int_equal(d->stats->sampler_dropped, dropped);
		} while (machine_status(m) == MACHINE_RUNNING);
		assert_true(dropped > 0 && selected > 1000);
		machine_free(m);
	}
}

/* In each cycle: what was selected and not dropped is in the queue, in the compressor, between its
 * components, or in messages. */
static void no_count_is_lost(void **state)
{
	(void)state;
	static const char *const compressors[] = {
		"sampler.compressor=P(7)",
		"sampler.compressor=H(P(4), 64), A(4)",
		"sampler.compressor=T(64, hit=3, evict=4, replace=4)",
		"sampler.compressor=C(R(5))",
		"sampler.compressor=T(16, ways=4, tag=1, hit=4, evict=5, miss=2, replace=3), A(4), "
	        "A(2)",
		"sampler.compressor=P(2), H(C(Rc(3)), 8), A(3)",
	};
	size_t bytes;
	const uint32_t *code = burst_code(&bytes);
	for (size_t i = 0; i < sizeof compressors / sizeof *compressors; i++) {
		const char *const how[] = {"sampler.select=value, edge tag 2",
		                           "sampler.reader=interrupt",
		                           "sampler.message_queue=65536", compressors[i], NULL};
		struct machine *m = machine_with(code, bytes, how);
		const struct prof *d = machine_pipe(m)->prof;
		do {
			machine_step(m);
			if (d->stats->sampler_selected - d->stats->sampler_dropped !=
			    sampler_held(d))
				fail_msg("%s: in cycle %llu %llu tuples came and %llu are held",
				         compressors[i], (unsigned long long)machine_cycle(m),
				         (unsigned long long)(d->stats->sampler_selected -
				                              d->stats->sampler_dropped),
				         (unsigned long long)sampler_held(d));
		} while (machine_status(m) == MACHINE_RUNNING);
		assert_true(d->stats->sampler_messages > 0);
		machine_free(m);
		/* Without timing nothing is dropped; what was put off for speed has been done
		 * whenever one looks. */
		m = machine_with(code, bytes, how);
		d = machine_pipe(m)->prof;
		for (uint64_t n = 1; machine_status(m) == MACHINE_RUNNING; n += 37) {
			machine_run_functional(m, n, false);
			assert_int_equal(d->stats->sampler_selected, sampler_held(d));
		}
		assert_true(d->stats->sampler_messages > 0);
		machine_free(m);
	}
}

/* The first component takes a tuple in the cycle behind its commit, each other one a cycle later.
 */
static void a_component_takes_a_cycle(void **state)
{
	(void)state;
	static const char *const how[] = {"sampler.select=value of mul",
	                                  "sampler.compressor=P(1), P(1), A(1, 1)",
	                                  "sampler.reader=interrupt", NULL};
	const uint32_t code[] = {enc_r(OP_MUL, T0, T1, T2), enc_i(OP_ADDI, A0, X0, 0),
	                         enc_i(OP_ADDI, A7, X0, 93), enc_i(OP_ECALL, X0, X0, 0)};
	struct machine *m = machine_with(code, sizeof code, how);
	const struct prof *d = machine_pipe(m)->prof;
	uint64_t at[5] = {0}; /* cycles: selected; taken by each component; sent */
	do {
		machine_step(m);
		const struct sampler_state *st = d->sampler->st;
		at[0] = at[0] ? at[0] : d->stats->sampler_selected ? machine_cycle(m) : 0;
		for (unsigned i = 0; i < 3; i++)
			at[1 + i] = at[1 + i]                           ? at[1 + i]
			            : d->sampler->compressor.flow[i].in ? machine_cycle(m)
			                                                : 0;
		at[4] = at[4] ? at[4] : st->message_count ? machine_cycle(m) : 0;
	} while (machine_status(m) == MACHINE_RUNNING);
	assert_true(at[0] > 0);
	for (unsigned i = 1; i < 4; i++)
		assert_int_equal(at[i], at[0] + i);
	assert_int_equal(at[4], at[3]);
	machine_free(m);
}

/* ---- what is put off while nobody looks ---- */
/* Bursts, and in each round the statistic that the program asks for, which it then stores: what it
 * reads must be of that cycle. */
static const uint32_t *asking_code(size_t *bytes)
{
	static uint32_t code[256];
	const uint32_t id = stat_id("sampler.dropped");
	size_t n = 0;
	code[n++] = enc_u(OP_LUI, T3, (id + 0x800) & 0xfffff000);
	code[n++] = enc_i(OP_ADDI, T3, T3, (int32_t)((id ^ 0x800) & 0xfff) - 0x800);
	code[n++] = enc_i(OP_CSRRW, X0, T3, CSR_HPMSELECT3);
	code[n++] = enc_u(OP_LUI, T0, DATA);
	code[n++] = enc_i(OP_ADDI, T1, X0, 12);
	const size_t top = n;
	for (unsigned i = 0; i < 60; i++)
		code[n++] = enc_i(OP_ADDI, A0 + i % 4, X0, (int32_t)i % 7);
	for (unsigned i = 0; i < 30; i++)
		code[n++] = i % 3 ? enc_i(OP_LD, T2, T0, (int32_t)(8 * i))
		                  : enc_s(OP_SD, T1, T0, (int32_t)(8 * i));
	code[n++] = enc_i(OP_CSRRS, T4, X0, CSR_HPMCOUNTER3);
	code[n++] = enc_r(OP_ADD, T5, T5, T4);
	code[n++] = enc_i(OP_ADDI, T1, T1, -1);
	code[n] = enc_b(OP_BNE, T1, X0, -4 * (int32_t)(n - top));
	n++;
	code[n++] = enc_i(OP_ADDI, A0, X0, 0);
	code[n++] = enc_i(OP_ADDI, A7, X0, 93);
	code[n++] = enc_i(OP_ECALL, X0, X0, 0);
	*bytes = 4 * n;
	return code;
}

static void assert_same(struct machine *run, struct machine *stepped, const char *what)
{
	const struct prof *a = machine_pipe(run)->prof, *b = machine_pipe(stepped)->prof;
	if (machine_hash(run) != machine_hash(stepped) ||
	    sampler_exact_hash(a->sampler->exact) != sampler_exact_hash(b->sampler->exact))
		fail_msg("%s: what a run leaves behind at cycle %llu is not what its cycles one by "
		         "one do",
		         what, (unsigned long long)machine_cycle(run));
}

static const char *const compressors[] = {
	"sampler.compressor=P(7)",
	"sampler.compressor=H(P(4), 64), A(4)",
	"sampler.compressor=A(3), A(2)",
	"sampler.compressor=C(R(3)), A(1, 2)",
	"sampler.compressor=T(16, ways=4, tag=1, hit=4, evict=5, miss=2, replace=3), A(4), A(2)",
	"sampler.compressor=P(1), H(C(Rc(3)), 8), A(3), A(1)",
};
static const char *const selects[][3] = {
	{"sampler.select=value of load", "sampler.service=3", "sampler.tuple_queue=16"},
	{"sampler.select=value", "sampler.message_queue=8", "sampler.tuple_queue=16"},
	{"sampler.select=value of int, edge tag 1, value of load tag 7", "sampler.service=1000",
         "sampler.tuple_queue=1"},
	{"sampler.select=value marked, address, value of int in 0x10000-0x10080",
         "sampler.reader=interrupt", "sampler.tuple_queue=100"},
};
enum {
	COMPRESSORS = sizeof compressors / sizeof *compressors,
	SELECTS = sizeof selects / sizeof *selects
};

static void what_is_put_off_is_done(void **state)
{
	(void)state;
	size_t bytes;
	const uint32_t *code = asking_code(&bytes);
	for (size_t i = 0; i < COMPRESSORS * SELECTS; i++) {
		const char *const *more = selects[i / COMPRESSORS];
		const char *const how[] = {compressors[i % COMPRESSORS], more[0], more[1], more[2],
		                           NULL};
		struct machine *run = machine_with(code, bytes, how),
			       *stepped = machine_with(code, bytes, how);
		for (uint64_t leg = 1, next = 2; machine_status(run) == MACHINE_RUNNING;
		     next += leg, leg = next - leg) {
			if (next > 900)
				leg = next = 1;
			machine_run(run, machine_cycle(run) + leg, UINT64_MAX);
			while (machine_cycle(stepped) < machine_cycle(run))
				assert_true(machine_step(stepped));
			assert_same(run, stepped, how[0]);
		}
		assert_true(machine_stats(run)->sampler_selected > 200);
		machine_free(run);
		machine_free(stepped);
	}
}

/* The same without timing; and behind it, with what is left in the queue. */
static void without_timing_too(void **state)
{
	(void)state;
	size_t bytes;
	const uint32_t *code = asking_code(&bytes);
	for (size_t i = 0; i < COMPRESSORS * SELECTS; i++) {
		const char *const *more = selects[i / COMPRESSORS];
		const char *const how[] = {compressors[i % COMPRESSORS], more[0], more[1], more[2],
		                           NULL};
		struct machine *run = machine_with(code, bytes, how),
			       *stepped = machine_with(code, bytes, how);
		for (uint64_t leg = 1; machine_status(run) == MACHINE_RUNNING;
		     leg = leg > 3000 ? 1 : 2 * leg) {
			machine_run_functional(run, leg, false);
			for (uint64_t n = 0; n < leg; n++)
				machine_run_functional(stepped, 1, false);
			assert_same(run, stepped, how[0]);
		}
		assert_true(machine_stats(run)->sampler_selected > 200);
		machine_free(run);
		machine_free(stepped);
	}
}

/* What retired is said to give a tuple exactly if there was an event of it. */
struct givers {
	uint64_t *of; /* [HEARD_MAX], 1: the instruction of this seq gave a tuple */
};
enum { HEARD_MAX = 400000 };

static void hear_tuple(void *ctx, const struct machine *m, const struct event *ev)
{
	struct givers *h = ctx;
	(void)m;
	assert_true(ev->seq < HEARD_MAX);
	h->of[ev->seq] = 1;
}

static void who_gave_a_tuple_is_known(void **state)
{
	(void)state;
	static const char *const streams[] = {"sampler.select=value marked",
	                                      "sampler.select=value of load in 0x10000-0x10020, "
	                                      "edge of branch, mispredict, miss tag 4"};
	size_t bytes;
	const uint32_t *code = marked_code(&bytes);
	for (size_t i = 0; i < 2; i++) {
		const char *const how[] = {streams[i], NULL};
		struct machine *m = machine_with(code, bytes, how);
		const struct pipe *p = machine_pipe(m);
		struct givers h = {calloc(HEARD_MAX, sizeof *h.of)};
		const struct event_filter f = {.mask = EV_BIT(TUPLE)};
		uint64_t gave = 0, not = 0;
		assert_true(h.of && machine_listen(m, &f, hear_tuple, &h) > 0);
		while (machine_step(m)) {
			for (uint32_t k = 0; k < p->pool_size; k++) {
				const struct uop *u = &p->pool[k];
				if (!u->seq || u->state != UOP_RETIRED)
					continue;
				assert_int_equal(sampler_takes(p->prof->sampler->st, u),
				                 h.of[u->seq]);
				*(h.of[u->seq] ? &gave : &not) += 1;
			}
		}
		assert_true(gave > 1000 && not > 1000);
		machine_free(m);
		free(h.of);
	}
}

/* Pc and tag together are what they are apart; reading the count, and nothing else, takes the
 * message away. */
static void registers_tell_of_the_oldest_message(void **state)
{
	(void)state;
	enum { PC = 0x18, VALUE = 0x20, TAG = 0x28, TAKE = 0x30, TAGGED_PC = 0x40 };
	static const char *const how[] = {"sampler.select=value of mul tag 200",
	                                  "sampler.compressor=P(3)", "sampler.reader=interrupt",
	                                  NULL};
	const uint32_t code[] = {
		enc_i(OP_ADDI, T1, X0, 6),  enc_r(OP_MUL, T0, T1, T1), enc_i(OP_ADDI, T1, T1, -1),
		enc_b(OP_BNE, T1, X0, -8),  enc_i(OP_ADDI, A0, X0, 0), enc_i(OP_ADDI, A7, X0, 93),
		enc_i(OP_ECALL, X0, X0, 0),
	};
	const uint64_t pc = CODE + 4, value[] = {4 * 4, 1};
	struct machine *m = machine_with(code, sizeof code, how);
	struct prof *d = machine_pipe(m)->prof;
	const uint64_t base = device_registers(DEVICE_SAMPLER);
	machine_run(m, UINT64_MAX, UINT64_MAX);
	assert_int_equal(d->sampler->st->message_count, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(prof_read(d, base + PC), pc);
		assert_int_equal(prof_read(d, base + TAG), 200);
		assert_int_equal(prof_read(d, base + TAGGED_PC),
		                 pc | UINT64_C(200) << TUPLE_TAG_SHIFT);
		assert_int_equal(prof_read(d, base + VALUE), value[i]);
		assert_int_equal(d->sampler->st->message_count, 2 - i);
		assert_int_equal(prof_read(d, base + TAKE), 3);
	}
	for (unsigned offset = PC; offset <= TAGGED_PC; offset += 8)
		assert_int_equal(prof_read(d, base + offset), 0);
	machine_free(m);
}

/* ---- text ---- */
static void streams_are_read_and_written(void **state)
{
	(void)state;
	static const char *const right[] = {
		"value",
		"edge of branch|jump marked",
		"value of load in 0x10000-0x12000|0x14000-0x15000 tag 255",
		"miss",
		"mispredict tag 3",
		"type"};
	static const char *const wrong[][2] = {
		{"", "kind of tuple is missing"},
		{"valu", "did you mean 'value'"},
		{"value of lod", "did you mean 'load'"},
		{"value in 5-4", "its first must be below its end"},
		{"value in main", "is no range of addresses"},
		{"value tag 256", "0 to 255"},
		{"value, ", "is missing"},
		{"value mark", "did you mean 'marked'"},
		{"value | edge", "'|' belongs between"},
		{"value,edge,call,type,miss,address,value,value,value", "at most 8 streams"},
		{"value in 1-2|3-4|5-6|7-8|9-10|11-12", "at most 5 ranges"},
	};
	struct sampler_select s;
	struct err err;
	char text[256];
	for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
		assert_true(sampler_parse_select(right[i], &s, &err));
		assert_int_equal(s.count, 1);
		assert_string_equal(sampler_format_stream(&s.stream[0], text, sizeof text),
		                    right[i]);
	}
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_false(sampler_parse_select(wrong[i][0], &s, &err));
		if (!strstr(err.msg, wrong[i][1]))
			fail_msg("'%s': %s", wrong[i][0], err.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mark_is_about_the_next_instruction),
		cmocka_unit_test(a_mark_outlasts_a_change_of_mode),
		cmocka_unit_test(types_are_the_first_word_of_the_receiver),
		cmocka_unit_test(streams_are_the_same_without_timing),
		cmocka_unit_test(edges_and_calls_are_apart),
		cmocka_unit_test(misses_and_mispredictions_are_all_there),
		cmocka_unit_test(the_queue_is_a_queue),
		cmocka_unit_test(no_count_is_lost),
		cmocka_unit_test(a_component_takes_a_cycle),
		cmocka_unit_test(what_is_put_off_is_done),
		cmocka_unit_test(without_timing_too),
		cmocka_unit_test(who_gave_a_tuple_is_known),
		cmocka_unit_test(registers_tell_of_the_oldest_message),
		cmocka_unit_test(streams_are_read_and_written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
