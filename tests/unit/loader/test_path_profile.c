/* Tables of paths of an instrumented program (loader/instrument/path_table.h, path_profile.h): full
 * hash tables, a path's own metrics, and invalid path numbers. */
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include "core/machine/machine.h"
#include "core/mem/mem.h"
#include "loader/instrument/instrument.h"
#include "loader/instrument/metrics.h"
#include "loader/instrument/path_profile.h"
#include "loader/launch.h"
#include "tests/cases.h"
#include "tests/unit/loader/cross.h"

#define FLAGS                                                                                      \
	"-O1 -fno-if-conversion -fno-if-conversion2 -fno-tree-loop-if-convert -nostdlib "          \
	"-nostartfiles -static -Wl,--emit-relocs"

/* bits() has 2^14 paths, one for each argument; outer() does little work itself. */
static const char guest_text[] =
	"volatile int sink;\n"
	"#define BIT(k) if (x >> k & 1) sink = k; else sink = -k - 1;\n"
	"__attribute__((noinline)) void bits(int x)\n"
	"{ BIT(0) BIT(1) BIT(2) BIT(3) BIT(4) BIT(5) BIT(6) BIT(7) BIT(8) BIT(9) BIT(10) BIT(11) "
        "BIT(12) BIT(13) }\n"
	"__attribute__((noinline)) int inner(int n) { int s = 0; for (int i = 0; i < n; i++) s += "
        "sink; return s; }\n"
	"__attribute__((noinline)) int outer(int n)\n"
	"{ int s = sink + sink + sink + sink + sink + sink + sink + sink + sink + sink + sink + "
        "sink; s ^= inner(100 * n); s ^= inner(200 * n); return s + sink; }\n"
	"void _start(void)\n"
	"{\n"
	"	for (int x = 0; x < ROUNDS; x++) bits(x * 5 & 16383);\n"
	"	for (int i = 0; i < 10; i++) sink = outer(10);\n"
	"	register int a0 __asm__(\"a0\") = 0, a7 __asm__(\"a7\") = 93;\n"
	"	__asm__ volatile(\"ecall\" :: \"r\"(a0), \"r\"(a7));\n"
	"	for (;;);\n"
	"}\n";

struct run {
	struct cross c;
	struct program *p, *q;
	struct machine *m;
	struct counters counters;
	struct path_profile paths;
	struct path_counts counts;
};

static bool path_profile_peek_machine(void *ctx, uint64_t at, void *out, size_t n)
{
	return mem_peek(machine_mem(ctx), at, out, n);
}

/* Instrumented, and run to its end. */
static void open_run(struct run *r, unsigned rounds, enum instrument_kind kind, const char *metrics,
                     bool timing)
{
	static char *argv[] = {(char *)"guest", NULL};
	char flags[sizeof FLAGS + 32];
	struct instrument_options o = {.what = {{kind, -1}}, .count = 1};
	struct config cfg;
	struct err err;
	config_default(&cfg);
	snprintf(flags, sizeof flags, FLAGS " -DROUNDS=%u", rounds);
	assert_true(cross_build(&r->c, "c", guest_text, flags));
	r->p = program_open(r->c.program, &err);
	assert_non_null(r->p);
	if (metrics && !metrics_parse(&o, metrics, &err))
		fail_msg("%s", err.msg);
	r->q = instrument_program(r->p, &o, NULL, NULL, NULL, &err);
	if (!r->q)
		fail_msg("%s", err.msg);
	const struct launch l = {.path = "guest", .argc = 1, .argv = argv, .stdin_fd = -1};
	r->m = launch_machine(&l, r->q, &cfg, &err);
	assert_non_null(r->m);
	if (timing)
		machine_run(r->m, UINT64_MAX, UINT64_MAX);
	else
		machine_run_functional(r->m, UINT64_MAX, false);
	assert_int_equal(machine_status(r->m), MACHINE_EXITED);
	assert_true(program_counters(r->q, 0, &r->counters));
	assert_true(program_paths(r->q, &r->paths));
	if (!path_counts_read(&r->paths, &r->counters, path_profile_peek_machine, r->m, &r->counts,
	                      &err))
		fail_msg("%s", err.msg);
}

static void close_run(struct run *r)
{
	path_counts_free(&r->counts);
	path_profile_free(&r->paths);
	machine_free(r->m);
	program_free(r->q);
	program_free(r->p);
	cross_remove(&r->c);
}

