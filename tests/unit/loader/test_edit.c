/* loader/edit: real programs, laid out again with nothing in them, with a counter in every block
 * and with code on edges, behave as before, and what the code counts is what the oracle counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "core/machine/machine.h"
#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "core/prof/oracle/oracle.h"
#include "loader/edit/edit.h"
#include "loader/edit/liveness.h"
#include "loader/instrument/instrument.h"
#include "loader/instrument/path_profile.h"
#include "loader/launch.h"
#include "tests/unit/loader/cross.h"

#define LINK "-static -Wl,--emit-relocs"

/* Switches, pointers to functions, recursion, setjmp, a loop over floating point, and the C library
 * with its hand-written code. */
static const char guest_text[] =
	"#include <setjmp.h>\n"
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"static jmp_buf out;\n"
	"static int compare(const void *a, const void *b) { return *(const int *)a - *(const int "
        "*)b; }\n"
	"static int twice(int x) { return 2 * x; }\n"
	"static int thrice(int x) { return 3 * x; }\n"
	"static int (*const table[])(int) = {twice, thrice, abs};\n"
	"__attribute__((noinline)) static int choose(int x)\n"
	"{\n"
	"	switch (x % 9) {\n"
	"	case 0: return 17; case 1: return x ^ 5; case 2: return x << 2; case 3: return "
        "table[x % 3](x);\n"
	"	case 4: return 1; case 5: return -x; case 6: return x * x; case 7: return 99; "
        "default: return x / 3;\n"
	"	}\n"
	"}\n"
	"__attribute__((noinline)) static int depth(int n) { return n == 0 ? 0 : n == 7 ? "
        "(longjmp(out, n), 0) : 1 + depth(n - 1); }\n"
	"__attribute__((noinline)) static int jump(void)\n"
	"{\n"
	"	int n = setjmp(out);\n"
	"	if (n == 7) return n;\n"
	"	for (volatile int i = 0; i < 5; i++) if (i & 1) rand();\n"
	"	depth(30);\n"
	"	return n;\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	int list[50]; unsigned sum = 0; double root = 1;\n"
	"	for (int i = 0; i < 50; i++) list[i] = (i * 37 + argc) % 50;\n"
	"	qsort(list, 50, sizeof *list, compare);\n"
	"	for (int i = 0; i < 3000; i++) sum = sum * 31 + (unsigned)choose(i + list[i % "
        "50]);\n"
	"	for (int i = 0; i < 20; i++) root = (root + 2 / root) / 2;\n"
	"	for (int i = 0; i < 100; i++) { if (list[i % 50] < 20) sum += 3; else if (i % 3) "
        "sum ^= 5; if (list[i / 2] & 1) sum--; }\n"
	"	int jumped = jump();\n"
	"	char *copy = strdup(argv[0]); sum += strlen(copy); free(copy);\n"
	"	printf(\"%u %d %.12f %s\\n\", sum, jumped, root, strchr(\"abc\", 'b'));\n"
	"	return (int)(sum % 100);\n"
	"}\n";

struct output {
	char text[4096];
	size_t n;
};

static void hear(void *ctx, int fd, const void *bytes, size_t n)
{
	struct output *out = ctx;
	(void)fd;
	assert_true(n < sizeof out->text - out->n);
	memcpy(out->text + out->n, bytes, n);
	out->n += n;
}

/* p, run to its end; the machine is the caller's. */
static struct machine *run(const struct program *p, struct output *out)
{
	static char *argv[] = {(char *)"guest", NULL};
	struct err err;
	struct config cfg;
	config_default(&cfg);
	cfg.oracle = true;
	cfg.oracle_blocks = true;
	cfg.xprof = false; /* profile instructions are executed */
	struct launch l = {.path = "guest",
	                   .argc = 1,
	                   .argv = argv,
	                   .stdin_fd = -1,
	                   .output = hear,
	                   .output_ctx = out};
	struct machine *m = launch_machine(&l, p, &cfg, &err);
	if (!m)
		fail_msg("%s", err.msg);
	machine_run_functional(m, UINT64_MAX, false);
	return m;
}

