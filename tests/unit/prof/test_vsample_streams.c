/* Programs under a value sampler that interprets many pieces of them execute the same instructions
 * as without it, and records match the interpreted instructions. The oracle and the stream sampler
 * see no difference. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/isa/op.h"
#include "core/machine/machine.h"
#include "core/machine/params.h"
#include "core/pipe/pipe.h"
#include "core/prof/common/prof.h"
#include "core/prof/oracle/oracle.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/values/vsample.h"
#include "loader/launch.h"
#include "tests/cases.h"

enum { STREAM_MAX = 150000 };

#define EAGER                                                                                      \
	"vsample.enable=true", "vsample.every=1", "vsample.interrupt_cycles=2",                    \
		"vsample.start_cycles=0", "vsample.inst_cycles=1", "vsample.tuple_cycles=1",       \
		"vsample.context_cycles=0", "vsample.service=1", "vsample.capture=all"

static const char *const guests[] = {"build/demos/fib", "build/demos/longjmp", "build/demos/matmul",
                                     "build/demos/selfmod", "build/demos/hello"};
enum { GUESTS = sizeof guests / sizeof *guests };

/* An instruction that committed, executed by the pipeline or interpreted. */
struct done {
	uint64_t pc, operand[3], result, address, ra, sp;
	uint32_t word;
};

struct stream {
	struct done *at; /* owned; [n] */
	size_t n;
	uint64_t reg[REG_COUNT]; /* after the instructions so far */
	/* the stream without a sampler, which must be equal; NULL in that stream */
	const struct stream *right;
	const char *what;
	uint64_t serial, interpreted;
};

static void vsample_streams_expect_inst(const struct stream *s, const struct done *d)
{
	const struct done *right = &s->right->at[s->n];
	if (s->n >= s->right->n)
		return;
	if (d->pc != right->pc || d->result != right->result || d->address != right->address ||
	    d->word != right->word)
		fail_msg("%s: instruction %zu at 0x%llx gives 0x%llx, address 0x%llx; without a "
		         "sampler it is at 0x%llx: 0x%llx, 0x%llx",
		         s->what, s->n, (unsigned long long)d->pc, (unsigned long long)d->result,
		         (unsigned long long)d->address, (unsigned long long)right->pc,
		         (unsigned long long)right->result, (unsigned long long)right->address);
}

static void expect_tuple(struct stream *s, const struct machine *m, const struct done *d)
{
	const struct vsample_tuple *t = vsample_find(machine_pipe(m)->prof, ++s->serial);
	uint64_t top = 0;
	if (!t) {
		fail_msg("%s: instruction %zu, at 0x%llx, was interpreted, and there is no tuple "
		         "%llu",
		         s->what, s->n, (unsigned long long)d->pc, (unsigned long long)s->serial);
		return;
	}
	assert_int_equal(t->pc, d->pc);
	assert_int_equal(t->word, d->word);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(t->operand[i], d->operand[i]);
	assert_int_equal(t->result, d->result);
	assert_int_equal(t->address, d->address);
	assert_int_equal(t->ra, d->ra);
	assert_int_equal(t->unknown & ~(unsigned)VSAMPLE_NO_LEVEL, 0);
	/* The top of the stack is unchanged, unless this very instruction stored it.
	 */
	if (t->address - d->sp >= 8 && d->sp - t->address >= 8 && machine_peek(m, d->sp, &top, 8))
		assert_int_equal(t->top, top);
}

