-- Zilles and Sohi, "A Programmable Co-processor for Profiling", section 5: an n-way superscalar,
-- dynamically scheduled processor "roughly modelled" on the Alpha 21264, with L1 caches, a shared
-- L2 and main memory of sizes and latencies whose digits are lost in our text of the paper. The
-- figures here are those of the 21264, from its maker's description. Where our machine has other
-- parts than the 21264:
--   * The tournament of local and global history becomes the combined predictor, bimodal in place
--     of the local side; global history 12 bits, 4096 counters, 4096 choosers are the chip's.
--   * Line and way prediction in the instruction cache becomes a branch target buffer.
--   * Integer and floating-point queues (20 and 15) are one of 35; both units that multiply are
--     pooled.
--   * Latency and size of the board-level L2, of memory and the bus are ours.
return {
	description = "Zilles 2001, sec. 5: Alpha 21264-like, 4-way out of order, 80 in flight",
	pipe = {
		fetch_width = 4, fetch_queue = 8, decode_width = 4, issue_width = 6,
		commit_width = 8, rob_size = 80, issue_queue = 35,
	},
	lsq = {
		size = 64, -- 32 loads and 32 stores
		speculate = true,
		-- the chip's
		predictor = "wait-table", predictor_size = 1024, predictor_clear = 16384,
	},
	fu = { int = 4, imuldiv = 1, fadd = 1, fmuldiv = 1, mem = 2 },
	lat = { imul = 7, fadd = 4, fmul = 4, fdiv = 15, fsqrt = 33 },
	occ = { fdiv = 12, fsqrt = 30 },
	bpred = {
		kind = "combined",
		-- with the stages before issue, the 7 cycles at least that the chip loses
		penalty = 3,
		bimodal_size = 1024, l1_size = 1, l2_size = 4096, history = 12,
		meta_size = 4096,
	},
	btb = { sets = 512, ways = 4 },
	ras = { size = 32 },
	l1i = { size = "64K", ways = 2, line = 64 },
	l1d = {
		size = "64K", ways = 2, line = 64,
		latency = 2, -- 3 with address generation
		mshrs = 8,
	},
	l2 = { size = "2M", ways = 1, line = 64, latency = 12 },
	mem = { latency = 80 },
	bus = { bytes = 16, cycles = 2 },
	itlb = {
		sets = 2, -- 128 entries, on the chip fully associative
		ways = 64,
	},
	dtlb = { sets = 2, ways = 64 },
	tlb = { page = "8K", penalty = 30 },
}