static int setup(void **state)
{
	static struct cross c;
	*state = NULL;
	if (!cross_available())
		return 0;
	assert_true(cross_build(&c, "c", guest_text, "-O2 -g " LINK));
	*state = &c;
	return 0;
}

static int teardown(void **state)
{
	if (*state)
		cross_remove(*state);
	return 0;
}

struct fixture {
	struct program *p;
	struct edit *e;
	const struct edit_inst *insts;
	uint32_t count;
	uint64_t counters; /* address of two for each instruction */
};

static void open_editor(struct fixture *f, const struct cross *c)
{
	struct err err;
	*f = (struct fixture){.p = program_open(c->program, &err)};
	f->e = f->p ? edit_open(f->p, &err) : NULL;
	if (!f->e)
		fail_msg("%s", err.msg);
	f->insts = edit_insts(f->e, &f->count);
	f->counters = edit_memory(f->e, 16 * (size_t)f->count);
}

static void close_editor(struct fixture *f)
{
	edit_free(f->e);
	program_free(f->p);
}

enum { COUNT_LENGTH = 11, SP = 2, T0 = 5, T1 = 6 };

/* memory[at] += 1, and all registers as before. */
static void counting(uint64_t at, struct edit_code code[COUNT_LENGTH])
{
	const struct edit_code text[COUNT_LENGTH] = {
		{.in = {.op = OP_ADDI, .len = 4, .rd = SP, .rs1 = SP, .imm = -16}},
		{.in = {.op = OP_SD, .len = 4, .rd = REG_SINK, .rs1 = SP, .rs2 = T0}},
		{.in = {.op = OP_SD, .len = 4, .rd = REG_SINK, .rs1 = SP, .rs2 = T1, .imm = 8}},
		{.in = {.op = OP_AUIPC, .len = 4, .rd = T0}, .ref = REF_HIGH, .target = at},
		{.in = {.op = OP_ADDI, .len = 4, .rd = T0, .rs1 = T0}, .ref = REF_LOW},
		{.in = {.op = OP_LD, .len = 4, .rd = T1, .rs1 = T0}},
		{.in = {.op = OP_ADDI, .len = 4, .rd = T1, .rs1 = T1, .imm = 1}},
		{.in = {.op = OP_SD, .len = 4, .rd = REG_SINK, .rs1 = T0, .rs2 = T1}},
		{.in = {.op = OP_LD, .len = 4, .rd = T0, .rs1 = SP}},
		{.in = {.op = OP_LD, .len = 4, .rd = T1, .rs1 = SP, .imm = 8}},
		{.in = {.op = OP_ADDI, .len = 4, .rd = SP, .rs1 = SP, .imm = 16}},
	};
	memcpy(code, text, sizeof text);
}

static uint64_t counter(const struct fixture *f, uint32_t i, bool second)
{
	return f->counters + 16 * (uint64_t)i + 8 * second;
}

static uint64_t counted(struct machine *m, const struct fixture *f, uint32_t i, bool second)
{
	uint64_t value = 0;
	assert_true(mem_peek(machine_mem(m), counter(f, i, second), &value, sizeof value));
	return value;
}

static struct program *finish(struct fixture *f)
{
	struct err err;
	struct program *q = edit_finish(f->e, &err);
	if (!q)
		fail_msg("%s", err.msg);
	return q;
}

/* The edited program says what the original says. */
static struct machine *compare(struct fixture *f, struct program *q)
{
	struct output before = {{0}, 0}, after = {{0}, 0};
	struct machine *m = run(f->p, &before), *n = run(q, &after);
	assert_int_equal(machine_status(m), MACHINE_EXITED);
	assert_int_equal(machine_status(n), MACHINE_EXITED);
	assert_int_equal(machine_exit_status(m), machine_exit_status(n));
	assert_true(before.n > 20);
	assert_int_equal(before.n, after.n);
	assert_memory_equal(before.text, after.text, before.n);
	machine_free(m);
	return n;
}