static uint64_t path_profile_function_index(const struct run *r, const char *name)
{
	const struct symbol *s = program_symbol_by_name(r->p, name);
	assert_non_null(s);
	for (uint64_t k = 0; k < r->paths.count; k++)
		if (r->paths.functions[k].at == s->addr)
			return k;
	fail_msg("%s counts no paths", name);
	return 0;
}

/* Sums of a function's words; how many paths of it were executed in *different. */
static void path_profile_sum_words(const struct run *r, const char *name,
                                   uint64_t words[PATH_WORDS_MAX], uint64_t *different)
{
	const uint64_t k = path_profile_function_index(r, name);
	*different = 0;
	memset(words, 0, PATH_WORDS_MAX * sizeof *words);
	for (uint64_t i = 0; i < r->counts.n; i++) {
		if (r->counts.all[i].function != k)
			continue;
		(*different)++;
		for (unsigned w = 0; w < PATH_WORDS_MAX; w++)
			words[w] += r->counts.all[i].words[w];
	}
}

/* The longest distance, in slots, of a function's path from path_slot(). */
static unsigned longest_probe(const struct run *r, const struct path_function *f)
{
	const uint64_t step = UINT64_C(1) << path_slot_log2(&f->table);
	unsigned most = 0;
	for (uint64_t i = 0; i < (1 << PATH_SLOTS_LOG2) + PATH_PROBES; i++) {
		uint64_t key;
		assert_true(path_profile_peek_machine(r->m, f->first + PATH_HEAD + step * i, &key,
		                                      sizeof key));
		const uint64_t from = key ? path_slot(&f->table, key - 1) : i;
		assert_in_range(i, from, from + PATH_PROBES - 1);
		most = i - from > most ? (unsigned)(i - from) : most;
	}
	return most;
}

/* More paths than the table has room for: executions without a slot are counted, too. */
TEST(no_execution_is_lost)
{
	uint64_t words[PATH_WORDS_MAX], different;
	struct run r;
	if (!cross_available())
		skip();
	open_run(&r, 2000, INSTRUMENT_PATH, NULL, false);
	const struct path_function *f = &r.paths.functions[path_profile_function_index(&r, "bits")];
	assert_int_equal(f->where, PATHS_IN_TABLE);
	assert_in_range(f->graph.paths, 1 << 14, (1 << 14) + 16);
	path_profile_sum_words(&r, "bits", words, &different);
	assert_int_equal(different, 2000);
	assert_int_equal(words[0], 2000);
	assert_int_equal(r.counts.lost[0], 0);
	close_run(&r);

	open_run(&r, 16000, INSTRUMENT_PATH_HW, "commit.stores", true);
	path_profile_sum_words(&r, "bits", words, &different);
	assert_in_range(different, 4000, (1 << PATH_SLOTS_LOG2) + PATH_PROBES);
	assert_int_equal(words[0] + r.counts.lost[0], 16000);
	assert_true(r.counts.lost[0] > 10000);
	f = &r.paths.functions[path_profile_function_index(&r, "bits")];
	assert_int_equal(longest_probe(&r, f), PATH_PROBES - 1);
	/* 14 stores on each path; the look-up's own stores are not counted. */
	assert_int_equal(words[1], 14 * words[0]);
	assert_int_equal(r.counts.lost[1], 14 * r.counts.lost[0]);
	close_run(&r);
}

/* A callee's cost is not its caller's (section 3.1); that of code after the call is. */
TEST(metrics_are_put_by_across_calls)
{
	uint64_t inner[PATH_WORDS_MAX], outer[PATH_WORDS_MAX], different;
	const char *names[INSTRUMENT_METRICS];
	struct run r;
	if (!cross_available())
		skip();
	open_run(&r, 10, INSTRUMENT_PATH_HW, "commit.loads,sim.insts", true);
	assert_true(program_metrics(r.q, names));
	assert_string_equal(names[0], "commit.loads");
	assert_string_equal(names[1], "sim.insts");
	path_profile_sum_words(&r, "inner", inner, &different);
	path_profile_sum_words(&r, "outer", outer, &different);
	assert_int_equal(outer[0], 10);
	assert_in_range(inner[1], 30000, 30000 + 10 * inner[0]);
	/* 12 loads before the calls, one after, loads of saved registers, and those of inserted
	 * code; not the 3000 loads of each round. */
	assert_in_range(outer[1], 10 * 13, 10 * 30);
	assert_in_range(outer[2], 10 * 40, 10 * 200);
	close_run(&r);
}

