/* The number of overlapping misses, and its limits. All loads are independent and go to 32 lines in
 * turn, which are too many for either cache: each takes MISS cycles from the cycle in which its
 * address is known. Windows are so small that no load runs ahead to a line which those before it,
 * still waiting, have not driven out. */
#include "tests/timing/encode.h"
#include "tests/timing/harness.h"

enum {
	LINES = 32,
	BASES = 10,                /* registers from here on: DATA, and each 16 lines more */
	MISS = 2 + 10 + 100 + 1,   /* L1D, L2, memory, one transfer */
	L2_HIT = 2 + 10
};

static void set_bases(struct program *p)
{
	p->x[BASES] = DATA;
	p->x[BASES + 1] = DATA + 1024;
}

static void load_line(struct program *p, int line)
{
	emit(p, rv_ld(15, line % 16 * 64, (unsigned)(BASES + line / 16)));
}

/* Groups of `group` instructions, each with a load; the loop's own instructions are in the last
 * group. */
static void loads_among_others(struct program *p, int64_t group)
{
	set_bases(p);
	for (int i = 0; i < LINES; i++) {
		load_line(p, i);
		nops(p, group - 1 - (i == LINES - 1 ? 2 : 0));
	}
}

static void overlap_emit_loads(struct program *p, int64_t arg)
{
	(void)arg;
	set_bases(p);
	for (int i = 0; i < LINES; i++)
		load_line(p, i);
}

static void loads_with_users(struct program *p, int64_t users)
{
	set_bases(p);
	for (int i = 0; i < LINES; i++) {
		load_line(p, i);
		for (int64_t k = 0; k < users; k++)
			emit(p, rv_addi(16, 15, 1));
	}
}

static void overlap_emit_stores(struct program *p, int64_t arg)
{
	(void)arg;
	set_bases(p);
	for (int i = 0; i < LINES; i++)
		emit(p, rv_sd(0, i % 16 * 64, (unsigned)(BASES + i / 16)));
}

/* n loads from each line of a ring of pointers; the last leads to the next line. */
static void loads_per_line(struct program *p, int64_t n)
{
	p->x[10] = DATA;
	for (int i = 0; i < LINES; i++)
		for (int64_t k = 0; k < n; k++)
			set_word(p, DATA + (uint64_t)(64 * i + 8 * k),
			         DATA + (uint64_t)(64 * ((i + 1) % LINES)));
	for (int i = 0; i < LINES; i++)
		for (int64_t k = 0; k < n; k++)
			emit(p, rv_ld(k == n - 1 ? 10 : 11, (int32_t)(8 * k), 10));
}

/* Entries of a structure that a load holds from dispatch to its commit: as many loads as there are
 * entries overlap, each for 1 cycle to issue, 1 of address generation, MISS and 1 of commit_delay;
 * the next takes its entry in the cycle of its commit. */
static void overlap_check_window(struct bench *b)
{
	for (int size = 8; size <= 64; size++) {
		int overlap = (size + 7) / 8; /* the last needs but one entry */
		if ((size % 8 == 0 || size % 8 == 1) && ROUNDS * LINES % overlap == 0)
			check(b, "pipe.rob_size", with("pipe.rob_size=%d", size),
			      with("misses, 1 in 8 instructions: %d overlap", overlap),
			      ROUNDS * LINES * (3 + MISS) / overlap,
			      rounds(b, "small caches", with("pipe.rob_size=%d", size),
			             loads_among_others, 8));
	}
	check_rounds(b, "pipe.rob_size", "small caches", "pipe.rob_size=113", loads_among_others,
	             16, "misses, 1 in 16 instructions: 8 overlap", LINES * (3 + MISS) / 8);
	for (int size = 1; size <= 8; size *= 2)
		check_rounds(b, "lsq.size", "small caches", with("lsq.size=%d", size),
		             overlap_emit_loads, 0, with("misses: %d overlap", size),
		             LINES * (3 + MISS) / size);
	/* Four users of each load wait in the issue queue until its data arrives; then the next
	 * load finds room. */
	for (int size = 4; size <= 16; size *= 2)
		check_rounds(b, "pipe.issue_queue", "small caches",
		             with("pipe.issue_queue=%d", size), loads_with_users, 4,
		             with("misses with 4 users: %d overlap", size / 4),
		             LINES * (2 + MISS) / (size / 4));
}

static void overlap_check_mshrs(struct bench *b)
{
	for (int mshrs = 1; mshrs <= 8; mshrs *= 2)
		check_rounds(b, "l1d.mshrs", "small caches",
		             with("l1d.mshrs=%d pipe.rob_size=16", mshrs), overlap_emit_loads, 0,
		             with("misses: %d overlap", mshrs), LINES * MISS / mshrs);
	/* A load turned away for lack of a target hits when the line is there: another L1D latency.
	 */
	for (int targets = 1; targets <= 4; targets++)
		for (int n = targets; n <= targets + 1; n++)
			check_rounds(b, "l1d.mshr_targets", "small caches",
			             with("l1d.mshr_targets=%d l1d.line=64", targets),
			             loads_per_line, n, with("%d loads a line", n),
			             LINES * (1 + MISS + (n > targets ? 2 : 0)));
	check_rounds(b, "l1d.mshr_targets", "small caches", "l1d.mshr_targets=0 l1d.line=64",
	             loads_per_line, 8, "8 loads a line", LINES * (1 + MISS));
	/* A store's entry is free again when the line, here from L2, is there. */
	for (int entries = 1; entries <= 4; entries *= 2)
		check_rounds(b, "l1d.write_buffer", "wide",
		             with("l1d.write_buffer=%d l1d.size=256", entries), overlap_emit_stores,
		             0, with("store misses: %d overlap", entries),
		             LINES * L2_HIT / entries);
	/* Its line needs a miss register, too. */
	for (int mshrs = 1; mshrs <= 4; mshrs *= 2)
		check_rounds(b, "l1d.mshrs", "wide",
		             with("l1d.mshrs=%d l1d.size=256 l1d.write_buffer=16", mshrs),
		             overlap_emit_stores, 0, with("store misses: %d overlap", mshrs),
		             LINES * L2_HIT / mshrs);
}

/* The bus moves one line at a time: with 16 loads in flight it is never idle. */
static void overlap_check_bus(struct bench *b)
{
	for (int bytes = 1; bytes <= 4; bytes *= 2)
		check_rounds(b, "bus.bytes", "small caches",
		             with("bus.bytes=%d pipe.rob_size=16", bytes), overlap_emit_loads, 0,
		             "misses at once", LINES * 64 / bytes);
	for (int cycles = 10; cycles <= 20; cycles += 5)
		check_rounds(b, "bus.cycles", "small caches",
		             with("bus.cycles=%d bus.bytes=32 pipe.rob_size=16", cycles),
		             overlap_emit_loads, 0, "misses at once", LINES * 2 * cycles);
	/* Each new line evicts a dirty line. */
	for (int cycles = 4; cycles <= 8; cycles += 4)
		check_rounds(b, "bus.cycles", "small caches",
		             with("bus.cycles=%d l1d.write_buffer=16", cycles), overlap_emit_stores,
		             0, "store misses at once, written back", LINES * 2 * cycles);
}

void group_overlap(struct bench *b)
{
	overlap_check_window(b);
	overlap_check_mshrs(b);
	overlap_check_bus(b);
}
