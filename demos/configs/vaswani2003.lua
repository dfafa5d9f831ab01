-- The machine of Vaswani, Srikant and Thazhuthaveetil (2003), Table I; also the default.
-- What the table leaves open follows SimpleScalar, as each parameter's help says.
return {
	pipe = {
		fetch_width = 4, fetch_queue = 32, decode_width = 4, issue_width = 4, commit_width = 4,
		rob_size = 64, in_order = false,
	},
	lsq = { size = 64 },
	fu = { int = 4, imuldiv = 2, fadd = 2, fmuldiv = 2 },
	bpred = { kind = "combined", update = "dispatch", penalty = 3 },
	btb = { sets = 128, ways = 2 },
	l1i = { size = "64K", ways = 2, latency = 1 },
	l1d = { size = "64K", ways = 2, latency = 2 },
	l2 = { size = "2M", ways = 4, latency = 10 },
	mem = { latency = 100 },
	bus = { bytes = 32 },
	itlb = { sets = 32, ways = 4 },
	dtlb = { sets = 32, ways = 4 },
	tlb = { page = "8K", penalty = 50 },
}
