-- Three machines and four programs: how much of a program's speed is the window's?
--
--   make && make demos
--   build/cyclops sweep demos/sweeps/windows.lua
--
-- What to expect: hash has its independent work near, and 16 entries get 97 % of what 64 get; sort,
-- of whose accesses every fifth misses the cache, gets 80 %. The five-stage pipeline loses mostly
-- to branches, none of which it predicts taken.
local input = "demos/programs/input/"

return {
	title = "Windows: three machines, four programs",
	configs = {
		classic5 = "classic5",
		small = { "default", ["pipe.rob_size"] = 16, ["lsq.size"] = 16 },
		default = "default",
	},
	programs = {
		sort = { "build/demos/sort", input .. "words.txt" },
		anagram = { "build/demos/anagram", input .. "words.txt", stdin = input ..
			"phrases.txt" },
		lisp = { "build/demos/lisp", input .. "queens.lisp", input .. "deriv.lisp",
			input .. "meta.lisp" },
		hash = { "build/demos/hash", input .. "words.txt", input .. "gpl-3.txt",
			input .. "gpl-2.txt" },
	},
	options = { ff = "1M", warmup = true, max_insts = "5M", timeout = 600 },
	stats = { "sim.cycles", "sim.insts", "sim.ipc", "bpred.mpki", "l1d.miss_rate",
		"rob.occupancy" },
	out = "build/sweeps/windows",
	plot = {
		{ y = "sim.ipc", x = "program", series = "config", kind = "bars", file = "ipc.svg",
		  title = "Instructions per cycle of three machines" },
		{ y = "sim.ipc", x = "program", series = "config", kind = "bars",
			file = "speedup.svg", relative = "classic5",
		  title = "Instructions per cycle, relative to the five-stage pipeline" },
	},
}
