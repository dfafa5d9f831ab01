-- Profilers compared: each runs the same program on the same machine and answers the same
-- questions, judged by exact counts.
--
-- `cyclops bakeoff` does this. Every run stops at the same place of the program, whatever was put
-- into it: at a call of a procedure that is called often and evenly, at an execution of such a
-- block, or at the program's end.
--
--     local bakeoff = require "cyclops.bakeoff"
--     local result = bakeoff.run{ program = "build/demos/lisp", args = { "demos/programs/input/queens.lisp" }, max_insts = 2000000 }
--     print(require "cyclops.bakeoff_page".text(result))

local arguments, truths, profilers = require "cyclops.arguments", require "cyclops.bakeoff_truth",
	require "cyclops.bakeoff_profilers"

local bakeoff = {}

local OPTIONS <const> = { program = true, args = true, input = true, root = true, sysroot = true,
	dirs = true, env = true, config = true, max_insts = true, looks = true, budgets = true,
	profilers = true, questions = true, firmware = true, period = true, tries = true,
		raw = true, say = true, name = true,
	together = true, stop = true }
-- An error of so many percent is a profile that one can work with.
local GOOD <const> = 10
-- Statistics that are kept of each run.
local KEPT <const> = { "sim.cycles", "sim.insts", "l1d.accesses", "l1d.misses", "l2.accesses",
	"l2.misses", "l1i.misses", "bus.busy", "firmware.cycles",
	"firmware.interrupts", "vsample.interrupts", "vsample.tuples", "cop.words", "cop.samples",
	"cop.lost", "cop.dropped", "sampler.selected",
	"sampler.messages", "sampler.dropped", "sampler.messages_dropped", "profileme.records",
	"xprof.fetched", "xprof.dropped", "xprof.dispatched" }

local is_kept = {}
for _, name in ipairs(KEPT) do
	is_kept[name] = true
end

-- ---- one program in many machines ----
local function open(o, about, name)
	local set = {}
	for k, v in pairs(about.set or {}) do
		set[k] = v
	end
	local m = { program = o.program, args = o.args, input = o.input or "", root = o.root,
		sysroot = o.sysroot, dirs = o.dirs, env = o.env, config = o.config, history = false,
		name = ("%s %s"):format(o.name, name), set = set }
	for k, v in pairs(about) do
		m[k] = k == "set" and set or v
	end
	return cyclops.machine(m)
end

local function over(m)
	return m.status ~= "running"
end

local function kept_stats(m)
	local stats = {}
	for name, n in pairs(m.stats) do -- those of devices that this machine has
		stats[name] = is_kept[name] and n or nil
	end
	return stats
end

local FIRMWARE <const> = 0x4000000000 -- and above: no code of the program's

-- Bytes of all its procedures.
local function code_of(m)
	local bytes, seen = 0, {}
	for f in m:functions() do
		if not seen[f.addr] and f.addr < FIRMWARE then
			seen[f.addr], bytes = true, bytes + f.size
		end
	end
	return bytes
end

-- ---- where all stop ----
local STOPS <const> = 12 -- places at which executions are counted to find one
-- of them; instructions between two of them, on average, if there is a choice
local FEWEST <const>, SHORTEST <const> = 8, 40

-- Counts of calls of each procedure that is entered only by calls and has a name of its own; and of
-- each block, by its address.
local function entries(m)
	local calls, counts, names, blocks = {}, {}, {}, {}
	for _, row in ipairs(m:report "oracle calls all".rows) do
		calls[row.to] = (calls[row.to] or 0) + row.count
	end
	for _, row in ipairs(m:report "oracle blocks all".rows) do
		blocks[row.address] = row.count
	end
	for _, row in ipairs(m:report "oracle all".rows) do
		if calls[row.address] == row.count then
			local f = m:sym(row.address)
			if f and f.addr == row.address then
				counts[f.name] = row.count
			end
		end
	end
	for f in m:functions() do
		names[f.name] = (names[f.name] or 0) + 1
	end
	for name, n in pairs(names) do
		counts[name] = n == 1 and counts[name] or nil
	end
	return counts, blocks
end

