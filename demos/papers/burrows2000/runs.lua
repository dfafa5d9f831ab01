-- The runs shared by the tables: each program alone, and with the value sampler in each of the
-- paper's ways. Results are stored as Lua files, named by a digest of all their dependencies.
--
-- The paper's interval of some 63,000 instructions needs long runs: one of its ways interprets once
-- per eight million instructions. The cost of an interrupt does not depend on the interval, except
-- for lines that the program has to fetch again. So intervals are a sixteenth here, and slowdowns
-- are divided by sixteen. Runs named "paper-..." use the paper's own interval, to show the effect.
-- A run has some 768 interrupts, six times 128.

-- Modules shared by papers are in demos/papers.
package.path = debug.getinfo(1, "S").source:match "@(.-)[^/]*$" .. "../?.lua;" .. package.path
local programs, guest, kept, options, real = require "profiled", require "guest", require "kept",
	require "options", require "real"

local runs = {}

-- Version of the runs: change it when the way of making runs changes, which discards stored
-- results.
local RULES <const> = 2
local MIN <const>, MAX <const> = 62 << 10, 64 << 10

--- runs.interval: instructions from one interrupt to the next, in the paper's tables (62K to 64K).
runs.interval = (MIN + MAX) / 2

local CONTEXT <const> = "operands result address latency context"
-- The sampler's parameters, by the run's name.
local made = {
	plain = { enable = false },
	["no-vprof"] = { every = 0 },
	vprof = { every = 2, length = 4 },
	["vprof-context"] = { every = 2, length = 4, capture = CONTEXT },
	vreplay = { every = 128, length = 128 },
	-- Runs the module itself, while the others only interpret as much as it needs; in our runs
	-- this is often enough for a result.
	["vreplay-module"] = { every = 32, length = 128, module = "vreplay" },
	["vreplay-context"] = { every = 128, length = 128, capture = CONTEXT },
}
for _, way in ipairs{ { 8, 2 }, { 16, 2 }, { 32, 2 }, { 8, 4 }, { 16, 8 }, { 32, 16 },
	{ 64, 32 } } do
	made[("%d-%d"):format(way[1], way[2])] = { length = way[1], every = way[2] }
end
-- With the paper's own intervals, over more instructions, for modes that then have enough samples.
for _, name in ipairs{ "plain", "no-vprof", "vprof", "vprof-context", "32-2" } do
	local way = { long = true }
	for key, value in pairs(made[name]) do
		way[key] = value
	end
	made["paper-" .. name] = way
end

local FLOATING <const> = { cg = true, nbody = true, fft = true }

local WORKLOADS <const> = { "--workloads", false,
	"real programs, after the first four million instructions of each, in place of the demos" }

local function open_workloads(words)
	local e = real.open(words, "burrows2000/workloads", 1000000, { "gzip", "mawk" },
		{ WORKLOADS })
	for name, program in pairs(e.by_name) do
		program.floating = name == "fftw" or name == "lp_solve"
	end
	return e
end

