-- Sastry, Bodik and Smith, "Rapid Profiling via Stratified Sampling", section 5.2: SimpleScalar, "a
-- 4-way machine with 64-KB L1 data and instruction caches, 1-MB unified L2 data cache, and a gshare
-- branch predictor". The paper gives no other parameters; the rest are defaults of SimpleScalar's
-- sim-outorder. Its memory takes 18 cycles for the first 8 bytes and 2 for each further 8: here a
-- latency of 16, and 2 for each 8.
return {
	description = "Sastry 2001, sec. 5.2: 4-way, 64 KB L1s, 1 MB L2, gshare",
	l1i = { size = "64K", ways = 1, line = 32, latency = 1 },
	l1d = { size = "64K", ways = 4, line = 32, latency = 1 },
	l2 = { size = "1M", ways = 4, line = 64, latency = 6 },
	bpred = {
		kind = "gshare", update = "commit", penalty = 3, l1_size = 1, l2_size = 1024,
		history = 8,
	},
	pipe = {
		fetch_width = 4, fetch_queue = 4, decode_width = 4, issue_width = 4,
		commit_width = 4, rob_size = 16,
	},
	lsq = { size = 8 },
	fu = { int = 4, imuldiv = 1, fadd = 4, fmuldiv = 1, mem = 2 },
	btb = { sets = 512, ways = 4 },
	ras = { size = 8 },
	mem = { latency = 16 },
	bus = { bytes = 8, cycles = 2 },
	itlb = { sets = 16, ways = 4 },
	dtlb = { sets = 32, ways = 4 },
	tlb = { page = "4K", penalty = 30 },
}