static void nothing_put_in_changes_nothing(void **state)
{
	if (!*state)
		skip();
	struct fixture f;
	open_editor(&f, *state);
	struct program *q = finish(&f);
	struct machine *m = compare(&f, q);
	/* It is the new code that runs: of the old, nothing. */
	for (uint32_t i = 0; i < f.count; i++)
		assert_int_equal(oracle_count(machine_pipe(m)->prof, f.insts[i].addr), 0);
	machine_free(m);
	program_free(q);
	close_editor(&f);
}

static void blocks_count_as_the_oracle_does(void **state)
{
	if (!*state)
		skip();
	struct fixture f;
	struct err err;
	uint32_t blocks = 0;
	uint64_t sum = 0;
	open_editor(&f, *state);
	for (uint32_t i = 0; i < f.count; i++) {
		struct edit_code code[COUNT_LENGTH];
		if ((f.insts[i].flags & EDIT_DATA) || !edit_is_leader(f.e, i))
			continue;
		counting(counter(&f, i, false), code);
		assert_true(edit_before(f.e, i, code, COUNT_LENGTH, &err));
	}
	struct program *q = finish(&f);
	struct machine *m = compare(&f, q);
	for (uint32_t i = 0; i < f.count; i++) {
		if ((f.insts[i].flags & EDIT_DATA) || !edit_is_leader(f.e, i))
			continue;
		blocks++;
		sum += counted(m, &f, i, false);
		assert_int_equal(counted(m, &f, i, false),
		                 oracle_count(machine_pipe(m)->prof,
		                              edit_new_address(f.e, f.insts[i].addr)));
	}
	assert_true(blocks > 1000);
	assert_true(sum > 10000);
	machine_free(m);
	program_free(q);
	close_editor(&f);
}

/* What stands on an edge is executed as often as the branch goes there. */
static void edges_count_as_the_oracle_does(void **state)
{
	if (!*state)
		skip();
	struct fixture f;
	struct err err;
	uint64_t taken = 0, sum = 0;
	open_editor(&f, *state);
	for (uint32_t i = 0; i < f.count; i++) {
		struct edit_code code[COUNT_LENGTH];
		const bool branch = inst_flags(&f.insts[i].in) & OPF_BRANCH;
		if ((f.insts[i].flags & EDIT_DATA) || !branch)
			continue;
		counting(counter(&f, i, true), code);
		assert_true(edit_taken(f.e, i, code, COUNT_LENGTH, &err));
		counting(counter(&f, i, false), code);
		assert_true(edit_behind(f.e, i, code, COUNT_LENGTH, &err));
	}
	struct program *q = finish(&f);
	struct machine *m = compare(&f, q);
	struct output out = {{0}, 0};
	struct machine *original = run(f.p, &out);
	const struct oracle *o = oracle_of(machine_pipe(original)->prof);
	const struct symbol *lo = program_symbol_by_name(f.p, "choose"),
			    *main_ = program_symbol_by_name(f.p, "main");
	assert_true(lo && main_);
	for (uint32_t k = 0; k < oracle_entries(o, ORACLE_EDGES); k++) {
		const struct oracle_entry *edge = oracle_entry(o, ORACLE_EDGES, k);
		const uint64_t pc = edge->key[0];
		const bool ours = pc - lo->addr < lo->size || pc - main_->addr < main_->size;
		uint32_t i = edit_inst_at(f.e, pc);
		assert_int_not_equal(i, EDIT_NONE);
		if (!ours || (edge->aux != EDGE_TAKEN && edge->aux != EDGE_NOT_TAKEN))
			continue;
		assert_int_equal(counted(m, &f, i, edge->aux == EDGE_TAKEN), edge->count);
		taken += edge->aux == EDGE_TAKEN;
		sum += edge->count;
	}
	assert_true(taken >= 4);
	assert_true(sum > 300);
	machine_free(original);
	machine_free(m);
	program_free(q);
	close_editor(&f);
}

/* What the finished instrumentation counts, with registers that liveness says are free, as plain
 * code and as profile instructions. */
