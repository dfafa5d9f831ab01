-- A wide core of today: six instructions a cycle, a window of 256, loads that pass stores and learn
-- from their mistakes (store sets), perceptrons with 30 outcomes of history that follow fetch
-- (Jimenez and Lin), a stride prefetcher. Sizes and latencies of caches, TLBs and memory are the
-- default's, so that a comparison with it is one of the cores.
return {
	description = "A six-wide core of today: window of 256, perceptrons, store sets, stride " ..
		"prefetcher; the default's memory",
	pipe = {
		fetch_width = 8, fetch_lines = 2, fetch_queue = 48, decode_width = 6,
			issue_width = 8,
		commit_width = 8,
		rob_size = 256,
		issue_queue = 96,
	},
	lsq = { size = 128, speculate = true, predictor = "store-sets" },
	fu = { int = 6, imuldiv = 2, fadd = 3, fmuldiv = 3, mem = 3 },
	bpred = { kind = "perceptron", update = "fetch", perceptrons = 1024, history = 30,
		penalty = 10 },
	btb = { sets = 1024, ways = 4 },
	ras = { size = 32 },
	l1d = {
		prefetch = "stride", prefetch_degree = 2,
		mshrs = 16, mshr_targets = 16, write_buffer = 16,
	},
}
