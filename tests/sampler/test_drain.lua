-- m.sampler:drain(): A's contents leave in the order of their use; the change is part of the past,
-- and reverse motions undo it.
package.path = "tests/lua/?.lua;" .. package.path
local check = require "check"

local function open(config)
	config["sampler.enable"] = true
	return cyclops.machine{ program = "build/demos/hash",
		args = { "demos/programs/input/words.txt" }, config = config }
end

-- Entries of A in the order of their use; the component in front of it sends one tuple in four.
local function held_by(m, stage, entries)
	local list = {}
	for i = 0, entries - 1 do
		local e = m.sampler:entry(stage, i)
		list[#list + 1] = e.count > 0 and e or nil
	end
	table.sort(list, function(a, b) return a.used < b.used end)
	return list
end

local config = { ["sampler.compressor"] = "H(P(4), 64), A(8)", ["sampler.message_queue"] = 4096,
	["sampler.service"] = 1000000 }
local m, quiet = open(config), open(config)
m:run{ cycles = 30000 }
quiet:run{ cycles = 30000 }
local held, waiting, sent = held_by(m, 2, 8), m.sampler:waiting(), m.sampler.messages
check.eq(#held, 8, "the table is full")
local before, all = m:hash(), m.sampler:held()
check.eq(m.sampler:drain(), 8)
check.eq(m.cycle, 30000)
check.eq(#held_by(m, 2, 8), 0, "entries left")
check.eq(m.sampler:held(), all, "nothing is lost")
check.eq(m.sampler.messages, sent + 8)
check.eq(m.sampler:waiting(), waiting + 8)
for i, e in ipairs(held) do
	local got = m.sampler:message(waiting + i)
	check.ok(got.pc == e.pc and got.value == e.value and got.tag == e.tag, "message " .. i ..
		" is of the entry")
	check.eq(got.count, 4 * e.count)
	check.eq(got.arrived, 30000)
end
check.eq(m.sampler:drain(), 0, "there is nothing more")

-- The past is unchanged, and going forwards repeats the change.
local after = m:hash()
check.ok(after ~= before, "a change")
m:run{ cycles = 500 }
local later = m:hash()
m:back(501)
quiet:go(29999)
check.eq(m:hash(), quiet:hash())
check.eq(m.sampler.messages, quiet.sampler.messages)
m:go(30000)
check.eq(m:hash(), after)
m:go(30500)
check.eq(m:hash(), later)
quiet:go(30000)
check.eq(quiet:hash(), before)

-- Requested in a hook it is made after the cycle, once.
local h, asked = open(config), nil
h:on("message", function()
	if not asked and h.cycle > 20000 then
		asked = { h.cycle, h.sampler.messages, h.sampler:drain() == nil }
	end
end)
h:run{ cycles = 30000 }
check.ok(asked and asked[3], "how many isn't known yet")
h:go(asked[1] - 1)
local earlier = h.sampler.messages
h:go(asked[1] + 1)
check.ok(h.sampler.messages >= earlier + 9, "the message and eight from the table")

-- As many as find room, in the order of their use; the rest when there is room again.
local full = open{ ["sampler.compressor"] = "P(2), A(16)", ["sampler.service"] = 1000000,
	["sampler.message_queue"] = 5 }
full.sampler:record(cyclops.stream(), { functional = true, tuples = 20 })
local had, had_sent = held_by(full, 2, 16), full.sampler.messages
check.eq(had_sent, 0)
check.ok(#had > 5, #had .. " entries")
check.eq(full.sampler:drain(), 5)
check.eq(full.sampler:drain(), 0)
check.eq(full.sampler.messages_dropped, 0)
check.eq(#held_by(full, 2, 16), #had - 5)
for i = 1, 5 do
	check.eq(full.sampler:message(i).pc, had[i].pc)
end

-- Components without their tuples keep their counts.
for _, text in ipairs{ "P(5)", "T(64)", "C(R(7))", "H(C(P(9)), 16)" } do
	local s = open{ ["sampler.compressor"] = text }
	s:run{ cycles = 5000 }
	local h0 = s.sampler:held()
	check.eq(s.sampler:drain(), 0, text)
	check.eq(s.sampler:held(), h0, text)
end
check.fails(function() cyclops.machine{ program = "build/demos/hash" }.sampler:drain() end,
	"sampler.enable=true")
check.fails(function() m.sampler.drain() end, "")
check.done()
