-- m.sampler: streams recorded from a running machine against its events, series, and messages
-- against a model of the service thread.
package.path = "tests/lua/?.lua;" .. package.path
local check = require "check"

local function open(config)
	config["sampler.enable"] = true
	return cyclops.machine{ program = "build/demos/hash",
		args = { "demos/programs/input/words.txt" }, config = config }
end

-- The recording equals the events, and the same without timing.
local m, f = open{}, open{}
local st, sf, heard = cyclops.stream(), cyclops.stream(), {}
m:on("tuple", function(e) heard[#heard + 1] = { e.pc, e.value } end)
local n = m.sampler:record(st, { tuples = 3000 })
check.ok(n >= 3000 and n < 3008, "3000 tuples, and what its last cycle brings")
check.eq(#st, n, "tuples in the stream")
check.eq(#heard, n, "tuples observed")
check.eq(m.sampler.selected, n, "sampler.selected")
check.eq(f.sampler:record(sf, { tuples = 3000, functional = true }), 3000,
	"without timing the number is exact")
check.eq(f.cycle, 0)
local wrong = 0
for i = 1, 3000 do
	local a, b = st[i], sf[i]
	wrong = wrong + ((a.pc == b.pc and a.value == b.value and a.pc == heard[i][1]
		and a.value == heard[i][2]) and 0 or 1)
end
check.eq(wrong, 0, "tuples that are others")
local insts, cycle = m.insts, m.cycle
m.sampler:record(st, { insts = 1000 })
check.ok(m.insts >= insts + 1000 and m.insts < insts + 1008, "1000 instructions")
cycle = m.cycle
local before = #st
check.eq(m.sampler:record(st, { cycles = 777 }), #st - before)
check.eq(m.cycle, cycle + 777)
check.eq(#st, #heard, "all of it is in the stream")
-- Going back and forth again records nothing, and changes nothing.
local hash = m:hash()
m:back(2000)
m:go(cycle + 777)
check.eq(m:hash(), hash)
check.eq(#st, before + (#st - before))
-- Exact counts are those of the stream.
local ideal, told = m.sampler:profiles()
local again = cyclops.profile():feed(st)
wrong = 0
for pc, value, tag, k in again:tuples() do
	wrong = wrong + (ideal:count(pc, value, tag) == k and m.sampler:count(pc, value, tag) == k
		and 0 or 1)
end
check.eq(wrong, 0, "counts that are others")
check.eq(#ideal, #again)
check.eq(ideal:count(), again:count())
-- History begins anew after functional execution; the run continues with timing.
f.sampler:record(sf, { tuples = 100 })
check.ok(f.cycle > 0)
local far = f:hash()
f:back(1000000)
check.eq(f.cycle, 0)
check.eq(f.sim.functional_insts, f.insts)
check.eq(f.sampler.selected, 3000)
f:step(0)
check.fails(function() m.sampler:record(st, { functional = true }) end,
	"before its first cycle only")
check.fails(function() open{}.sampler:record(st, { functional = true, cycles = 3 }) end,
	"tuples = N or insts = N")
check.fails(function() m.sampler:record(st, { tuple = 3 }) end, "did you mean 'tuples'?")
check.fails(function() m.sampler:record({}) end, "cyclops.stream")
check.fails(function() m.sampler:entry(2, 0) end, "expected 1 to 1")
check.fails(function() m.sampler:entry(1, 2048) end, "expected 0 to 2047")
check.fails(function() m.sampler:series{} end, "every = N")
check.fails(function() return m.sampler.nothing end, "sampler.nothing")
check.fails(function() open{ ["sampler.exact"] = false }.sampler:error() end, "sampler.exact=true")
check.fails(function() return cyclops.machine{ program = "build/demos/hash" }.sampler:bits() end,
	"sampler.enable=true")
-- A stream has its end: the run ends there.
local short = cyclops.stream(100)
check.eq(open{}.sampler:record(short, { functional = true }), 100)

-- Views change nothing.
local quiet = open{ ["sampler.exact"] = false }
quiet:run{ cycles = m.cycle }
check.eq(quiet.cycle, m.cycle)
check.eq(quiet.sampler.messages, m.sampler.messages)

-- Series: rows at the requested places, and the error that the profiles have.
for _, functional in ipairs{ true, false } do
	local s = open{ ["sampler.compressor"] = "H(P(8), 64)" }
	local rows = s.sampler:series{ every = 1000, until_tuples = 5000, functional = functional,
		min_count = 5 }
	check.eq(#rows, 5)
	for i, r in ipairs(rows) do
		check.ok(r.tuples >= i * 1000 and r.tuples < i * 1000 + (functional and 1 or 8),
			"row " .. i)
		check.ok(r.error and r.error >= 0 and r.error <= 1)
	end
	local exact, seen = s.sampler:profiles()
	check.eq(rows[5].error, (seen:error(exact, { min_count = 5 })))
	check.eq(rows[5].error, (s.sampler:error{ min_count = 5 }))
	check.ok(rows[1].messages < rows[5].messages)
	check.eq(rows[5].messages, s.sampler.messages)
	check.eq(rows[5].model_overhead, s.sampler.model_cycles / rows[5].cycles)
end

-- The service thread: taken, dropped and late messages, and their distances, by a separate model.
local function model(arrivals, capacity, service, now)
	local queue, free, read, dropped, late, gap, last = {}, 0, 0, 0, 0, {}, nil
	local function serve(t)
		while queue[1] do
			local from = math.max(queue[1] + 1, free)
			if from > t then
				break
			end
			table.remove(queue, 1)
			free, read = from + service, read + 1
		end
	end
	for _, t in ipairs(arrivals) do
		serve(t)
		if last then
			local b = 0
			while (1 << b) <= t - last do
				b = b + 1
			end
			gap[b] = (gap[b] or 0) + 1
			late = late + (t - last < service and 1 or 0)
		end
		last = t
		if #queue < capacity then
			queue[#queue + 1] = t
		else
			dropped = dropped + 1
		end
	end
	serve(now)
	return read, dropped, late, gap, #queue
end

for _, how in ipairs{ { 2, 40, "P(4)" }, { 128, 30, "H(P(16), 32)" }, { 5, 9, "R(3), A(2)" },
	{ 1, 300, "T(64, hit=3, evict=2)" } } do
	local s = open{ ["sampler.message_queue"] = how[1], ["sampler.service"] = how[2],
		["sampler.compressor"] = how[3] }
	local arrivals, lost = {}, 0
	s:on("message", function(e)
		arrivals[#arrivals + 1] = s.cycle
		lost = lost + (e.dropped and 1 or 0)
	end)
	s:run{ cycles = 60000 }
	local read, dropped, late, gap, left = model(arrivals, how[1], how[2], s.cycle)
	check.ok(#arrivals > 5, how[3] .. " sends messages")
	check.eq(s.sampler.read, read, how[3] .. " read")
	check.eq(s.sampler.messages_dropped, dropped, how[3] .. " dropped")
	check.eq(lost, dropped)
	check.eq(s.sampler.late, late, how[3] .. " late")
	check.eq(s.sampler:waiting(), left, how[3] .. " waiting")
	local kinds = 0
	for _, g in ipairs(s.sampler:gaps()) do
		local b = 0
		while (1 << b) < g.below do
			b = b + 1
		end
		check.eq(g.messages, gap[b] or 0, how[3] .. " gaps below " .. g.below)
		gap[b] = nil
	end
	check.eq(next(gap), nil, "no other gaps")
end
check.done()
