-- Twelve cores and five programs by sampling: where does a larger window help, and how much of
-- memory's latency does it hide?
--
--   make && make demos
--   build/cyclops sweep demos/sweeps/sampled.lua -j 2
--
-- What to expect: the first job of a program keeps its units, all others measure them again without
-- executing the program (docs/sampled.md). All 60 take less than five full runs would.
local input = "demos/programs/input/"

return {
	title = "Windows and memory, by sampling",
	configs = { default = "default" },
	vary = { ["pipe.rob_size"] = { 16, 32, 64, 128 }, ["mem.latency"] = { 50, 100, 200 } },
	programs = {
		sort = { "build/demos/sort", input .. "words.txt" },
		anagram = { "build/demos/anagram", input .. "words.txt", stdin = input ..
			"phrases.txt" },
		chess = { "build/demos/chess", input .. "positions.txt" },
		hash = { "build/demos/hash", input .. "words.txt", input .. "gpl-3.txt",
			input .. "gpl-2.txt" },
		regex = { "build/demos/regex", input .. "patterns.txt", input .. "words.txt" },
	},
	options = { sample = "n=300", checkpoints = "build/sweeps/sampled/points", timeout = 600 },
	stats = { "sim.insts", "sim.ipc", "bpred.mpki", "rob.occupancy" },
	out = "build/sweeps/sampled",
	plot = { y = "sim.ipc", x = "pipe.rob_size", series = "mem.latency", panels = "program",
		file = "ipc.svg",
	         title = "Instructions per cycle by window and memory latency, sampled" },
}
