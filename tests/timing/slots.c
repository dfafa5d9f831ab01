/* The slot stack judged by counterfactual: each kernel has one bottleneck, or two in a row. The
 * machine without it must save the cycles charged to it, within a fifth; without both of two, the
 * cycles charged to both, within an eighth, and without one of them not more than that. docs/why.md
 * has the differences. */
#include "tests/timing/bodies.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/defs/stats.h"

enum { OF_A_CYCLE = 16 }; /* slots of the wide machine */

#define RV_FRFLAGS 0x00102673u /* csrrs a2, fflags, zero */

/* ---- bodies: arg instructions of one kind ---- */
static void timing_slots_emit_muls(struct program *p, int64_t n)
{
	while (n-- > 0)
		emit(p, rv_mul(11, 10, 10));
}

static void timing_slots_emit_fadds(struct program *p, int64_t n)
{
	while (n-- > 0)
		emit(p, rv_fadd(3, 2, 2));
}

static void timing_slots_emit_fmuls(struct program *p, int64_t n)
{
	while (n-- > 0)
		emit(p, rv_fmul(3, 2, 2));
}

static void timing_slots_emit_fdivs(struct program *p, int64_t n)
{
	while (n-- > 0)
		emit(p, rv_fdiv(3, F_ONE, F_ONE));
}

static void timing_slots_emit_loads(struct program *p, int64_t n)
{
	while (n-- > 0)
		emit(p, rv_ld(11, 0, X_DATA));
}

static void mul_chain(struct program *p, int64_t n)
{
	while (n-- > 0)
		emit(p, rv_mul(10, 10, 10));
}

static void fadd_chain(struct program *p, int64_t n)
{
	while (n-- > 0)
		emit(p, rv_fadd(2, 2, 2));
}

static void fmul_chain(struct program *p, int64_t n)
{
	while (n-- > 0)
		emit(p, rv_fmul(F_ONE + 1, F_ONE + 1, F_ONE));
}

static void fdiv_chain(struct program *p, int64_t n)
{
	while (n-- > 0)
		emit(p, rv_fdiv(F_ONE + 1, F_ONE + 1, F_ONE));
}

static void timing_slots_emit_add_chain(struct program *p, int64_t n)
{
	while (n-- > 0)
		emit(p, rv_addi(10, 10, 1));
}

/* Eight loads, each from where the one before points to: `stride` bytes on. */
static void timing_slots_emit_load_ring(struct program *p, int64_t stride)
{
	p->x[12] = DATA;
	set_ring(p, 64, stride);
	for (int i = 0; i < 8; i++)
		emit(p, rv_ld(12, 0, 12));
}

/* Loads of 16 lines that a small L1D does not hold; nothing waits for them. */
static void timing_slots_emit_load_stream(struct program *p, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		emit(p, rv_ld(11, (int32_t)(i * 64 - 1024), X_DATA));
	p->x[X_DATA] = DATA + 1024;
}

/* Each of them is added up before the next is loaded. */
static void timing_slots_emit_sum_of_lines(struct program *p, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		emit(p, rv_ld(11, (int32_t)(i * 64 - 1024), X_DATA));
		emit(p, rv_add(12, 12, 11));
	}
	p->x[X_DATA] = DATA + 1024;
}

static void store_stream(struct program *p, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		emit(p, rv_sd(11, (int32_t)(i * 64 - 1024), X_DATA));
	p->x[X_DATA] = DATA + 1024;
}

/* ---- comparing ---- */
/* Each branch (not taken) depends on the sum before. */
static void timing_slots_emit_tested_sums(struct program *p, int64_t n)
{
	while (n--) {
		emit(p, rv_add(11, 11, 10));
		emit(p, rv_bne(11, 11, 8));
	}
}

/* Taken branches, each on the preceding quotient. */
static void timing_slots_emit_tested_quotients(struct program *p, int64_t n)
{
	while (n--) {
		emit(p, rv_divu(11, 10, 10));
		emit(p, rv_beq(11, 11, 8));
		emit(p, rv_addi(13, 14, 1));
	}
}

/* A sum waits for each product, and n independent sums follow. */
static void timing_slots_emit_sums_after_products(struct program *p, int64_t n)
{
	for (int i = 0; i < 4; i++) {
		emit(p, rv_mul(10, 10, 10));
		emit(p, rv_add(11, 10, 10));
		for (int64_t k = 0; k < n; k++)
			emit(p, rv_addi(13, 14, 1));
	}
}

