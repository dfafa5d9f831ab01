-- The runs shared by all tables and figures: each program, instrumented in each way, profiled in
-- windows of each size. A run is stored as a Lua file, named by a digest of all its dependencies;
-- tables make missing runs.
--
-- As in VI.B of the paper: the ten methods that retire most instructions are instrumented. They are
-- profiled during 2, 5 and 10 million in every 20 million cycles (10, 25, 50 %), always (100 %), or
-- never (0 %). Our programs are shorter, so all these lengths are multiplied by `scale`. The paper
-- counts instructions there; scales.lua shows the effect on profiles.

-- Modules shared by papers are in demos/papers.
package.path = debug.getinfo(1, "S").source:match "@(.-)[^/]*$" .. "../?.lua;" .. package.path
local bakeoff, guest, kept, options = require "cyclops.bakeoff", require "guest", require "kept",
	require "options"
local programs = require "programs"
local xprof = require "cyclops.xprof"
local triggers = require "cyclops.triggers"

local experiment = {}

local PERIOD <const> = 20e6
experiment.period = PERIOD
-- Version of the runs: change it when the way of making runs changes, which discards stored
-- results.
local RULES <const> = 4
experiment.percents = { 0, 10, 25, 50, 100 }
-- Ways in which fetch predicts that profile calls are dropped; other tables use the last one.
experiment.strategies = { "ignored-update", "flag", "prediction-bit" }

-- Statistics that are kept of a run.
local KEPT <const> = { "sim.cycles", "sim.insts", "sim.ipc", "l1i.accesses", "l1i.misses",
	"l1d.accesses", "l1d.misses",
	"bpred.mispredicts", "xprof.fetched", "xprof.dropped", "xprof.dispatched", "xprof.control",
	"xprof.misfetches", "xprof.skips",
	"xprof.skipped_insts", "xprof.flag_mispredicts", "xprof.poppf_stalls" }

-- Instructions; none of these programs has many more.
local WHOLE <const> = 6000000

local OPTIONS <const> =
	{ { "--scale", "X",
	"20 million cycles become so many times fewer (0.001; with --small 0.0005)", 0.0001, 1 } }

--- experiment.open(WORDS) -> e
-- Experiments by these command line words: e.programs, e.scale and e.out.
function experiment.open(words)
	local e = options.read(words, "build/papers/vaswani2003", OPTIONS)
	e.scale = e.scale or e.small and 0.0005 or 0.001
	e.insts = e.factor < 1 and not e.small and options.times(e, WHOLE, 50000) or nil
	e.programs = (e.small and programs.small or programs.normal):all(e, e.programs, e.wrong)
	return setmetatable(e, { __index = experiment })
end

-- ---- one run ----
local function name_of(job)
	return job.kind == "map" and "plain" or (job.kind == "control" or job.kind == "loops"
		or job.kind == "edit-nothing" or job.kind:find "checks$" or job.kind:find "always$")
		and job.kind or
		("%s-%d%s%s%s%s"):format(job.kind, job.percent, job.table and "-table" or "",
		job.scale and ("-scale-%g"):format(job.scale) or "",
			job.by_insts and "-insts" or "", job.bpred and "-" .. job.bpred or "")
end

-- Instrumentation by the executable editor, for comparison: flags alone, blocks,
-- paths, and paths of which only the counting is profile instructions. Long loops have flags, as in
-- compilers' output.
local EDITED <const> = {
	["edit-nothing"] = "nothing", ["edit-control"] = "nothing=0,units=loops", ["edit-blocks"] =
		"bb=0,units=loops",
	["edit-paths"] = "path=0,units=loops", ["edit-steady"] = "path=0,units=loops,steady",
	["edit-blocks-methods"] = "bb=0,units=methods", ["edit-blocks-blocks"] =
		"bb=0,units=blocks", ["edit-blocks-checks"] = "bb=0,units=loops,checks=1000:250",
	["edit-paths-methods"] = "path=0,units=methods", ["edit-paths-checks"] =
		"path=0,units=loops,checks=1000:250",
	["edit-calls"] = "callgraph=0,units=methods", ["edit-cct"] = "cct=0,units=methods",
		["edit-cct-steady"] = "cct=0,units=methods,steady",
	 ["edit-paths-always"] = "path=0,units=loops,checks=1",
}

