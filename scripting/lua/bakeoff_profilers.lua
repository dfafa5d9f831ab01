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

-- Each reader has two parts: `form` reads what the profiler has counted, as it has it, and `answer`
-- makes profiles of that. `exact` is the form of a perfect profiler, from the oracle's counts:
-- answer(TRUTH, exact(TRUTH)) has no error (tests/bakeoff/perfect.lua).
local forms = {}

-- A form that lists a report's rows, with a name of ours for each column of `columns`.
local function rows_of(report, columns)
	return function(m)
		local list = {}
		for i, row in ipairs(m:report(report).rows) do
			list[i] = {}
			for name, column in pairs(columns) do
				list[i][name] = row[column]
			end
		end
		return list
	end
end

-- ---- programs that profile themselves ----
forms.blocks = {
	form = function(m)
		local counted = {}
		for _, row in ipairs(m:report "counters all".rows) do
			counted[key(row.was)] = row.count
		end
		return counted
	end,
	answer = function(truth, counted)
		return { blocks = truths.blocks_of_counters(truth.flow, counted) }
	end,
	exact = function(truth) -- in the editor a call ends no block
		local counted, before = {}, nil
		for _, b in ipairs(truth.flow.list) do
			local into = truth.flow.into[b.from] or {}
			local goes_on = before and before.called and before.to == b.from
				and #into == 1 and into[1].from == before.from
			if not (goes_on or b.inside) then
				counted[key(b.from)] = b.count
			end
			before = b
		end
		return counted
	end,
}