/* Each load waits for the address of the store before, which depends on the load before that store.
 */
static void timing_slots_emit_late_addresses(struct program *p, int64_t n)
{
	for (; n-- > 0;) {
		emit(p, rv_ld(13, 0, X_DATA));
		emit(p, rv_and(14, 13, 0));
		emit(p, rv_add(14, 14, X_DATA));
		emit(p, rv_sd(10, 128, 14));
	}
}

static void timing_slots_emit_atomics(struct program *p, int64_t n)
{
	while (n-- > 0)
		emit(p, rv_amoadd(0, 10, X_DATA));
}

static void timing_slots_emit_flag_reads(struct program *p, int64_t n)
{
	while (n-- > 0)
		emit(p, RV_FRFLAGS);
}

/* The window is emptied for each reading of the flags, which waits for a quotient. */
static void timing_slots_emit_fdivs_and_flag_reads(struct program *p, int64_t n)
{
	while (n-- > 0) {
		emit(p, rv_fdiv(3, F_ONE, F_ONE));
		emit(p, RV_FRFLAGS);
	}
}

/* A product of the previous round's product, and enough independent work to fill the wait. */
static void timing_slots_emit_product_among_sums(struct program *p, int64_t n)
{
	emit(p, rv_mul(10, 10, 10));
	while (n-- > 0)
		emit(p, rv_addi(13, 14, 1));
}

static void timing_slots_emit_divs_among_sums(struct program *p, int64_t n)
{
	for (int i = 0; i < 10; i++) {
		emit(p, rv_divu(11, 10, 10));
		for (int64_t k = 0; k < n; k++)
			emit(p, rv_addi(13, 14, 1));
	}
}

/* A product of the round before's, and a chain of sums of it, which are the oldest while the next
 * product is on its way. */
static void timing_slots_emit_product_and_sums_of_it(struct program *p, int64_t n)
{
	emit(p, rv_mul(10, 10, 10));
	emit(p, rv_addi(11, 10, 1));
	while (n-- > 0)
		emit(p, rv_addi(11, 11, 1));
}

/* Taken branches, each while the product of the product before is on its way. */
static void timing_slots_emit_branches_among_products(struct program *p, int64_t n)
{
	while (n-- > 0) {
		emit(p, rv_mul(10, 10, 10));
		emit(p, rv_beq(0, 0, 8));
		emit(p, rv_addi(13, 14, 1));
	}
}

struct kernel {
	body_fn *body;
	int64_t arg;
	const char *machine;  /* settings that expose the bottleneck */
	const char *cause, *without; /* settings with the bottleneck and without it */
	const char *rows;     /* of the stack, separated by blanks */
};

/* Cycles that the stack charges to these rows. */
static int64_t timing_slots_charged_cycles(struct bench *b, const char *options, body_fn *body,
                                           int64_t arg, const char *rows)
{
	char copy[128], *save;
	double slots = 0;
	snprintf(copy, sizeof copy, "%s", rows);
	for (char *row = strtok_r(copy, " ", &save); row; row = strtok_r(NULL, " ", &save))
		slots += (double)rounds_stat(b, "wide", options, body, arg, with("slots.%s", row));
	return (int64_t)(slots / OF_A_CYCLE + 0.5);
}

/* The cycles saved are those claimed, within a fraction of them. */
static void timing_slots_check_saved(struct bench *b, const char *options, const char *rows,
                                     int64_t said, int64_t saved, int64_t parts)
{
	const int64_t more = (said > saved ? said : saved) / parts + ROUNDS;
	check_within(b, "slots", options, with("cycles saved, slots.%s says %" PRId64, rows, said),
	             said - more, said + more, saved);
}

static void timing_slots_check_kernel(struct bench *b, const struct kernel *k)
{
	const char *options = with("%s %s", k->machine, k->cause);
	const int64_t cycles = rounds(b, "wide", options, k->body, k->arg);
	const int64_t saved =
		cycles - rounds(b, "wide", with("%s %s", k->machine, k->without), k->body, k->arg);
	timing_slots_check_saved(b, options, k->rows,
	                         timing_slots_charged_cycles(b, options, k->body, k->arg, k->rows),
	                         saved, 5);
	check_within(b, "slots", options, "what the bottleneck costs", cycles / 4, cycles, saved);
}

