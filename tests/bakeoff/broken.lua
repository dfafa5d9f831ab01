-- Profilers broken on purpose: counters that drop every third event. Each must score worse than the
-- intact profiler.
package.path = "tests/lua/?.lua;" .. package.path
local check = require "check"
local bakeoff, profilers = require "cyclops.bakeoff", require "cyclops.bakeoff_profilers"

local OPTIONS <const> = { program = "build/demos/sort", args = { "demos/programs/list.txt" },
	max_insts = 150000, looks = 1 }
local o, plain = bakeoff.plain(OPTIONS)

local function way(profiler, question)
	for _, w in ipairs(profilers.ways) do
		if w.profiler == profiler and w.answers[1] == question then
			return w
		end
	end
end

local function measure(w, knob)
	return bakeoff.measure(o, plain, w, knob or w.knob and w.knob.start)
end

local function sum(profile)
	local n = 0
	for _, count in pairs(profile) do
		n = n + count
	end
	return n
end

-- The same, but only one counter drops every third event: the hottest among those that are not
-- overestimated.
local function broken(w, question)
	local copy = {}
	for k, v in pairs(w) do
		copy[k] = v
	end
	function copy.read(...)
		local profiles = w.read(...)
		local truth, seen, hottest = plain.truth[question], profiles[question], nil
		local all, all_seen = sum(truth), sum(seen)
		for name, n in pairs(seen) do
			local real = truth[name] or 0
			if n / all_seen <= real / all + 1e-6
				and (not hottest or real > (truth[hottest] or 0)
				or real == truth[hottest] and name < hottest) then
				hottest = name
			end
		end
		seen[hottest] = seen[hottest] - seen[hottest] // 3
		return profiles
	end
	return copy, function()
		local most, all = 0, 0
		for _, n in pairs(plain.truth[question]) do
			most, all = math.max(most, n), all + n
		end
		return most / all
	end
end

for _, row in ipairs{ { "ammons", "blocks" }, { "ammons", "edges" }, { "zilles", "blocks" },
	{ "sastry", "blocks", 8 } } do
	local w = way(row[1], row[2])
	local other, share = broken(w, row[2])
	local good, bad = measure(w, row[3]).errors[row[2]].overlap,
		measure(other, row[3]).errors[row[2]].overlap
	check.ok(bad > good, ("%s %s: %.2f %% broken, %.2f %% whole"):format(row[1], row[2], bad,
		good))
	if row[1] == "ammons" then
		-- The error if one share s has lost a third: s - s * 2/3 / (1 - s/3).
		local s = share()
		local wanted = 100 * (s - s * 2 / 3 / (1 - s / 3))
		check.ok(math.abs(bad - wanted) < 1, ("%.2f %% is %.2f %%, which"):format(bad,
			wanted))
	end
	check.eq(measure(w, row[3]).errors[row[2]].overlap, good, "the same again")
end

-- Runs end at a call of a procedure whose flags are switched; the switching instruction never
-- commits.
do
	local calls, name = {}, nil
	for call, n in pairs(plain.truth.calls) do
		local callee = call:match " (.*)$"
		calls[callee] = (calls[callee] or 0) + n
	end
	for _, hot in ipairs(plain.hot) do
		name = name or (calls[hot] or 0) > 20 and hot or nil
	end
	check.ok(name, "a hot procedure is called often, so this")
	local there, alone = bakeoff.plain{ program = OPTIONS.program, args = OPTIONS.args,
		looks = 1, stop = { name = name, calls = calls[name] - 5 } }
	local switched, always = way("vaswani", "blocks"), way("ammons", "blocks")
	local record = bakeoff.measure(there, alone, switched, 100)
	check.ok(record.reason == nil and record.overhead > 0 and record.overhead < 500,
		tostring(record.reason or record.overhead) .. ": overhead that")
	check.ok(bakeoff.measure(there, alone, always).errors.blocks.overlap < 0.1,
		"all blocks are counted to the same call, which")
end

-- A result that is good, then bad, then good: the page reports the start of the last small error.
do
	local looks, n = 4, 0
	local alone = setmetatable({ looks = looks }, { __index = o })
	local moody = { profiler = "ammons", name = "moody", answers = { "blocks" }, bits = 0,
		machine = function() return {} end,
		read = function()
			n = n + 1
			return { blocks = n == 2 and {} or plain.truth.blocks }
		end }
	local record = bakeoff.measure(alone, plain, moody)
	check.eq(#record.looks, looks)
	check.eq(record.settles.blocks, record.looks[3].cycles,
		"for good since the third look, which")
	check.ok(record.looks[1].cycles < record.looks[3].cycles and record.overhead == 0)
end

-- The last delivery: hardware delivers all its samples, their cost is charged, and none is lost.
for _, row in ipairs{ { "zilles", "blocks" }, { "sastry", "blocks", 32 } } do
	local w = way(row[1], row[2])
	local copy, form, sums, m = {}, w.reader.form, {}, nil
	for k, v in pairs(w) do
		copy[k] = v
	end
	local function counted()
		local n, counts = 0, form(m)
		for _, e in ipairs(counts.branches or {}) do
			n = n + e[2] + e[3]
		end
		for _, e in ipairs(counts.calls or {}) do
			n = n + e[3]
		end
		for _, e in ipairs(counts.branches and {} or counts) do
			n = n + e[4]
		end
		return n
	end
	local function waits()
		return row[1] == "sastry" and m.sampler:waiting() or m.cop:read(0x28000)
	end
	copy.read = function(machine, ...)
		m = machine
		return w.read(machine, ...)
	end
	copy.delivery = setmetatable({ request = function()
		sums[1], sums.waiting = counted(), waits()
		local ok = w.delivery.request(m)
		local n = m.stats["firmware.interrupts"]
		while m.stats["firmware.interrupts"] == n do
			m:run{ cycles = 1 }
		end
		sums[2] = counted()
		return ok and false -- by hand
	end }, { __index = w.delivery })
	local by_hand, record = measure(copy, row[3]), measure(w, row[3])
	check.ok(sums.waiting ~= 0, row[1] .. ": something waits for the last delivery, which")
	check.ok(sums[2] >= sums[1] and sums[2] < sums[1] * 1.01,
		("%s: %d before the delivery and %d after it: all that was counted"):format(row[1],
		sums[1], sums[2]))
	check.ok(record.last > 100 and by_hand.last == 0, row[1] .. ": the delivery's cost")
	check.eq(record.deliveries, by_hand.deliveries + 1, "deliveries")
	local charged = record.overhead - by_hand.overhead
	check.ok(math.abs(charged - 100 * record.last / plain.cycles) < 1e-9,
		row[1] .. ": the cost is charged, which")
end

-- Values: a profiler that records a wrong value for every third sample.
do
	local w = way("zilles", "values")
	local copy = {}
	for k, v in pairs(w) do
		copy[k] = v
	end
	function copy.read(...)
		local profiles = w.read(...)
		for _, load in pairs(profiles.values.loads) do
			for _, v in ipairs(load.values) do
				v.estimate = v.estimate * 2 / 3
			end
		end
		return profiles
	end
	local good, bad = measure(w).errors.values, measure(copy).errors.values
	for metric, error in pairs(good) do
		check.ok(not error or bad[metric] > error,
			("values by %s: %.2f %% broken, %.2f %% whole"):format(metric, bad[metric]
			or 0, error or 0))
	end
end

check.done()
