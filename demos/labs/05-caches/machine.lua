-- The machine of lab 5: in order, with an L1D so small and simple that its misses can be counted by
-- hand, and an L2 that always hits.
return {
	description = "in order; L1D of 4 KB, direct mapped, one miss at a time; L2 always hits",
	base = "inorder2",
	l1d = { size = 4096, ways = 1, mshrs = 1 },
	l2 = { perfect = true },
}
