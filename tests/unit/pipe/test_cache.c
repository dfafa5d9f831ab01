/* Caches in time: latencies, lines on their way, miss registers, the bus. */
#include "core/pipe/frontend/fetch_same_line.h"
#include "tests/unit/pipe/cache_fixture.h"

TEST(latencies_add_up)
{
	static const char *const other[] = {"l1d.latency=3", "l2.latency=17", "mem.latency=61",
	                                    "bus.bytes=8",   "bus.cycles=2",  "tlb.penalty=9",
	                                    "l1i.latency=2", "l1d.size=1K",   "l1d.ways=1",
	                                    "l1i.size=1K",   "l1i.ways=1",    NULL};
	static const char *const small[] = {"l1d.size=1K", "l1d.ways=1", "l1i.size=1K",
	                                    "l1i.ways=1", NULL};
	/* tlb, l1d, l1i, l2, memory, transfers */
	static const unsigned parts[2][6] = {{50, 2, 1, 10, 100, 2}, {9, 3, 2, 17, 61, 16}};
	for (int i = 0; i < 2; i++) {
		struct rig r;
		const unsigned *p = parts[i];
		const uint64_t base = 0x10000;
		uint64_t t = 1000;
		cache_fixture_open_rig(&r, i ? other : small);
		struct access a = hierarchy_load(&r.h, base, 8, t);
		cache_fixture_expect_access(a, t + p[0] + p[1] + p[3] + p[4] + p[5], LEVEL_MEMORY);
		assert_true(a.tlb_miss);
		t += 1000;
		a = hierarchy_load(&r.h, base + 8, 8, t);
		cache_fixture_expect_access(a, t + p[1], LEVEL_L1);
		assert_false(a.tlb_miss);
		/* The other half of the L2 line. */
		cache_fixture_expect_access(hierarchy_load(&r.h, base + 32, 8, t), t + p[1] + p[3],
		                            LEVEL_L2);
		t += 1000;
		cache_fixture_expect_access(hierarchy_load(&r.h, base + 4096, 8, t),
		                            t + p[1] + p[3] + p[4] + p[5], LEVEL_MEMORY);
		t += 1000;
		/* It evicted the first line from L1 (direct-mapped, 1 KB), not from L2. */
		cache_fixture_expect_access(hierarchy_load(&r.h, base, 8, t), t + p[1] + p[3],
		                            LEVEL_L2);
		t += 1000;
		/* A translation alone: the line is present, its page's entry was evicted. */
		for (uint64_t k = 1; k <= 4; k++)
			(void)hierarchy_load(&r.h, base + (k << 13) * 32, 8, t += 1000);
		t += 1000;
		a = hierarchy_load(&r.h, base, 8, t);
		assert_true(a.tlb_miss);
		assert_int_equal(a.level, LEVEL_L2);
		assert_int_equal(a.ready, t + p[0] + p[1] + p[3]);

		t += 1000;
		a = hierarchy_fetch(&r.h, 0x40000, t);
		assert_true(a.tlb_miss);
		cache_fixture_expect_access(a, t + p[0] + p[2] - 1 + p[3] + p[4] + p[5],
		                            LEVEL_MEMORY);
		t += 1000;
		cache_fixture_expect_access(hierarchy_fetch(&r.h, 0x40010, t), t + p[2] - 1,
		                            LEVEL_L1);
		cache_fixture_expect_access(hierarchy_fetch(&r.h, 0x40020, t), t + p[2] - 1 + p[3],
		                            LEVEL_L2);
		cache_fixture_close_rig(&r);
	}
}

TEST(a_line_on_its_way_is_joined)
{
	struct rig r;
	cache_fixture_open_rig(&r, OPTIONS("tlb.penalty=0"));
	uint64_t t = 100, ready = t + 2 + 10 + 100 + 2;
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x1000, 8, t), ready, LEVEL_MEMORY);
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x1008, 8, t + 1), ready, LEVEL_MEMORY);
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x1010, 8, t + 50), ready, LEVEL_MEMORY);
	/* Never earlier than a hit. */
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x1010, 8, ready - 1), ready + 1,
	                            LEVEL_MEMORY);
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x1010, 8, ready), ready + 2, LEVEL_L1);
	assert_int_equal(r.stats.l1d_accesses, 5);
	assert_int_equal(r.stats.l1d_misses, 4);
	assert_int_equal(r.stats.mshr_merges, 3);
	assert_int_equal(r.stats.l2_accesses, 1);
	assert_int_equal(r.stats.l2_misses, 1);
	assert_int_equal(r.stats.bus_busy, 2);
	/* The other L1 line of an L2 line in flight: a second miss, but one transfer. */
	t += 1000;
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x2000, 8, t), t + 114, LEVEL_MEMORY);
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x2020, 8, t + 5), t + 114, LEVEL_MEMORY);
	assert_int_equal(r.stats.bus_busy, 4);
	/* L2 is accessed before that line arrives and would answer after it: still from memory. */
	t += 1000;
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x3000, 8, t), t + 114, LEVEL_MEMORY);
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x3020, 8, t + 105), t + 117,
	                            LEVEL_MEMORY);
	cache_fixture_close_rig(&r);
}

