-- The five-stage pipeline of the textbooks: fetch, decode, execute, memory, write-back; one
-- instruction wide, in order, with forwarding. A load's value is there one cycle late, a branch is
-- known in execute and assumed not taken until then.
return {
	pipe = {
		fetch_width = 1, fetch_queue = 1, decode_width = 1, issue_width = 1, commit_width = 1,
		rob_size = 4, issue_queue = 1, in_order = true, issue_to_commit = 2,
	},
	lsq = { size = 4, speculate = false },
	fu = { int = 1, imuldiv = 1, fadd = 1, fmuldiv = 1, mem = 1 },
	bpred = { kind = "nottaken", penalty = 0 },
	ras = { size = 0 },
	l1i = { latency = 1 },
	l1d = { latency = 1 },
}
