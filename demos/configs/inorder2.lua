-- Two-wide and in order, like small cores of today: a short pipeline, a modest predictor whose
-- history follows fetch, hits under misses. Caches, TLBs and memory are the default's, so that a
-- comparison with it is one of the cores.
return {
	description = "A two-wide in-order core of today, with the default's caches and memory",
	pipe = {
		fetch_width = 2, fetch_queue = 8, decode_width = 2, issue_width = 2,
		commit_width = 2,
		rob_size = 16, -- in flight; none issues before its turn
		in_order = true, commit_delay = 0,
		memory_stage = 1,
	},
	lsq = { size = 8 },
	fu = { int = 2, imuldiv = 1, fadd = 1, fmuldiv = 1, mem = 1 },
	bpred = { kind = "gshare", update = "fetch", history = 10, l2_size = 1024 },
}