-- Selects the edges of conditional branches.
forms.edges = {
	form = rows_of("counters all", { from = "was", to = "led_to", count = "count" }),
	answer = function(truth, list)
		local profile = {}
		for _, e in ipairs(list) do
			local name = key(e.from, e.to)
			profile[name] = truth.edges[name] and e.count or nil
		end
		truths.add_inner_edges(truth, profile)
		return { edges = profile }
	end,
	exact = function(truth) -- of an atomic sequence only edges that leave it
		local list = {}
		for _, row in ipairs(truth.rows.edges) do
			local to = truth.flow.at[row.to]
			list[#list + 1] = not (to and to.inside and to.inside.branch == row.address)
				and { from = row.address, to = row.to, count = row.count } or nil
		end
		return list
	end,
}

-- Selects arcs of calls: callers are known by return address, and a tail call seems to be its
-- caller's call.
forms.calls = {
	form = rows_of("callgraph all", { site = "site", callee = "callee", count = "calls" }),
	answer = function(truth, list)
		local profile = {}
		for _, arc in ipairs(list) do
			local name = truths.call(math.tointeger(arc.site), arc.callee)
			profile[name] = truth.calls[name] and (profile[name] or 0) + arc.count
		end
		return { calls = profile }
	end,
	exact = function(truth)
		local list = {}
		for _, row in ipairs(truth.rows.edges) do
			list[#list + 1] = row.kind == "call" and { site = row.address,
				callee = row.to_place, count = row.count } or nil
		end
		return list
	end,
}

-- By the procedure's address and the blocks of the path, as it has it in `report hot-paths`.
forms.paths = {
	form = rows_of("hot-paths all", { procedure = "was", blocks = "offsets", count = "count" }),
	answer = function(truth, list)
		local profile = {}
		for _, path in ipairs(list) do
			local name = truth.path_name(path.procedure, path.blocks)
			profile[name] = (profile[name] or 0) + path.count
		end
		return { paths = profile }
	end,
	exact = function(truth)
		local list = {}
		for i, path in ipairs(truth.path_list) do
			list[i] = { procedure = path.procedure, blocks = path.blocks,
				count = path.count }
		end
		return list
	end,
}

-- The calling context tree, folded: a stack by name and its calls in each line.
forms.contexts = {
	form = function(m) return m:export "folded by calls" end,
	answer = function(_, text) return { contexts = truths.contexts(text) } end,
	exact = function(truth) return truth.folded end,
}

-- The editor's name of each kind.
local KINDS <const> = {
	{ "blocks", "bb" },
	{ "edges", "edge" },
	{ "calls", "callgraph" },
	{ "paths", "path" },
	{ "contexts", "cct" },
}

local LONG <const> = 1 << 40

-- Checks that the profiler's firmware exists.
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

-- Blocks, edges and calls from counts of the latter two.
local function flow_answer(truth, edges, calls)
	return { edges = edges, calls = calls, blocks = truths.blocks(truth.flow, edges, calls) }
end

-- Counts of branches and calls, including those still in the co-processor: lists of { pc, not
-- taken, taken } and of { pc, target, count }.
forms.cop_flow = {
	form = function(m)
		local p, branches, calls = counts.profile(m), {}, {}
		for i, e in ipairs(p.branch) do
			branches[i] = { e.from, e.not_taken, e.taken }
		end
		for i, e in ipairs(p.target) do
			calls[i] = { e.from, e.to, e.count }
		end
		local slots = m.cop:read(B1)
		local n, places, targets = words(m, 0, slots), words(m, slots, slots),
			words(m, 2 * slots, slots)
		for i = 1, slots do
			if targets[i] ~= 0 then
				calls[#calls + 1] = { places[i], targets[i], n[i] }
			elseif places[i] ~= 0 then
				branches[#branches + 1] = { places[i], n[i] & 0xffff, n[i] >> 16 }
			end
		end
		return { branches = branches, calls = calls }
	end,
	answer = function(truth, counted)
		local edges, calls = {}, {}
		for _, e in ipairs(counted.branches) do
			local branch = truth.branches[e[1]] or {}
			for side, to in ipairs{ branch.fall or false, branch.target or false } do
				local n = e[1 + side]
				if to and n > 0 then
					edges[key(e[1], to)] = (edges[key(e[1], to)] or 0) + n
				end
			end
		end
		for _, e in ipairs(counted.calls) do
			local name = truths.call(e[1], truth.name(e[2]))
			calls[name] = (calls[name] or 0) + e[3]
		end
		return flow_answer(truth, edges, calls)
	end,
	exact = function(truth)
		local by_pc, branches, calls = {}, {}, {}
		for _, row in ipairs(truth.rows.edges) do
			if row.kind == "call" then
				calls[#calls + 1] = { row.address, row.to, row.count }
			elseif row.kind == "taken" or row.kind == "not taken" then
				local e = by_pc[row.address] or { row.address, 0, 0 }
				if not by_pc[row.address] then
					by_pc[row.address], branches[#branches + 1] = e, e
				end
				e[row.kind == "taken" and 3 or 2] = row.count
			end
		end
		return { branches = branches, calls = calls }
	end,
}

-- Values by load, as the co-processor's handler has them.
forms.cop_values = {
	form = function(m) return values.profile(m, { rest = true }) end,
	answer = function(_, profile) return { values = profile } end,
	exact = function(truth)
		local loads = {}
		for pc, load in pairs(truth.values) do
			loads[pc] = { values = {} }
			for value, n in pairs(load.values) do
				table.insert(loads[pc].values,
					{ value = value, estimate = n / load.count })
			end
		end
		return { loads = loads }
	end,
}

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

-- Tuples as the handler has them: lists of { pc, value, tag, count }.
local function tuples_told(m)
	local list = {}
	for pc, value, tag, n in told(m):tuples() do
		list[#list + 1] = { pc, value, tag, n }
	end
	return list
end

local CALL_TAG <const> = 1

forms.sampler_flow = {
	form = tuples_told,
	answer = function(truth, list)
		local edges, calls = {}, {}
		for _, t in ipairs(list) do
			local is_call = t[3] == CALL_TAG
			local name = is_call and truths.call(t[1], truth.name(t[2]))
				or key(t[1], t[2])
			local side = is_call and calls or edges
			side[name] = (side[name] or 0) + t[4]
		end
		return flow_answer(truth, edges, calls)
	end,
	exact = function(truth)
		local list = {}
		for _, row in ipairs(truth.rows.edges) do
			local tag = row.kind == "call" and CALL_TAG
				or (row.kind == "taken" or row.kind == "not taken") and 0
			list[#list + 1] = tag and { row.address, row.to, tag, row.count } or nil
		end
		return list
	end,
}

forms.sampler_values = {
	form = tuples_told,
	answer = function(_, list)
		local loads = {}
		for _, t in ipairs(list) do
			local pc, value, n = t[1], t[2] & 0xffffffff, t[4]
			local load = loads[pc] or { samples = 0, by = {}, values = {} }
			loads[pc], load.samples = load, load.samples + n
			load.by[value] = (load.by[value] or 0) + n
		end
		for _, load in pairs(loads) do
			for value, n in pairs(load.by) do
				load.values[#load.values + 1] = { value = value,
					estimate = n / load.samples }
			end
			table.sort(load.values, function(a, b) return a.value < b.value end)
		end
		return { values = { loads = loads } }
	end,
	exact = function(truth)
		local list = {}
		for pc, load in pairs(truth.values) do
			for value, n in pairs(load.values) do
				list[#list + 1] = { pc, value, 0, n }
			end
		end
		return list
	end,
}

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

-- Samples of instructions by pc, and the value sampler's lists: { pc =, kind =, vtot =, { value =,
-- share = }, ... }.
forms.vsample = {
	form = function(m, samples)
		local lists = {}
		for list in m.values:each() do
			lists[#lists + 1] = list
		end
		return { samples = samples, lists = lists }
	end,
	answer = function(truth, counted)
		local loads, latencies = {}, {}
		for _, list in ipairs(counted.lists) do
			if list.kind == "results" and truth.values[list.pc] then
				local load = { values = {}, by = {} }
				for _, v in ipairs(list) do
					load.by[v.value & 0xffffffff] = (load.by[v.value
						& 0xffffffff] or 0) + v.share
				end
				for value, share in pairs(load.by) do
					load.values[#load.values + 1] = { value = value,
						estimate = share }
				end
				table.sort(load.values,
					function(a, b) return a.value < b.value end)
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
		return { blocks = truths.blocks_of_samples(truth.flow, counted.samples),
			values = { loads = loads }, latencies = latencies }
	end,
	exact = function(truth)
		local lists = {}
		for pc, load in pairs(truth.values) do
			local list = { pc = pc, kind = "results", vtot = load.count }
			for value, n in pairs(load.values) do
				list[#list + 1] = { value = value, share = n / load.count }
			end
			lists[#lists + 1] = list
		end
		for pc, l in pairs(truth.latencies) do
			lists[#lists + 1] = { pc = pc, kind = "cycles", vtot = l.count,
				{ value = l.mean, share = 1 } }
		end
		return { samples = truth.rows.insts, lists = lists }
	end,
}

-- Storage of the daemon's samples: at least an address each.
local function watch_samples(m)
	local samples = {}
	m:on("interpret", { where = "recorded and not lost" }, function(e)
		samples[e.pc] = (samples[e.pc] or 0) + 1
	end)
	return samples
end

-- Retired records by pc, and the mean latency of those that loaded: { [PC] = { N, LATENCY } }.
forms.profileme = {
	form = function(m)
		local counted = {}
		for pc, c in m.profileme:all() do
			counted[pc] = { c.retired, c.latency.load }
		end
		return counted
	end,
	answer = function(truth, counted)
		local samples, latencies = {}, {}
		for pc, c in pairs(counted) do
			samples[pc] = c[1]
			if truth.latencies[pc] and c[1] > 0 and c[2] then
				latencies[pc] = { count = c[1], mean = c[2] }
			end
		end
		return { blocks = truths.blocks_of_samples(truth.flow, samples),
			latencies = latencies }
	end,
	exact = function(truth)
		local counted = {}
		for pc, n in pairs(truth.rows.insts) do
			counted[pc] = { n, truth.latencies[pc] and truth.latencies[pc].mean }
		end
		return counted
	end,
}

-- ---- delivery ----
-- Of profilers whose hardware calls software: how often it has; how to make it hand over the rest;
-- and what was lost on the way, of how much: { LOST, OF }, in records, tuples or samples.
local CONTROL <const>, RUN_TAG_HALT <const> = 0, 7

local cop_delivery = {
	delivered = function(stats) return stats["cop.interrupts"] end,
	request = function(m)
		m.cop:write(CONTROL, RUN_TAG_HALT)
		return true
	end,
	loss = function(stats)
		return { stats["cop.dropped"] + stats["cop.lost"], stats["cop.records"] }
	end,
}

local sampler_delivery = {
	delivered = function(stats) return stats["firmware.interrupts"] end,
	request = function(m) return m.sampler:request() > 0 end,
	loss = function(stats, m)
		local each = (stats["sampler.selected"] - stats["sampler.dropped"])
			/ math.max(stats["sampler.messages"], 1)
		local _, folded = firmware.profile(m)
		return { stats["sampler.dropped"] + folded.dropped_tuples
			+ each * stats["sampler.messages_dropped"], stats["sampler.selected"] }
	end,
}

local vsample_delivery = {
	delivered = function(stats) return stats["vsample.interrupts"] end,
	loss = function(stats)
		return { stats["vsample.lost"], stats["vsample.tuples"] }
	end,
}

local profileme_delivery = {
	delivered = vsample_delivery.delivered,
	loss = function(stats)
		return { stats["profileme.lost"], stats["profileme.records"]
			+ stats["profileme.lost"] }
	end,
}

-- A window in which flags are on begins and ends with an interrupt.
local window_delivery = {
	delivered = function(stats)
		return stats["firmware.interrupts"] and stats["firmware.interrupts"] // 2
	end,
}

local function interval(n)
	return { ["vsample.interval_min"] = math.max(1, n - n // 16), ["vsample.interval_max"] =
		n + n // 16 }
end

-- ---- the ways ----
-- reader: one of the forms above; read(MACHINE, TRUTH, STATE) is its answer. delivery: see above;
-- counters in the program's memory have none.
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
	function w.read(m, truth, state)
		return w.reader.answer(truth, w.reader.form(m, state))
	end
	w.name = profiler .. " " .. table.concat(answers, ",")
	ways[#ways + 1] = w
end

for _, kind in ipairs(KINDS) do
	local question, what = kind[1], kind[2]
	local reader = forms[question]
	-- Flags in loops cut paths; other questions need them for long-running loops.
	local units = (question == "blocks" or question == "edges") and "loops" or "methods"
	way("vaswani", { question }, { knob = PERCENT, instrument = true, reader = reader,
		delivery = window_delivery,
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
	way("checks", { question }, { knob = CHECKS, instrument = true, reader = reader,
		bits = "flags",
		machine = function(_, knob)
			return { instrument = ("%s=0,units=%s,%s"):format(what, units,
			checks(knob)) } end })
	way("ammons", { question }, { instrument = true, reader = reader, bits = 0,
		machine = function() return { instrument = what } end })
end

way("zilles", { "blocks", "edges", "calls" }, { knob = RECORDS, reader = forms.cop_flow,
	bits = cop_bits, start = sample_records, delivery = cop_delivery,
	machine = function(o) return { firmware = need_firmware(o, "cop_flow"),
		set = { ["cop.enable"] = true } } end })
way("zilles", { "values" }, { knob = ENTRIES, bits = cop_bits, delivery = cop_delivery,
	reader = forms.cop_values,
	machine = function(o, knob)
		return { firmware = need_firmware(o, "cop_value"),
			set = { ["cop.enable"] = true, ["cop.cam"] = knob,
			["cop.data"] = 4 * knob } }
	end })
-- Where latencies are recorded, the handler passes over as many instructions as are in flight
-- first.
way("burrows", { "blocks", "values" }, { knob = INTERVAL, reader = forms.vsample,
	start = watch_samples, bits = 0, delivery = vsample_delivery,
	machine = function(_, knob) return { values = "results", set = interval(knob) } end })
way("burrows", { "latencies" }, { knob = INTERVAL, reader = forms.vsample, start = watch_samples,
	bits = 0, delivery = vsample_delivery,
	machine = function(_, knob) return { values = "cycles", set = interval(knob) } end })
local FLOW <const> = "edge of branch, call tag 1"
way("sastry", { "blocks", "edges", "calls" }, { knob = RATE, reader = forms.sampler_flow,
	bits = sampler_bits, delivery = sampler_delivery,
	machine = sampler(FLOW, "H(P(%d), 2048)") })
way("sastry", { "values" }, { knob = RATE, reader = forms.sampler_values, bits = sampler_bits,
	delivery = sampler_delivery,
	machine = sampler("value of load", "H(P(%d), 2048)") })
way("random", { "blocks", "edges", "calls" }, { knob = RATE, reader = forms.sampler_flow,
	bits = sampler_bits, delivery = sampler_delivery,
	machine = sampler(FLOW, "R(%d)") })
way("random", { "values" }, { knob = RATE, reader = forms.sampler_values, bits = sampler_bits,
	delivery = sampler_delivery,
	machine = sampler("value of load", "R(%d)") })
way("profileme", { "blocks", "latencies" }, { knob = INTERVAL, reader = forms.profileme,
	bits = 10 * 64, delivery = profileme_delivery,
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
