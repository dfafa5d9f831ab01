/* Fills of caches: prefetchers, which fetch lines before they are needed, and replacement policies,
 * which choose victims. Loads form chains: each begins when its predecessor has its value. */
#include <stdlib.h>
#include <string.h>

#include "core/defs/kinds.h"
#include "core/pipe/memory/prefetch_kind.h"
#include "tests/timing/encode.h"
#include "tests/timing/fill_model.h"
#include "tests/timing/harness.h"

enum {
	POINTER = 18,
	OTHER,
	LINE_OF = 20, /* registers from here on: one per line of a set */
	/* such that all policies differ in misses */
	SET_LINES = 6,
	WAYS = MODEL_WAYS,
	VISITS = 24,
	SEED = 3,
	/* cycles of a load from memory: its address, the line, and its pointer moves by two
	   additions */
	STEP = 1 + 113 + 1 + 1,
	LINES = 24
};

/* ---- prefetchers ---- */

/* A load; then advances by so many bytes, dependent on the load's value, 0. */
static void load_and_go(struct program *p, unsigned pointer, int64_t bytes)
{
	emit(p, rv_ld(5, 0, pointer));
	emit(p, rv_add(pointer, pointer, 5));
	emit(p, rv_addi(pointer, pointer, (int32_t)bytes));
}

/* LINES lines of memory never seen before, one after the other. */
static void timing_prefetch_emit_stream(struct program *p, int64_t bytes)
{
	p->x[POINTER] = DATA;
	for (int i = 0; i < LINES; i++)
		load_and_go(p, POINTER, bytes);
}

/* One load at the same address of code, round after round. It does not stand at the beginning of a
 * line of code, whose fetches reach L2 too. */
static void timing_prefetch_emit_strided(struct program *p, int64_t bytes)
{
	p->x[POINTER] = DATA;
	nops(p, 1);
	load_and_go(p, POINTER, bytes);
}

/* The same line again and again. */
static void timing_prefetch_emit_one_line(struct program *p, int64_t loads)
{
	p->x[POINTER] = DATA;
	for (int64_t i = 0; i < loads; i++)
		load_and_go(p, POINTER, 0);
}

/* Two alternating loads with unrelated addresses. */
static void two_strided(struct program *p, int64_t bytes)
{
	timing_prefetch_emit_strided(p, bytes);
	emit(p, rv_add(OTHER, OTHER, 5));
	p->x[OTHER] = DATA + (1 << 21);
	load_and_go(p, OTHER, bytes);
	emit(p, rv_add(POINTER, POINTER, 5));
}

static void timing_prefetch_emit_code(struct program *p, int64_t lines)
{
	nops(p, 16 * lines - 3);
}

/* Large pages, so that TLB misses don't repeat, and lines of one size. */
#define MEMORY "l1d.line=64 tlb.page=2M "

/* A line is requested when the access before it begins, and no earlier; so one of degree + 1 lines
 * takes as long as without a prefetcher. */
