-- The handler of demos/firmware/sampler.c: its profile in memory against the messages; interrupts
-- by number; registers; the past.
package.path = "tests/lua/?.lua;" .. package.path
local check = require "check"
local firmware = require "cyclops.firmware"

local OWN, DEMO = "build/tests/sampler/", "build/demos/firmware/sampler.elf"
local function open(elf, config, program)
	config["sampler.enable"], config["sampler.reader"] = true, "interrupt"
	return cyclops.machine{ program = program or "build/demos/longjmp", firmware = elf,
		config = config }
end

local function same(a, b, what)
	local wrong = 0
	for pc, value, tag, n in a:tuples() do
		wrong = wrong + (b:count(pc, value, tag) == n and 0 or 1)
	end
	check.eq(wrong, 0, what .. ": tuples that differ")
	check.eq(#a, #b, what .. ": tuples")
	check.eq(a:count(), b:count(), what .. ": all together")
end

-- Every message that was read is in the profile: with timing against events, without timing against
-- the registers' values.
local config = { ["sampler.select"] = "value of load tag 3, edge", ["sampler.compressor"] =
	"H(P(5), 64), A(4)", ["sampler.threshold"] = 12 }
local m = open(DEMO, config)
local sent, interrupts, first = {}, 0, nil
m:on("message", function(e)
	if not e.dropped then
		sent[#sent + 1] = { e.pc, e.value, e.count, e.waiting }
	end
	if e.waiting >= 12 and not first then
		first = m.cycle
	end
end)
m:on("interrupt", function(e)
	interrupts = interrupts + 1
	check.eq(e.cause, 17)
	if interrupts == 1 then
		check.ok(first and m.cycle - first < 200,
			"the first interrupt comes behind message 12")
		check.eq(m.sampler.read, 0)
	end
end)
m:finish()
check.eq(m.status, "exited")
local p, h = firmware.profile(m)
check.ok(interrupts > 3 and h.interrupts == interrupts, interrupts .. " interrupts")
check.eq(h.messages, m.sampler.read)
check.eq(h.dropped_messages, 0)
check.eq(h.entries, #p)
check.ok(#sent - m.sampler.read == m.sampler:waiting() and m.sampler:waiting() < 12 + 12,
	"what wasn't read waits")
local plain, whole = {}, 0
for i = 1, m.sampler.read do
	local key = sent[i][1] .. " " .. sent[i][2]
	plain[key], whole = (plain[key] or 0) + sent[i][3], whole + sent[i][3]
end
check.eq(h.tuples, whole)
for pc, value, tag, n in p:tuples() do
	local key = pc .. " " .. value
	check.ok(tag == 3 or tag == 0, "a stream's tag")
	plain[key] = (plain[key] or 0) - n
end
for key, n in pairs(plain) do
	check.eq(n, 0, key)
end
local _, told = m.sampler:profiles()
same(p, told, "with timing")
-- Both overheads.
check.ok(m.sampler.model_cycles >= 30 * h.messages + 214 * (h.messages // 12))
check.ok(m.firmware.cycles > 10 * h.messages, m.firmware.cycles .. " cycles for " .. h.messages ..
	" messages")

local f = open(DEMO, config)
f.sampler:record(cyclops.stream(), { functional = true })
check.eq(f.status, "exited")
local q, fh = firmware.profile(f)
_, told = f.sampler:profiles()
same(q, told, "without timing")
check.ok(fh.interrupts > 3)
check.eq(f.sampler.read, fh.messages)

-- Without timing each interrupt comes right after the message that reaches the threshold.
for _, threshold in ipairs{ 1, 7, 100 } do
	local t = open(DEMO, { ["sampler.compressor"] = "P(3)", ["sampler.threshold"] = threshold })
	t.sampler:record(cyclops.stream(), { functional = true })
	local _, th = firmware.profile(t)
	check.eq(th.interrupts, t.sampler.messages // threshold, "interrupts at " .. threshold)
	check.eq(th.messages, th.interrupts * threshold)
	check.eq(t.sampler:waiting(), t.sampler.messages % threshold)
end

-- A full table: messages without room are counted.
local s = open(OWN .. "small.elf", { ["sampler.compressor"] = "P(3)", ["sampler.threshold"] = 10 })
s.sampler:record(cyclops.stream(), { functional = true })
local sp, sh = firmware.profile(s)
check.ok(sh.dropped_messages > 0 and sh.entries <= 16)
check.eq(sp:count() + sh.dropped_tuples, sh.tuples)
check.eq(sh.messages, s.sampler.read)

-- Firmware programs the selector: edges, tag 9, as if configured so.
local e, c = open(OWN .. "edges.elf", { ["sampler.compressor"] = "P(3)" }),
	open(DEMO, { ["sampler.select"] = "edge tag 9", ["sampler.compressor"] = "P(3)",
	["sampler.threshold"] = 7 })
for _, one in ipairs{ e, c } do
	one.sampler:record(cyclops.stream(), { functional = true })
end
check.eq(e.sampler:streams()[1], "edge tag 9")
check.eq(e.sampler.selected, c.sampler.selected)
check.eq(e.sampler.read, c.sampler.read)
local ep, cp = firmware.profile(e), firmware.profile(c)
same(ep, cp, "edges")
local others = 0
for _, _, tag in ep:tuples() do
	others = others + (tag == 9 and 0 or 1)
end
check.eq(others, 0, "tuples without the tag")
local et = open(OWN .. "edges.elf", {})
local kinds = {}
et:on("tuple", function(ev) kinds[ev.kind .. ev.tag] = true end)
et:run{ cycles = 20000 }
check.ok(kinds.edge9 and next(kinds, next(kinds)) == nil, "edges alone, with timing")

-- Without a reader the queue overflows, and that is counted.
for _, functional in ipairs{ true, false } do
	local o = open(OWN .. "masked.elf", { ["sampler.compressor"] = "P(3)",
		["sampler.message_queue"] = 20, ["sampler.threshold"] = 5 })
	o.sampler:record(cyclops.stream(), { functional = functional })
	check.eq(o.firmware.interrupts, 0)
	check.eq(o.sampler.read, 0)
	check.eq(o.sampler:waiting(), 20)
	check.ok(o.sampler.messages > 40)
	check.eq(o.sampler.messages_dropped, o.sampler.messages - 20)
end

-- Back and forth over interrupts: the same states, by hash, and the same profile; views change
-- nothing.
local r, w = open(DEMO, config), open(DEMO, config)
local at, seen = {}, {}
r:on("interrupt", function() at[#at + 1] = r.cycle end)
r:run{ cycles = 60000 }
check.ok(#at >= 2, "interrupts to go back over")
local finish = r:hash()
for _, cycle in ipairs(at) do
	for _, d in ipairs{ -40, -1, 0, 1, 60 } do
		r:go(cycle + d)
		seen[#seen + 1] = { cycle + d, r:hash() }
	end
end
table.sort(seen, function(x, y) return x[1] < y[1] end)
for _, place in ipairs(seen) do
	if place[1] > w.cycle then
		w:run{ until_cycle = place[1] }
	end
	if place[1] == w.cycle then
		check.eq(w:hash(), place[2], "cycle " .. place[1])
	end
end
w:run{ until_cycle = 60000 }
check.eq(w:hash(), finish)
local wp, rp
r:go(60000)
wp, rp = firmware.profile(w), firmware.profile(r)
same(wp, rp, "in the end")
check.fails(function() firmware.profile(cyclops.machine{ program = "build/demos/hash" }) end,
	"keeps no profile of tuples")
-- A service thread and its queue in memory: what was read is folded or waits there, in the same
-- counts; the thread's turns are executed.
do
	local t = open("build/demos/firmware/sampler_thread.elf", { ["sampler.select"] =
		"value of load tag 3, edge", ["sampler.compressor"] = "H(P(20), 64), A(4)",
		["sampler.threshold"] = 12 })
	local told = {}
	t:on("message", function(e)
		if not e.dropped then
			told[#told + 1] = e.count
		end
	end)
	t:finish()
	local folded, h = firmware.profile(t)
	local queue = {}
	for i, name in ipairs{ "written", "read", "most", "turns", "cycles" } do
		queue[name] = t.mem:u64(t.sampler_queue + 8 * (i - 1))
	end
	check.eq(t.status, "exited")
	check.eq(h.messages, t.sampler.read)
	check.eq(h.dropped_messages, 0)
	check.eq(queue.written, h.messages, "each message came through the queue")
	check.ok(queue.turns > 3 and queue.most > 12 and queue.cycles > 0,
		queue.turns .. " turns, at most " .. queue.most .. " waited")
	check.ok(queue.cycles < t.firmware.cycles, "its cycles are a part of firmware's")
	local sum = 0
	for i = 1, queue.read do
		sum = sum + told[i]
	end
	check.eq(folded:count(), sum, "what was read from the queue is in the profile")
end
check.done()