local function executable(program, kind)
	return ("build/demos/papers/%s-%s.elf"):format(program.name, kind)
end

local function editable(program)
	return "build/demos/papers/ammons1997/" .. program.name
end

-- The place where runs shorter than the program stop (--factor): of executables made of the
-- same assembly it is known by a procedure's name alone.
local function stop_of(e, program, edited)
	local path = edited and editable(program) or executable(program, "map")
	local stop = kept.record(e, program.name .. (edited and "-region-edited" or "-region"),
		{ table.concat(program.args, "\n"), program.input, e.insts, RULES },
		{ path, table.unpack(program.files) }, function()
			return bakeoff.find_stop{ program = path, name = program.name,
				args = program.args, input = program.input, root = e.root,
				max_insts = e.insts } or { name = false }
		end)
	if edited then
		return stop.name and stop
	end
	return stop.name and not stop.block and { name = stop.name, calls = stop.calls }
end

-- Runs to the program's end, with status 0, or to its stop.
local function go(e, program, m, kind)
	local stop = e.insts and stop_of(e, program, EDITED[kind])
	if not stop then
		m:finish()
		return guest.whole(m)
	end
	local ended = bakeoff.stop_there(m, stop)
	repeat
		m:run()
	until ended()
	guest.passed(m, stop.name)
end

local function open_edited(e, program, name, kind, set, hot)
	return guest.machine(e, program, { program = editable(program), config = "vaswani2003",
		set = set, name = name,
		instrument = EDITED[kind], functions = kind ~= "edit-nothing"
			and table.concat(hot, ",") or nil })
end

-- `name` names the run.
local function open_machine(e, program, name, kind, set, hot)
	if EDITED[kind] then
		return open_edited(e, program, name, kind, set, hot)
	end
	return guest.machine(e, program, { program = executable(program, kind),
		config = "vaswani2003", set = set, name = name })
end