/* An invalid path number in a hash table counts as lost; an unreadable table is an error. */
TEST(what_is_no_path_is_said)
{
	struct run r;
	struct err err;
	struct path_counts again;
	if (!cross_available())
		skip();
	open_run(&r, 1, INSTRUMENT_PATH, NULL, false);
	struct path_function *f = &r.paths.functions[path_profile_function_index(&r, "bits")];
	const uint64_t wrong[2] = {f->table.paths + 1, 77};
	assert_true(mem_poke(machine_mem(r.m), f->first + PATH_HEAD + 16 * 7, wrong, sizeof wrong));
	assert_true(path_counts_read(&r.paths, &r.counters, path_profile_peek_machine, r.m, &again,
	                             &err));
	assert_int_equal(again.n, r.counts.n);
	assert_int_equal(again.lost[0], 77);
	path_counts_free(&again);
	f->first = UINT64_C(1) << 50;
	assert_false(path_counts_read(&r.paths, &r.counters, path_profile_peek_machine, r.m, &again,
	                              &err));
	assert_non_null(strstr(err.msg, "can't be read"));
	close_run(&r);
}

/* Paths with adjacent or distant numbers share few slots. */
TEST(paths_are_spread)
{
	static const uint64_t steps[] = {
		1, 2, 4, 64, 4096, UINT64_C(1) << 32, (UINT64_C(1) << 40) + 1};
	const struct path_table t = path_table_for(PATHS_MOST, 1, PATH_SLOTS_LOG2);
	assert_int_equal(t.log2, PATH_SLOTS_LOG2);
	assert_int_equal(path_table_for(PATH_ARRAY_MOST, 1, PATH_SLOTS_LOG2).log2, 0);
	for (unsigned s = 0; s < sizeof steps / sizeof *steps; s++) {
		uint8_t *used = calloc((size_t)1 << PATH_SLOTS_LOG2, 1);
		unsigned most = 0;
		assert_non_null(used);
		for (uint64_t k = 0; k < 2048; k++) {
			const uint32_t slot = path_slot(&t, k * steps[s]);
			assert_true(slot < UINT32_C(1) << PATH_SLOTS_LOG2);
			most = ++used[slot] > most ? used[slot] : most;
		}
		assert_true(most <= PATH_PROBES / 4);
		free(used);
	}
}

struct table_bytes {
	uint64_t *word;
	size_t bytes;
};

/* A table at address 0: nothing lies after its end. */
static bool read_table_bytes(void *ctx, uint64_t at, void *out, size_t n)
{
	const struct table_bytes *b = ctx;
	if (at > b->bytes || n > b->bytes - at)
		return false;
	memcpy(out, (const char *)b->word + at, n);
	return true;
}

struct slots_seen {
	uint64_t next; /* next path */
	uint32_t words;
};

static void check_path_slot(void *ctx, uint64_t path, const uint64_t *words)
{
	struct slots_seen *seen = ctx;
	assert_int_equal(path, seen->next++);
	for (unsigned i = 0; i < PATH_WORDS_MAX; i++)
		assert_int_equal(words[i], i < seen->words ? 10 * path + i + 1 : 0);
}

/* Reads a full table, or a full array, to its last slot and no further. */
TEST(every_slot_is_read)
{
	for (unsigned k = 0; k < 4; k++) {
		const bool hashed = k & 1;
		const uint32_t words = k & 2 ? 3 : 1, step = words + hashed;
		const struct path_table t = path_table_for(
			hashed ? PATHS_MOST : PATH_ARRAY_MOST, words, PATH_SLOTS_LOG2);
		const uint64_t slots =
			hashed ? (1 << PATH_SLOTS_LOG2) + PATH_PROBES : PATH_ARRAY_MOST;
		struct table_bytes b = {.bytes = (hashed ? PATH_HEAD : 0) + 8 * slots * step};
		assert_int_equal(path_table_bytes(&t), b.bytes);
		b.word = calloc(1, b.bytes);
		assert_non_null(b.word);
		for (uint64_t i = 0; i < slots; i++) {
			uint64_t *slot = b.word + (hashed ? PATH_HEAD / 8 : 0) + step * i;
			slot[0] = i + 1;
			for (uint32_t w = 0; w < words; w++)
				slot[hashed + w] = 10 * i + w + 1;
		}
		struct slots_seen seen = {.words = words};
		uint64_t lost[PATH_WORDS_MAX] = {9, 9, 9};
		b.word[0] += hashed ? 5 : 0;
		assert_true(path_table_each(&t, 0, read_table_bytes, &b, check_path_slot, &seen,
		                            lost));
		assert_int_equal(seen.next, slots);
		assert_int_equal(lost[0], hashed ? 5 : 0);
		assert_int_equal(lost[2], 0);
		free(b.word);
	}
}