static void vsample_streams_on_commit(void *ctx, const struct machine *m, const struct event *ev)
{
	struct stream *s = ctx;
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	assert_int_equal(u->seq, ev->seq);
	if (ev->id == EV_LEAVE) {
		if (!ev->leave.retired || ev->leave.entered)
			return;
		/* Displayed flags of floating point are those of the next instruction. */
		assert_int_equal(machine_fcsr(m), machine_pipe(m)->hart->fcsr);
		/* The COMMIT event came just before. */
		s->n--;
		expect_tuple(s, m, &s->at[s->n]);
		s->n++;
		s->interpreted++;
		return;
	}
	const uint64_t *r = s->reg;
	const struct done d = {
		.pc = u->pc,
		.operand = {r[u->inst.rs1], r[u->inst.rs2], r[u->inst.rs3]},
		.result = u->inst.rd == REG_SINK ? 0 : u->result,
		.address = u->exec.size ? u->exec.addr : 0,
		.ra = r[REG_RA],
		.sp = r[REG_SP],
		.word = u->inst.raw,
	};
	if (s->right)
		vsample_streams_expect_inst(s, &d);
	if (s->n == STREAM_MAX)
		return;
	s->at[s->n++] = d;
	if (u->inst.rd != REG_SINK)
		s->reg[u->inst.rd] = u->result;
	if (u->inst.op == OP_ECALL)
		s->reg[REG_A0] = u->result;
}

/* Makes a machine with the program; *hash: of its output. */
struct bench {
	struct program *program;
	struct machine *m;
	uint64_t output;
};

static void open_bench(struct bench *b, const char *path, const char *const *how)
{
	char name[256];
	struct config cfg;
	struct err err;
	snprintf(name, sizeof name, "%s", path);
	char *argv[] = {name, NULL}, *env[] = {NULL};
	*b = (struct bench){.output = HASH_START};
	const struct launch l = {.path = name,
	                         .argv = argv,
	                         .env = env,
	                         .stdin_fd = -1,
	                         .output = os_no_output,
	                         .output_ctx = &b->output};
	config_default(&cfg);
	for (; *how; how++)
		if (!config_set_assignment(&cfg, *how, &err))
			fail_msg("%s", err.msg);
	b->program = launch_program(&l, &err);
	b->m = b->program ? launch_machine(&l, b->program, &cfg, &err) : NULL;
	if (!b->m)
		fail_msg("%s", err.msg);
}

static void close_bench(struct bench *b)
{
	machine_free(b->m);
	program_free(b->program);
}

static void vsample_streams_attach(struct stream *s, struct machine *m)
{
	const struct event_filter f = {.mask = EV_BIT(COMMIT) | EV_BIT(LEAVE)};
	s->n = 0;
	s->serial = s->interpreted = 0;
	for (unsigned r = 1; r < REG_SINK; r++)
		s->reg[r] = machine_reg(m, r);
	assert_true(machine_listen(m, &f, vsample_streams_on_commit, s) > 0);
}

static bool guest_is_there(const char *path)
{
	FILE *f = fopen(path, "r");
	if (f)
		fclose(f);
	return f != NULL;
}

static const char *const rates[][8] = {
	{"vsample.interval_min=1", "vsample.interval_max=1", "vsample.length=1"},
	{"vsample.interval_min=10", "vsample.interval_max=10", "vsample.length=1"},
	{"vsample.interval_min=1", "vsample.interval_max=30", "vsample.length=7",
         "pipe.rob_size=200", "lsq.speculate=true", "lsq.predictor=store-sets"},
	{"vsample.interval_min=5", "vsample.interval_max=50", "vsample.length=128",
         "pipe.in_order=true", "l1d.write_buffer=1", "l1d.mshrs=1"},
	{"vsample.interval_min=1", "vsample.interval_max=40", "vsample.length=9",
         "vsample.method=upcall", "vsample.upcall_cycles=2", "vsample.return_cycles=1"},
	{"vsample.interval_min=100", "vsample.interval_max=300", "vsample.length=16",
         "l1d.prefetch=stride", "l1i.prefetch=next-line", "bpred.update=commit"},
};
enum { RATES = sizeof rates / sizeof *rates };

