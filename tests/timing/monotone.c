/* No parameter made worse makes a program faster. Micro-programs of every kind run from cold to
 * their end, with each parameter at values from better to worse; a run with the worse of two
 * neighbours must not be shorter. Shorter cases are listed, with the difference and the reason. */
#include "core/machine/params.h"
#include "tests/timing/bench.h"
#include "tests/timing/encode.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the programs: bodies of a loop ---- */

enum { TURNS = 6, POINTER = 18, SECOND, THIRD, RANDOM };

/* Steps to the next line, so that each round reads cold memory. */
static void monotone_emit_pointer_step(struct program *p, int64_t bytes)
{
	emit(p, rv_addi(POINTER, POINTER, (int32_t)bytes));
}

/* A store to a line not seen before, loaded back when it has committed. */
static void cold_store_loaded_back(struct program *p, int64_t distance)
{
	p->x[POINTER] = DATA;
	for (int i = 0; i < 3; i++) {
		emit(p, rv_sd(5, 0, POINTER));
		for (int64_t k = 0; k < distance; k++)
			emit(p, rv_addi(5, 5, 1));
		emit(p, rv_ld(5, 0, POINTER));
		monotone_emit_pointer_step(p, 256);
	}
}

static void fill_memory(struct program *p, int64_t bytes)
{
	p->x[POINTER] = DATA;
	for (int32_t i = 0; i < bytes; i += 8)
		emit(p, rv_sd(0, i, POINTER));
	monotone_emit_pointer_step(p, bytes);
}

static void copy_memory(struct program *p, int64_t bytes)
{
	p->x[POINTER] = DATA;
	p->x[SECOND] = DATA + (1 << 16);
	for (int32_t i = 0; i < bytes; i += 8) {
		emit(p, rv_ld(5 + (unsigned)i / 8 % 3, i, POINTER));
		emit(p, rv_sd(5 + (unsigned)i / 8 % 3, i, SECOND));
	}
	monotone_emit_pointer_step(p, bytes);
	emit(p, rv_addi(SECOND, SECOND, (int32_t)bytes));
}

/* A chain of loads through lines or pages `stride` apart. */
static void monotone_emit_load_chain(struct program *p, int64_t stride)
{
	p->x[POINTER] = DATA;
	set_ring(p, 24, stride);
	for (int i = 0; i < 8; i++)
		emit(p, rv_ld(POINTER, 0, POINTER));
}

/* Independent loads `stride` apart, each used at once. */
static void monotone_emit_gather(struct program *p, int64_t stride)
{
	p->x[POINTER] = DATA;
	for (int32_t i = 0; i < 8; i++) {
		emit(p, rv_ld(5, 0, POINTER));
		emit(p, rv_add(6, 6, 5));
		monotone_emit_pointer_step(p, stride);
	}
}

static void monotone_emit_through_memory(struct program *p, int64_t offset)
{
	for (int i = 0; i < 8; i++) {
		emit(p, rv_sd(10, 0, X_DATA));
		emit(p, rv_ld(10, (int32_t)offset, X_DATA));
	}
}

/* Loads after a store with a late address. */
static void monotone_emit_late_store(struct program *p, int64_t apart)
{
	p->x[POINTER] = DATA;
	p->x[6] = 1;
	emit(p, rv_divu(12, POINTER, 6));
	emit(p, rv_sd(5, (int32_t)apart, 12));
	for (int i = 0; i < 4; i++) {
		emit(p, rv_ld(13, 8 * i, POINTER));
		emit(p, rv_add(14, 14, 13));
	}
}

static void monotone_emit_arithmetic(struct program *p, int64_t arg)
{
	(void)arg;
	p->x[11] = 3;
	for (unsigned i = 0; i < 4; i++) {
		emit(p, rv_mul(12 + i, 10, 11));
		emit(p, rv_divu(16, 12 + i, 11));
		emit(p, rv_addi(10, 10, 1));
		emit(p, rv_xor(17, 17, 16));
	}
}

