-- The runs of the bake-off: each program, a demo or a workload, under each profiler, as the
-- profiler comes and at equal overheads (cyclops.bakeoff). Results of a program's runs are kept as
-- a file of Lua, under a digest of all dependences.
-- modules that papers share, and the workloads
local here = debug.getinfo(1, "S").source:match "@(.-)[^/]*$"
package.path = here .. "../?.lua;" .. here .. "../../workloads/?.lua;" .. package.path
local profiled, workloads = require "profiled", require "programs"
local kept, options = require "kept", require "options"
local bakeoff, page = require "cyclops.bakeoff", require "cyclops.bakeoff_page"

local runs = {}

-- Version of the runs: change it when the way of making runs changes, which discards stored
-- results.
local RULES <const> = 3
--- runs.budgets: overheads in percent.
runs.budgets = { 1, 3, 10 }
local INSTS <const>, SMALL_INSTS <const> = 2000000, 300000
local SMALL_PROGRAMS <const> = { "lisp", "sort" }
local LOOKS <const> = 20

local OPTIONS <const> = {
	{ "--insts", "N", "of each program at most (2000000; with --small 300000)", 50000,
		1000000000, "whole" },
	{ "--seed", "N", "of all random choices of the profilers (1)", 1, 1000000, "whole" },
}
-- Parameters that are a profiler's seed.
local SEEDS <const> = { "sampler.seed", "cop.seed", "vsample.seed", "profileme.seed",
	"values.seed" }

--- runs.open(WORDS) -> e
-- Runs by these command line words: e.names are the programs, workloads first. Workloads that
-- are not built are left out.
function runs.open(words)
	local e = options.read(words, "build/papers/bakeoff", OPTIONS)
	e.insts = e.insts or e.small and SMALL_INSTS or options.times(e, INSTS, 50000)
	e.names, e.by_name = {}, {}
	local function add(program, path, kind)
		if program and not e.by_name[program.name] then
			program.path, program.kind = path, kind
			e.names[#e.names + 1], e.by_name[program.name] = program.name, program
		end
	end
	local wanted = e.programs or e.small and SMALL_PROGRAMS
	local function is_wanted(name)
		for _, other in ipairs(wanted or { name }) do
			if other == name then
				return true
			end
		end
	end
	for _, list in ipairs{ { workloads.all, "build/debian/", "workload" },
		{ profiled.all, "build/demos/", "demo" } } do
		for _, name in ipairs(list[1]:names()) do
			if is_wanted(name) then
				-- A demo that is called as a workload is another program.
				local program = list[1]:get(name, e)
				if e.by_name[name] then
					program.name = name .. " (demo)"
				end
				add(program, list[2] .. name, list[3])
			end
		end
	end
	for _, name in ipairs(e.programs or {}) do
		if not e.by_name[name] then
			e.wrong("no program '%s' is there; expected %s%s", name,
				table.concat(profiled.all:names(), ", "),
				#workloads.all:names() > 0 and ", " ..
				table.concat(workloads.all:names(), ", ")
				or "; make workloads builds more")
		end
	end
	return setmetatable(e, { __index = runs })
end

local function make(e, program)
	local began, config = os.time(), nil
	if e.seed then
		config = {}
		for _, name in ipairs(SEEDS) do
			config[name] = e.seed
		end
	end
	local result = bakeoff.run{ config = config, program = program.path, name = program.name,
		args = program.args, input = program.input, root = e.root, max_insts = e.insts,
		budgets = runs.budgets, looks = LOOKS, together = true,
			say = function(text) io.stderr:write(program.name, ": ", text, "\n") end }
	local record = page.summary(result)
	record.rows = {}
	for i, row in ipairs(page.rows(result)) do
		local r = row.record or {}
		row.overhead, row.deliveries, row.lost = r.overhead, r.deliveries,
			r.loss and r.loss.percent
		row.record = nil
		record.rows[i] = row
	end
	record.csv, record.pictures, record.seconds = page.csv(result), {}, os.time() - began
	for i, picture in ipairs(page.pictures(result)) do
		record.pictures[i] = { picture[1], picture[2] }
	end
	return record
end

--- e:record(NAME) -> RECORD
-- What page.summary() has, and `rows` as page.rows() has them, `csv`, `pictures` = { { FILE, SVG },
-- ... }, `seconds` that it took.
function runs:record(name)
	local program = self.by_name[name]
	return kept.record(self, name:gsub("%W+", "-") .. "-bakeoff",
		{ table.concat(program.args, "\n"), program.input, self.insts, self.seed or 1,
			RULES },
		{ program.path, "build/demos/firmware/cop_flow.elf",
			"build/demos/firmware/cop_value.elf", "build/demos/firmware/sampler.elf",
			"build/demos/firmware/flags.elf", table.unpack(program.files) },
		function() return make(self, program) end)
end

return runs