TEST(the_same_instructions_are_executed)
{
	struct stream right = {.at = calloc(STREAM_MAX, sizeof(struct done))},
		      seen = {.at = calloc(STREAM_MAX, sizeof(struct done)), .right = &right};
	for (unsigned g = 0; g < GUESTS; g++) {
		if (!guest_is_there(guests[g]))
			skip(); /* make demos */
		const char *const alone[] = {NULL};
		struct bench b;
		open_bench(&b, guests[g], alone);
		vsample_streams_attach(&right, b.m);
		machine_run(b.m, UINT64_MAX, STREAM_MAX);
		close_bench(&b);
		for (unsigned k = 0; k < RATES; k++) {
			const char *how[32] = {EAGER};
			unsigned n = 0;
			while (how[n])
				n++;
			for (unsigned i = 0; i < 8 && rates[k][i]; i++)
				how[n++] = rates[k][i];
			open_bench(&b, guests[g], how);
			seen.what = guests[g];
			vsample_streams_attach(&seen, b.m);
			machine_run(b.m, UINT64_MAX, STREAM_MAX);
			assert_in_range(seen.n, right.n > 20 ? right.n - 20 : 0, right.n + 20);
			assert_int_equal(seen.interpreted, machine_stats(b.m)->vsample_insts);
			assert_true(seen.interpreted * 50 > seen.n);
			assert_int_equal(machine_stats(b.m)->vsample_lost, 0);
			close_bench(&b);
		}
	}
	free(right.at);
	free(seen.at);
}

/* ---- bouncing back ---- */
struct recalled {
	uint64_t tuples, wrong, results, unknown, cut;
};

static void expect_recalled(const char *what, const struct vsample_tuple *t, const struct done *d)
{
	bool same = t->pc == d->pc && t->word == d->word;
	for (unsigned i = 0; i < 3; i++)
		same &= (t->unknown & (VSAMPLE_NO_OPERAND << i)) ? !t->operand[i]
		                                                 : t->operand[i] == d->operand[i];
	same &= (t->unknown & VSAMPLE_NO_RESULT) ? !t->result : t->result == d->result;
	/* a failed sc has none */
	same &= (t->unknown & VSAMPLE_NO_ADDRESS) ? !t->address
	                                          : t->address == d->address || !d->address;
	same &= (t->unknown & VSAMPLE_NO_RA) ? !t->ra : t->ra == d->ra;
	if (!same)
		fail_msg("%s: the tuple of 0x%llx, 0x%x unknown, says result 0x%llx, address "
		         "0x%llx: it was 0x%llx and 0x%llx, at 0x%llx",
		         what, (unsigned long long)t->pc, t->unknown, (unsigned long long)t->result,
		         (unsigned long long)t->address, (unsigned long long)d->result,
		         (unsigned long long)d->address, (unsigned long long)d->pc);
}

/* True if the program executed the block as the handler had to take it. */
static bool is_as_noted(const struct vsample_block *b, const struct stream *right)
{
	for (uint64_t i = 0; i < b->executed; i++)
		if (b->insts + i < right->n && right->at[b->insts + i].pc != b->pc[i])
			return false;
	return true;
}

static void recall_all(const char *what, struct machine *m, const struct stream *right,
                       struct recalled *seen)
{
	const struct stats *s = machine_stats(m);
	const struct vsample_state *v = machine_pipe(m)->prof->vsample->st;
	while (s->insts < right->n && machine_step(m)) {
		if (s->vsample_tuples == seen->tuples)
			continue;
		const struct vsample_tuple *t = vsample_find(machine_pipe(m)->prof, ++seen->tuples);
		const uint64_t at = v->block.insts + t->place;
		/* the progress differs from the expected one */
		if (s->insts != v->block.insts + v->block.executed ||
		    !is_as_noted(&v->block, right)) {
			seen->wrong++;
			continue;
		}
		if (at >= right->n)
			return;
		expect_recalled(what, t, &right->at[at]);
		seen->results += t->result != 0;
		seen->unknown += (t->unknown & VSAMPLE_NO_RESULT) != 0;
	}
}

