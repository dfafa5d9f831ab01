-- Ammons, Ball and Larus, "Exploiting Hardware Performance Counters with Flow and Context Sensitive
-- Profiling", section 6: a 167 MHz UltraSPARC in a Sun Ultraserver E5000; its L1 data cache is
-- "on-chip 16 Kb, direct mapped". The rest follows the UltraSPARC-I: in order, four instructions a
-- cycle, 12 instructions fetched ahead. Where our machine has other parts:
--   * The chip's L1D writes through and does not allocate on a store, in 16-byte halves of a line;
--     ours writes back and allocates, so store misses differ from what its counters would show.
--   * It predicts with 2-bit counters kept beside instructions in the cache: a bimodal table here;
--     the next-fetch address kept there too is our branch target buffer.
--   * Latencies of external cache and memory are ours; the external cache's size is that of early
--     modules.
return {
	description =
		"Ammons 1997, sec. 6: UltraSPARC-like, 4-way in order, 16 KB direct-mapped L1D",
	sim = { clock_hz = "167M" },
	pipe = {
		fetch_width = 4, fetch_queue = 12, decode_width = 4, issue_width = 4,
		commit_width = 4, rob_size = 32, in_order = true,
	},
	lsq = { size = 16, speculate = false },
	fu = { int = 2, imuldiv = 1, fadd = 1, fmuldiv = 1, mem = 1 },
	lat = { imul = 16, idiv = 36, fadd = 3, fmul = 3, fma = 6, fdiv = 22, fsqrt = 22 },
	occ = { idiv = 36, fdiv = 22, fsqrt = 22 },
	bpred = { kind = "bimodal", update = "commit", penalty = 1, bimodal_size = 2048 },
	btb = { sets = 1024, ways = 2 },
	ras = { size = 4 },
	l1i = { size = "16K", ways = 2, line = 32 },
	l1d = {
		size = "16K", ways = 1, line = 32,
		latency = 1, -- 2 with address generation
		write_buffer = 8,
	},
	l2 = { size = "512K", ways = 1, line = 64, latency = 6 },
	mem = { latency = 40 },
	bus = { bytes = 16, cycles = 2 },
	itlb = {
		sets = 1, -- 64 entries, fully associative
		ways = 64,
	},
	dtlb = { sets = 1, ways = 64 },
	tlb = { page = "8K", penalty = 30 },
}