static void timing_prefetch_check_data(struct bench *b)
{
	check_rounds(b, "l1d.prefetch", "wide", MEMORY, timing_prefetch_emit_stream, 64,
	             "a stream of lines", LINES * STEP);
	check_rounds(b, "l1d.prefetch", "wide", MEMORY "l1d.prefetch=next-line",
	             timing_prefetch_emit_stream, 64, "a stream of lines", LINES * STEP / 2);
	check_rounds(b, "l2.prefetch", "wide", MEMORY "l2.prefetch=next-line",
	             timing_prefetch_emit_stream, 64, "a stream of lines", LINES * STEP / 2);
	for (int degree = 2; degree <= 3; degree++) {
		check_rounds(b, "l1d.prefetch_degree", "wide",
		             with(MEMORY "l1d.prefetch=next-line l1d.prefetch_degree=%d", degree),
		             timing_prefetch_emit_stream, 64, "a stream of lines",
		             LINES * STEP / (degree + 1));
		check_rounds(b, "l2.prefetch_degree", "wide",
		             with(MEMORY "l2.prefetch=next-line l2.prefetch_degree=%d", degree),
		             timing_prefetch_emit_stream, 64, "a stream of lines",
		             LINES * STEP / (degree + 1));
	}
	check_rounds(b, "l1d.prefetch", "wide", MEMORY "l1d.prefetch=next-line",
	             timing_prefetch_emit_strided, 128, "every other line", STEP);
	check_rounds(b, "l1d.prefetch", "wide", MEMORY "l1d.prefetch=stride",
	             timing_prefetch_emit_strided, 128, "every other line", STEP / 2);
	check_rounds(b, "l2.prefetch", "wide", MEMORY "l2.prefetch=stride",
	             timing_prefetch_emit_strided, 128, "every other line", STEP / 2);
	check_rounds(b, "l1d.prefetch_degree", "wide",
	             MEMORY "l1d.prefetch=stride l1d.prefetch_degree=3",
	             timing_prefetch_emit_strided, 128, "every other line", STEP / 4);
	/* A shared entry never learns. With separate entries, a load waits in one of three rounds,
	 * in which the other's line arrives. */
	for (int i = 0; i < 2; i++) {
		const char *parameter = i ? "l2.prefetch_table" : "l1d.prefetch_table",
			   *cache = i ? "l2" : "l1d";
		const char *one =
			with(MEMORY "%s.prefetch=stride %s.prefetch_table=1", cache, cache);
		const char *more =
			with(MEMORY "%s.prefetch=stride %s.prefetch_table=16", cache, cache);
		check_rounds(b, parameter, "wide", one, two_strided, 128, "two loads",
		             2 * (1 + 113 + 1));
		check(b, parameter, more, "two loads", ROUNDS * 2 * (1 + 113 + 1) / 3,
		      rounds(b, "wide", more, two_strided, 128));
	}
}

/* Room: a register for the miss, a page that is translated. */
static void timing_prefetch_check_dropped(struct bench *b)
{
	check_rounds(b, "l1d.mshrs", "wide", MEMORY "l1d.prefetch=next-line l1d.mshrs=1",
	             timing_prefetch_emit_stream, 64, "a stream, the one register taken",
	             LINES * STEP);
	/* A page's last line is followed by one of a page that the TLB does not know. */
	check(b, "l1d.prefetch", "tlb.page=4K", "lines dropped at the ends of pages",
	      ROUNDS * LINES * 64 / 4096,
	      rounds_stat(b, "wide", "l1d.line=64 tlb.page=4K l1d.prefetch=next-line",
	                  timing_prefetch_emit_stream, 64, "l1d.prefetch_dropped"));
}

/* In a cache of 8 sets of a way the eighth line after it takes the place of the line itself, also
 * of the one used last. */
static void driven_out(struct bench *b)
{
	check(b, "l1d.prefetch_degree", "l1d.size=256 l1d.ways=1 l1d.prefetch_degree=8",
	      "misses of a line that drives itself out", ROUNDS * 4,
	      rounds_stat(b, "wide",
	                  "l1d.size=256 l1d.ways=1 l1d.prefetch=next-line l1d.prefetch_degree=8",
	                  timing_prefetch_emit_one_line, 4, "l1d.misses"));
}

/* Code in more lines than the cache has; from L2, 10 cycles. */
static void timing_prefetch_check_code(struct bench *b)
{
	for (int degree = 0; degree <= 3; degree++) {
		const char *options = degree ? with("l1i.size=512 bpred.kind=nottaken "
		                                    "l1i.prefetch=next-line l1i.prefetch_degree=%d",
		                                    degree)
		                             : "l1i.size=512 bpred.kind=nottaken";
		int64_t more = rounds(b, "wide", options, timing_prefetch_emit_code, 144) -
		               rounds(b, "wide", options, timing_prefetch_emit_code, 96);
		check(b, degree > 1 ? "l1i.prefetch_degree" : "l1i.prefetch", options,
		      "48 more lines of code", ROUNDS * 48 * (1 + 10) / (degree + 1), more);
	}
}