TEST(miss_registers_limit_overlap)
{
	for (unsigned limit = 1; limit <= 5; limit += 2) {
		struct rig r;
		char option[32];
		snprintf(option, sizeof option, "l1d.mshrs=%u", limit);
		cache_fixture_open_rig(&r, OPTIONS(option, "tlb.penalty=0"));
		const uint64_t t = 100;
		for (unsigned i = 0; i < limit; i++)
			cache_fixture_expect_access(hierarchy_load(&r.h, 0x1000 + i * 64, 8, t),
			                            t + 112 + 2 * (i + 1), LEVEL_MEMORY);
		uint8_t *before = malloc(r.arena.used);
		memcpy(before, r.arena.base, r.arena.used);
		struct stats counted = r.stats;
		for (uint64_t now = t; now < t + 114; now++)
			assert_false(hierarchy_load(&r.h, 0x9000, 8, now).accepted);
		assert_memory_equal(before, r.arena.base, r.arena.used);
		counted.mshr_full += 114;
		assert_memory_equal(&counted, &r.stats, sizeof counted);
		free(before);
		assert_int_equal(next_free(&r.h, t), t + 114);
		/* A hit and a merge need no register. */
		assert_true(hierarchy_load(&r.h, 0x1008, 8, t + 113).accepted);
		cache_fixture_expect_access(hierarchy_load(&r.h, 0x9000, 8, t + 114), t + 114 + 114,
		                            LEVEL_MEMORY);
		assert_int_equal(next_free(&r.h, t + 1000), UINT64_MAX);
		cache_fixture_close_rig(&r);
	}
}

TEST(targets_limit_merges)
{
	struct rig r;
	cache_fixture_open_rig(&r, OPTIONS("l1d.mshr_targets=3", "tlb.penalty=0"));
	assert_true(hierarchy_load(&r.h, 0x1000, 8, 10).accepted);
	assert_true(hierarchy_load(&r.h, 0x1008, 8, 10).accepted);
	assert_true(hierarchy_load(&r.h, 0x1008, 8, 11).accepted);
	assert_false(hierarchy_load(&r.h, 0x1008, 8, 12).accepted);
	assert_false(hierarchy_load(&r.h, 0x1008, 8, 123).accepted);
	assert_true(hierarchy_load(&r.h, 0x1008, 8, 124).accepted);
	cache_fixture_close_rig(&r);
	cache_fixture_open_rig(&r, OPTIONS("l1d.mshr_targets=0"));
	for (int i = 0; i < 100; i++)
		assert_true(hierarchy_load(&r.h, 0x1000, 8, 10).accepted);
	cache_fixture_close_rig(&r);
}

TEST(one_register_serves_a_load_across_lines)
{
	struct rig r;
	cache_fixture_open_rig(&r, OPTIONS("l1d.mshrs=1", "tlb.penalty=0"));
	/* The second line waits for the first one's register: one miss after the other. */
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x103c, 8, 10), 10 + 114 + 114,
	                            LEVEL_MEMORY);
	assert_int_equal(r.stats.l1d_accesses, 2);
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x103c, 8, 500), 502, LEVEL_L1);
	assert_int_equal(r.stats.l1d_misses, 2);
	cache_fixture_close_rig(&r);
}

TEST(the_bus_moves_one_line_at_a_time)
{
	for (unsigned cycles = 1; cycles <= 4; cycles += 3) {
		struct rig r;
		char option[32];
		snprintf(option, sizeof option, "bus.cycles=%u", cycles);
		cache_fixture_open_rig(&r, OPTIONS(option, "tlb.penalty=0"));
		for (unsigned i = 0; i < 6; i++)
			cache_fixture_expect_access(hierarchy_load(&r.h, 0x1000 + i * 64, 8, 10),
			                            10 + 112 + 2 * cycles * (i + 1), LEVEL_MEMORY);
		assert_int_equal(r.stats.bus_busy, 12 * cycles);
		assert_int_equal(r.h.st->bus_free, 10 + 112 + 12 * cycles);
		/* After a while no access waits any more. */
		cache_fixture_expect_access(hierarchy_load(&r.h, 0x8000, 8, 1000),
		                            1112 + 2 * cycles, LEVEL_MEMORY);
		cache_fixture_close_rig(&r);
	}
}