/* A textbook's machine, of one slot a cycle. */
#define ONE_SLOT                                                                                   \
	"pipe.in_order=true pipe.completion=out-of-order pipe.memory_stage=1 "                     \
	"pipe.fetch_width=1 pipe.fetch_queue=1 pipe.decode_width=1 pipe.issue_width=1 "            \
	"pipe.commit_width=1 pipe.issue_queue=1 pipe.commit_delay=0"

/* Mispredictions that end before a recurrence does cost nothing, and are charged nothing. */
static void timing_slots_check_hidden(struct bench *b)
{
	const char *options = ONE_SLOT " bpred.kind=nottaken lat.imul=20";
	body_fn *const body = timing_slots_emit_branches_among_products;
	const int64_t saved = rounds(b, "wide", options, body, 8) -
	                      rounds(b, "wide", with("%s bpred.kind=perfect", options), body, 8),
		      charged = rounds_stat(b, "wide", options, body, 8, "slots.wrong_path") +
	                        rounds_stat(b, "wide", options, body, 8, "slots.branch_refill");
	check_within(b, "slots", options, "cycles that mispredictions cost", 0, 4 * ROUNDS, saved);
	check_within(b, "slots", options, "cycles that are charged to them", 0, 4 * ROUNDS,
	             charged);
}

/* With one memory port. */
static void timing_slots_check_port(struct bench *b)
{
	const char *options = ONE_SLOT;
	const char *with_port = with("%s mem.unified_port=true", options);
	const int64_t saved = rounds(b, "wide", with_port, timing_slots_emit_loads, 60) -
	                      rounds(b, "wide", options, timing_slots_emit_loads, 60);
	timing_slots_check_saved(b, "mem.unified_port=true", "fetch_port",
	                         rounds_stat(b, "wide", with_port, timing_slots_emit_loads, 60,
	                                     "slots.fetch_port"),
	                         saved, 20);
	check_within(b, "slots", "mem.unified_port=true", "what the bottleneck costs", ROUNDS * 30,
	             ROUNDS * 90, saved);
	check(b, "slots", "mem.unified_port=true", "cycles that fetch waits for the port", saved,
	      rounds_stat(b, "wide", with_port, timing_slots_emit_loads, 60, "fetch.stall_port"));
}

/* Two kernels in a row, in a window that does not hold both. */
#define SMALL_WINDOW "pipe.rob_size=32 "
static const struct kernel *first, *second;

static void timing_slots_emit_both(struct program *p, int64_t arg)
{
	(void)arg;
	first->body(p, first->arg);
	second->body(p, second->arg);
}

static void judge_both(struct bench *b, const struct kernel *one, const struct kernel *other)
{
	first = one;
	second = other;
	const char *machine = with(SMALL_WINDOW "%s %s", one->machine, other->machine);
	const char *options = with("%s %s %s", machine, one->cause, other->cause);
	const int64_t cycles = rounds(b, "wide", options, timing_slots_emit_both, 0);
	const int64_t without_one =
		cycles - rounds(b, "wide", with("%s %s %s", machine, one->without, other->cause),
	                        timing_slots_emit_both, 0);
	const int64_t without_other =
		cycles - rounds(b, "wide", with("%s %s %s", machine, one->cause, other->without),
	                        timing_slots_emit_both, 0);
	const int64_t without_both =
		cycles - rounds(b, "wide", with("%s %s %s", machine, one->without, other->without),
	                        timing_slots_emit_both, 0);
	const int64_t said_one = timing_slots_charged_cycles(b, options, timing_slots_emit_both, 0,
	                                                     one->rows),
		      said_other = timing_slots_charged_cycles(b, options, timing_slots_emit_both,
	                                                       0, other->rows);
	timing_slots_check_saved(b, options, with("%s %s", one->rows, other->rows),
	                         said_one + said_other, without_both, 8);
	/* Alone it saves less where the other is next, and never more. */
	check_within(b, "slots", options,
	             with("cycles saved, at most what slots.%s says", one->rows), 0,
	             said_one + said_one / 8 + ROUNDS, without_one);
	check_within(b, "slots", options,
	             with("cycles saved, at most what slots.%s says", other->rows), 0,
	             said_other + said_other / 8 + ROUNDS, without_other);
}

