/* The sampler's queues: the cycle of each tuple's step, drops, conservation of counts, and work
 * deferred without an observer. */
#include "tests/unit/prof/sampler_fixture.h"

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

/* One tuple leaves the queue each cycle, after the cycle's new tuples have entered. */
TEST(the_queue_is_a_queue)
{
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
		struct machine *m = sampler_fixture_new_machine(code, bytes, how[i]);
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
TEST(no_count_is_lost)
{
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
		struct machine *m = sampler_fixture_new_machine(code, bytes, how);
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
		/* Without timing nothing is dropped, and deferred work is complete whenever it is
		 * observed. */
		m = sampler_fixture_new_machine(code, bytes, how);
		d = machine_pipe(m)->prof;
		for (uint64_t n = 1; machine_status(m) == MACHINE_RUNNING; n += 37) {
			machine_run_functional(m, n, false);
			assert_int_equal(d->stats->sampler_selected, sampler_held(d));
		}
		assert_true(d->stats->sampler_messages > 0);
		machine_free(m);
	}
}

/* The first component takes a tuple in the cycle after its commit, each next component a cycle
 * later. */
TEST(a_component_takes_a_cycle)
{
	static const char *const how[] = {"sampler.select=value of mul",
	                                  "sampler.compressor=P(1), P(1), A(1, 1)",
	                                  "sampler.reader=interrupt", NULL};
	const uint32_t code[] = {enc_r(OP_MUL, T0, T1, T2), enc_i(OP_ADDI, A0, X0, 0),
	                         enc_i(OP_ADDI, A7, X0, 93), enc_i(OP_ECALL, X0, X0, 0)};
	struct machine *m = sampler_fixture_new_machine(code, sizeof code, how);
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

/* ---- work deferred without an observer ---- */
/* Bursts of tuples; in each round the program reads a statistic and stores it: the value must be
 * that of the read's cycle. */
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

static void sampler_queue_assert_same(struct machine *run, struct machine *stepped,
                                      const char *what)
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

TEST(what_is_put_off_is_done)
{
	size_t bytes;
	const uint32_t *code = asking_code(&bytes);
	for (size_t i = 0; i < COMPRESSORS * SELECTS; i++) {
		const char *const *more = selects[i / COMPRESSORS];
		const char *const how[] = {compressors[i % COMPRESSORS], more[0], more[1], more[2],
		                           NULL};
		struct machine *run = sampler_fixture_new_machine(code, bytes, how),
			       *stepped = sampler_fixture_new_machine(code, bytes, how);
		for (uint64_t leg = 1, next = 2; machine_status(run) == MACHINE_RUNNING;
		     next += leg, leg = next - leg) {
			if (next > 900)
				leg = next = 1;
			machine_run(run, machine_cycle(run) + leg, UINT64_MAX);
			while (machine_cycle(stepped) < machine_cycle(run))
				assert_true(machine_step(stepped));
			sampler_queue_assert_same(run, stepped, how[0]);
		}
		assert_true(machine_stats(run)->sampler_selected > 200);
		machine_free(run);
		machine_free(stepped);
	}
}

/* The same without timing, then with timing and a filled queue. */
TEST(without_timing_too)
{
	size_t bytes;
	const uint32_t *code = asking_code(&bytes);
	for (size_t i = 0; i < COMPRESSORS * SELECTS; i++) {
		const char *const *more = selects[i / COMPRESSORS];
		const char *const how[] = {compressors[i % COMPRESSORS], more[0], more[1], more[2],
		                           NULL};
		struct machine *run = sampler_fixture_new_machine(code, bytes, how),
			       *stepped = sampler_fixture_new_machine(code, bytes, how);
		for (uint64_t leg = 1; machine_status(run) == MACHINE_RUNNING;
		     leg = leg > 3000 ? 1 : 2 * leg) {
			machine_run_functional(run, leg, false);
			for (uint64_t n = 0; n < leg; n++)
				machine_run_functional(stepped, 1, false);
			sampler_queue_assert_same(run, stepped, how[0]);
		}
		assert_true(machine_stats(run)->sampler_selected > 200);
		machine_free(run);
		machine_free(stepped);
	}
}

/* A retired instruction gives a tuple exactly if it had an event. */
struct givers {
	uint64_t *of; /* [HEARD_MAX], 1: the instruction of this seq gave a tuple */
};

enum { HEARD_MAX = 400000 };

static void sampler_queue_on_tuple(void *ctx, const struct machine *m, const struct event *ev)
{
	struct givers *h = ctx;
	(void)m;
	assert_true(ev->seq < HEARD_MAX);
	h->of[ev->seq] = 1;
}

TEST(who_gave_a_tuple_is_known)
{
	static const char *const streams[] = {"sampler.select=value marked",
	                                      "sampler.select=value of load in 0x10000-0x10020, "
	                                      "edge of branch, mispredict, miss tag 4"};
	size_t bytes;
	const uint32_t *code = marked_code(&bytes);
	for (size_t i = 0; i < 2; i++) {
		const char *const how[] = {streams[i], NULL};
		struct machine *m = sampler_fixture_new_machine(code, bytes, how);
		const struct pipe *p = machine_pipe(m);
		struct givers h = {calloc(HEARD_MAX, sizeof *h.of)};
		const struct event_filter f = {.mask = EV_BIT(TUPLE)};
		uint64_t gave = 0, not = 0;
		assert_true(h.of && machine_listen(m, &f, sampler_queue_on_tuple, &h) > 0);
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

/* The combined register equals pc and tag; only reading the count removes the message. */
TEST(registers_tell_of_the_oldest_message)
{
	enum { PC = 0x18, VALUE = 0x20, TAG = 0x28, TAKE = 0x30, TAGGED_PC = 0x40, STREAM = 0x100 };
	static const char *const how[] = {
		"sampler.select=value of mul in 0x10000-0x10100 tag 200, miss tag 7",
		"sampler.compressor=P(3)", "sampler.reader=interrupt", NULL};
	const uint32_t code[] = {
		enc_i(OP_ADDI, T1, X0, 6),  enc_r(OP_MUL, T0, T1, T1), enc_i(OP_ADDI, T1, T1, -1),
		enc_b(OP_BNE, T1, X0, -8),  enc_i(OP_ADDI, A0, X0, 0), enc_i(OP_ADDI, A7, X0, 93),
		enc_i(OP_ECALL, X0, X0, 0),
	};
	const uint64_t pc = CODE + 4, value[] = {4 * 4, 1};
	struct machine *m = sampler_fixture_new_machine(code, sizeof code, how);
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
	/* Streams are readable, word for word. */
	struct sampler_select select;
	struct err err;
	assert_true(sampler_parse_select(strchr(how[0], '=') + 1, &select, &err));
	for (unsigned i = 0; i < sizeof select.stream; i += 8)
		assert_int_equal(prof_read(d, base + STREAM + i),
		                 ((const uint64_t *)select.stream)[i / 8]);
	assert_int_equal(prof_read(d, base + STREAM + sizeof select.stream), 0);
	machine_free(m);
}

/* ---- text ---- */
TEST(streams_are_read_and_written)
{
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