-- Of counts at each of STOPS places, what is counted most evenly, but for what was refused. nil if
-- nothing is often enough.
local function most_even(seen, insts, refused)
	local best, name
	for this, n in pairs(seen[STOPS]) do
		-- What is not executed any more towards the end says nothing of it.
		if n >= FEWEST and n > (seen[STOPS // 2][this] or 0) and not refused[this] then
			local uneven,
				furthest = (n * SHORTEST > insts and 1
				or 0) + (n == seen[STOPS - 1][this] and 1 or 0), 0
			for i = 1, STOPS do
				furthest = math.max(furthest,
					math.abs((seen[i][this] or 0) / n - i / STOPS))
			end
			-- Of two that are as even the one that comes more often is closer to the
			-- limit.
			uneven = uneven + furthest + 1 / n
			if not best or uneven < best or uneven == best and this < name then
				best, name = uneven, this
			end
		end
	end
	return name
end

local FAR <const>, CANDIDATES <const> = 0.05, 8

-- How many instructions a program has executed there; at most so many.
local function way_to(m, stop, most)
	local ended = bakeoff.stop_there(m, stop)
	repeat
		m:run{ until_insts = most }
	until ended() or m.insts >= most
	return m.insts
end

-- Whether the program that the editor has laid out again, with nothing put in, comes to this place
-- after about as many instructions. It has a segment more, so that the C library begins its heap
-- elsewhere: how often memalign frees what it has left over depends on that. What can't be laid out
-- is not asked.
local function is_same_place(o, stop)
	local ok, moved = pcall(open, o, { instrument = "nothing" }, "laid out again")
	if not ok then
		return true
	end
	local laid_out <close> = moved
	local m <close> = open(o, {}, "to its limit")
	local insts = way_to(m, stop, math.maxinteger)
	return math.abs(
		way_to(laid_out, stop, math.floor(insts * (1 + 2 * FAR))) / insts - 1) <= FAR
end

-- The most even one that is the same place in the program that is laid out again; and the most even
-- one.
local function choose(o, seen, stop_of)
	local refused, first = {}, nil
	for _ = 1, CANDIDATES do
		local this = most_even(seen, o.max_insts, refused)
		local stop = this and stop_of(this)
		first = first or stop
		if not stop or is_same_place(o, stop) then
			return stop, first
		end
		refused[this] = true
	end
	return nil, first
end

--- bakeoff.find_stop{ program =, name =, max_insts =, args =, input =, root =, env =, config = } -> STOP
-- Where runs of the program can stop, whatever is put into it: the last call in so many
-- instructions of the procedure that is called most evenly, and as often when the program is laid
-- out again; where none is, the same of a block. STOP is { name =, calls =, at =, block = }; nil if
-- the program ends before.
function bakeoff.find_stop(o)
	if not o.max_insts then
		return nil
	end
	local m <close> = open(o, { set = { ["oracle.enable"] = true, ["oracle.blocks"] = true } },
		"the way to its limit")
	local calls, blocks = {}, {}
	for i = 1, STOPS do
		if o.max_insts * i // STOPS > m.insts then
			m:run{ until_insts = o.max_insts * i // STOPS }
		end
		if over(m) then
			return nil
		end
		calls[i], blocks[i] = entries(m)
	end
	local stop, first = choose(o, calls, function(name)
		return { name = name, calls = calls[STOPS][name], at = m:sym(name).addr } end)
	if not stop then
		local block
		stop, block = choose(o, blocks, function(at)
			local f = m:sym(at)
			return { name = f and ("%s+0x%x"):format(f.name, at - f.addr)
				or ("0x%x"):format(at), block = at, at = at,
				calls = blocks[STOPS][at] }
		end)
		stop = stop or first or block
	end
	if not stop then
		error(("%s: nothing is executed often enough in its first %d instructions for " ..
			"all runs to stop there; right: more instructions, or all of them")
			:format(o.name, o.max_insts), 0)
	end
	return stop
end

local ENTRY <const> = 64 -- bytes, of a procedure that does not say how long it is

-- Instructions of profiling may be dropped and never commit: a procedure is entered by the first
-- one that did when it was entered first, which is where the machine goes now.
--- bakeoff.stop_there(MACHINE, STOP) -> FUNCTION
-- Has motions end with that call or execution; the function says whether it has come, or the
-- program's end. The machine may move to its first call.
function bakeoff.stop_there(m, stop)
	if not stop then
		return function() return over(m) end
	end
	-- Its first instruction of the program as it is: what comes first to be executed may be
	-- another one, where a call leads around it.
	local left, pc = stop.calls, stop.at and m:moved(stop.at)
	if not stop.at then
		local at = m:sym(stop.name)
		pc, left =
			m:run{ until_event =
			{ "commit",
			pc = { at.addr, at.addr + (at.size > 0 and at.size or ENTRY) } } }.pc,
			left - 1
	end
	m:on("commit", { pc = pc }, function()
		left = left - 1 -- below 0 where two commit in one cycle
		return left <= 0 and "stop" or nil
	end)
	return function() return over(m) or left <= 0 end
end

-- ---- the truth ----
local HOT <const> = 10 -- methods that profile instructions are put into (Vaswani and others, VI.B)

-- The procedures that retire most instructions and have names of their own; and addresses of all
-- that have run.
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

-- Paths are counted by the program itself, always: the oracle knows none. They are held against the
-- oracle's blocks by tests/bakeoff.
local function add_paths(o, plain)
	local ok, m = pcall(open, o, { instrument = "path" }, "its paths")
	if not ok then
		plain.no_paths = m
		plain.truth.paths = {}
		return
	end
	local ended = bakeoff.stop_there(m, o.stop)
	repeat
		m:run()
	until ended()
	plain.truth.paths = profilers.read_paths(m)
	m:close()
end

-- ---- one way ----
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

--- bakeoff.measure(o, PLAIN, WAY, KNOB) -> RECORD
-- One run, to where all stop. RECORD.reason: why there is none.
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
	-- How soon errors fall is asked of the profiler as it comes.
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
	record.overhead = 100 * (m.cycle / plain.cycles - 1)
	record.traffic = 100 * (stats["l1d.accesses"] / math.max(plain.stats["l1d.accesses"],
		1) - 1)
	record.l2_traffic = 100 * (stats["l2.accesses"] / math.max(plain.stats["l2.accesses"],
		1) - 1)
	record.interrupts = (stats["firmware.interrupts"] or 0) + (stats["vsample.interrupts"] or 0)
	record.code = way.instrument and 100 * (code_of(m) / plain.code - 1) or 0
	for _, question in ipairs(record.answers) do
		record.errors[question] = truths.errors(plain.truth, question, profiles[question])
		record.settles[question] = settled(record.looks, question) or false
	end
	m:close()
	return record
end

-- ---- the same overhead for all ----
local ABOVE <const>, BELOW <const> = 1.15, 0.85 -- of a budget, that are it

-- bakeoff.above: NUMBER
-- What costs more than so many times a budget does not keep it.
bakeoff.above = ABOVE

local function fits(record, budget)
	return record.overhead <= ABOVE * budget and record.overhead >= BELOW * budget
end

-- Overhead is about a straight line in this.
local function intensity(knob, v)
	return knob.more and v or 1 / v
end

local function allowed(knob, v)
	v = math.max(knob.least, math.min(knob.most, v))
	return knob.whole and math.floor(v + 0.5) or tonumber(("%.3g"):format(v))
end

-- Where to look next: on the line through the two runs that are closest to the budget, on both
-- sides of it if there are such.
local function guess(knob, records, budget)
	local below, above
	for _, r in ipairs(records) do
		if r.overhead < budget and (not below or r.overhead > below.overhead) then
			below = r
		elseif r.overhead >= budget and (not above or r.overhead < above.overhead) then
			above = r
		end
	end
	local a, b = below, above
	if not (a and b) then
		local sorted = table.move(records, 1, #records, 1, {})
		table.sort(sorted, function(x, y) return math.abs(x.overhead - budget) < math.abs(
			y.overhead - budget) end)
		a, b = sorted[1], sorted[2]
	end
	local x, x2 = intensity(knob, a.knob), b and intensity(knob, b.knob)
	local slope = b and x2 ~= x and (b.overhead - a.overhead) / (x2 - x)
	if not slope or slope <= 0 then
		slope = a.overhead > 0 and x > 0 and a.overhead / x or nil
	end
	local next_x = slope and x + (budget - a.overhead) / slope or x * 4
	if next_x <= 0 then -- it costs more than that where it does nothing
		return knob.more and knob.least or knob.most
	end
	-- Not more than a factor of 64 at once: far away nothing is a straight line.
	next_x = math.max(x / 64, math.min(x * 64, next_x))
	if knob.more then
		return allowed(knob, next_x)
	end
	return allowed(knob, 1 / next_x)
end

local function nearest(records, budget)
	local best
	for _, r in ipairs(records) do
		if not best or math.abs(r.overhead - budget) < math.abs(best.overhead - budget) then
			best = r
		end
	end
	return best
end

-- Of settings in steps, which cost less and less, the first that keeps the budget.
local function step_down(o, plain, way, records, budget)
	local by_knob, low, high = {}, 1, #way.knob.steps
	for _, r in ipairs(records) do
		by_knob[r.knob] = r
	end
	while low < high do
		local middle = (low + high) // 2
		local knob = way.knob.steps[middle]
		local r = by_knob[knob] or bakeoff.measure(o, plain, way, knob)
		if r.reason then
			return
		elseif not by_knob[knob] then
			records[#records + 1], by_knob[knob] = r, r
		end
		if r.overhead <= ABOVE * budget then
			high = middle
		else
			low = middle + 1
		end
	end
	local last = way.knob.steps[low]
	local r = by_knob[last] or bakeoff.measure(o, plain, way, last)
	records[#records + 1] = not by_knob[last] and not r.reason and r or nil
end

-- Runs until one costs what the budget says, or no other can.
local function spend(o, plain, way, records, budget)
	local tried = {}
	for _, r in ipairs(records) do
		tried[r.knob or 0] = true
	end
	if way.knob and way.knob.steps then
		step_down(o, plain, way, records, budget)
	end
	for _ = 1, way.knob and not way.knob.steps and o.tries or 0 do
		if fits(nearest(records, budget), budget) then
			break
		end
		local knob = guess(way.knob, records, budget)
		if tried[knob] then
			break
		end
		tried[knob] = true
		local r = bakeoff.measure(o, plain, way, knob)
		if r.reason then
			break
		end
		records[#records + 1] = r
	end
	local best, least, most = nil, math.huge, -math.huge
	for _, r in ipairs(records) do
		least, most = math.min(least, r.overhead), math.max(most, r.overhead)
		-- What costs less than the budget has kept it.
		if r.overhead <= ABOVE * budget and (not best or r.overhead > best.overhead) then
			best = r
		end
	end
	if not best then
		return { budget = budget, reason = ("not below %.3g %%"):format(least) }
	end
	return { budget = budget, record = best, spent = best.overhead >= BELOW * budget }
end

-- ---- all of it ----
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
			error(("no %s is called '%s'; right: %s"):format(what, name,
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
	o.name = o.name or tostring(o.program):match "[^/]*$"
	o.looks, o.tries, o.period, o.firmware = o.looks or 20, o.tries or 4, o.period or 50000,
		o.firmware or "build/demos/firmware"
	o.asks = chosen(truths.questions, o.questions, "question")
	o.runs = chosen(profilers.list, o.profilers, "profiler")
	o.budgets = o.budgets or {}
	return o
end

--- bakeoff.plain(OPTIONS) -> o, PLAIN
-- The program alone, and what it really did: PLAIN.truth.
function bakeoff.plain(options)
	local o = prepare(options)
	if o.say then
		o.say "alone"
	end
	o.stop = o.stop or bakeoff.find_stop(o)
	local plain = plain_run(o)
	if o.asks.paths then
		add_paths(o, plain)
	end
	return o, plain
end

-- What hardware there is beside each other at work at once; the sampler's messages are read by a
-- thread on another processor, since the handler is the co-processor's.
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
-- OPTIONS are program, args, input, root, sysroot, dirs, env and config as cyclops.machine takes
-- them, and: max_insts, behind which all stop (the program's end), or stop = { name =, calls = },
-- the call of a procedure at which they do, with at = ADDRESS the execution of the instruction that
-- is there in the program as it is; together = true: once more with all hardware at once; looks,
-- how often profiles are looked at (20); budgets, a list of overheads in percent at which profilers
-- are compared, and tries, runs for each of these (4); profilers and questions, lists of names
-- (all); period, in cycles, of which profile instructions are on during a part (50000); firmware,
-- the folder of handlers (build/demos/firmware); say, a function that hears which run begins; raw =
-- true: looks keep their profiles.
-- RESULT: program, stop, plain = { cycles, stats, truth }, ways = { { profiler =, answers =, knob =
-- NAME, records = { RECORD, ... }, budgets = { CELL, ... }, reason = }, ... }: the first record is
-- the profiler as its paper has it.
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
				for i, budget in ipairs(o.budgets) do
					w.budgets[i] = spend(o, plain, way, w.records, budget)
				end
			end
		end
	end
	result.together = o.together and together(o, plain, result) or nil
	return result
end

return bakeoff
