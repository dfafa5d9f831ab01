-- The five-stage pipeline of the textbooks: fetch, decode, execute, memory, write back; one
-- instruction a cycle, in order, full forwarding, one bubble between a load and its use. Fetch
-- continues after a branch until its outcome is known (no target buffer, no return stack). The
-- multiplier, divider and floating point are those of Hennessy and Patterson's extended pipeline
-- (appendix C): they issue in order from decode, when operands, unit, write port and destination
-- are free, and complete out of order. The caches are large and quick, so that hazards stand alone;
-- the first access to a line still misses, and stalls the pipeline for a few cycles.
return {
	description = "Textbook five-stage pipeline: one-wide, in order, forwarding, predict " ..
		"not taken",
	pipe = {
		fetch_width = 1, fetch_queue = 1, decode_width = 1, issue_width = 1,
		commit_width = 1,
		rob_size = 64, -- for exact state only; no instruction waits for it
		issue_queue = 1, -- the instructions in decode
		in_order = true, completion = "out-of-order", commit_delay = 0,
		memory_stage = 1, -- between execute and write back
		int_writes = 1, fp_writes = 1, -- each register file has one write port
	},
	lsq = {
		size = 64, speculate = false,
		agen_latency = 1, -- the execute stage of a load
		forward_latency = 1,
	},
	fu = { int = 1, imuldiv = 1, fadd = 1, fmuldiv = 1, div = 1, mem = 1 },
	lat = {
		int = 1, imul = 7, idiv = 25, fadd = 4, fmul = 7,
		fma = 11, -- a multiplication, then an addition
		fdiv = 25, fsqrt = 25,
	},
	occ = { idiv = 25, fdiv = 25, fsqrt = 25 },
	bpred = { kind = "nottaken", penalty = 0 },
	btb = { sets = 0 },
	ras = { size = 0 },
	l1i = { size = "1M", line = 256, latency = 1 },
	l1d = { size = "1M", line = 256, latency = 1 },
	l2 = { line = 256, latency = 1 },
	mem = { latency = 1 },
	bus = { bytes = 256 },
	tlb = { penalty = 0 },
}
