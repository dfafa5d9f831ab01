-- The paper's results: its tables as printed (CPU2000's integer programs, a 500 MHz Alpha 21264),
-- slowdowns in percent.
return {
	-- Table 1: percent of L1D's blocks that miss in 0, 1-20, 21-40, 41-60, 61-80, 81-100 % of
	-- the rounds
	blocks = { 88, 4, 2, 2, 1, 3 },
	-- Table 2(a)
	options = { ["no-vprof"] = 3.9, vprof = 10.7, ["vprof-context"] = 12.2, vreplay = 5.9,
		["vreplay-context"] = 6.8 },
	-- Table 2(b): interpret length, at every second interrupt
	lengths = { { 4, 10.7 }, { 8, 14.8 }, { 16, 22.7 }, { 32, 40.4 } },
	-- Table 2(c): interpret length, interrupts from one interpretation to the next
	frequencies = { { 4, 2, 10.7 }, { 8, 4, 10.8 }, { 16, 8, 9.7 }, { 32, 16, 9.3 },
		{ 64, 32, 9.2 } },
	-- Figure 1: retire delay in cycles, and percent of a load's latencies in L1D, the second
	-- cache (the board's) and memory
	latencies = { hits = { delay = 0.0223, D = 94.26, B = 2.15, M = 3.58 },
		misses = { delay = 0.0245, D = 15.07, B = 0.01, M = 84.91 }, multiply = 102.2877 },
	-- Section 4: how many times as long programs with Calder, Feller and Eustace's
	-- instrumentation took
	instrumentation = { 3.8, 33 },
}