static void kinds_count_as_the_oracle_does(void **state)
{
	if (!*state)
		skip();
	const struct cross *c = *state;
	struct err err;
	struct fixture f = {.p = program_open(c->program, &err)};
	assert_non_null(f.p);
	for (unsigned round = 0; round < 4; round++) {
		const struct instrument_options o = {
			.what = {{round & 1 ? INSTRUMENT_EDGE : INSTRUMENT_BB, round & 2 ? 5 : -1}},
			.count = 1};
		struct instrument_summary sum;
		struct counters counters;
		struct program *q = instrument_program(f.p, &o, &sum, NULL, NULL, &err);
		if (!q)
			fail_msg("%s", err.msg);
		assert_true(program_counters(q, 0, &counters));
		assert_int_equal(counters.kind, o.what[0].kind);
		assert_int_equal(counters.count, sum.counters);
		assert_true(sum.spilled < sum.counters / 3);
		struct machine *m = compare(&f, q);
		struct output out = {{0}, 0};
		struct machine *original = run(f.p, &out);
		const struct symbol *choose = program_symbol_by_name(f.p, "choose"),
				    *main_ = program_symbol_by_name(f.p, "main");
		uint64_t sum_counted = 0;
		for (uint64_t k = 0; k < counters.count; k++) {
			const struct counter *at = &counters.all[k];
			uint64_t value = 0, right = 0;
			if (at->at - choose->addr >= choose->size &&
			    at->at - main_->addr >= main_->size)
				continue;
			assert_true(mem_peek(machine_mem(m), counters.memory + 8 * k, &value,
			                     sizeof value));
			const struct oracle *x = oracle_of(machine_pipe(original)->prof);
			for (uint32_t e = 0; o.what[0].kind == INSTRUMENT_EDGE &&
			                     e < oracle_entries(x, ORACLE_EDGES);
			     e++)
				if (oracle_entry(x, ORACLE_EDGES, e)->key[0] == at->at &&
				    oracle_entry(x, ORACLE_EDGES, e)->key[1] == at->to)
					right += oracle_entry(x, ORACLE_EDGES, e)->count;
			if (o.what[0].kind == INSTRUMENT_BB)
				right = oracle_count(machine_pipe(original)->prof, at->at);
			assert_int_equal(value, right);
			sum_counted += value;
		}
		assert_true(sum_counted > 3000);
		machine_free(original);
		machine_free(m);
		program_free(q);
	}
	assert_false(program_counters(f.p, 0, &(struct counters){0}));
	program_free(f.p);
}

/* The instruction that ends at an address. */
static uint32_t inst_before(const struct fixture *f, uint64_t end)
{
	uint32_t i = edit_inst_at(f->e, end - 4);
	return i != EDIT_NONE && f->insts[i].in.len == 4 ? i : edit_inst_at(f->e, end - 2);
}

/* How often the oracle saw control go from pc to a block, without a jump if pc is no jump. */
static uint64_t oracle_edge(struct machine *m, const struct fixture *f, uint32_t i, uint64_t to)
{
	const struct oracle *o = oracle_of(machine_pipe(m)->prof);
	uint64_t sum = 0;
	if (!inst_is_control(&f->insts[i].in))
		return oracle_count(machine_pipe(m)->prof, f->insts[i].addr);
	for (uint32_t e = 0; e < oracle_entries(o, ORACLE_EDGES); e++)
		if (oracle_entry(o, ORACLE_EDGES, e)->key[0] == f->insts[i].addr &&
		    oracle_entry(o, ORACLE_EDGES, e)->key[1] == to)
			sum += oracle_entry(o, ORACLE_EDGES, e)->count;
	return sum;
}

static bool peek(void *ctx, uint64_t at, void *out, size_t n)
{
	return mem_peek(machine_mem(ctx), at, out, n);
}

/* Where jumps through registers meet. */
static bool is_meeting(const struct path_function *fn, uint32_t vertex)
{
	return vertex >= CFG_BLOCKS && !fn->blocks[vertex - CFG_BLOCKS].end;
}

