/* Effects of stores on caches and the write buffer: write-back, gathering, forwarding,
 * replacement. */
#include "tests/unit/pipe/cache_fixture.h"

TEST(dirty_lines_are_written_back)
{
	struct rig r;
	/* Direct-mapped and tiny: 8 lines in L1, 16 in L2. */
	cache_fixture_open_rig(&r, OPTIONS("l1d.size=256", "l1d.ways=1", "l2.size=1K", "l2.ways=1",
	                                   "tlb.penalty=0"));
	cache_fixture_expect_access(hierarchy_store(&r.h, 0x10000, 8, 10), 10 + 114, LEVEL_MEMORY);
	/* Evicts the line from L1: it is dirty in L2, nothing is on the bus. */
	(void)hierarchy_load(&r.h, 0x10100, 8, 1000);
	assert_int_equal(r.stats.l1d_writebacks, 1);
	assert_int_equal(r.stats.l2_writebacks, 0);
	assert_int_equal(r.stats.bus_busy, 4);
	/* Evicts it from L2: the write-back takes the bus when the miss is known, long before the
	 * fill needs it. */
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x10400, 8, 2000), 2114, LEVEL_MEMORY);
	assert_int_equal(r.stats.l2_writebacks, 1);
	assert_int_equal(r.stats.bus_busy, 8);
	/* A clean victim costs nothing. */
	(void)hierarchy_load(&r.h, 0x10800, 8, 3000);
	assert_int_equal(r.stats.l2_writebacks, 1);
	cache_fixture_close_rig(&r);

	/* Write-backs compete: with a bus as slow as memory, a fill waits for one that began just
	 * before. */
	cache_fixture_open_rig(&r, OPTIONS("l1d.size=256", "l1d.ways=1", "l2.size=1K", "l2.ways=1",
	                                   "tlb.penalty=0", "mem.latency=10", "bus.cycles=20"));
	(void)hierarchy_store(&r.h, 0x10000, 8, 10);
	(void)hierarchy_load(&r.h, 0x10100, 8, 1000);
	/* Known in 2012: fill from 2022 to 2062, write-back after it; the next miss after both.
	 */
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x10400, 8, 2000), 2062, LEVEL_MEMORY);
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x20040, 8, 2000), 2142, LEVEL_MEMORY);
	cache_fixture_close_rig(&r);
}

TEST(the_write_buffer_fills_and_drains)
{
	struct rig r;
	cache_fixture_open_rig(&r, OPTIONS("l1d.write_buffer=2", "l1d.mshrs=1", "tlb.penalty=0"));
	cache_fixture_expect_access(hierarchy_store(&r.h, 0x1000, 8, 10), 124, LEVEL_MEMORY);
	/* The store waits in the buffer for the only register. */
	cache_fixture_expect_access(hierarchy_store(&r.h, 0x2000, 8, 11), 124 + 114, LEVEL_MEMORY);
	assert_false(hierarchy_store(&r.h, 0x4000, 8, 12).accepted);
	assert_false(hierarchy_store_fits(&r.h, 0x4000, 8, 123));
	assert_false(hierarchy_store(&r.h, 0x4000, 8, 123).accepted);
	assert_int_equal(next_free(&r.h, 12), 124);
	/* The store gets the freed register; a load must wait until the store frees it. */
	assert_false(hierarchy_load(&r.h, 0x3000, 8, 124).accepted);
	cache_fixture_expect_access(hierarchy_store(&r.h, 0x1008, 8, 124), 126, LEVEL_L1);
	assert_false(hierarchy_load(&r.h, 0x3000, 8, 237).accepted);
	assert_true(hierarchy_load(&r.h, 0x3000, 8, 238).accepted);
	cache_fixture_close_rig(&r);
}

TEST(stores_to_a_line_share_an_entry)
{
	struct rig r;
	cache_fixture_open_rig(&r, OPTIONS("l1d.write_buffer=2", "tlb.penalty=0", "l1d.line=64"));
	cache_fixture_expect_access(hierarchy_store(&r.h, 0x1000, 8, 10), 124, LEVEL_MEMORY);
	struct stats counted = r.stats;
	for (unsigned i = 1; i < 8; i++)
		cache_fixture_expect_access(hierarchy_store(&r.h, 0x1000 + 8 * i, 8, 10 + 10 * i),
		                            124, LEVEL_BUFFER);
	/* Neither cache nor translation is accessed again. */
	counted.wbuf_merges = 7;
	assert_memory_equal(&counted, &r.stats, sizeof counted);
	/* The last line has arrived, and there is room for one more. */
	assert_true(hierarchy_store_fits(&r.h, 0x2000, 8, 90));
	assert_true(hierarchy_store(&r.h, 0x2000, 8, 90).accepted);
	assert_false(hierarchy_store(&r.h, 0x3000, 8, 91).accepted);
	/* A store across two lines: one is in the buffer, the other finds no entry. */
	assert_false(hierarchy_store_fits(&r.h, 0x103c, 8, 91));
	assert_false(hierarchy_store(&r.h, 0x103c, 8, 91).accepted);
	cache_fixture_expect_access(hierarchy_store(&r.h, 0x1000, 8, 123), 124, LEVEL_BUFFER);
	cache_fixture_expect_access(hierarchy_store(&r.h, 0x1000, 8, 124), 126, LEVEL_L1);
	cache_fixture_close_rig(&r);

	/* A buffer of one entry takes a store across two lines when it is empty. */
	cache_fixture_open_rig(&r, OPTIONS("l1d.write_buffer=1", "tlb.penalty=0"));
	cache_fixture_expect_access(hierarchy_store(&r.h, 0x103c, 8, 10), 126, LEVEL_MEMORY);
	assert_false(hierarchy_store(&r.h, 0x1040, 8, 125).accepted);
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x103c, 4, 125), 126, LEVEL_BUFFER);
	cache_fixture_expect_access(hierarchy_store(&r.h, 0x1040, 8, 126), 128, LEVEL_L1);
	cache_fixture_close_rig(&r);
}

