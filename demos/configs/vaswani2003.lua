-- The base machine of Vaswani, Srikant and Thazhuthaveetil, "Architectural Support for Online
-- Program Instrumentation", Table I, on which the tables of demos/papers/vaswani2003 are made. The
-- paper runs SimpleScalar (section VI), whose fetch reads as many lines as it likes as long as they
-- hit: fetch_lines = 16. All else is a default, written out so that the table can be read beside
-- the paper. Parameters that Table I leaves open (line and predictor table sizes, return stack,
-- latencies of the units, memory ports) have SimpleScalar's defaults.
return {
	description = "Vaswani 2003, Table I: 4-wide out of order, RUU 64, LSQ 64; fetch goes " ..
		"on from line to line",
	pipe = { fetch_lines = 16, fetch_queue = 32, decode_width = 4, issue_width = 4,
		commit_width = 4, rob_size = 64 },
	lsq = { size = 64 },
	fu = { int = 4, imuldiv = 2, fadd = 2, fmuldiv = 2 },
	bpred = { kind = "combined", update = "dispatch", penalty = 3 },
	btb = {
		sets = 128, -- 256 entries
		ways = 2,
	},
	l1d = { size = "64K", ways = 2, latency = 2 },
	l1i = { size = "64K", ways = 2, latency = 1 },
	l2 = { size = "2M", ways = 4, latency = 10 },
	mem = { latency = 100 },
	bus = {
		bytes = 32, -- "memory bandwidth 32 bytes": per cycle, as we take it
		cycles = 1,
	},
	itlb = {
		sets = 32, -- 128 entries; one TLB in the table, one of each kind here
		ways = 4,
	},
	dtlb = { sets = 32, ways = 4 },
	tlb = { page = "8K", penalty = 50 },
}
