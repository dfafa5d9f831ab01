-- The compared profilers: how each is set up, read, and adjusted in overhead.
--
-- Used by cyclops.bakeoff, which runs them. A way is one of a profiler's configurations: what is
-- added to the machine or the program, and which questions (cyclops.bakeoff_truth) its profile
-- answers.

local truths, counts, values = require "cyclops.bakeoff_truth", require "cyclops.counts",
	require "cyclops.values"
local xprof, firmware = require "cyclops.xprof", require "cyclops.firmware"

local key = truths.key

local profilers = {}

-- profilers.list: { { name =, what =, paper = }, ... }
-- In the order of tables.
profilers.list = {
	{ name = "vaswani",
		what = "profile instructions in the ten hottest methods, which a handler " ..
		"switches on for a while", paper = "Vaswani and others 2003" },
	{ name = "checks",
		what = "profile instructions in all methods, which the program itself switches " ..
		"on for a while", paper = "Vaswani and others 2003" },
	{ name = "zilles", what = "the programmable co-processor", paper = "Zilles and Sohi 2001" },
	{ name = "ammons", what = "counters put into the executable, always on",
		paper = "Ammons and others 1997" },
	{ name = "burrows", what = "value sampling: interrupts whose handler interprets",
		paper = "Burrows and others 2000" },
	{ name = "sastry", what = "stratified sampling", paper = "Sastry and others 2001" },
	{ name = "random", what = "simple random sampling, by the same hardware",
		paper = "Sastry and others 2001" },
	{ name = "profileme", what = "one instruction at a time, read at interrupts",
		paper = "Dean and others 1997" },
}

-- ---- programs that profile themselves ----
local function read_blocks(m, truth)
	local counted = {}
	for _, row in ipairs(m:report "counters all".rows) do
		counted[key(row.was)] = row.count
	end
	return truths.blocks_of_counters(truth.flow, counted)
end

-- Selects the edges of conditional branches.
local function read_edges(m, truth)
	local profile = {}
	for _, row in ipairs(m:report "counters all".rows) do
		local name = key(row.was, row.led_to)
		profile[name] = truth.edges[name] and row.count or nil
	end
	return profile
end

-- Selects arcs of calls: callers are known by return address, and a tail call seems to be its
-- caller's call.
local function read_calls(m, truth)
	local profile = {}
	for _, row in ipairs(m:report "callgraph all".rows) do
		local name = truths.call(math.tointeger(row.site), row.callee)
		profile[name] = truth.calls[name] and (profile[name] or 0) + row.calls
	end
	return profile
end

--- profilers.read_paths(MACHINE) -> PROFILE
-- The profile of a program instrumented for paths: by procedure address and path number.
function profilers.read_paths(m)
	local profile = {}
	for _, row in ipairs(m:report "hot-paths all".rows) do
		profile[key(row.was) .. " " .. row.number] = row.count
	end
	return profile
end

-- The editor's name of each kind, and its reader.
local KINDS <const> = {
	{ "blocks", "bb", read_blocks },
	{ "edges", "edge", read_edges },
	{ "calls", "callgraph", read_calls },
	{ "paths", "path", profilers.read_paths },
	{ "contexts", "cct", truths.contexts },
}

local LONG <const> = 1 << 40

-- Checks that firmware for it exists.
local function need_firmware(o, name)
	return ("%s/%s.elf"):format(o.firmware, name)
end

-- Cycles in each period during which flags are on; 0: never.
local function window_length(percent, o)
	return math.min(o.period, math.floor(o.period * percent / 100))
end

-- Whether flags are switched at run time, by a handler, whose time is charged.
local function is_switched(percent, o)
	local length = window_length(percent, o)
	return length > 0 and length < o.period
end