static void monotone_emit_floating(struct program *p, int64_t arg)
{
	(void)arg;
	for (unsigned i = 0; i < 3; i++) {
		emit(p, rv_fmul(10 + i, F_ONE, F_ONE));
		emit(p, rv_fadd(13, 10 + i, F_ONE));
		emit(p, rv_fdiv(14 + i, 13, F_ONE));
		emit(p, rv_fsqrt(17, 14 + i));
		emit(p, rv_fma(18, 17, 13, 18));
	}
}

/* Straight code over lines and, if long enough, pages. */
static void monotone_emit_code(struct program *p, int64_t insts)
{
	nops(p, insts);
}

/* A branch by a bit of a shift register that repeats after 15 rounds, and calls two deep. */
static void branches_and_calls(struct program *p, int64_t arg)
{
	(void)arg;
	p->x[RANDOM] = 9;
	for (int i = 0; i < 4; i++) {
		emit(p, rv_srli(12, RANDOM, 3));
		emit(p, rv_srli(13, RANDOM, 2));
		emit(p, rv_xor(12, 12, 13));
		emit(p, rv_andi(12, 12, 1));
		emit(p, rv_slli(RANDOM, RANDOM, 1));
		emit(p, rv_add(RANDOM, RANDOM, 12));
		emit(p, rv_andi(RANDOM, RANDOM, 15));
		emit(p, rv_bne(12, 0, 12));
		emit(p, rv_addi(14, 14, 1));
		emit(p, rv_addi(15, 15, 1));
	}
	emit(p, rv_jal(1, 8));       /* calls outer */
	emit(p, rv_jal(0, 24));      /* over the functions */
	emit(p, rv_addi(5, 1, 0));   /* outer: */
	emit(p, rv_jal(1, 12));
	emit(p, rv_addi(1, 5, 0));
	emit(p, rv_jalr(0, 1));
	emit(p, rv_jalr(0, 1));      /* inner: */
}

/* Code that a compiler would never write: `seed` picks 40 instructions. None holds a unit for more
 * than a cycle: see UNITS. */
static void monotone_emit_random_mixture(struct program *p, int64_t seed)
{
	uint64_t state = (uint64_t)seed * 0x9e3779b97f4a7c15;
	p->x[POINTER] = DATA;
	p->x[11] = 3;
	for (int i = 0; i < 40; i++) {
		state = state * 6364136223846793005 + 1442695040888963407;
		unsigned pick = (unsigned)(state >> 60), rd = 12 + (state >> 40 & 3),
			 rs = 12 + (state >> 44 & 3);
		int32_t offset = (int32_t)(state >> 48 & 31) * 24;
		if (pick < 5)
			emit(p, rv_add(rd, rs, rd));
		else if (pick < 7)
			emit(p, rv_mul(rd, rs, 11));
		else if (pick < 10)
			emit(p, rv_ld(rd, offset, POINTER));
		else if (pick < 13)
			emit(p, rv_sd(rs, offset, POINTER));
		else if (pick < 14)
			emit(p, rv_fmul(10, 10, F_ONE));
		else if (pick < 15)
			monotone_emit_pointer_step(p, 32);
		else
			emit(p, rv_bne(rs, rd, 4));
	}
}