TEST(a_late_request_does_not_hold_up_an_early_one)
{
	struct rig r;
	cache_fixture_open_rig(&r, NULL);
	(void)hierarchy_load(&r.h, 0x1000, 8, 10);
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x100000, 8, 500), 500 + 50 + 114,
	                            LEVEL_MEMORY);
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x1040, 8, 501), 501 + 114, LEVEL_MEMORY);
	cache_fixture_close_rig(&r);
}

TEST(bus_bookings_never_overlap)
{
	enum { N = 4000, SPAN = 60000 };
	static uint8_t taken[SPAN];
	struct hierarchy_state *st = calloc(1, sizeof *st);
	memset(taken, 0, sizeof taken);
	srand(7);
	uint64_t now = 0;
	for (int i = 0; i < N; i++) {
		now += (uint64_t)rand() % 20;
		uint64_t at = now + (uint64_t)rand() % 200, len = 1 + (uint64_t)rand() % 8,
			 naive = at;
		bool crowded = st->bus_count > BUS_MAX - 2;
		for (uint64_t k = 0; k < len;) {
			if (taken[naive + k]) {
				naive += k + 1;
				k = 0;
			} else {
				k++;
			}
		}
		uint64_t end = bus_book(st, at, len, now);
		if (!crowded)
			assert_int_equal(end, naive + len);
		for (uint64_t c = end - len; c < end; c++) {
			assert_int_equal(taken[c], 0);
			taken[c] = 1;
		}
		for (uint32_t k = 1; k < st->bus_count; k++)
			assert_true(st->bus[k - 1].until < st->bus[k].from);
	}
	free(st);
}

TEST(a_walk_under_way_is_joined)
{
	struct rig r;
	cache_fixture_open_rig(&r, NULL);
	hierarchy_warm_data(&r.h, 0x40, 0x1000, 8, false);
	for (uint64_t k = 1; k <= 4; k++) /* evicts the page's entry, not the line */
		hierarchy_warm_data(&r.h, 0x40, 0x1000 + (k << 13) * 32 + 64 * k, 8, false);
	const uint64_t t = 1000, walked = t + 50;
	struct access a = hierarchy_load(&r.h, 0x1000, 8, t);
	cache_fixture_expect_access(a, walked + 2, LEVEL_L1);
	assert_true(a.tlb_miss);
	/* The same line and another line: both wait for the end of the walk. */
	for (uint64_t k = 1; k < 50; k += 12) {
		a = hierarchy_load(&r.h, 0x1008, 8, t + k);
		cache_fixture_expect_access(a, walked + 2, LEVEL_L1);
		assert_true(a.tlb_miss);
	}
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x1400, 8, t + 40), walked + 114,
	                            LEVEL_MEMORY);
	cache_fixture_expect_access(hierarchy_store(&r.h, 0x1800, 8, t + 49), walked + 116,
	                            LEVEL_MEMORY);
	a = hierarchy_load(&r.h, 0x1008, 8, walked);
	cache_fixture_expect_access(a, walked + 2, LEVEL_L1);
	assert_false(a.tlb_miss);
	assert_int_equal(r.stats.dtlb_misses, 8);
	assert_int_equal(r.stats.dtlb_merges, 7);
	/* Another page in between, and back: the first walk continues. */
	for (uint64_t k = 1; k <= 4; k++)
		hierarchy_warm_data(&r.h, 0x40, 0x1000 + (k << 13) * 32 + 64 * k, 8, false);
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x1000, 8, 3000), 3052, LEVEL_L1);
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x1000 + (4 << 13) * 32 + 64 * 4, 8, 3010),
	                            3012, LEVEL_L1);
	cache_fixture_expect_access(hierarchy_load(&r.h, 0x1008, 8, 3020), 3052, LEVEL_L1);
	/* Code is translated by separate walks. */
	cache_fixture_expect_access(hierarchy_fetch(&r.h, 0x8000, 5000), 5050 + 112, LEVEL_MEMORY);
	a = hierarchy_fetch(&r.h, 0x8100, 5020);
	cache_fixture_expect_access(a, 5050 + 112 + 2, LEVEL_MEMORY);
	assert_true(a.tlb_miss);
	assert_int_equal(r.stats.itlb_misses, 2);
	assert_int_equal(r.stats.itlb_merges, 1);
	cache_fixture_close_rig(&r);
}