-- The handler switches the methods that have run, as a runtime would know.
local function window(m, percent, o, plain)
	local x, length, methods, ran = xprof.new(m), window_length(percent, o), {}, {}
	if not is_switched(percent, o) then
		return length > 0 and x:on() or nil
	end
	for _, addr in ipairs(plain.ran) do
		local now = m:moved(addr)
		local f = now and m:sym(now)
		ran[f and f.addr or 0] = true
	end
	for _, method in ipairs(x:methods()) do
		methods[#methods + 1] = ran[method.addr] and method or nil
	end
	x:handler{ every = o.period, length = length, first = o.period // 2, methods = methods }
end

-- Entries of a method, or iterations of a loop, out of which some are profiled: M in each N.
local CHECKED <const> = 1000

local function checks(percent)
	local m = math.max(1, math.min(CHECKED, math.floor(CHECKED * percent / 100 + 0.5)))
	return ("checks=%d:%d"):format(CHECKED, m)
end

-- ---- hardware that samples ----
local V1 <const>, B1 <const>, DATA <const> = 0x108, 0x248, 0x30000 -- core/prof/cop/cop.h

local function words(m, first, n)
	local list = {}
	for i = first, first + n - 1 do
		list[i - first + 1] = m.cop:read(DATA + i // 2 * 8) >> 32 * (i % 2) & 0xffffffff
	end
	return list
end

-- Counts of branches and calls, including those still in the co-processor.
local function read_flow_of_cop(m, truth)
	local edges, calls = {}, {}
	local function branch(pc, none, taken)
		local fall, target = truth.branches[pc] and truth.branches[pc].fall,
			truth.branches[pc] and truth.branches[pc].target
		for to, n in pairs{ [fall or 0] = none, [target or 0] = taken } do
			if to ~= 0 and n > 0 then
				edges[key(pc, to)] = (edges[key(pc, to)] or 0) + n
			end
		end
	end
	local function call(pc, to, n)
		local name = truths.call(pc, truth.name(to))
		calls[name] = (calls[name] or 0) + n
	end
	local p = counts.profile(m)
	for _, e in ipairs(p.branch) do
		branch(e.from, e.not_taken, e.taken)
	end
	for _, e in ipairs(p.target) do
		call(e.from, e.to, e.count)
	end
	local slots = m.cop:read(B1)
	local n, places, targets = words(m, 0, slots), words(m, slots, slots),
		words(m, 2 * slots, slots)
	for i = 1, slots do
		if targets[i] ~= 0 then
			call(places[i], targets[i], n[i])
		elseif places[i] ~= 0 then
			branch(places[i], n[i] & 0xffff, n[i] >> 16)
		end
	end
	return { edges = edges, calls = calls, blocks = truths.blocks(truth.flow, edges, calls) }
end

-- A co-processor that counts one record in a power of two.
local function sample_records(m, one_in)
	if one_in > 1 then
		m:run{ until_event = "record" }
		m.cop:write(V1, one_in - 1)
	end
end

-- The handler's folded tuples, plus waiting messages.
local function told(m)
	local profile = firmware.profile(m)
	for i = 1, m.sampler:waiting() do
		local message = m.sampler:message(i)
		profile:add(message.pc, message.value, message.tag, message.count)
	end
	return profile
end

local function read_flow_of_sampler(m, truth)
	local edges, calls = {}, {}
	for pc, to, tag, n in told(m):tuples() do
		local name = tag == 1 and truths.call(pc, truth.name(to)) or key(pc, to)
		local side = tag == 1 and calls or edges
		side[name] = (side[name] or 0) + n
	end
	return { edges = edges, calls = calls, blocks = truths.blocks(truth.flow, edges, calls) }
end

local function read_values_of_sampler(m)
	local loads = {}
	for pc, value, _, n in told(m):tuples() do
		local load = loads[pc] or { samples = 0, by = {}, values = {} }
		loads[pc], load.samples = load, load.samples + n
		load.by[value & 0xffffffff] = (load.by[value & 0xffffffff] or 0) + n
	end
	for _, load in pairs(loads) do
		for value, n in pairs(load.by) do
			load.values[#load.values + 1] = { value = value,
				estimate = n / load.samples }
		end
		table.sort(load.values, function(a, b) return a.value < b.value end)
	end
	return { values = { loads = loads } }
end

local function sampler(select, compressor)
	return function(o, knob)
		return { firmware = need_firmware(o, "sampler"), set = { ["sampler.enable"] = true,
			["sampler.reader"] = "interrupt", ["sampler.exact"] = false,
			["sampler.select"] = select, ["sampler.compressor"] = compressor:format(
				knob), ["sampler.message_queue"] = 256 } }
	end
end

local function sampler_bits(m)
	return m.sampler:bits()
end

-- Bits of the array's arrays, and 64 per word of each waiting record.
local function cop_bits(m)
	local c = m.config
	return 128 * c["cop.microcode"] + 33 * c["cop.cam"] + 32 * c["cop.data"]
		+ 2 * c["cop.filter"] + 64 * (c["cop.buffer"] + c["cop.transport"])
end

local function read_samples(m, truth, state)
	local loads, latencies = {}, {}
	for list in m.values:each() do
		if list.kind == "results" and truth.values[list.pc] then
			local load = { values = {}, by = {} }
			for _, v in ipairs(list) do
				load.by[v.value & 0xffffffff] = (load.by[v.value & 0xffffffff]
					or 0) + v.share
			end
			for value, share in pairs(load.by) do
				load.values[#load.values + 1] = { value = value, estimate = share }
			end
			table.sort(load.values, function(a, b) return a.value < b.value end)
			loads[list.pc] = load
		elseif list.kind == "cycles" then
			local sum, shares = 0, 0
			for _, v in ipairs(list) do
				sum, shares = sum + v.share * v.value, shares + v.share
			end
			latencies[list.pc] = shares > 0 and { count = list.vtot,
				mean = sum / shares } or nil
		end
	end
	return { blocks = truths.blocks_of_samples(truth.flow, state), values = { loads = loads },
		latencies = latencies }
end

-- Storage of the daemon's samples: at least an address each.
local function watch_samples(m)
	local samples = {}
	m:on("interpret", { where = "recorded and not lost" }, function(e)
		samples[e.pc] = (samples[e.pc] or 0) + 1
	end)
	return samples
end

local function read_profileme(m, truth)
	local samples, latencies = {}, {}
	for pc, c in m.profileme:all() do
		samples[pc] = c.retired
		if truth.latencies[pc] and c.retired > 0 and c.latency.load then
			latencies[pc] = { count = c.retired, mean = c.latency.load }
		end
	end
	return { blocks = truths.blocks_of_samples(truth.flow, samples), latencies = latencies }
end

local function interval(n)
	return { ["vsample.interval_min"] = math.max(1, n - n // 16), ["vsample.interval_max"] =
		n + n // 16 }
end

-- ---- the ways ----
-- A knob: its name, initial value, range, and `more`: whether a larger number means more overhead.
-- `whole`, `steps`: the allowed numbers; each step has less overhead than the one before.
local PERCENT <const> = { name = "% of the time", start = 10, least = 0, most = 100, more = true }
local CHECKS <const> = { name = "% of entries", start = 10, least = 0.1, most = 100, more = true }
local RATE <const> = { name = "one in", start = 256, least = 4, most = 1 << 20, whole = true }
local RECORDS <const> = { name = "one in", start = 1, steps = { 1, 2, 4, 8, 16, 32, 64, 128, 256,
	512, 1024, 2048, 4096, 8192, 16384, 32768, 65536 } }
local ENTRIES <const> = { name = "entries", start = 256, steps = { 32, 64, 128, 256 } }
local INTERVAL <const> = { name = "instructions an interrupt", start = 64000, least = 2000,
	most = LONG, whole = true }

local ways = {}
profilers.ways = ways

local function way(profiler, answers, w)
	w.profiler, w.answers = profiler, answers
	w.name = profiler .. " " .. table.concat(answers, ",")
	ways[#ways + 1] = w
end

for _, kind in ipairs(KINDS) do
	local question, what, read = kind[1], kind[2], kind[3]
	local function answer(m, truth)
		return { [question] = read(m, truth) }
	end
	-- Flags in loops cut paths; other questions need them for long-running loops.
	local units = (question == "blocks" or question == "edges") and "loops" or "methods"
	way("vaswani", { question }, { knob = PERCENT, instrument = true, read = answer,
		bits = "flags",
		machine = function(o, knob, plain)
			-- Caller and callee must both be instrumented.
			local all = question == "calls" or question == "contexts"
			return { instrument = ("%s=0,units=%s"):format(what, units),
				functions = not all and table.concat(plain.hot, ",") or nil,
				firmware = is_switched(knob, o) and need_firmware(o, "flags")
					or nil }
		end,
		start = window })
	way("checks", { question }, { knob = CHECKS, instrument = true, read = answer,
		bits = "flags",
		machine = function(_, knob)
			return { instrument = ("%s=0,units=%s,%s"):format(what, units,
			checks(knob)) } end })
	way("ammons", { question }, { instrument = true, read = answer, bits = 0,
		machine = function() return { instrument = what } end })
end

way("zilles", { "blocks", "edges", "calls" }, { knob = RECORDS, read = read_flow_of_cop,
	bits = cop_bits, start = sample_records,
	machine = function(o) return { firmware = need_firmware(o, "cop_flow"),
		set = { ["cop.enable"] = true } } end })
way("zilles", { "values" }, { knob = ENTRIES, bits = cop_bits,
	read = function(m) return { values = values.profile(m, { rest = true }) } end,
	machine = function(o, knob)
		return { firmware = need_firmware(o, "cop_value"),
			set = { ["cop.enable"] = true, ["cop.cam"] = knob,
			["cop.data"] = 4 * knob } }
	end })
-- Where latencies are recorded, the handler passes over as many instructions as are in flight
-- first.
way("burrows", { "blocks", "values" }, { knob = INTERVAL, read = read_samples,
	start = watch_samples, bits = 0,
	machine = function(_, knob) return { values = "results", set = interval(knob) } end })
way("burrows", { "latencies" }, { knob = INTERVAL, read = read_samples, start = watch_samples,
	bits = 0,
	machine = function(_, knob) return { values = "cycles", set = interval(knob) } end })
local FLOW <const> = "edge of branch, call tag 1"
way("sastry", { "blocks", "edges", "calls" }, { knob = RATE, read = read_flow_of_sampler,
	bits = sampler_bits, machine = sampler(FLOW, "H(P(%d), 2048)") })
way("sastry", { "values" }, { knob = RATE, read = read_values_of_sampler, bits = sampler_bits,
	machine = sampler("value of load", "H(P(%d), 2048)") })
way("random", { "blocks", "edges", "calls" }, { knob = RATE, read = read_flow_of_sampler,
	bits = sampler_bits, machine = sampler(FLOW, "R(%d)") })
way("random", { "values" }, { knob = RATE, read = read_values_of_sampler, bits = sampler_bits,
	machine = sampler("value of load", "R(%d)") })
way("profileme", { "blocks", "latencies" }, { knob = INTERVAL, read = read_profileme,
	bits = 10 * 64,
	machine = function(_, knob)
		local set = interval(knob)
		set["vsample.enable"], set["vsample.every"], set["profileme.enable"] = true, 0, true
		return { set = set }
	end })

--- profilers.flag_bits(MACHINE) -> BITS
-- Storage of profile instructions in bits: flags, and the block descriptor table with tag, length
-- and type for each entry.
function profilers.flag_bits(m)
	return 8 + m.config["bdt.sets"] * m.config["bdt.ways"] * (30 + 8 + 3 + 1)
end

--- profilers.find(NAME) -> PROFILER
-- The profiler of that name; nil if there is none.
function profilers.find(name)
	for _, p in ipairs(profilers.list) do
		if p.name == name then
			return p
		end
	end
end

return profilers