static const struct {
	const char *name;
	body_fn *body;
	int64_t arg;
} programs[] = {
	{"cold store loaded back in 2", cold_store_loaded_back, 2},
	{"cold store loaded back in 12", cold_store_loaded_back, 12},
	{"fill memory", fill_memory, 256},
	{"copy memory", copy_memory, 128},
	{"chase lines", monotone_emit_load_chain, 64},
	{"chase pages", monotone_emit_load_chain, 8192},
	{"gather lines", monotone_emit_gather, 64},
	{"gather in pages", monotone_emit_gather, 2008},
	{"through memory", monotone_emit_through_memory, 0},
	{"through memory, in part", monotone_emit_through_memory, 4},
	{"late store, elsewhere", monotone_emit_late_store, 64},
	{"late store, aliasing", monotone_emit_late_store, 8},
	{"arithmetic", monotone_emit_arithmetic, 0},
	{"floating", monotone_emit_floating, 0},
	{"code in lines", monotone_emit_code, 100},
	{"code in pages", monotone_emit_code, 5000},
	{"branches and calls", branches_and_calls, 0},
	{"mixture 1", monotone_emit_random_mixture, 1},
	{"mixture 2", monotone_emit_random_mixture, 2},
	{"mixture 3", monotone_emit_random_mixture, 3},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* ---- the parameters ---- */

/* Values from better to worse. */
static const struct {
	const char *parameter, *values;
} orders[] = {
	{"pipe.fetch_width", "8 4 2 1"},
	{"pipe.fetch_lines", "16 4 2 1"},
	{"pipe.fetch_queue", "64 32 8 4 1"},
	{"pipe.decode_width", "8 4 2 1"},
	{"pipe.issue_width", "8 4 2 1"},
	{"pipe.commit_width", "8 4 2 1"},
	{"pipe.rob_size", "128 64 32 8"},
	{"pipe.issue_queue", "0 16 4"},
	{"pipe.in_order", "false true"},
	{"pipe.commit_delay", "0 1 2 3 4 8"},
	{"pipe.memory_stage", "0 1 4"},
	{"pipe.fetch_past_taken", "true false"},
	{"pipe.int_writes", "0 8 4 2 1"},
	{"pipe.fp_writes", "0 4 2 1"},
	{"lsq.size", "64 16 4"},
	{"lsq.agen_latency", "1 2 4"},
	{"lsq.forward_latency", "1 2 4 16"},
	{"lsq.replay_size", "false true"},
	{"lsq.replay_synonym", "0 64K 4K 64"},
	{"fu.int", "8 4 2 1"},
	{"fu.imuldiv", "4 2 1"},
	{"fu.fadd", "4 2 1"},
	{"fu.fmuldiv", "4 2 1"},
	{"fu.div", "4 2 1"},
	{"fu.mem", "4 2 1"},
	{"lat.int", "1 2 4"},
	{"lat.imul", "1 3 8"},
	{"occ.imul", "1 3 8"},
	{"lat.idiv", "10 20 40"},
	{"occ.idiv", "1 19 20"},
	{"lat.fadd", "1 2 8"},
	{"occ.fadd", "1 2 8"},
	{"lat.fmul", "1 4 8"},
	{"occ.fmul", "1 4 8"},
	{"lat.fma", "1 4 8"},
	{"occ.fma", "1 4 8"},
	{"lat.fdiv", "6 12 30"},
	{"occ.fdiv", "1 6 12"},
	{"lat.fsqrt", "12 24 48"},
	{"occ.fsqrt", "1 12 24"},
	{"bpred.penalty", "0 1 3 10"},
	{"btb.sets", "128 8 2 0"},
	{"btb.ways", "4 2 1"},
	{"ras.size", "8 2 1 0"},
	{"l1i.perfect", "true false"},
	{"l1i.size", "64K 1K 256"},
	{"l1i.ways", "4 2 1"},
	{"l1i.latency", "1 2 4 8"},
	{"l1d.perfect", "true false"},
	{"l1d.size", "64K 1K 256"},
	{"l1d.ways", "4 2 1"},
	{"l1d.latency", "1 2 4 8"},
	{"l1d.ports", "0 4 2 1"},
	{"l2.ports", "0 4 2 1"},
	{"l2.mshrs", "0 8 2 1"},
	{"l1d.mshrs", "0 8 2 1"},
	{"l1d.mshr_targets", "0 8 2 1"},
	{"l1d.write_buffer", "0 8 2 1"},
	{"l2.perfect", "true false"},
	{"l2.size", "64K 4K 1K"},
	{"l2.ways", "8 4 1"},
	{"l2.latency", "5 10 20 40"},
	{"mem.latency", "50 100 200 400"},
	{"bus.bytes", "64 32 8 1"},
	{"bus.cycles", "1 2 8"},
	{"itlb.sets", "32 1"},
	{"itlb.ways", "4 1"},
	{"dtlb.sets", "32 1"},
	{"dtlb.ways", "4 1"},
	{"tlb.page", "64K 8K 4K"},
	{"tlb.penalty", "0 10 50 200"},
};

/* Parameters without a better direction. */
static const struct {
	const char *parameter, *why;
} unordered[] = {
	{"pipe.completion", "one waits for the reorder buffer, the other for registers, and it "
                            "stands still when a load misses"},
	{"pipe.forwarding", "of machines in order: board.c has it"},
	{"bpred.resolve", "in decode a branch resolves earlier and needs its operands earlier: board.c "
                          "has it"},
	{"mem.unified_port", "of machines that complete out of order: board.c has it"},
	{"pipe.waw", "of machines that complete out of order: textbook.c has it"},
	{"lsq.speculate", "a wrong guess costs a squash, a needless wait costs a wait"},
	{"lsq.predictor", "a load that waits for a store which it does not meet waits in vain"},
	{"lsq.predictor_size", "loads that share an entry may both depend"},
	{"lsq.store_sets", "pairs that share a set wait for each other, rightly or not"},
	{"lsq.predictor_clear", "what is forgotten may have been wrong"},
	{"bpred.kind", "every kind has programs that it is best for"},
	{"bpred.update",
         "counters that learn early are right early and, in a tight loop, wrong early"},
	{"bpred.bimodal_size", "branches that share a counter may agree"},
	{"bpred.l1_size", "a shared history correlates branches"},
	{"bpred.l2_size", "branches that share a counter may agree"},
	{"bpred.index_shift", "neighbours that share an entry may agree"},
	{"bpred.history", "a longer history takes longer to learn"},
	{"bpred.perceptrons", "branches that share a perceptron may agree"},
	{"bpred.meta_size", "branches that share a chooser may agree"},
	{"l1i.replacement", "every policy has programs that it is best for"},
	{"l1d.replacement", "every policy has programs that it is best for"},
	{"l2.replacement", "every policy has programs that it is best for"},
	{"l1i.prefetch", "what is brought in drives out, and takes its turn on the bus"},
	{"l1d.prefetch", "what is brought in drives out, and takes registers and the bus"},
	{"l2.prefetch", "what is brought in drives out, and takes its turn on the bus"},
	{"l1i.prefetch_degree", "more lines in time, or more in vain"},
	{"l1d.prefetch_degree", "more lines in time, or more in vain"},
	{"l2.prefetch_degree", "more lines in time, or more in vain"},
	{"l1d.prefetch_table", "loads that share an entry may share a stride"},
	{"l2.prefetch_table", "loads that share an entry may share a stride"},
	{"l1i.line", "longer lines bring neighbours and drive out others"},
	{"l1d.line", "longer lines bring neighbours and drive out others"},
	{"l2.line", "longer lines bring neighbours and hold the bus longer"},
};

/* A worse value that makes a program faster, by so many cycles at most. All are of the kind that
 * any machine with a queue before a scarce resource has. */
#define UNITS                                                                                      \
	"divisions and roots hold units that are not pipelined: the oldest first is not always "   \
	"the best order"
#define REGISTERS                                                                                  \
	"more at once asks for miss registers: halves of an L2 line that get theirs apart need "   \
	"two transfers' time"
#define PREFETCH "the wrong path behind a return brings in a line of code that the right path needs"

static const struct {
	const char *parameter, *program;
	int64_t cycles;
	const char *why;
} exceptions[] = {
	{"pipe.fetch_width", "floating", 15, UNITS},
	{"pipe.decode_width", "floating", 15, UNITS},
	{"pipe.issue_width", "floating", 15, UNITS},
	{"pipe.issue_queue", "floating", 15, UNITS},
	{"lat.fmul", "floating", 15, UNITS},
	{"lat.fdiv", "floating", 15, UNITS},
	{"btb.sets", "floating", 15, UNITS},
	{"pipe.fp_writes", "floating", 15, UNITS},
	{"pipe.commit_width", "copy memory", 100, REGISTERS},
	{"pipe.rob_size", "copy memory", 100, REGISTERS},
	{"pipe.memory_stage", "copy memory", 100, REGISTERS},
	{"bus.bytes", "copy memory", 100, REGISTERS},
	{"ras.size", "branches and calls", 5, PREFETCH},
	{"lsq.agen_latency", "mixture 1", 1,
         "a load that is later leaves its port to an older instruction"},
};
enum { EXCEPTIONS = sizeof exceptions / sizeof *exceptions };

static int64_t monotone_allowed_cycles(const char *parameter, const char *program, bool *used)
{
	for (unsigned i = 0; i < EXCEPTIONS; i++) {
		if (strcmp(exceptions[i].parameter, parameter) != 0 ||
		    strcmp(exceptions[i].program, program) != 0)
			continue;
		used[i] = true;
		return exceptions[i].cycles;
	}
	return 0;
}

/* A parameter and a program, with values from better to worse. */
static bool monotone_check_order(struct bench *b, const char *parameter, const char *values,
                                 unsigned program, bool *used)
{
	char text[64], *rest = text, before[64] = "";
	int64_t cycles = 0;
	bool ok = true;
	snprintf(text, sizeof text, "%s", values);
	for (char *value; (value = strtok_r(rest, " ", &rest));) {
		int64_t now = whole_run(
			b, "vaswani2003", with("l2.size=64K %s=%s", parameter, value),
			programs[program].body, programs[program].arg, TURNS, "sim.cycles");
		int64_t gain = cycles - now;
		if (gain > 0 &&
		    gain > monotone_allowed_cycles(parameter, programs[program].name, used)) {
			printf("FAIL   %s: %s takes %" PRId64 " cycles with %s, but %" PRId64
			       " with %s\n",
			       parameter, programs[program].name, cycles, before, now, value);
			ok = false;
		}
		cycles = now;
		snprintf(before, sizeof before, "%s", value);
	}
	return ok;
}

static void monotone_count_result(struct bench *b, bool ok)
{
	b->passed += ok;
	b->failed += !ok;
}

static bool monotone_lists_parameter(const char *parameter)
{
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
		if (!strcmp(orders[i].parameter, parameter))
			return true;
	for (size_t i = 0; i < sizeof unordered / sizeof *unordered; i++)
		if (!strcmp(unordered[i].parameter, parameter))
			return true;
	return false;
}

void group_monotone(struct bench *b)
{
	bool used[EXCEPTIONS] = {0};
	const char *scale = getenv("CYCLOPS_TEST_SCALE");
	bool small = !scale || strcmp(scale, "long");
	if (b->ignore) /* other groups test whether parameters have an effect */
		return;
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
		for (unsigned k = small ? i % 8 : 0; k < PROGRAMS; k += small ? 8 : 1)
			monotone_count_result(b, monotone_check_order(b, orders[i].parameter,
			                                              orders[i].values, k, used));
	for (unsigned i = 0; i < EXCEPTIONS; i++) {
		if (small) /* some have not been tried */
			used[i] = true;
		if (!used[i])
			printf("FAIL   no longer so: %s, %s (%s)\n", exceptions[i].parameter,
			       exceptions[i].program, exceptions[i].why);
		monotone_count_result(b, used[i]);
	}
	for (size_t i = 0; i < param_count; i++) {
		if (!bench_is_timing(params[i].name))
			continue;
		bool ok = monotone_lists_parameter(params[i].name);
		if (!ok)
			printf("FAIL   %s is neither ordered nor said to be unordered\n",
			       params[i].name);
		monotone_count_result(b, ok);
	}
	printf("ok     %zu parameters, %d programs: never faster for a worse value, but for %d "
	       "exceptions\n",
	       sizeof orders / sizeof *orders, PROGRAMS, EXCEPTIONS);
}