/* Known values are correct, except where a loop misleads the sampler; these are counted. */
TEST(bouncing_back_is_right_or_counted)
{
	static const char *const how[][16] = {
		{EAGER, "vsample.interval_min=1", "vsample.interval_max=60",
	         "vsample.bounce_cycles=10"},
		{EAGER, "vsample.interval_min=1", "vsample.interval_max=60",
	         "vsample.bounce_cycles=25", "lsq.speculate=true", "pipe.fetch_width=8"},
		{EAGER, "vsample.interval_min=1", "vsample.interval_max=60",
	         "vsample.bounce_cycles=12", "pipe.in_order=true", "vsample.bounce_step=3"},
		{EAGER, "vsample.interval_min=1", "vsample.interval_max=60",
	         "vsample.bounce_cycles=17", "pipe.fetch_lines=2", "vsample.bounce_max=20"},
	};
	struct stream right = {.at = calloc(STREAM_MAX, sizeof(struct done))};
	struct recalled seen = {0};
	uint64_t stops[VSAMPLE_STOP_COUNT] = {0};
	for (unsigned g = 0; g < GUESTS; g++) {
		if (!guest_is_there(guests[g]))
			skip();
		const char *const alone[] = {NULL};
		struct bench b;
		open_bench(&b, guests[g], alone);
		vsample_streams_attach(&right, b.m);
		machine_run(b.m, UINT64_MAX, STREAM_MAX / 3);
		close_bench(&b);
		for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
			struct recalled now = {0};
			const char *with[20];
			unsigned n = 0;
			while (n < 16 && how[k][n]) {
				with[n] = how[k][n];
				n++;
			}
			with[n++] = "vsample.method=bounce";
			with[n] = NULL;
			open_bench(&b, guests[g], with);
			recall_all(guests[g], b.m, &right, &now);
			const struct stats *s = machine_stats(b.m);
			/* the last ones are not recorded yet */
			assert_in_range(s->vsample_wrong, now.wrong, now.wrong + 16);
			assert_null(prof_check(machine_pipe(b.m)->prof));
			for (unsigned i = 0; i < VSAMPLE_STOP_COUNT - 1; i++)
				stops[i + 1] += (&s->vsample_stop_length)[i];
			seen.tuples += now.tuples;
			seen.wrong += now.wrong;
			seen.results += now.results;
			seen.unknown += now.unknown;
			close_bench(&b);
		}
	}
	assert_true(seen.tuples > 10000 && seen.results * 3 > seen.tuples &&
	            seen.wrong * 5 < seen.tuples);
	assert_true(seen.wrong > 0 && seen.unknown > 0);
	for (unsigned i = VSAMPLE_STOP_BLOCK; i <= VSAMPLE_STOP_AMBIGUOUS; i++)
		assert_true(stops[i] > 0);
	free(right.at);
}

/* Facts of a whole run: output, end, instructions, and the oracle's counts. */
struct facts {
	uint64_t output, insts, syscalls, oracle, edges, contexts, values, addresses;
	int64_t status;
};
_Static_assert(sizeof(struct facts) == 9 * 8, "facts are compared as bytes: no padding");

static uint64_t vsample_streams_hash_oracle_table(const struct oracle *o, enum oracle_table_id id)
{
	uint64_t h = HASH_WORDS_START;
	for (uint32_t i = 0; i < oracle_entries(o, id); i++) {
		const struct oracle_entry *e = oracle_entry(o, id, i);
		h = hash_word(hash_word(hash_word(h, e->key[0]), e->key[1]), e->count);
	}
	return h;
}

static struct facts vsample_streams_run_to_facts(struct bench *b)
{
	machine_run(b->m, UINT64_MAX, UINT64_MAX);
	const struct oracle *o = oracle_of(machine_pipe(b->m)->prof);
	const struct stats *s = machine_stats(b->m);
	assert_int_equal(machine_status(b->m), MACHINE_EXITED);
	assert_null(prof_check(machine_pipe(b->m)->prof));
	return (struct facts){
		.output = b->output,
		.insts = s->insts,
		.syscalls = s->syscalls,
		.oracle = vsample_streams_hash_oracle_table(o, ORACLE_INSTS),
		.edges = vsample_streams_hash_oracle_table(o, ORACLE_EDGES),
		.contexts = vsample_streams_hash_oracle_table(o, ORACLE_ARCS),
		.values = vsample_streams_hash_oracle_table(o, ORACLE_VALUES),
		.addresses = vsample_streams_hash_oracle_table(o, ORACLE_ADDRESSES),
		.status = machine_exit_status(b->m),
	};
}