/* Prefetchers with a model: under random accesses with strides that sometimes jump, both request
 * the same lines. */
#define MODEL_DECLARE(id, name, ...)                                                               \
	extern const struct prefetch_kind prefetcher_##name;                                       \
	extern const struct prefetch_model model_##name;
#define NONE(...)
PREFETCH_ROWS(MODEL_DECLARE, NONE)
#undef MODEL_DECLARE
static int64_t timing_prefetch_count_same(const struct prefetch_kind *kind,
                                          const struct prefetch_model *model, unsigned degree,
                                          int accesses)
{
	enum { CODES = 24, LINE_LOG2 = 6 };
	struct prefetch_table table = {0};
	struct hierarchy h = {0};
	struct cache c = {.line_log2 = LINE_LOG2,
	                  .prefetcher = {.by = kind, .degree = degree, .mask = MODEL_ENTRIES - 1}};
	uint64_t at[CODES] = {0}, seed = SEED;
	int64_t same = 0;
	c.prefetcher.table = calloc(1, kind->bytes ? kind->bytes(&c.prefetcher) : 1);
	for (int i = 0; i < accesses; i++) {
		uint64_t mine[MODEL_LINES] = {0}, its[PLUGIN_LINES_MAX] = {0};
		seed = seed * 6364136223846793005 + 1442695040888963407;
		const unsigned k = (unsigned)(seed >> 59) % CODES, dice = (unsigned)(seed >> 40);
		/* two of three are from the same instruction, which then trains */
		const unsigned code = dice % 3 ? (unsigned)i / 8 % CODES : k;
		at[code] = dice % 11 ? at[code] + 24 * (code % 5) : (uint64_t)dice * 8;
		const struct model_access a = {.pc = 0x1000 + 2 * code,
		                               .addr = at[code],
		                               .line = at[code] >> LINE_LOG2,
		                               .line_bytes = 1 << LINE_LOG2,
		                               .hit = dice % 7 < 4,
		                               .first_use = dice % 13 < 3};
		const unsigned n = model->access(&table, &a, degree, mine);
		const uint32_t got = kind->access(&h, &c,
		                                  &(struct plugin_access){.pc = a.pc,
		                                                          .addr = a.addr,
		                                                          .line = a.line,
		                                                          .hit = a.hit,
		                                                          .prefetched = a.first_use},
		                                  its);
		same += n == got && !memcmp(mine, its, n * sizeof *mine);
	}
	free(c.prefetcher.table);
	return same;
}

static void timing_prefetch_check_models(struct bench *b)
{
	enum { ACCESSES = 5000 };
	static const struct {
		const char *choice;
		const struct prefetch_kind *kind;
		const struct prefetch_model *model;
	} kinds[] = {
#define PREFETCHER(id, name, choice, ...) {choice, &prefetcher_##name, &model_##name},
		PREFETCH_ROWS(PREFETCHER, NONE)
	};
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
		for (unsigned degree = 1; degree <= 8; degree += 7)
			check(b, "l1d.prefetch", kinds[i].choice, "accesses as the model has them",
			      ACCESSES,
			      timing_prefetch_count_same(kinds[i].kind, kinds[i].model, degree,
			                                 ACCESSES));
}

/* ---- replacement ---- */

/* The line of visit i: a random one of the set, but not the previous one. */
static unsigned timing_prefetch_visited_line(unsigned i)
{
	uint64_t state = SEED;
	unsigned line = 0;
	for (unsigned k = 0; k <= i; k++) {
		state = state * 6364136223846793005 + 1442695040888963407;
		line = (line + 1 + (unsigned)(state >> 60) % (SET_LINES - 1)) % SET_LINES;
	}
	return line;
}

/* A register for each line has its address; lines are `stride` bytes apart. */
static void timing_prefetch_emit_visits(struct program *p, int64_t stride)
{
	for (unsigned i = 0; i < SET_LINES; i++)
		p->x[LINE_OF + i] = DATA + 1024 + (uint64_t)stride * i;
	for (unsigned i = 0; i < VISITS; i++) {
		emit(p, rv_add(LINE_OF + timing_prefetch_visited_line(i),
		               LINE_OF + timing_prefetch_visited_line(i), 5));
		emit(p, rv_ld(5, 0, LINE_OF + timing_prefetch_visited_line(i)));
	}
}