-- The methods that are instrumented (hot.lua).
local function hot_methods(e, program)
	local path = ("build/demos/papers/%s.hot"):format(program.name)
	local f <close> = io.open(path) or e.wrong("%s is not there: make papers-programs", path)
	local hot = {}
	for name in f:read("l"):gmatch "[^,]+" do
		hot[#hot + 1] = name
	end
	return hot
end

-- The share of all instructions that the hot methods retire, and that of the methods entered once
-- in a period or more often: a flag is switched by the next entry.
local function shares_of(e, m, p, hot)
	local is_hot, entered, share, often = {}, {}, 0, 0
	local periods = m.cycle / (PERIOD * e.scale)
	for _, name in ipairs(hot) do
		is_hot[name] = true
	end
	for _, row in ipairs(m:report("oracle all").rows) do
		entered[row.address] = row.count
	end
	for _, f in ipairs(p:top()) do
		if is_hot[f.name] then
			share = share + f.share
			often = often + ((entered[f.addr] or 0) >= periods and f.share or 0)
		end
	end
	return share, often
end

-- Statistics and output of a run.
local function facts_of(m)
	local facts = { output = kept.digest(m:output()), status = tostring(m.status), stats = {} }
	for _, name in ipairs(KEPT) do
		facts.stats[name] = m.stats[name]
	end
	return facts
end

local function run_plain(e, program)
	local m <close> = open_machine(e, program, program.name .. " plain", "map",
		{ ["oracle.enable"] = true })
	local p = triggers.new(m):profile{ exact = true }
	p:start()
	go(e, program, m, "map")
	local facts = facts_of(m)
	facts.hot = hot_methods(e, program)
	facts.share, facts.often = shares_of(e, m, p, facts.hot)
	return facts
end

-- Number of calls of procedures in each context, by the names of all active procedures.
local function contexts_of(m)
	local counts = {}
	for stack, n in m:export("folded"):gmatch "([^\n]+) (%d+)\n" do
		counts[stack] = (counts[stack] or 0) + tonumber(n)
	end
	return counts
end

-- Runs the program with profiling of its methods `hot` during job.percent of the time.
local function run_profiled(e, program, job, hot)
	local m <close> = open_machine(e, program, program.name .. " " .. name_of(job), job.kind,
		{ ["bdt.sets"] = job.table and 64 or 0, ["xprof.bpred"] = job.bpred,
		["oracle.enable"] = job.percent == 100 and job.kind == "blocks" }, hot)
	local x = xprof.new(m)
	if EDITED[job.kind] then
		hot = "all" -- nothing else is instrumented
	end
	if job.percent == 100 then
		x:on(hot)
	elseif job.percent > 0 then
		local every = PERIOD * (job.scale or e.scale) // 1
		x:window{ every = every, length = every * job.percent // 100,
			cycles = not job.by_insts, methods = hot }
	end
	go(e, program, m, job.kind)
	local facts = facts_of(m)
	if job.kind == "blocks" then
		facts.profile = x:blocks(hot)
		facts.exact = job.percent == 100 and xprof.accuracy(facts.profile, x:exact(hot))
			or nil
	elseif job.kind == "calls" then
		facts.profile = x:arcs(hot)
	elseif EDITED[job.kind] and EDITED[job.kind]:find "^bb" then
		facts.profile = x:counts "bb"
	elseif job.kind == "edit-calls" then
		facts.profile = {}
		for _, row in ipairs(m:report("callgraph all").rows) do
			facts.profile[row.caller .. " " .. row.callee] = row.calls
		end
	elseif job.kind == "edit-cct" or job.kind == "edit-cct-steady" then
		facts.profile = contexts_of(m)
	elseif EDITED[job.kind] and EDITED[job.kind]:find "^path" then
		facts.profile = x:counts "path"
	end
	return facts
end

-- ---- the runs of a program ----
local function record_of(e, program, job, hot, make)
	local name = name_of(job)
	return kept.record(e, program.name .. "-" .. name,
		{ table.concat(program.args, "\n"), program.input, name, job.scale or e.scale,
		table.concat(hot or {}, " "), RULES, e.insts },
		{ EDITED[job.kind] and editable(program) or executable(program, job.kind),
			table.unpack(program.files) }, make)
end

--- e:plain(PROGRAM) -> RECORD
-- A run without profile instructions: `stats`; `hot`: names of the hot methods; `share`: their
-- share of all instructions; `often`: the part of `share` in methods entered at least once per
-- period.
function experiment:plain(program)
	return record_of(self, program, { kind = "map" }, hot_methods(self, program), function()
		return run_plain(self, program) end)
end

--- e:run(PROGRAM, KIND, PERCENT, TABLE [, SCALE [, BY_INSTS [, STRATEGY]]]) -> RECORD
-- A run with profiling during PERCENT of the time, with the block descriptor table or without.
-- KIND: one of the editor's (EDITED above), or "blocks", "calls", "control" (only the instructions
-- that switch profiling of methods) or "loops" (as "control", in loops, too). SCALE: scale of the
-- windows; by_insts: their unit is instructions, not cycles; STRATEGY: one of e.strategies.
-- `stats`, and `profile`: counts by block, or by arc of the call graph.
function experiment:run(program, kind, percent, has_table, scale, by_insts, strategy)
	local plain = self:plain(program)
	local job = { kind = kind, percent = percent, table = has_table, scale = scale,
		by_insts = by_insts,
		bpred = strategy ~= "prediction-bit" and strategy or nil }
	local record = record_of(self, program, job, plain.hot, function()
		return run_profiled(self, program, job, plain.hot)
	end)
	assert(record.output == plain.output and record.status == plain.status,
		program.name .. ": the instrumented program does something else than the program")
	return record
end

--- e:overhead(PROGRAM, RECORD) -> PERCENT
-- Cycles beyond those of the program without profile instructions.
function experiment:overhead(program, record)
	return (record.stats["sim.cycles"] / self:plain(program).stats["sim.cycles"] - 1) * 100
end

--- e:edited_overhead(PROGRAM, RECORD) -> PERCENT
-- Cycles beyond those of the program after an empty rewrite by the editor.
function experiment:edited_overhead(program, record)
	return (record.stats["sim.cycles"] / self:run(program, "edit-nothing", 0,
		true).stats["sim.cycles"] - 1) * 100
end

--- e:accuracy(PROGRAM, RECORD, KIND) -> PERCENT
-- Agreement of the profile with that of the same methods, profiled during the whole run.
function experiment:accuracy(program, record, kind, has_table)
	return xprof.accuracy(record.profile, self:run(program, kind, 100, has_table).profile)
end

return experiment
