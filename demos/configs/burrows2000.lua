-- Burrows and others, "Efficient and Flexible Value Sampling", sections 3.2 and 4: real machines, a
-- 500 MHz Alpha 21264 among them, up to 80 instructions in flight. From the paper: the clock, the
-- 80, and the L1D index that repeats every 32 KB (64 KB, 2-way); all else as in zilles2001.lua.
-- Replay traps (section 3.2; core/pipe/replay.h): the load and all that follows are fetched again.
--   * order: a load passed an older store to the same bytes (lsq.speculate; lsq.order_violations).
--     The chip's wait table (lsq.predictor) then holds it back.
--   * size: a load overlaps a narrower store in the queue (lsq.replay_size; lsq.size_replays),
--     again and again until the store has committed.
--   * synonym: a load would miss while another line congruent modulo 32 KB is on its way
--     (lsq.replay_synonym; lsq.synonym_replays), again and again until that has arrived.
return {
	description = "Burrows 2000: 500 MHz Alpha 21264-like, with replay traps: order, size, " ..
		"synonym",
	sim = { clock_hz = "500M" },
	pipe = {
		rob_size = 80, fetch_width = 4, fetch_queue = 8, decode_width = 4,
		issue_width = 6, commit_width = 8, issue_queue = 35,
	},
	lsq = {
		speculate = true,
		-- the chip's
		predictor = "wait-table", predictor_size = 1024, predictor_clear = 16384,
		size = 64, -- 32 loads and 32 stores
		replay_size = true, replay_synonym = "32K",
	},
	l1d = {
		size = "64K", ways = 2, line = 64,
		latency = 2, -- 3 with address generation
		mshrs = 8,
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
	l2 = { size = "2M", ways = 1, line = 64, latency = 12 },
	mem = { latency = 80 },
	bus = { bytes = 16, cycles = 2 },
	itlb = {
		sets = 2, -- 128 entries, on the chip fully associative
		ways = 64,
	},
	dtlb = { sets = 2, ways = 64 },
	tlb = { page = "8K", penalty = 30 },
	-- the least with which a block whose line comes from L2 can commit
	vsample = { bounce_cycles = 17 },
}
