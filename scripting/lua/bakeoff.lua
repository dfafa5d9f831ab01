-- Profilers compared: each runs the same program on the same machine and answers the same
-- questions, judged by exact counts.
--
-- `cyclops bakeoff` does this. Every run stops at the same place of the program, whatever is
-- inserted into it: at a call of a procedure that is called often and evenly, at an execution of
-- such a block, or at the program's end.
--
--     local bakeoff = require "cyclops.bakeoff"
--     local result = bakeoff.run{ program = "build/demos/lisp", args = { "demos/programs/input/queens.lisp" }, max_insts = 2000000 }
--     print(require "cyclops.bakeoff_page".text(result))

local arguments, truths, profilers = require "cyclops.arguments", require "cyclops.bakeoff_truth",
	require "cyclops.bakeoff_profilers"
local paths = require "cyclops.bakeoff_paths"
local stops, budgets = require "cyclops.bakeoff_stop", require "cyclops.bakeoff_budget"
local open = stops.open

local bakeoff = { find_stop = stops.find_stop, stop_there = stops.stop_there }

local OPTIONS <const> = { program = true, args = true, input = true, root = true, sysroot = true,
	dirs = true, env = true, config = true, max_insts = true, looks = true, budgets = true,
	profilers = true, questions = true, firmware = true, period = true, tries = true,
		raw = true, say = true, name = true,
	together = true, stop = true }
-- A profile with an error of at most this percentage is usable.
local GOOD <const> = 10
-- Statistics kept of each run.
local KEPT <const> = { "sim.cycles", "sim.insts", "l1d.accesses", "l1d.misses", "l2.accesses",
	"l2.misses", "l1i.misses", "bus.busy", "firmware.cycles",
	"firmware.interrupts", "vsample.interrupts", "vsample.tuples", "vsample.lost",
	"cop.words", "cop.samples",
	"cop.interrupts", "cop.records", "cop.lost", "cop.dropped", "sampler.selected",
	"sampler.messages", "sampler.dropped", "sampler.messages_dropped", "profileme.records",
	"profileme.lost",
	"xprof.fetched", "xprof.dropped", "xprof.dispatched" }

local is_kept = {}
for _, name in ipairs(KEPT) do
	is_kept[name] = true
end

-- ---- one program in many machines ----
local function kept_stats(m)
	local stats = {}
	for name, n in pairs(m.stats) do -- includes those of this machine's devices
		stats[name] = is_kept[name] and n or nil
	end
	return stats
end

local FIRMWARE <const> = 0x4000000000 -- and above: not the program's code

-- Code bytes of all procedures of the program.
local function code_of(m)
	local bytes, seen = 0, {}
	for f in m:functions() do
		if not seen[f.addr] and f.addr < FIRMWARE then
			seen[f.addr], bytes = true, bytes + f.size
		end
	end
	return bytes
end

-- ---- the truth ----
local HOT <const> = 10 -- methods that get profile instructions (Vaswani and others, VI.B)

