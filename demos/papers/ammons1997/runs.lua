-- The runs shared by all tables: each program unchanged, and with each mode's instrumentation, to
-- its end, on the machine of section 6. Results are stored as Lua files, named by a digest of all
-- their dependencies.

-- Modules shared by papers are in demos/papers.
package.path = debug.getinfo(1, "S").source:match "@(.-)[^/]*$" .. "../?.lua;" .. package.path
local programs, guest, kept, options, real = require "programs", require "guest", require "kept",
	require "options", require "real"

local runs = {}

-- Version of the runs: change it when the way of making runs changes, which discards stored
-- results.
local RULES <const> = 3

--- runs.metrics: the columns of table 2, as the paper calls them and as we do.
runs.metrics = {
	{ "Cycles", "sim.cycles" },
	{ "Insts", "sim.insts" },
	{ "D read misses", "l1d.read_misses" },
	{ "D write misses", "l1d.write_misses" },
	{ "I misses", "l1i.misses" },
	{ "Mispredict stalls", "cpi.bad_speculation" },
	{ "Store buffer stalls", "l1d.write_buffer_full" },
	{ "FP stalls", "fpu.stalls" },
}

-- Instrumentation by the run's name. There are two counters: metrics come in pairs.
local made = {
	plain = {},
	nothing = { instrument = "nothing" },
	path = { instrument = "path" },
	hot = { instrument = "path+hw", metrics = "sim.insts,l1d.misses", paths = true },
	["cct-path"] = { instrument = "cct+path", tree = true },
}
-- In a direct-mapped cache, profiling's reads and writes evict lines of the same set.
local WAYS <const> = { ["l1d.ways"] = 8 }
for i = 1, #runs.metrics, 2 do
	local pair = runs.metrics[i][2] .. "," .. runs.metrics[i + 1][2]
	made["flow-" .. i // 2 + 1] = { instrument = "path+hw", metrics = pair, sums = true }
	made["context-" .. i // 2 + 1] = { instrument = "cct+hw", metrics = pair, sums = true }
end
made["plain-8way"], made["flow-2-8way"] = { set = WAYS }, { instrument = made["flow-2"].instrument,
	metrics = made["flow-2"].metrics, sums = true, set = WAYS }

-- Instructions; none of these programs has more.
local WHOLE <const> = 6000000
local WORKLOADS <const> = { "--workloads", false,
	"real programs, the first million instructions of each (--insts), in place of the demos" }
local FLOATING <const> = { fftw = true, lp_solve = true }

-- Opens the real programs: e.region runs each to its end.
local function open_workloads(words)
	local region = real.open(words, "ammons1997/workloads", 1000000, { "gzip", "mawk" },
		{ WORKLOADS })
	for name, program in pairs(region.by_name) do
		program.floating = FLOATING[name]
	end
	return setmetatable({ region = region }, { __index = function(_, key)
		return runs[key] or region[key] end })
end

--- runs.open(WORDS) -> e
-- Runs by these command line words: e.names are the programs.
function runs.open(words)
	for _, word in ipairs(words) do
		if word == WORKLOADS[1] then
			return open_workloads(words)
		end
	end
	local e = options.read(words, "build/papers/ammons1997", { WORKLOADS })
	e.names, e.by_name = {}, {}
	-- Shorter than whole programs are: to one place of each.
	if e.factor < 1 and not e.small then
		e.insts = options.times(e, WHOLE, 50000)
		e.region = setmetatable({}, { __index = function(_, key)
			return real[key] or e[key] end })
	end
	for i, program in ipairs(programs[e.small and "small" or "all"]:all(e, e.programs,
		e.wrong)) do
		e.names[i], e.by_name[program.name] = program.name, program
	end
	return setmetatable(e, { __index = runs })
end

-- For each path: function, count, both metrics, offsets.
local function read_paths(m)
	local list = {}
	for i, row in ipairs(m:report("hot-paths all").rows) do
		list[i] = { row["function"], row.count, row.metric0, row.metric1, row.offsets }
	end
	return list
end

-- How many of the paths that were executed lead through a block of hot paths, on average over these
-- blocks. Blocks are identified by the texts of paths, which are cut short where they are very
-- long.
local function paths_through(list, column, share)
	local total, through, hot = 0, {}, {}
	for _, row in ipairs(list) do
		total = total + row[column]
	end
	for _, row in ipairs(list) do
		for block in row[5]:gmatch "%+0x%x+" do
			local key = row[1] .. block
			through[key] = (through[key] or 0) + 1
			hot[key] = hot[key] or total > 0 and row[column] >= share * total
		end
	end
	local sum, blocks = 0, 0
	for key, count in pairs(through) do
		if hot[key] then
			sum, blocks = sum + count, blocks + 1
		end
	end
	return blocks > 0 and sum / blocks or 0
end

-- The two metrics, over all paths or contexts.
local function read_sums(m, run)
	local sums, paths = { 0, 0 }, run.instrument == "path+hw"
	local first, second = paths and "metric0" or "own", paths and "metric1" or "own1"
	for _, row in ipairs((paths and m:report "hot-procedures all"
		or m:view "cct program all").rows) do
		sums[1], sums[2] = sums[1] + (tonumber(row[first]) or 0),
			sums[2] + (tonumber(row[second]) or 0)
	end
	return sums
end

-- The columns of table 3, in its order.
local function read_tree(m)
	local row, tree = m:report("cct-stats").rows[1], {}
	for i, column in ipairs{ "size", "nodes", "node_size", "out_degree", "height", "height_max",
		"replication", "sites", "used", "one_path" } do
		tree[i] = tonumber(row[column]) or false
	end
	return tree
end

-- A program run to its end.
local whole = {}
function whole:machine(name, about, e)
	local m = guest.machine(e, e.by_name[name], about)
	return m, function()
		m:run()
		guest.whole(m)
	end
end

-- Bytes of all procedures.
local function code_of(m)
	local bytes, seen = 0, {}
	for f in m:functions() do
		bytes, seen[f.addr] = bytes + (seen[f.addr] and 0 or f.size), true
	end
	return bytes
end

local function go(e, program, what, run)
	local about = { program = program.path, config = "ammons1997", instrument = run.instrument,
		metrics = run.metrics, set = run.set,
		name = program.name .. " " .. what }
	local m <close>, go_on = (e.region or whole):machine(program.name, about, e)
	go_on()
	local record = { output = kept.digest(m:output()), stats = {}, code = code_of(m) }
	for name, value in pairs(m.stats) do
		if math.type(value) == "integer" and value ~= 0 then
			record.stats[name] = value
		end
	end
	if run.paths then
		record.paths = read_paths(m)
		record.through = paths_through(record.paths, 4, 0.01)
		for _, row in ipairs(record.paths) do
			row[5] = nil
		end
	end
	if run.instrument == "path" then
		record.cut =
			tonumber(
			m:report(
			"hot-paths all").summary:match "([%d.]+)%% of the executions are parts")
			or 0
	end
	if run.tree then
		record.tree = read_tree(m)
	end
	if run.sums then
		record.sums = read_sums(m, run)
	end
	return record
end

--- e:record(NAME, RUN) -> RECORD
-- RUN is "plain", "nothing", "path", "hot", "flow-1" to "flow-4", "context-1" to "context-4",
-- "cct-path"; "plain-8way" and "flow-2-8way" with an L1D of eight ways. `stats` of the whole run,
-- `code`, bytes of procedures; of "path" `cut`, percent of executions that are parts of paths; of
-- "hot" `paths`, each { FUNCTION, TIMES, INSTRUCTIONS, MISSES }, and `through`; of flow and context
-- `sums` of their two metrics; of "cct-path" `tree`.
function runs:record(name, what)
	local program, run = self.by_name[name], made[what]
	local parts = { table.concat(program.args, "\n"), program.input, what, run.instrument or "",
		run.metrics or "", self.insts or "", RULES }
	local record = kept.record(self, name .. "-" .. what, parts,
		{ program.path, "demos/configs/ammons1997.lua", table.unpack(program.files) },
		function()
		return go(self, program, what, run)
	end)
	if what ~= "plain" and record.output ~= self:record(name, "plain").output then
		error(("%s %s has other output than the program as it is"):format(name, what), 0)
	end
	return record
end

--- e:all(NAME)
-- Makes all of a program's runs.
function runs:all(name)
	local names = {}
	for what in pairs(made) do
		names[#names + 1] = what
	end
	table.sort(names)
	self:record(name, "plain")
	for _, what in ipairs(names) do
		self:record(name, what)
	end
end

--- e:is_floating(NAME) -> BOOLEAN
-- The paper has averages of its own for programs of floating point.
function runs:is_floating(name)
	return self.by_name[name].floating
end

return runs