/* A dirty line that L1D evicts before the line arrives is not in L2 before that time. */
/* Firmware's accesses take the caches' time alone, and leave the program's translations
 * unchanged. */
TEST(machine_mode_is_not_translated)
{
	struct rig r;
	uint64_t t = 1000;
	cache_fixture_open_rig(&r,
	                       OPTIONS("dtlb.sets=1", "dtlb.ways=2", "itlb.sets=1", "itlb.ways=2"));
	const uint64_t page = (uint64_t)r.cfg.tlb_page, guest = 0x10000;
	(void)hierarchy_load(&r.h, guest, 8, t);
	(void)hierarchy_load(&r.h, guest + page, 8, t += 1000);
	(void)hierarchy_fetch(&r.h, guest, t += 1000);
	const uint64_t misses = r.stats.dtlb_misses + r.stats.itlb_misses;
	for (unsigned i = 0; i < 8; i++) {
		struct access a = hierarchy_load(&r.h, MEM_TOP + i * page, 8, t += 1000);
		assert_false(a.tlb_miss);
		assert_int_equal(a.ready, t + 2 + 10 + 100 + 2);
		t += 1000;
		cache_fixture_expect_access(hierarchy_load(&r.h, MEM_TOP + i * page, 8, t), t + 2,
		                            LEVEL_L1);
		assert_false(hierarchy_fetch(&r.h, MEM_TOP + i * page, t += 1000).tlb_miss);
	}
	assert_false(hierarchy_load(&r.h, guest, 8, t += 1000).tlb_miss);
	assert_false(hierarchy_load(&r.h, guest + page, 8, t += 1000).tlb_miss);
	assert_false(hierarchy_fetch(&r.h, guest, t += 1000).tlb_miss);
	assert_int_equal(r.stats.dtlb_misses + r.stats.itlb_misses, misses);
	cache_fixture_close_rig(&r);
}

/* The fast path of fetch serves lines of the last translated page only. */
TEST(near_fetches_stay_in_their_page)
{
	struct rig r;
	uint64_t t = 1000;
	cache_fixture_open_rig(&r, (const char *const[]){NULL});
	const uint64_t page = (uint64_t)r.cfg.tlb_page, line = (uint64_t)r.cfg.l1i_line,
		       at = 0x10000 + 3 * page;
	for (int64_t i = -3; i <= 3; i++) {
		(void)hierarchy_fetch(&r.h, at + (uint64_t)i * page, t += 1000);
		(void)hierarchy_fetch(&r.h, at + (uint64_t)i * page + line, t += 1000);
	}
	for (int64_t i = -3; i <= 3; i++) {
		(void)hierarchy_fetch(&r.h, at, t += 1000);
		const uint64_t there = at + (uint64_t)i * page + line;
		assert_int_equal(hierarchy_fetch_near(&r.h, there, t += 1000), i == 0);
	}
	cache_fixture_close_rig(&r);
}

TEST(crossing_pages_translates_twice)
{
	for (unsigned perfect = 0; perfect < 2; perfect++) {
		struct rig r;
		cache_fixture_open_rig(&r, OPTIONS("tlb.penalty=200",
		                                   perfect ? "l1d.perfect=true"
		                                           : "l1d.perfect=false"));
		(void)hierarchy_load(&r.h, 0x1ff8, 8, 10);
		struct access a = hierarchy_load(&r.h, 0x1ffc, 8, 1000);
		assert_true(a.tlb_miss);
		cache_fixture_expect_access(a, 1000 + 200 + (perfect ? 2 : 114),
		                            perfect ? LEVEL_L1 : LEVEL_MEMORY);
		assert_int_equal(r.stats.dtlb_accesses, 3);
		assert_int_equal(r.stats.dtlb_misses, 2);
		cache_fixture_expect_access(hierarchy_load(&r.h, 0x1ffc, 8, 3000), 3002, LEVEL_L1);
		assert_int_equal(r.stats.l1d_accesses, 5);
		cache_fixture_close_rig(&r);
	}
}

/* Random loads and stores, each tried again until it is accepted: every cycle, or only when
 * something frees. Returns the cycle of the last. */
