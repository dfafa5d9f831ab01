-- The runs shared by all pages: each program alone, with the value profile on co-processors of
-- several sizes and clocks, and with simple sampling at several rates, on the machine of section 5.
-- Profiles are compared with the values really loaded in the whole run, counted by the oracle of
-- the run without a co-processor. Results are stored as Lua files, named by a digest of all their
-- dependencies.

-- Modules shared by papers are in demos/papers.
package.path = debug.getinfo(1, "S").source:match "@(.-)[^/]*$" .. "../?.lua;" .. package.path
local programs, guest, kept, options = require "profiled", require "guest", require "kept",
	require "options"
local values, truths, estimation = require "cyclops.values", require "truth", require "estimation"

local runs = {}

-- Version of the runs: change it when the way of making runs changes, which discards stored
-- results.
local RULES <const> = 5
-- Instructions after the initialization, and between two looks at the profile.
local INSTS <const>, STEP <const>, SMALL_INSTS <const>, SMALL_STEP <const> = 16000000, 500000,
	600000, 100000
local VALUE <const>, SAMPLE <const> = "build/demos/firmware/cop_value.elf",
	"build/demos/papers/zilles2001/sample-%d.elf"
local RESAMPLES <const> = "build/demos/papers/zilles2001/resample-%d.elf"

--- runs.rates: one load in so many is a sample, of simple sampling.
runs.rates = { 61, 251, 1021 }
--- runs.seeds: runs of the value profile that differ only in the co-processor's random numbers.
--- Other pages use the first.
runs.seeds = { { "value", 1 }, { "value-seed-2", 0x2545f491 }, { "value-seed-3", 0x9e3779b9 } }
runs.sizes = { { "value-half", 1 / 2 }, { "value", 1 }, { "value-double", 2 } }
runs.clocks = { { "value", 1 }, { "value-clock-2", 2 }, { "value-clock-4", 4 } }
--- runs.resamples: turns until masked loads are sampled again; 0: never. The one of all other pages is "value", with the handler's default.
runs.resamples = { { "value-resample-1", 1 }, { "value-resample-2", 2 }, { "value", 4 },
	{ "value-resample-8", 8 }, { "value-resample-16", 16 },
	{ "value-resample-32", 32 }, { "value-resample-0", 0 } }

-- Arrays of the co-processor, in words.
local CAM <const>, DATA <const> = 256, 1024

local made =
	{ plain = { set = { ["oracle.enable"] = true, ["oracle.values"] = "loads",
	["oracle.memory"] = 1 << 30 } } }
for _, size in ipairs(runs.sizes) do
	local cam, data = math.tointeger(CAM * size[2]), math.tointeger(DATA * size[2])
	made[size[1]] = { firmware = VALUE, set = { ["cop.enable"] = true, ["cop.cam"] = cam,
		["cop.data"] = data } }
end
for _, clock in ipairs(runs.clocks) do
	made[clock[1]] = { firmware = VALUE, set = { ["cop.enable"] = true, ["cop.cam"] = CAM,
		["cop.data"] = DATA, ["cop.divider"] = clock[2] } }
end
for i = 2, #runs.seeds do
	made[runs.seeds[i][1]] = { firmware = VALUE, last = true,
		set = { ["cop.enable"] = true, ["cop.cam"] = CAM, ["cop.data"] = DATA,
		["cop.seed"] = runs.seeds[i][2] } }
end
for _, again in ipairs(runs.resamples) do
	made[again[1]] = made[again[1]] or { firmware = RESAMPLES:format(again[2]), last = true,
		set = { ["cop.enable"] = true, ["cop.cam"] = CAM, ["cop.data"] = DATA } }
end
for _, n in ipairs(runs.rates) do
	made["sample-" .. n] = { firmware = SAMPLE:format(n),
		set = { ["cop.enable"] = true, ["cop.cam"] = CAM, ["cop.data"] = DATA } }
end
-- Simple sampling that chooses after the bus; and with room for every record on its way.
made.after = { firmware = "build/demos/papers/zilles2001/after-61.elf",
	set = made["sample-61"].set }
made["after-wide"] = { firmware = made.after.firmware,
	set = { ["cop.bus"] = 8, ["cop.transport"] = 256, ["cop.buffer"] = 1024 } }
for key, value in pairs(made.after.set) do
	made["after-wide"].set[key] = value
end

-- ---- options ----
local OPTIONS <const> = {
	{ "--insts", "N",
		"of each program, after its initialization (16000000; with --small 600000)",
		100000, 1000000000, "whole" },
}
local SMALL_PROGRAMS <const> = { "lisp", "chess" }