/* Code in SET_LINES lines of one set, in turn. */
static void timing_prefetch_emit_code_pieces(struct program *p, int64_t stride)
{
	for (unsigned i = 1; i < SET_LINES; i++) {
		emit(p, rv_jal(0, (int32_t)stride));
		p->size += (uint32_t)stride - 4;
	}
}

/* Replacement policies with a model. */
#define MODEL_DECLARE(id, name, ...) extern const struct replacement_model model_##name;
REPLACE_ROWS(MODEL_DECLARE, NONE)
#undef MODEL_DECLARE
static const struct {
	const char *choice;
	const struct replacement_model *model;
} policies[] = {
#define POLICY(id, name, choice, ...) {choice, &model_##name},
	REPLACE_ROWS(POLICY, NONE)
};

/* Misses of so many rounds. */
static int64_t timing_prefetch_model_misses(const struct replacement_model *m, bool in_turn,
                                            int count)
{
	struct model_set s = {.line = {-1, -1, -1, -1}, .queue = {0, 1, 2, 3}, .seed = 1};
	int64_t misses = 0;
	for (int i = 0; i < count * (in_turn ? SET_LINES : VISITS); i++) {
		int line = in_turn ? i % SET_LINES
		                   : (int)timing_prefetch_visited_line((unsigned)i % VISITS),
		    way = 0;
		while (way < WAYS && s.line[way] != line)
			way++;
		const bool hit = way < WAYS;
		for (way = hit ? way : 0; s.line[way] >= 0 && !hit && way + 1 < WAYS;)
			way++;
		if (!hit && s.line[way] >= 0)
			way = m->victim(&s);
		misses += !hit;
		s.line[way] = line;
		void (*then)(struct model_set *, int) = hit ? m->used : m->filled;
		if (then)
			then(&s, way);
	}
	return misses;
}

static void timing_prefetch_check_replacement(struct bench *b)
{
	for (unsigned i = 0; i < sizeof policies / sizeof *policies; i++) {
		const char *name = policies[i].choice;
		const struct replacement_model *model = policies[i].model;
		int64_t expected = timing_prefetch_model_misses(model, false, 2 * ROUNDS) -
		                   timing_prefetch_model_misses(model, false, ROUNDS);
		int64_t in_turn = timing_prefetch_model_misses(model, true, 2 * ROUNDS) -
		                  timing_prefetch_model_misses(model, true, ROUNDS);
		const char *l1d = with("l1d.size=1K l1d.ways=4 l1d.replacement=%s", name);
		const char *l2 = with("l1d.size=256 l1d.ways=1 l2.size=8K l2.replacement=%s", name);
		const char *l1i =
			with("l1i.size=1K l1i.ways=4 bpred.kind=combined l1i.replacement=%s", name);
		check(b, "l1d.replacement", l1d, "misses of 6 lines in a set of 4", expected,
		      rounds_stat(b, "wide", l1d, timing_prefetch_emit_visits, 256, "l1d.misses"));
		check(b, "l2.replacement", l2, "misses of 6 lines in a set of 4", expected,
		      rounds_stat(b, "wide", l2, timing_prefetch_emit_visits, 2048, "l2.misses"));
		check(b, "l1i.replacement", l1i, "misses of 6 pieces in a set of 4", in_turn,
		      rounds_stat(b, "wide", l1i, timing_prefetch_emit_code_pieces, 256,
		                  "l1i.misses"));
	}
}

void group_prefetch(struct bench *b)
{
	timing_prefetch_check_models(b);
	timing_prefetch_check_data(b);
	timing_prefetch_check_dropped(b);
	driven_out(b);
	timing_prefetch_check_code(b);
	timing_prefetch_check_replacement(b);
}