TEST(the_write_buffer_forwards)
{
	for (unsigned latency = 1; latency <= 4; latency += 3) {
		struct rig r;
		char option[32];
		snprintf(option, sizeof option, "lsq.forward_latency=%u", latency);
		cache_fixture_open_rig(&r, OPTIONS(option, "tlb.penalty=50"));
		const uint64_t there = 10 + 50 + 114;
		cache_fixture_expect_access(hierarchy_store(&r.h, 0x1004, 4, 10), there,
		                            LEVEL_MEMORY);
		/* Loads of the stored bytes, or a part of them, hit the buffer; other loads wait
		 * for the line. */
		cache_fixture_expect_access(hierarchy_load(&r.h, 0x1004, 4, 11), 11 + latency,
		                            LEVEL_BUFFER);
		cache_fixture_expect_access(hierarchy_load(&r.h, 0x1007, 1, 12), 12 + latency,
		                            LEVEL_BUFFER);
		cache_fixture_expect_access(hierarchy_load(&r.h, 0x1000, 8, 13), there,
		                            LEVEL_MEMORY);
		cache_fixture_expect_access(hierarchy_load(&r.h, 0x1008, 1, 13), there,
		                            LEVEL_MEMORY);
		/* Two stores together hold what neither does alone. */
		cache_fixture_expect_access(hierarchy_store(&r.h, 0x1000, 4, 14), there,
		                            LEVEL_BUFFER);
		cache_fixture_expect_access(hierarchy_load(&r.h, 0x1000, 8, 15), 15 + latency,
		                            LEVEL_BUFFER);
		cache_fixture_expect_access(hierarchy_load(&r.h, 0x1000, 8, there - 1),
		                            there - 1 + latency, LEVEL_BUFFER);
		cache_fixture_expect_access(hierarchy_load(&r.h, 0x1000, 8, there), there + 2,
		                            LEVEL_L1);
		assert_int_equal(r.stats.wbuf_forwards, 4);
		assert_int_equal(r.stats.l1d_accesses, 4);
		assert_int_equal(r.stats.dtlb_accesses, 4);
		/* Across two lines: both must hold their part. */
		(void)hierarchy_store(&r.h, 0x303c, 8, 1000);
		cache_fixture_expect_access(hierarchy_load(&r.h, 0x303c, 8, 1001), 1001 + latency,
		                            LEVEL_BUFFER);
		cache_fixture_expect_access(hierarchy_load(&r.h, 0x303f, 2, 1001), 1001 + latency,
		                            LEVEL_BUFFER);
		assert_true(hierarchy_load(&r.h, 0x303e, 8, 1001).level != LEVEL_BUFFER);
		cache_fixture_close_rig(&r);
	}
}

/* Compared with a simple model: the bytes held of each line, and until when. */
TEST(random_stores_are_gathered_and_forwarded)
{
	enum { LINES = 24, LINE = 128, ENTRIES = 5 };
	struct rig r;
	cache_fixture_open_rig(&r, OPTIONS("l1d.write_buffer=5", "l1d.line=128", "l2.line=128",
	                                   "l1d.size=1K", "l2.size=1K"));
	static bool held[LINES][LINE];
	uint64_t until[LINES] = {0}, now = 0;
	unsigned joined = 0, forwarded = 0, refused = 0;
	srand(8);
	for (int i = 0; i < 50000; i++) {
		now += (uint64_t)rand() % 20;
		unsigned line = (unsigned)rand() % LINES, size = 1u << rand() % 4;
		/* about the middle of the mask */
		unsigned offset = 40 + (unsigned)rand() % 40, used = 0;
		uint64_t addr = 0x10000 + line * LINE + offset;
		for (unsigned k = 0; k < LINES; k++) {
			if (until[k] <= now)
				memset(held[k], 0, LINE);
			used += until[k] > now;
		}
		if (rand() % 2) {
			bool joins = until[line] > now;
			struct access a = hierarchy_store(&r.h, addr, size, now);
			assert_int_equal(a.accepted, joins || used < ENTRIES);
			refused += !a.accepted;
			if (!a.accepted)
				continue;
			assert_int_equal(a.level == LEVEL_BUFFER, joins);
			joined += joins;
			until[line] = joins ? until[line] : a.ready;
			assert_int_equal(a.ready, until[line]);
			memset(&held[line][offset], true, size);
		} else {
			struct access a = hierarchy_load(&r.h, addr, size, now);
			bool all = !memchr(&held[line][offset], false, size);
			assert_int_equal(a.accepted && a.level == LEVEL_BUFFER, all);
			forwarded += all;
		}
	}
	assert_int_equal(r.stats.wbuf_merges, joined);
	assert_int_equal(r.stats.wbuf_forwards, forwarded);
	assert_true(joined > 1000 && forwarded > 100 && refused > 1000);
	cache_fixture_close_rig(&r);
}