static uint64_t meeting_edge(struct machine *original, const struct fixture *f,
                             const struct path_function *fn, const struct path_edge *edge)
{
	uint64_t n = 0;
	if (is_meeting(fn, edge->to))
		return oracle_count(
			machine_pipe(original)->prof,
			f->insts[inst_before(f, fn->blocks[edge->from - CFG_BLOCKS].end)].addr);
	for (uint32_t k = 0; k < fn->graph.count; k++)
		if (fn->edges[k].to == edge->from)
			n += oracle_edge(
				original, f,
				inst_before(f, fn->blocks[fn->edges[k].from - CFG_BLOCKS].end),
				fn->blocks[edge->to - CFG_BLOCKS].start);
	return n;
}

/* Each edge between blocks is on as many executed paths as the oracle saw it used. */
static struct path_counts check_paths(const struct cross *c, bool simple)
{
	const struct instrument_options o = {
		.what = {{INSTRUMENT_PATH, -1}}, .count = 1, .simple = simple};
	struct instrument_summary sum;
	struct counters counters;
	struct path_profile paths;
	struct fixture f;
	struct err err;
	struct output out = {{0}, 0};
	struct path_counts counts;
	uint64_t edges = 0, used = 0, executed = 0, hashed = 0;
	unsigned looked = 0, twice = 0;
	uint64_t met = 0;
	open_editor(&f, c);
	struct program *q = instrument_program(f.p, &o, &sum, NULL, NULL, &err);
	if (!q)
		fail_msg("%s", err.msg);
	assert_true(sum.left_by[LEFT_NO_REGISTER] + sum.left_by[LEFT_CALLS_EARLY] <
	            sum.functions / 20);
	assert_true(program_counters(q, 0, &counters));
	assert_true(program_paths(q, &paths));
	struct machine *m = compare(&f, q), *original = run(f.p, &out);
	if (!path_counts_read(&paths, &counters, peek, m, &counts, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(counts.lost[0], 0);
	for (uint64_t k = 0; k < paths.count; k++) {
		const struct path_function *fn = &paths.functions[k];
		const struct symbol *s = program_symbol_at(f.p, fn->at);
		/* jump() has a path that never ends, behind its loop: longjmp() leaves it. */
		const bool left = s && !strcmp(s->name, "jump");
		uint64_t lost = 0;
		static const char *const ours[] = {"main",
		                                   "choose",
		                                   "compare",
		                                   "twice",
		                                   "thrice",
		                                   "strlen",
		                                   "_int_malloc",
		                                   "msort_with_tmp.part.0",
		                                   "__vfprintf_internal",
		                                   "__printf_fp_l"};
		bool wanted = false;
		for (unsigned i = 0; i < sizeof ours / sizeof *ours; i++)
			wanted |= s && !strcmp(s->name, ours[i]);
		if (!wanted && !left)
			continue;
		looked += wanted;
		uint64_t *times = calloc(fn->graph.count, sizeof *times);
		assert_non_null(times);
		for (uint64_t i = 0; i < counts.n; i++) {
			uint32_t way[256];
			const uint64_t path = counts.all[i].path, value = counts.all[i].words[0];
			if (counts.all[i].function != k)
				continue;
			hashed += fn->where == PATHS_IN_TABLE;
			const uint32_t n = paths_decode(&fn->graph, path, way, 256);
			assert_true(n <= 256);
			executed += value;
			/* A cut edge ends one path and begins another: it counts where it ends one.
			 */
			for (uint32_t at = 0; at < n; at++)
				if (at > 0 || !fn->edges[way[at]].cut)
					times[way[at]] += value;
		}
		for (uint32_t e = 0; e < fn->graph.count; e++) {
			const struct path_edge *edge = &fn->edges[e];
			if (edge->from == CFG_ENTRY || edge->to == CFG_EXIT)
				continue;
			/* Where jumps through registers meet: each leads there as often as it is
			 * executed, and from there as often as the oracle has seen any of them go.
			 */
			if (is_meeting(fn, edge->from) || is_meeting(fn, edge->to)) {
				assert_int_equal(times[e], meeting_edge(original, &f, fn, edge));
				met += times[e];
				continue;
			}
			const uint32_t i = inst_before(&f, fn->blocks[edge->from - CFG_BLOCKS].end);
			assert_int_not_equal(i, EDIT_NONE);
			const bool call = (inst_flags(&f.insts[i].in) & OPF_JUMP) &&
			                  f.insts[i].in.rd != REG_SINK;
			const uint64_t to = fn->blocks[edge->to - CFG_BLOCKS].start;
			/* Behind a call there is no edge of the oracle's: what stands there is
			 * executed as often, if nothing else leads there. */
			if (call && left) {
				const struct symbol *callee =
					program_symbol_at(f.p, f.insts[i].target);
				assert_int_equal(edge->cut, strstr(callee->name, "setjmp") != NULL);
				twice += edge->cut;
			}
			if (call)
				continue;
			if (left) {
				assert_true(times[e] <= oracle_edge(original, &f, i, to));
				lost += oracle_edge(original, &f, i, to) - times[e];
			} else {
				if (times[e] != oracle_edge(original, &f, i, to))
					print_message("DBG %s %s edge %u->%u at %lx to %lx: %lu "
					              "right %lu cut %d\n",
					              s->name, edge->cut ? "cut" : "", edge->from,
					              edge->to, f.insts[i].addr, to, times[e],
					              oracle_edge(original, &f, i, to), edge->cut);
			}
			edges++;
			used += times[e];
		}
		if (left)
			assert_in_range(lost, 1, 2); /* how its last loop ends */
		free(times);
	}
	assert_true(met > 50);
	assert_true(edges > 40);
	assert_true(used > 5000);
	assert_true(executed > 1000);
	assert_int_equal(twice, 1); /* a path ends before setjmp() */
	assert_true(looked >= 9); /* in _int_malloc no register is free */
	assert_true(hashed >= 2); /* vfprintf has more paths than an array */
	machine_free(original);
	machine_free(m);
	path_profile_free(&paths);
	program_free(q);
	close_editor(&f);
	return counts;
}

static void paths_account_for_all_edges(void **state)
{
	if (!*state)
		skip();
	/* With labels on chords and on all edges: the paths are the same numbers. */
	struct path_counts chords = check_paths(*state, false), simple = check_paths(*state, true);
	assert_true(chords.n > 100);
	assert_int_equal(chords.n, simple.n);
	assert_memory_equal(chords.all, simple.all, chords.n * sizeof *chords.all);
	path_counts_free(&chords);
	path_counts_free(&simple);
}

/* Prologues that call, before they lower the stack pointer, would lose their caller's place: such
 * functions are left alone. */
static void calls_in_prologues_are_left_alone(void **state)
{
	if (!*state)
		skip();
	struct cross c;
	struct err err;
	assert_true(cross_build(&c, "c", guest_text, "-O2 -msave-restore " LINK));
	const struct instrument_options o = {.what = {{INSTRUMENT_PATH, -1}}, .count = 1};
	struct instrument_summary plain, sum;
	struct fixture f = {.p = program_open(((const struct cross *)*state)->program, &err)};
	program_free(instrument_program(f.p, &o, &plain, NULL, NULL, &err));
	program_free(f.p);
	f.p = program_open(c.program, &err);
	assert_non_null(f.p);
	struct program *q = instrument_program(f.p, &o, &sum, NULL, NULL, &err);
	if (!q)
		fail_msg("%s", err.msg);
	/* main and depth at least */
	assert_true(sum.left_by[LEFT_CALLS_EARLY] >= plain.left_by[LEFT_CALLS_EARLY] + 2);
	machine_free(compare(&f, q));
	program_free(q);
	program_free(f.p);
	cross_remove(&c);
}

/* t1 is kept over a call whose callee doesn't use it, as compilers do that know both: it matters
 * before the call, and in the callee; and in who returns to where somebody else called, as longjmp
 * does. */
static void what_matters_behind_a_call_matters_in_it(void **state)
{
	static const char text[] =
		".globl _start, f, jumps, returns\n"
		"_start: li t1, 5\n jal ra, f\n add a0, a0, t1\n li a7, 93\n ecall\n"
		".size _start, . - _start\n"
		".type f, @function\n"
		"f: li a0, 2\n ret\n"
		".size f, . - f\n"
		".type jumps, @function\n"
		"jumps: ld sp, 0(a0)\n ld ra, 8(a0)\n ret\n"
		".size jumps, . - jumps\n"
		".type returns, @function\n"
		"returns: ld ra, 0(sp)\n addi sp, sp, 16\n ret\n"
		".size returns, . - returns\n";
	enum { ARGUMENTS = 0xff << 10 /* a0 to a7 */ };
	struct cross c;
	struct fixture f;
	if (!*state)
		skip();
	assert_true(cross_build(&c, "S", text, "-nostdlib " LINK));
	open_editor(&f, &c);
	uint32_t *live = edit_liveness(f.e);
	assert_non_null(live);
	const uint32_t start = edit_inst_at(f.e, program_entry(f.p)),
		       callee = edit_inst_at(f.e, program_symbol_by_name(f.p, "f")->addr);
	assert_false(live[start] >> T1 & 1);
	assert_true(live[start + 1] >> T1 & 1);
	assert_true(live[callee] >> T1 & 1);
	assert_false(live[callee] >> 10 & 1); /* a0, which it writes */
	assert_true(live[callee + 1] >> 10 & 1);
	assert_false(live[callee] >> 17 & 1); /* a7 */
	assert_true(live[callee] >> 1 & 1);   /* ra */
	assert_int_equal(live[start + 4] & ARGUMENTS, ARGUMENTS);
	assert_true(live[edit_inst_at(f.e, program_symbol_by_name(f.p, "jumps")->addr)] >> T1 & 1);
	assert_false(live[edit_inst_at(f.e, program_symbol_by_name(f.p, "returns")->addr)] >> T1 &
	             1);
	free(live);
	close_editor(&f);
	cross_remove(&c);
}

static void functions_have_their_names_and_sizes(void **state)
{
	if (!*state)
		skip();
	struct fixture f;
	open_editor(&f, *state);
	struct program *q = finish(&f);
	static const char *const names[] = {"main", "choose", "qsort", "memcpy"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		const struct symbol *before = program_symbol_by_name(f.p, names[i]),
				    *after = program_symbol_by_name(q, names[i]);
		struct source_line old, new;
		assert_true(before && after);
		assert_int_not_equal(before->addr, after->addr);
		assert_int_equal(after->addr, edit_new_address(f.e, before->addr));
		assert_true(after->size >= before->size && after->size < 2 * before->size + 64);
		if (program_line_at(f.p, before->addr, &old)) {
			assert_true(program_line_at(q, after->addr, &new));
			assert_int_equal(old.line, new.line);
			assert_string_equal(old.file, new.file);
		}
	}
	program_free(q);
	close_editor(&f);
}

static void refuse(const char *flags, const char *why)
{
	struct cross c;
	struct err err = {""};
	assert_true(cross_build(&c, "c", "int main(void) { return 3; }\n", flags));
	struct program *p = program_open(c.program, &err);
	assert_non_null(p);
	assert_null(edit_open(p, &err));
	if (!strstr(err.msg, why))
		fail_msg("'%s' should say '%s'", err.msg, why);
	program_free(p);
	cross_remove(&c);
}

static void what_it_cant_edit_it_says(void **state)
{
	if (!*state)
		skip();
	refuse("-static", "link it with -Wl,--emit-relocs");
	refuse("-static -s", "stripped");
	refuse("-nostdlib -static -fPIE -Wl,-pie,--no-dynamic-linker,--emit-relocs -e main",
	       "position-independent");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_put_in_changes_nothing),
		cmocka_unit_test(blocks_count_as_the_oracle_does),
		cmocka_unit_test(edges_count_as_the_oracle_does),
		cmocka_unit_test(kinds_count_as_the_oracle_does),
		cmocka_unit_test(paths_account_for_all_edges),
		cmocka_unit_test(calls_in_prologues_are_left_alone),
		cmocka_unit_test(what_matters_behind_a_call_matters_in_it),
		cmocka_unit_test(functions_have_their_names_and_sizes),
		cmocka_unit_test(what_it_cant_edit_it_says),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