-- The procedures with names of their own that retire most instructions; and the addresses of all
-- that ran.
local function hottest(m)
	local insts, names, list, ran, seen = {}, {}, {}, {}, {}
	for _, row in ipairs(m:report "oracle all".rows) do
		local f = m:sym(row.address)
		if f then
			insts[f.name] = (insts[f.name] or 0) + row.count
			if not seen[f.addr] then
				seen[f.addr], ran[#ran + 1] = true, f.addr
			end
		end
	end
	for f in m:functions() do
		names[f.name] = (names[f.name] or 0) + 1
	end
	for name, n in pairs(insts) do
		list[#list + 1] = names[name] == 1 and { name, n } or nil
	end
	table.sort(list, function(a, b) return a[2] > b[2] or a[2] == b[2] and a[1] < b[1] end)
	for i = 1, math.min(#list, HOT) do
		list[i] = list[i][1]
	end
	return table.move(list, 1, math.min(#list, HOT), 1, {}), ran
end

local function plain_run(o)
	local m <close> = open(o, { set = truths.set }, "alone")
	local ended = bakeoff.stop_there(m, o.stop)
	repeat
		m:run()
	until ended()
	if pcall(m.thread_stats, m, 2) then
		error(("%s: the program has threads; profilers are compared on programs with one, " ..
			"since they keep no threads apart"):format(o.name), 0)
	end
	if m.status ~= "exited" and m.status ~= "running" then
		error(("%s: the program is %s%s; one that runs, or ends by itself, " ..
			"is needed"):format(o.name, m.status, m.fault and ", " .. m.fault.name
			or ""), 0)
	end
	local hot, ran = hottest(m)
	return { stats = kept_stats(m), cycles = m.cycle, status = m.status,
		exit_status = m.exit_status, output = select(2, m:output()), code = code_of(m),
		hot = hot, ran = ran, truth = truths.of(m) }
end

-- ---- one run ----
local function settled(looks, question)
	local since
	for _, look in ipairs(looks) do
		if look.error[question] <= GOOD then
			since = since or look.cycles
		else
			since = nil
		end
	end
	return since
end

local function bits_of(way, m)
	if way.bits == "flags" then
		return profilers.flag_bits(m)
	end
	return type(way.bits) == "function" and way.bits(m) or way.bits
end

local function wanted(o, way)
	local list = {}
	for _, question in ipairs(way.answers) do
		list[#list + 1] = o.asks[question] and question or nil
	end
	return list
end

local function look_at(o, plain, way, m, state, questions)
	local profiles, look = way.read(m, plain.truth, state), { cycles = m.cycle, error = {} }
	for _, question in ipairs(questions) do
		look.error[question] = truths.error(plain.truth, question, profiles[question])
	end
	look.profiles = o.raw and profiles or nil
	return look, profiles
end

local STEP <const>, STEPS <const> = 1000, 1000 -- cycles in which a last delivery ends

-- Makes software take what the hardware still has, as it does when that is full: cycles that this
-- takes. The mean number of cycles of a delivery, for a program that has ended; nil: there was
-- none.
local function deliver_rest(m, way, n, overhead_cycles)
	if not way.delivery or not way.delivery.request then
		return 0
	elseif m.status ~= "running" then
		return n > 0 and overhead_cycles / n or nil
	elseif not way.delivery.request(m) then
		return 0
	end
	local function firmware()
		return m.stats["firmware.interrupts"], m.stats["firmware.cycles"]
	end
	local interrupts, before = firmware()
	for _ = 1, STEPS do
		local _, last = firmware()
		m:run{ cycles = STEP }
		local now, cycles = firmware()
		if m.status ~= "running" or now > interrupts and cycles == last then
			return cycles - before
		end
	end
	error(way.name .. ": the last delivery does not end", 0)
end

-- How often hardware called software, what is charged for the last time, and what was lost.
local function add_delivery(record, m, way, stats, plain)
	local d = way.delivery
	local n = d and d.delivered(stats)
	if not n then
		record.last = 0
		return
	end
	local loss = d.loss and d.loss(stats, m)
	record.loss = loss and { lost = loss[1], of = loss[2],
		percent = loss[2] > 0 and 100 * loss[1] / loss[2] or 0 } or nil
	record.last = deliver_rest(m, way, n, m.cycle - plain.cycles)
	record.deliveries = n + ((record.last or 0) > 0 and 1 or 0)
end

--- bakeoff.measure(o, PLAIN, WAY, KNOB) -> RECORD
-- One run, to the common stop. RECORD.reason: why it was impossible.
function bakeoff.measure(o, plain, way, knob)
	local record = { profiler = way.profiler, way = way.name, answers = wanted(o, way),
		knob = knob, errors = {}, settles = {}, looks = {} }
	local text = way.name .. (knob and (" %s %.6g"):format(way.knob.name, knob) or "")
	if o.say then
		o.say(text)
	end
	local ok, m = pcall(open, o, way.machine(o, knob, plain), text)
	if not ok then
		record.reason = tostring(m)
		return record
	end
	-- Convergence is measured at the profiler's initial setting only.
	local looks = knob == (way.knob and way.knob.start) and o.looks or 1
	local state = way.start and way.start(m, knob, o, plain)
	local ended = bakeoff.stop_there(m, o.stop)
	local profiles
	for i = 1, looks do
		if i < looks and plain.cycles * i // looks > m.cycle then
			m:run{ until_cycle = plain.cycles * i // looks }
		end
		while i == looks and not ended() do
			m:run()
		end
		record.looks[#record.looks + 1], profiles = look_at(o, plain, way, m, state,
			record.answers)
		if ended() then
			break
		end
	end
	if m.status ~= plain.status or select(2, m:output()) ~= plain.output then
		record.reason =
			("the program does something else than alone: it is %s, and has written " ..
			"%d bytes, not %d"):format(m.status, select(2, m:output()), plain.output)
		return record
	end
	local stats = kept_stats(m)
	record.stats, record.cycles, record.bits = stats, m.cycle, bits_of(way, m)
	for _, question in ipairs(record.answers) do
		record.errors[question] = truths.errors(plain.truth, question, profiles[question])
		record.settles[question] = settled(record.looks, question) or false
	end
	add_delivery(record, m, way, stats, plain)
	record.overhead = 100 * ((record.cycles + (record.last or 0)) / plain.cycles - 1)
	record.traffic = 100 * (stats["l1d.accesses"] / math.max(plain.stats["l1d.accesses"],
		1) - 1)
	record.l2_traffic = 100 * (stats["l2.accesses"] / math.max(plain.stats["l2.accesses"],
		1) - 1)
	record.interrupts = (stats["firmware.interrupts"] or 0) + (stats["vsample.interrupts"] or 0)
	record.code = way.instrument and 100 * (code_of(m) / plain.code - 1) or 0
	m:close()
	return record
end

-- ---- all runs ----
local function chosen(list, names, what)
	local set = {}
	for _, row in ipairs(list) do
		set[row.name] = names == nil or nil
	end
	for _, name in ipairs(names or {}) do
		local known = {}
		for i, row in ipairs(list) do
			known[i] = row.name
			set[name] = set[name] or row.name == name or nil
		end
		if not set[name] then
			error(("no %s is called '%s'; expected %s"):format(what, name,
				table.concat(known, ", ")), 0)
		end
	end
	return set
end

local function prepare(options)
	arguments.check_keys(2, "bakeoff.run", options, OPTIONS)
	local o = {}
	for k, v in pairs(options) do
		o[k] = v
	end
	o.name = o.name or (tostring(o.program):match "[^/]*$":gsub("%c", "\u{fffd}"))
	o.looks, o.tries, o.period, o.firmware = o.looks or 20, o.tries or 4, o.period or 50000,
		o.firmware or "build/demos/firmware"
	o.asks = chosen(truths.questions, o.questions, "question")
	o.runs = chosen(profilers.list, o.profilers, "profiler")
	o.budgets = o.budgets or {}
	return o
end

--- bakeoff.plain(OPTIONS) -> o, PLAIN
-- The program alone, and its exact profile: PLAIN.truth.
function bakeoff.plain(options)
	local o = prepare(options)
	if o.say then
		o.say "alone"
	end
	o.stop = o.stop or bakeoff.find_stop(o)
	local plain = plain_run(o)
	if o.asks.paths then
		paths.add(o, plain.truth)
	end
	return o, plain
end

-- Hardware that can work at the same time; another processor's thread reads the sampler's messages,
-- because the handler is the co-processor's.
local TOGETHER <const> = { ["zilles blocks,edges,calls"] = true, ["burrows blocks,values"] = true,
	["profileme blocks,latencies"] = true }

local function together(o, plain, result)
	local about, ways, sum = { set = { ["sampler.enable"] = true, ["sampler.exact"] = false } },
		{}, 0
	for _, way in ipairs(profilers.ways) do
		for _, w in ipairs(TOGETHER[way.name] and result.ways or {}) do
			if w.name == way.name and w.records[1] then
				ways[#ways + 1], sum = way, sum + w.records[1].overhead
				for k, v in pairs(way.machine(o, way.knob.start, plain)) do
					for name, value in pairs(k == "set" and v or {}) do
						about.set[name] = about.set[name] or value
					end
					about[k] = k == "set" and about.set or v
				end
			end
		end
	end
	about.set["vsample.every"] = nil
	if #ways < 2 then
		return {
			reason =
			"of co-processor, value sampler and ProfileMe fewer than two have run" }
	end
	local all = { profiler = "together", name = "together", answers = {}, bits = 0,
		machine = function() return about end,
		start = function(m)
			local states = {}
			for i, way in ipairs(ways) do
				states[i] = way.start and way.start(m, way.knob.start, o, plain)
			end
			return states
		end,
		read = function(m, truth, states)
			local profiles = {}
			for i, way in ipairs(ways) do
				for question, profile in pairs(way.read(m, truth, states[i])) do
					profiles[way.profiler .. " " .. question] = profile
				end
			end
			return profiles
		end }
	local record = bakeoff.measure(o, plain, all)
	record.sum = sum
	return record
end

--- bakeoff.run(OPTIONS) -> RESULT
-- OPTIONS are program, args, input, root, sysroot, dirs, env and config as for cyclops.machine,
-- and: max_insts, after which all stop (default: the program's end), or stop = { name =, calls = },
-- the call of a procedure at which they do, with at = ADDRESS the execution of the instruction at
-- that address in the original program; together = true: one more run with all hardware at once;
-- looks, how often profiles are read (20); budgets, a list of overheads in percent at which
-- profilers are compared, and tries, runs for each of these (4); profilers and questions, lists of
-- names (all); period, in cycles, in a part of which profile instructions are on (50000); firmware,
-- the folder of handlers (build/demos/firmware); say, a function called with a description of each
-- run; raw = true: looks keep their profiles.
-- RESULT: program, stop, plain = { cycles, stats, truth }, ways = { { profiler =, answers =, knob =
-- NAME, records = { RECORD, ... }, budgets = { CELL, ... }, reason = }, ... }: the first record has
-- the profiler's setting from its paper.
function bakeoff.run(options)
	local o, plain = bakeoff.plain(options)
	local result = { program = o.name, args = o.args, stop = o.stop, max_insts = o.max_insts,
		plain = plain, budgets = o.budgets, looks = o.looks, ways = {} }
	for _, way in ipairs(profilers.ways) do
		if o.runs[way.profiler] and #wanted(o, way) > 0 then
			local w = { profiler = way.profiler, name = way.name,
				answers = wanted(o, way), knob = way.knob and way.knob.name,
				records = {}, budgets = {} }
			local first = bakeoff.measure(o, plain, way, way.knob and way.knob.start)
			result.ways[#result.ways + 1] = w
			w.reason = first.reason
			if not first.reason then
				w.records[1] = first
				budgets.search(o, plain, way, w.records, bakeoff.measure)
				for i, budget in ipairs(o.budgets) do
					w.budgets[i] = budgets.cell(plain, way, w.records, budget)
				end
			end
		end
	end
	result.together = o.together and together(o, plain, result) or nil
	return result
end

return bakeoff
