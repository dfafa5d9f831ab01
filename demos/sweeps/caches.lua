-- A grid: the size of the L1 data cache varies, on two machines and two programs.
--
--   build/cyclops sweep demos/sweeps/caches.lua
--
-- What to expect: each size is run on each machine with each program, 20 jobs; the plot has a panel
-- for each program and a line for each machine.
local input = "demos/programs/input/"

return {
	title = "Caches: the size of the L1 data cache",
	configs = {
		classic5 = "classic5",
		default = "default",
	},
	vary = { ["l1d.size"] = { "4K", "8K", "16K", "32K", "64K" } },
	programs = {
		compress = { "build/demos/compress", input .. "gpl-3.txt", input .. "gpl-2.txt" },
		lisp = { "build/demos/lisp", input .. "queens.lisp", input .. "deriv.lisp",
			input .. "meta.lisp" },
	},
	options = { ff = "1M", warmup = true, max_insts = "2M", timeout = 600 },
	stats = { "sim.ipc", "l1d.miss_rate", "cpi.l2", "cpi.memory" },
	out = "build/sweeps/caches",
	plot = {
		{ y = "l1d.miss_rate", x = "l1d.size", series = "config", panels = "program",
			kind = "lines", file = "misses.svg",
		  title = "Misses of the L1 data cache, by its size" },
		{ y = "sim.ipc", x = "l1d.size", series = "config", mean = "harmonic",
			kind = "lines", file = "ipc.svg",
		  title = "Instructions per cycle, by the size of the L1 data cache" },
	},
}