#define ORACLE                                                                                     \
	"oracle.enable=true", "oracle.blocks=true", "oracle.contexts=true", "oracle.values=all",   \
		"oracle.addresses=true", "oracle.loads=true"

TEST(the_oracle_sees_no_difference)
{
	for (unsigned g = 0; g < GUESTS; g++) {
		if (!guest_is_there(guests[g]))
			skip();
		static const char *const methods[] = {
			"vsample.method=handler", "vsample.method=upcall", "vsample.method=bounce"};
		const char *const alone[] = {ORACLE, NULL}, *const how[] = {
								    ORACLE,
								    EAGER,
								    "vsample.interval_min=5",
								    "vsample.interval_max=90",
								    "vsample.length=20",
								    "vsample.upcall_cycles=2",
								    "vsample.return_cycles=1",
								    methods[g % 3],
								    NULL};
		struct bench a, b;
		open_bench(&a, guests[g], alone);
		open_bench(&b, guests[g], how);
		const struct facts right = vsample_streams_run_to_facts(&a),
				   seen = vsample_streams_run_to_facts(&b);
		assert_memory_equal(&seen, &right, sizeof right);
		assert_int_equal(machine_stats(b.m)->oracle_insts, machine_stats(b.m)->insts);
		/* Each load has a cache level, interpreted loads too. */
		const struct oracle *o = oracle_of(machine_pipe(b.m)->prof);
		uint64_t loads = 0;
		for (uint32_t i = 0; i < oracle_entries(o, ORACLE_LOADS); i++) {
			const struct oracle_entry *e = oracle_entry(o, ORACLE_LOADS, i);
			assert_int_equal(e->more[LEVEL_NONE], 0);
			loads += e->count;
		}
		assert_true(g % 3 == 2 ? loads == machine_stats(b.m)->commit_loads
		                       : loads > machine_stats(b.m)->commit_loads);
		close_bench(&a);
		close_bench(&b);
	}
}

/* ---- the stream sampler ---- */
struct tuples {
	uint64_t hash, n;
};

static void vsample_streams_on_tuple(void *ctx, struct tuple t)
{
	struct tuples *s = ctx;
	s->hash = hash_word(hash_word(s->hash, t.pc), t.value);
	s->n++;
}

/* The sampler selects the same tuples with and without the value sampler. */
TEST(the_sampler_sees_no_difference)
{
	static const char select[] = "sampler.select=value of load, edge tag 1, call tag 2, "
	                             "address of store|load tag 3, type tag 4";
	static const char *const programs[] = {"build/demos/longjmp", "build/demos/fib",
	                                       "build/demos/selfmod"};
	for (unsigned g = 0; g < sizeof programs / sizeof *programs; g++) {
		if (!guest_is_there(programs[g]))
			skip();
		struct tuples seen[2] = {{HASH_WORDS_START, 0}, {HASH_WORDS_START, 0}};
		for (unsigned k = 0; k < 2; k++) {
			const char *const how[] = {"sampler.enable=true",
			                           select,
			                           k ? "vsample.enable=true"
			                             : "vsample.enable=false",
			                           "vsample.every=1",
			                           "vsample.interval_min=5",
			                           "vsample.interval_max=90",
			                           "vsample.length=20",
			                           "vsample.interrupt_cycles=2",
			                           "vsample.inst_cycles=1",
			                           "vsample.tuple_cycles=0",
			                           NULL};
			struct bench b;
			open_bench(&b, programs[g], how);
			struct sampler *sampler = machine_pipe(b.m)->prof->sampler;
			sampler->sink = vsample_streams_on_tuple;
			sampler->sink_ctx = &seen[k];
			machine_run(b.m, UINT64_MAX, UINT64_MAX);
			assert_int_equal(machine_status(b.m), MACHINE_EXITED);
			assert_int_equal(machine_stats(b.m)->vsample_insts > 100, k);
			close_bench(&b);
		}
		assert_true(seen[0].n > 100);
		assert_int_equal(seen[1].n, seen[0].n);
		assert_int_equal(seen[1].hash, seen[0].hash);
	}
}