--- runs.open(WORDS) -> e
-- Runs by these command line words: e.names are the programs, e.insts how many of their
-- instructions are looked at, e.scale how many times as often as in the paper interrupts come.
function runs.open(words)
	local e
	for _, word in ipairs(words) do
		e = e or word == WORKLOADS[1] and open_workloads(words)
	end
	if not e then
		e = options.read(words, "build/papers/burrows2000", { WORKLOADS })
		e.names, e.by_name = {}, {}
		for i, program in ipairs(programs[e.small and "small" or "all"]:all(e, e.programs,
			e.wrong)) do
			program.floating = FLOATING[program.name]
			e.names[i], e.by_name[program.name] = program.name, program
		end
	end
	e.scale, e.interrupts, e.long_insts = e.small and 64 or 16, (e.small or e.workloads) and 256
		or options.times(e, 768, 128), e.small and 700000 or options.times(e, 16000000,
		700000)
	e.insts = math.tointeger((e.interrupts + 0.5) * runs.interval // e.scale)
	return setmetatable(e, { __index = runs })
end

--- runs.names(LONG) -> { NAME, ... }: of all runs, or of those with the paper's interval.
function runs.ways(long)
	local names = {}
	for name, way in pairs(made) do
		names[#names + 1] = (way.long or false) == long and name or nil
	end
	table.sort(names)
	return names
end

--- e:is_floating(NAME) -> BOOLEAN
function runs:is_floating(name)
	return self.by_name[name].floating or false
end

local function settings(self, way)
	local set = { ["vsample.enable"] = true, ["vsample.interval_min"] = MIN,
		["vsample.interval_max"] = MAX }
	if not way.long then
		set["vsample.interval_min"], set["vsample.interval_max"] = MIN // self.scale,
			MAX // self.scale
	end
	for key, value in pairs(way) do
		if key == "module" then
			set["values.modules"] = value
		elseif key ~= "long" then
			set["vsample." .. key] = value
		end
	end
	return set
end

--- e:machine(PROGRAM, SET [, MORE]) -> MACHINE
-- A burrows2000 in front of the program's first instruction after its initialization; caches and
-- predictors have seen that.
function runs:machine(program, set, more)
	local about = { program = program.path or "build/demos/" .. program.name,
		config = "burrows2000", set = set, warmup = true, ff = 4000000 }
	for key, value in pairs(more or {}) do
		about[key] = value
	end
	local m = guest.machine(self, program, about)
	guest.passed(m, "the end of its initialization")
	return m
end

local function go(self, program, what, way)
	local m <close> = self:machine(program, settings(self, way),
		{ name = program.name .. " " .. what })
	local goal = m.insts + (way.long and self.long_insts or self.insts)
	m:run{ until_insts = goal }
	guest.reached(m, goal, m.insts)
	local record = { stats = {} }
	for name, value in pairs(m.stats) do
		if math.type(value) == "integer" and value ~= 0 then
			record.stats[name] = value
		end
	end
	return record
end

--- e:record(NAME, WAY) -> RECORD
-- `stats`: statistics of the program's run by name, without those that are 0.
function runs:record(name, what)
	local program, way = self.by_name[name], made[what]
	local parts = { table.concat(program.args, "\n"), program.input, what, self.insts,
		self.long_insts, RULES }
	return kept.record(self, name .. "-" .. what, parts,
		{ program.path or "build/demos/" .. name, "demos/configs/burrows2000.lua",
		table.unpack(program.files) }, function()
		return go(self, program, what, way)
	end)
end

--- e:slowdown(NAME, WAY) -> PERCENT, CYCLES
-- The cost of interrupts at the paper's rate, in percent of this program's cycles; and the cycles
-- that each adds. Cycles are counted for as many instructions: a run ends with the instruction that
-- completes them, or a few after it.
function runs:slowdown(name, what)
	local long = made[what].long
	local plain, with = self:record(name, long and "paper-plain" or "plain").stats,
		self:record(name, what).stats
	local cpi = plain["sim.cycles"] / plain["sim.insts"]
	local added = with["sim.cycles"] - cpi * with["sim.insts"]
	return 100 * added / (cpi * with["sim.insts"]) / (long and 1 or self.scale),
		added / with["vsample.interrupts"]
end

--- e:mean(NAMES, WAY) -> PERCENT, CYCLES
function runs:mean(names, what)
	local percent, cycles = 0, 0
	for _, name in ipairs(names) do
		local p, c = self:slowdown(name, what)
		percent, cycles = percent + p / #names, cycles + c / #names
	end
	return percent, cycles
end

--- e:integer() -> { NAME, ... }: the programs that the paper's averages would be of.
function runs:integer()
	local names = {}
	for _, name in ipairs(self.names) do
		names[#names + 1] = not self:is_floating(name) and name or nil
	end
	return #names > 0 and names or self.names
end

--- e:all(NAME)
-- Makes all of a program's runs.
function runs:all(name)
	for _, what in ipairs(runs.ways(false)) do
		self:record(name, what)
	end
end

return runs