TEST(a_victim_on_its_way_is_not_there_yet)
{
	struct rig r;
	cache_fixture_open_rig(&r, OPTIONS("l1d.size=256", "l1d.ways=1", "l2.size=1K", "l2.ways=1",
	                                   "tlb.penalty=0"));
	cache_fixture_expect_access(hierarchy_store(&r.h, 0x10000, 8, 10), 124, LEVEL_MEMORY);
	/* the same set of both caches: evicts it from L1D and from L2 */
	(void)hierarchy_load(&r.h, 0x10400, 8, 11);
	assert_int_equal(r.stats.l1d_writebacks, 1);
	struct access a = hierarchy_load(&r.h, 0x10008, 8, 20);
	assert_true(a.ready >= 124);
	cache_fixture_close_rig(&r);
}

TEST(waiting_stores_queue_for_registers)
{
	struct rig r;
	cache_fixture_open_rig(&r, OPTIONS("l1d.mshrs=2", "l1d.write_buffer=0", "tlb.penalty=0"));
	/* Two misses at a time, two cycles apart because of the bus; each gets the first free
	 * register. */
	for (unsigned i = 0; i < 40; i++)
		cache_fixture_expect_access(hierarchy_store(&r.h, 0x1000 + i * 64, 8, 10),
		                            10 + (i / 2 + 1) * 114 + (i & 1) * 2, LEVEL_MEMORY);
	assert_int_equal(r.h.st->mshr_count, 40);
	assert_false(hierarchy_load(&r.h, 0x9000, 8, 10 + 20 * 114 - 1).accepted);
	assert_true(hierarchy_load(&r.h, 0x9000, 8, 10 + 20 * 114).accepted);
	assert_int_equal(r.h.st->mshr_count, 2);
	cache_fixture_close_rig(&r);
}

/* The simplest cache, as the model. */
struct model {
	uint64_t line[64][16]; /* most recent first, line + 1 */
	unsigned sets, ways;
};

static bool model_access(struct model *m, uint64_t line)
{
	uint64_t *set = m->line[line % m->sets];
	unsigned w = 0;
	while (w < m->ways - 1 && set[w] != line + 1)
		w++;
	bool hit = set[w] == line + 1;
	memmove(&set[1], &set[0], w * sizeof *set);
	set[0] = line + 1;
	return hit;
}

TEST(replacement_is_true_lru)
{
	static const struct {
		const char *size, *ways, *tlb;
		unsigned lines, assoc, tlb_ways;
	} shapes[] = {
		{"l1d.size=1K", "l1d.ways=1", "dtlb.ways=3", 32, 1, 3},
		{"l1d.size=1K", "l1d.ways=2", "dtlb.ways=1", 32, 2, 1},
		{"l1d.size=2K", "l1d.ways=8", "dtlb.ways=5", 64, 8, 5},
		{"l1d.size=256", "l1d.ways=8", "dtlb.ways=2", 8, 8, 2},
	};
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
		struct rig r;
		struct model lines = {.sets = shapes[s].lines / shapes[s].assoc,
		                      .ways = shapes[s].assoc};
		struct model pages = {.sets = 4, .ways = shapes[s].tlb_ways};
		cache_fixture_open_rig(
			&r, OPTIONS(shapes[s].size, shapes[s].ways, "dtlb.sets=4", shapes[s].tlb));
		uint64_t now = 0, addr = 0;
		srand(11);
		for (int i = 0; i < 20000; i++) {
			now += 2000;
			if (rand() % 3)
				addr = (uint64_t)(rand() % 96) * 24 % 4096 +
				       (uint64_t)(rand() % 24) * 8192;
			bool in_line = model_access(&lines, addr >> 5),
			     in_page = model_access(&pages, addr >> 13);
			struct access a = rand() % 4 ? hierarchy_load(&r.h, addr, 8, now)
			                             : hierarchy_store(&r.h, addr, 8, now);
			assert_int_equal(a.level == LEVEL_L1, in_line);
			assert_int_equal(a.tlb_miss, !in_page);
		}
		assert_int_equal(r.stats.l1d_accesses, 20000);
		assert_int_equal(r.stats.dtlb_accesses, 20000);
		cache_fixture_close_rig(&r);
	}
}