static uint64_t random_traffic(struct rig *r, bool skip)
{
	uint64_t now = 0;
	srand(5);
	for (int i = 0; i < 20000; i++) {
		uint64_t addr = (uint64_t)(rand() % 4096) * 20 + (uint64_t)(rand() % 3) * 0x100000;
		bool store = rand() % 3 == 0;
		now += (uint64_t)(rand() % 8 == 0) * (uint64_t)(rand() % 40);
		while (!(store ? hierarchy_store(&r->h, addr, 8, now)
		               : hierarchy_load(&r->h, addr, 8, now))
		                .accepted)
			now = skip ? next_free(&r->h, now) : now + 1;
		if (rand() % 5 == 0)
			(void)hierarchy_fetch(&r->h, 0x10000 + (uint64_t)(rand() % 4096) * 16, now);
	}
	return now;
}

TEST(skipping_idle_cycles_changes_nothing)
{
	static const char *const options[] = {
		"l1d.size=4K",        "l1d.mshrs=3", "l1d.mshr_targets=2",
		"l1d.write_buffer=3", "l2.size=16K", "l1i.size=2K",
		"dtlb.sets=2",        "dtlb.ways=3", NULL};
	struct rig every, some;
	cache_fixture_open_rig(&every, options);
	cache_fixture_open_rig(&some, options);
	assert_int_equal(random_traffic(&every, false), random_traffic(&some, true));
	assert_memory_equal(every.arena.base, some.arena.base, every.arena.used);
	assert_true(every.stats.mshr_full > some.stats.mshr_full && some.stats.mshr_full > 0);
	every.stats.mshr_full = some.stats.mshr_full;
	assert_memory_equal(&every.stats, &some.stats, sizeof some.stats);
	cache_fixture_close_rig(&every);
	cache_fixture_close_rig(&some);
}

/* Compares residency, dirtiness and recency of lines and pages: warming must leave them alike. */
static void same_residents(const struct cache *a, const struct cache *b)
{
	for (uint32_t i = 0; i < a->sets * a->ways; i++) {
		assert_int_equal(a->lines[i].tag, b->lines[i].tag);
		assert_int_equal(a->lines[i].used, b->lines[i].used);
		assert_int_equal(a->lines[i].flags & CL_DIRTY, b->lines[i].flags & CL_DIRTY);
	}
}

TEST(warming_up_leaves_the_same_lines)
{
	static const char *const options[] = {"l1d.size=2K", "l2.size=8K",  "l1i.size=1K",
	                                      "dtlb.sets=2", "itlb.sets=1", "itlb.ways=3",
	                                      NULL};
	struct rig timed, warm;
	cache_fixture_open_rig(&timed, options);
	cache_fixture_open_rig(&warm, options);
	uint64_t now = 0;
	srand(3);
	for (int i = 0; i < 20000; i++) {
		uint64_t addr = (uint64_t)(rand() % 2048) * 12 + (uint64_t)(rand() % 9) * 0x10000;
		bool store = rand() % 3 == 0;
		now += 2000;
		(void)(store ? hierarchy_store(&timed.h, addr, 8, now)
		             : hierarchy_load(&timed.h, addr, 8, now));
		hierarchy_warm_data(&warm.h, 0x40, addr, 8, store);
		if (rand() % 2) {
			(void)hierarchy_fetch(&timed.h, addr ^ 0x400000, now + 1000);
			hierarchy_warm_fetch(&warm.h, addr ^ 0x400000);
		}
	}
	same_residents(&timed.h.l1i, &warm.h.l1i);
	same_residents(&timed.h.l1d, &warm.h.l1d);
	same_residents(&timed.h.l2, &warm.h.l2);
	struct stats none = {0};
	assert_memory_equal(&warm.stats, &none, sizeof none);
	/* Warmed-up lines are there at once. */
	hierarchy_warm_data(&warm.h, 0x40, 0x5000, 8, false);
	cache_fixture_expect_access(hierarchy_load(&warm.h, 0x5000, 8, 0), 2, LEVEL_L1);
	cache_fixture_close_rig(&timed);
	cache_fixture_close_rig(&warm);
}

TEST(line_addresses_come_back)
{
	struct rig r;
	const uint64_t addr = UINT64_C(0xfffffffffffff7c8);
	cache_fixture_open_rig(&r, NULL);
	(void)hierarchy_load(&r.h, addr, 8, 1);
	uint32_t set = (uint32_t)(addr >> r.h.l1d.line_log2) & r.h.l1d.set_mask, found = 0;
	for (uint32_t way = 0; way < r.h.l1d.ways; way++)
		found += cache_line_addr(&r.h.l1d, set, way) == (addr & ~UINT64_C(31));
	assert_int_equal(found, 1);
	cache_fixture_close_rig(&r);
}