--- runs.open(WORDS) -> e
-- Runs by these command line words: e.names are the programs, e.only if the words choose some.
function runs.open(words)
	local e = options.read(words, "build/papers/zilles2001", OPTIONS)
	e.only, e.names, e.by_name, e.truth = e.programs, {}, {}, {}
	if not e.small and not e.insts and e.factor ~= 1 then
		e.insts = options.times(e, INSTS, 200000)
	end
	e.step = e.small and SMALL_STEP or math.min(STEP, (e.insts or INSTS) // 4)
	for i, program in ipairs(programs.all:all(e, e.only or e.small and SMALL_PROGRAMS,
		e.wrong)) do
		e.names[i], e.by_name[program.name] = program.name, program
	end
	return setmetatable(e, { __index = runs })
end

--- e:program(NAME) -> PROGRAM
function runs:program(name)
	self.by_name[name] = self.by_name[name] or programs.all:get(name, self)
	return self.by_name[name]
end

--- e:main() -> NAME
-- The program that pages look at more closely: the paper's is gcc, with the most loads; of ours
-- that is lisp.
function runs:main()
	return self.only and self.only[1] or "lisp"
end

-- ---- running ----
local function open_machine(e, program, what)
	local run = made[what]
	return guest.machine(e, program, { program = "build/demos/" .. program.name,
		config = "zilles2001", firmware = run.firmware, set = run.set,
		name = program.name .. " " .. what })
end

-- Instructions of the program; m.insts counts those of firmware as well.
local function executed(m)
	return m.stats["sim.insts"]
end

-- To where the program has executed so many instructions, or to PC before.
local function advance(m, insts, pc)
	local stop
	repeat
		stop = m:run{ until_insts = insts + m.insts - executed(m), until_pc = pc }
		if m.status ~= "running" then
			guest.reached(m, insts, executed(m))
			guest.passed(m, "more instructions")
		end
	until executed(m) >= insts or stop.reason == "until" and pc
	return executed(m) < insts
end

-- Iterates over steps to instruction `last` after the program's initialization; to the program's
-- end if nil.
local function steps(e, m, program, last)
	local at = 0
	return function()
		if last and at >= last then
			return nil
		end
		at = at + e.step
		if advance(m, at, not last and program.from or nil) then
			last = at + e:behind()
			advance(m, at)
		end
		return at
	end
end

-- The firmware's profile with the co-processor's unread part: the turn, or the buffer, that the end
-- of the run cuts short.
local function whole_profile(m)
	return values.profile(m, { rest = true })
end

-- Of a machine with firmware.
local function look(record, place, index, m)
	local p = whole_profile(m)
	record.firmware[place], record.samples[place] = m.stats["firmware.cycles"],
		m.stats["cop.samples"]
	record.error[place], record.interrupts[place], record.clocks[place] = 100 * truths.judge(
		index, p), p.counts.interrupts, p.counts.clocks
end

local function watch(e, program, what, record, last)
	local run = made[what]
	local m <close> = open_machine(e, program, what)
	local function at_end()
		if #record.insts == 0 then
			advance(m, last)
			return last
		end
	end
	for at in run.last and at_end or steps(e, m, program, last) do
		local place = #record.insts + 1
		record.insts[place], record.cycles[place] = at, m.cycle
		if run.firmware then
			look(record, place, e.truth[program.name], m)
		end
	end
	if run.firmware then
		local p, index = whole_profile(m), e.truth[program.name]
		local told = values.profile(m)
		record.told = 100 * truths.judge(index, told)
		record.parts, record.points = select(2, truths.judge(index, p)),
			truths.points(index, p)
		record.counts, record.pairs = told.counts, truths.pairs(told)
	end
	for name, value in pairs(m.stats) do
		if math.type(value) == "integer" and (name:find "^cop%." or name:find "^firmware%."
			or name:find "^l1d%.") then
			record.stats[name] = value
		end
	end
	if run.firmware then
		assert(record.counts.fault == 0, "the co-processor's program is wrong")
		return nil
	end
	assert(m.stats["oracle.lost"] == 0, "more pairs than oracle.memory has room for")
	return values.truth(m)
end

-- The run without a co-processor; repeated if its counts were not kept.
local function plain(e, program)
	local record = { insts = {}, cycles = {}, stats = {} }
	local truth = watch(e, program, "plain", record)
	e.truth[program.name] = truths.index(truth)
	record.loads = truths.size(e.truth[program.name])
	return record
end

--- e:record(NAME, RUN) -> RECORD
-- RUN is "plain", "value", "value-seed-2", "value-seed-3", "value-half", "value-double",
-- "value-clock-2", "value-clock-4", "value-resample-N", "sample-61",
-- "sample-251", "sample-1021", "after", "after-wide". At each place `insts` and `cycles`; with
-- firmware, too: `error`
-- (weighted RMS of invariances against the whole run's, percent; with the unread turn or buffer),
-- `interrupts`, `clocks` (turns that the clock ended), `samples` that the co-processor worked on,
-- and `firmware`, its cycles. At the end: `told`, the error without that turn; `stats`, `counts` of
-- the handler, `pairs` of load and value in it, `parts` and `points` (truth.lua). Of "plain":
-- `loads`. Runs with another seed or RESAMPLE are looked at in their last place alone.
function runs:record(name, what)
	local program, run = self:program(name), made[what]
	local parts = { table.concat(program.args, "\n"), program.input, program.from, what,
		self.insts or "", self.step, RULES }
	for key, value in pairs(run.set) do
		parts[#parts + 1] = key .. tostring(value)
	end
	table.sort(parts, function(a, b) return tostring(a) < tostring(b) end)
	local files = { "build/demos/" .. name, "demos/configs/zilles2001.lua", run.firmware,
		table.unpack(program.files) }
	return kept.record(self, name .. "-" .. what, parts, files, function()
		if what == "plain" then
			return plain(self, program)
		end
		local alone = self:record(name, "plain")
		if not self.truth[name] then
			plain(self, program)
		end
		local record = { insts = {}, cycles = {}, error = {}, interrupts = {}, clocks = {},
			samples = {}, firmware = {}, stats = {} }
		watch(self, program, what, record, alone.insts[#alone.insts])
		return record
	end)
end

--- e:estimation(NAME) -> CYCLES
-- What the estimation takes at the end of the run "value".
function runs:estimation(name)
	local program, run, alone = self:program(name), made.value, self:record(name, "plain")
	local last = alone.insts[#alone.insts]
	local parts = { table.concat(program.args, "\n"), program.input, last, RULES }
	local files = { "build/demos/" .. name, "demos/configs/zilles2001.lua", run.firmware,
		estimation.program, table.unpack(program.files) }
	return kept.record(self, name .. "-estimation", parts, files, function()
		local m <close> = open_machine(self, program, "value")
		advance(m, last)
		return { cycles = estimation.cycles(self, m, name) }
	end).cycles
end

--- e:mistaken(NAME) -> BOOLEAN
-- True if the co-processor's squared error is mostly due to values that it has sampled; also true
-- for lisp, for comparison.
function runs:mistaken(name)
	return name == "lisp" or self:record(name, "value").parts.wrong > 0.75
end

--- e:phases(NAME) -> { { insts =, so_far =, whole = }, ... }
-- For each eighth of the run "value": the error in percent against the values loaded until then,
-- and in the whole run.
function runs:phases(name)
	local program, alone = self:program(name), self:record(name, "plain")
	local last = alone.insts[#alone.insts]
	local parts = { table.concat(program.args, "\n"), program.input, last, RULES }
	local files = { "build/demos/" .. name, "demos/configs/zilles2001.lua", VALUE,
		table.unpack(program.files) }
	return kept.record(self, name .. "-phases", parts, files, function()
		local m <close> = open_machine(self, program, "value")
		local bare <close> = open_machine(self, program, "plain")
		local profiles, record = {}, {}
		for i = 1, 8 do
			record[i] = { insts = last * i // 8 }
			advance(m, record[i].insts)
			advance(bare, record[i].insts)
			profiles[i] = whole_profile(m)
			record[i].so_far = 100 * truths.judge(truths.index(values.truth(bare)),
				profiles[i])
		end
		local index = truths.index(values.truth(bare))
		for i = 1, 8 do
			record[i].whole = 100 * truths.judge(index, profiles[i])
		end
		return record
	end)
end

--- e:all(NAME)
-- Makes all of a program's runs.
function runs:all(name)
	local names = { "plain" }
	for what in pairs(made) do
		names[#names + 1] = what ~= "plain" and what or nil
	end
	table.sort(names)
	for _, what in ipairs(names) do
		self:record(name, what)
	end
	self:estimation(name)
	if self:mistaken(name) then
		self:phases(name)
	end
	self.truth[name] = nil
end

-- ---- what pages ask ----

--- e:behind() -> N
-- Instructions after the initialization.
function runs:behind()
	return self.insts or self.small and SMALL_INSTS or INSTS
end

--- e:write(FILE, TEXT)
function runs:write(file, text)
	local f = assert(io.open(("%s/%s"):format(self.out, file), "w"))
	f:write(text)
	f:close()
end

--- e:save(FILE, TITLE, SVG)
-- Written, and shown on the page.
function runs:save(file, title, svg)
	self:write(file, svg)
	print(("![%s](%s/%s)"):format(title, self.out, file))
end

--- e:error(NAME, RUN [, PLACE]) -> PERCENT
function runs:error(name, what, place)
	local error = self:record(name, what).error
	return error[place or #error]
end

--- e:overhead(NAME, RUN [, PLACE]) -> PERCENT
-- Cycles that the run is longer than the program's alone, for the same instructions: firmware's,
-- and what it and the co-processor's bus did to the caches.
function runs:overhead(name, what, place)
	local with, alone = self:record(name, what).cycles, self:record(name, "plain").cycles
	return 100 * (with[place or #with] / alone[place or #alone] - 1)
end

--- e:turns(NAME, RUN [, PLACE]) -> N
-- How often the handler was at work: interrupts, and turns that the clock ended.
function runs:turns(name, what, place)
	local r = self:record(name, what)
	place = place or #r.insts
	return place > 0 and r.interrupts[place] + r.clocks[place] or 0
end

--- e:handler(NAME, RUN) -> PERCENT
-- Of that, the cycles in which firmware was at work.
function runs:handler(name, what)
	local with, alone = self:record(name, what).firmware, self:record(name, "plain").cycles
	return 100 * with[#with] / alone[#alone]
end

return runs