void group_slots(struct bench *b)
{
	static const struct kernel kernels[] = {
		{timing_slots_emit_muls, 40, "", "fu.imuldiv=1", "", "unit_imuldiv"},
		{timing_slots_emit_muls, 40, "", "fu.imuldiv=2", "", "unit_imuldiv"},
		{timing_slots_emit_muls, 60, "", "fu.imuldiv=4", "", "unit_imuldiv"},
		{timing_slots_emit_muls, 40, "lat.imul=1", "fu.imuldiv=1", "", "unit_imuldiv"},
		{bodies_emit_divs, 10, "", "fu.imuldiv=1", "", "unit_imuldiv"},
		{bodies_emit_divs, 20, "occ.idiv=5", "fu.imuldiv=1", "", "unit_imuldiv"},
		{timing_slots_emit_fadds, 40, "", "fu.fadd=1", "", "unit_fadd"},
		{timing_slots_emit_fadds, 40, "lat.fadd=6", "fu.fadd=2", "", "unit_fadd"},
		{timing_slots_emit_fmuls, 40, "", "fu.fmuldiv=1", "", "unit_fmuldiv"},
		{timing_slots_emit_fmuls, 60, "", "fu.fmuldiv=2", "", "unit_fmuldiv"},
		{timing_slots_emit_fdivs, 10, "", "fu.fmuldiv=1", "", "unit_fmuldiv"},
		{timing_slots_emit_fdivs, 10, "", "fu.div=1", "fu.div=16", "unit_div"},
		{bodies_emit_divs, 20, "", "fu.div=2", "fu.div=16", "unit_div"},
		{nops, 40, "", "fu.int=1", "", "unit_int"},
		{timing_slots_emit_muls, 40, "", "pipe.int_writes=1", "pipe.int_writes=0",
	         "write_port"},
		{timing_slots_emit_muls, 60, "", "pipe.int_writes=3", "pipe.int_writes=0",
	         "write_port"},
		{timing_slots_emit_loads, 40, "", "pipe.int_writes=1", "pipe.int_writes=0",
	         "write_port"},
		{timing_slots_emit_fadds, 40, "", "pipe.fp_writes=1", "pipe.fp_writes=0",
	         "write_port"},
		{nops, 40, "", "fu.int=2", "", "unit_int"},
		{nops, 90, "", "fu.int=3", "", "unit_int"},
		{timing_slots_emit_loads, 40, "", "fu.mem=1", "", "unit_mem"},
		{timing_slots_emit_loads, 60, "", "fu.mem=2", "", "unit_mem"},
		{timing_slots_emit_fadds, 40, "pipe.in_order=true", "pipe.fp_writes=1", "",
	         "write_port"},
		{timing_slots_emit_fadds, 40, "pipe.in_order=true", "pipe.fp_writes=2", "",
	         "write_port"},
		{mul_chain, 20, "pipe.in_order=true", "lat.imul=10", "lat.imul=1",
	         "latency_imuldiv"},
		{timing_slots_emit_load_ring, 64, "pipe.in_order=true l1d.size=1K", "l2.latency=60",
	         "l2.latency=1", "l2"},
		{timing_slots_emit_sum_of_lines, 32, "pipe.in_order=true l1d.size=256",
	         "l2.latency=30", "l2.latency=1", "l2"},
		{timing_slots_emit_muls, 40, "pipe.in_order=true", "fu.imuldiv=1", "",
	         "unit_imuldiv"},
		{nops, 40, "", "pipe.fetch_width=1", "", "fetch_width"},
		{nops, 40, "", "pipe.fetch_width=2", "", "fetch_width"},
		{nops, 80, "", "pipe.fetch_width=4", "", "fetch_width fetch_taken fetch_line"},
		{nops, 40, "", "pipe.decode_width=1", "", "decode_width"},
		{nops, 40, "", "pipe.decode_width=2", "", "decode_width"},
		{nops, 80, "", "pipe.decode_width=4", "", "decode_width"},
		{nops, 40, "", "pipe.issue_width=1", "", "issue_width"},
		{nops, 40, "", "pipe.issue_width=2", "", "issue_width"},
		{nops, 90, "", "pipe.issue_width=3", "", "issue_width"},
		{nops, 40, "", "pipe.commit_width=1", "", "commit_width"},
		{nops, 40, "", "pipe.commit_width=2", "", "commit_width"},
		{nops, 80, "", "pipe.commit_width=4", "", "commit_width"},
		{nops, 40, "", "pipe.fetch_queue=1", "", "fetch_queue"},
		{nops, 40, "", "pipe.fetch_queue=2", "", "fetch_queue"},
		{mul_chain, 20, "", "lat.imul=10", "lat.imul=1", "latency_imuldiv"},
		{mul_chain, 20, "", "lat.imul=20", "lat.imul=1", "latency_imuldiv"},
		{mul_chain, 20, "pipe.rob_size=32", "lat.imul=10", "lat.imul=1", "latency_imuldiv"},
		{div_chain, 8, "occ.idiv=1", "lat.idiv=40", "lat.idiv=1", "latency_imuldiv"},
		{fadd_chain, 20, "", "lat.fadd=10", "lat.fadd=1", "latency_fadd"},
		{fadd_chain, 20, "", "lat.fadd=30", "lat.fadd=1", "latency_fadd"},
		{fmul_chain, 20, "", "lat.fmul=10", "lat.fmul=1", "latency_fmuldiv"},
		{fmul_chain, 20, "", "lat.fmul=25", "lat.fmul=1", "latency_fmuldiv"},
		{fdiv_chain, 8, "occ.fdiv=1", "lat.fdiv=40", "lat.fdiv=1", "latency_fmuldiv"},
		{timing_slots_emit_add_chain, 20, "", "lat.int=10", "lat.int=1", "latency_int"},
		{timing_slots_emit_add_chain, 20, "", "lat.int=20", "lat.int=1", "latency_int"},
		{timing_slots_emit_load_ring, 0, "", "l1d.latency=20", "l1d.latency=1", "l1d"},
		{timing_slots_emit_load_ring, 0, "", "l1d.latency=40", "l1d.latency=1", "l1d"},
		{timing_slots_emit_load_ring, 64, "l1d.size=1K", "l2.latency=20", "l2.latency=1",
	         "l2"},
		{timing_slots_emit_load_ring, 64, "l1d.size=1K", "l2.latency=60", "l2.latency=1",
	         "l2"},
		{timing_slots_emit_load_ring, 64, "l1d.size=256 l2.size=1K", "mem.latency=50",
	         "mem.latency=1", "memory"},
		{timing_slots_emit_load_ring, 64, "l1d.size=256 l2.size=1K", "mem.latency=100",
	         "mem.latency=1", "memory"},
		{timing_slots_emit_load_ring, 64, "l1d.size=256 l2.size=1K", "mem.latency=300",
	         "mem.latency=1", "memory"},
		{timing_slots_emit_load_ring, 64, "l1d.size=256 l2.size=1K", "bus.cycles=40",
	         "bus.cycles=1", "bus"},
		{timing_slots_emit_load_ring, 8192 + 64, "dtlb.sets=1", "tlb.penalty=20",
	         "tlb.penalty=0", "dtlb"},
		{timing_slots_emit_load_ring, 8192 + 64, "dtlb.sets=1", "tlb.penalty=100",
	         "tlb.penalty=0", "dtlb"},
		{timing_slots_emit_load_stream, 32, "l1d.size=256 l2.size=1K pipe.rob_size=32",
	         "bus.cycles=20", "bus.cycles=1", "bus"},
		{timing_slots_emit_load_stream, 32, "l1d.size=256 l2.size=1K", "bus.cycles=40",
	         "bus.cycles=1", "bus"},
		{timing_slots_emit_load_stream, 32, "l1d.size=256", "l1d.mshrs=1", "l1d.mshrs=0",
	         "mshr"},
		{timing_slots_emit_load_stream, 32, "l1d.size=256 l2.latency=30", "l1d.mshrs=2",
	         "l1d.mshrs=0", "mshr"},
		{timing_slots_emit_load_stream, 32, "l1d.size=256 l1d.mshrs=0 l1d.mshr_targets=0",
	         "l2.ports=1", "l2.ports=0", "l2_held"},
		{timing_slots_emit_load_stream, 32,
	         "l1d.size=256 l2.size=1K l1d.mshrs=0 l1d.mshr_targets=0 mem.latency=60",
	         "l2.mshrs=2", "l2.mshrs=0", "l2_held"},
		{timing_slots_emit_load_stream, 32,
	         "l1d.size=256 l2.size=1K l1d.mshrs=0 l1d.mshr_targets=0 mem.latency=60",
	         "l2.mshrs=8", "l2.mshrs=0", "l2_held"},
		{store_stream, 32, "l1d.size=256 l2.latency=30", "l1d.write_buffer=1",
	         "l1d.write_buffer=0", "write_buffer"},
		{store_stream, 32, "l1d.size=256 l2.latency=30", "l1d.write_buffer=2",
	         "l1d.write_buffer=0", "write_buffer"},
		{timing_slots_emit_loads, 60, "fu.mem=4", "l1d.ports=1", "l1d.ports=0", "l1d_port"},
		{bodies_emit_taken_branches, 8, "bpred.penalty=10", "bpred.kind=nottaken", "",
	         "wrong_path branch_refill"},
		{bodies_emit_taken_branches, 8, "bpred.penalty=20", "bpred.kind=nottaken", "",
	         "wrong_path branch_refill"},
		{bodies_emit_jumps, 8, "l1i.latency=5", "btb.sets=0", "", "misfetch fetch_fill"},
		{bodies_emit_code, 1024, "l2.latency=40", "l1i.size=512", "", "icache_l2"},
		{bodies_emit_code, 1024, "l2.latency=100", "l1i.size=512", "", "icache_l2"},
		{bodies_emit_code, 2048, "l2.size=1K", "l1i.size=512", "", "icache_memory"},
		{timing_slots_emit_add_chain, 20, "pipe.in_order=true pipe.memory_stage=1",
	         "pipe.forwarding=false", "pipe.forwarding=true", "register_write"},
		{timing_slots_emit_sums_after_products, 220, "pipe.rob_size=224 lat.imul=30",
	         "pipe.in_order=true", "pipe.in_order=false", "in_order"},
		{timing_slots_emit_tested_quotients, 8,
	         "pipe.in_order=true bpred.penalty=20 lat.idiv=30", "bpred.kind=nottaken", "",
	         "wrong_path branch_refill"},
		{timing_slots_emit_tested_sums, 20, "pipe.in_order=true bpred.kind=bimodal",
	         "bpred.resolve=id", "bpred.resolve=ex", "early_branch"},
		{timing_slots_emit_late_addresses, 20, "pipe.rob_size=64", "lsq.speculate=false",
	         "lsq.speculate=true", "store_order"},
		{timing_slots_emit_atomics, 8, "", "pipe.commit_delay=8", "pipe.commit_delay=0",
	         "commit_delay"},
		{timing_slots_emit_flag_reads, 8, "", "pipe.commit_delay=8", "pipe.commit_delay=0",
	         "commit_delay"},
		{timing_slots_emit_atomics, 8, "pipe.in_order=true", "pipe.commit_delay=8",
	         "pipe.commit_delay=0", "commit_delay"},
		{timing_slots_emit_fdivs_and_flag_reads, 8, "", "lat.fdiv=40 occ.fdiv=40",
	         "lat.fdiv=1 occ.fdiv=1", "latency_fmuldiv"},
		{timing_slots_emit_fdivs_and_flag_reads, 8, "pipe.in_order=true",
	         "lat.fdiv=40 occ.fdiv=40", "lat.fdiv=1 occ.fdiv=1", "latency_fmuldiv"},
		{timing_slots_emit_product_among_sums, 6, "pipe.in_order=true", "lat.imul=8",
	         "lat.imul=1", "latency_imuldiv"},
		{timing_slots_emit_divs_among_sums, 12, "pipe.in_order=true fu.imuldiv=1",
	         "lat.idiv=20 occ.idiv=20", "lat.idiv=1 occ.idiv=1", "latency_imuldiv"},
		{timing_slots_emit_product_and_sums_of_it, 5, "pipe.rob_size=32", "lat.imul=10",
	         "lat.imul=1", "latency_imuldiv"},
	};
	static const struct kernel some[] = {
		{nops, 60, "", "fu.int=1", "", "unit_int"},
		{timing_slots_emit_fadds, 60, "", "fu.fadd=1", "", "unit_fadd"},
		{timing_slots_emit_loads, 60, "", "fu.mem=1", "", "unit_mem"},
		{fmul_chain, 20, "", "lat.fmul=10", "lat.fmul=1", "latency_fmuldiv"},
		{mul_chain, 20, "", "lat.imul=10", "lat.imul=1", "latency_imuldiv"},
		{timing_slots_emit_load_ring, 64, "l1d.size=256 l2.size=1K", "mem.latency=100",
	         "mem.latency=1", "memory"},
		{bodies_emit_taken_branches, 16, "bpred.penalty=10", "bpred.kind=nottaken", "",
	         "wrong_path branch_refill"},
	};
	enum { SOME = sizeof some / sizeof *some };
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		timing_slots_check_kernel(b, &kernels[i]);
	timing_slots_check_hidden(b);
	timing_slots_check_port(b);
	for (unsigned i = 0; i < SOME; i++)
		for (unsigned k = 0; k < i; k++)
			judge_both(b, &some[k], &some[i]);
}
