-- demos/microcode/conflicts.mic reports the conflicts of the 3C model: a miss is one if a fully
-- associative cache of the same size would have hit; not the first access to a line, which an
-- infinite cache misses too. On programs without conflicts and with known ones, in order and out of
-- order.
package.path = "tests/lua/?.lua;" .. package.path
local check = require "check"
local counts = require "cyclops.counts"

local PROGRAM <const>, FIRMWARE <const> = "build/tests/cop/threec",
	"build/demos/firmware/cop_conflicts.elf"
local CONTROL <const>, RUN_TAG_HALT <const> = 0, 7

-- A fully associative LRU cache of so many lines, and the lines of an infinite one.
local function beside(lines)
	local c = { there = {}, seen = {}, first = {}, n = 0 }
	c.first.next, c.first.before = c.first, c.first
	local function take_out(e)
		e.before.next, e.next.before = e.next, e.before
	end
	local function put_first(e)
		e.next, e.before = c.first.next, c.first
		e.next.before, c.first.next = e, e
	end
	function c.access(line) -- "compulsory", "capacity" or "hit"
		local e, was = c.there[line], c.seen[line]
		c.seen[line] = true
		if e then
			take_out(e)
			put_first(e)
			return "hit"
		end
		if c.n == lines then
			local last = c.first.before
			take_out(last)
			c.there[last.line] = nil
		else
			c.n = c.n + 1
		end
		e = { line = line }
		c.there[line] = e
		put_first(e)
		return was and "capacity" or "compulsory"
	end
	return c
end

local LINES <const> = { l1 = true, l2 = true, memory = true } -- else stores have the bytes

local function run(kind, name, set)
	local all = { ["cop.enable"] = true, ["cop.buffer"] = 1024, ["cop.transport"] = 256,
		["cop.bus"] = 8, ["oracle.enable"] = true, ["oracle.loads"] = true }
	for k, v in pairs(set) do
		all[k] = v
	end
	local m <close> = cyclops.machine{ program = PROGRAM, args = { kind }, firmware = FIRMWARE,
		config = name, history = false, set = all }
	local line = m.config["l1d.line"]
	local c = beside(m.config["l1d.size"] // line)
	local truth = { compulsory = 0, capacity = 0, hit = 0, delayed = 0 }
	local firmware <const> = 0x4000000000
	local begun = {} -- the kind of the miss of a load in flight
	m:on("mem", { class = "load" }, function(e)
		if e.addr < firmware and LINES[e.level] then
			local kind_of = c.access(e.addr // line)
			begun[e.seq] = e.delayed and "delayed" or e.level ~= "l1" and kind_of or nil
		end
	end)
	m:on("commit", { class = "load" }, function(e)
		local kind_of = begun[e.seq]
		if kind_of then
			truth[kind_of], begun[e.seq] = truth[kind_of] + 1, nil
		end
	end)
	m:on("store", function(e)
		if e.addr < firmware then
			c.access(e.addr // line)
		end
	end)
	m:run{ until_pc = "exit" }
	m.cop:write(CONTROL, RUN_TAG_HALT)
	m:run{ cycles = 30000 }
	local got, lost = 0, m.stats["cop.lost"] + m.stats["cop.dropped"]
	for _, e in ipairs(counts.profile(m).set) do
		got = got + e.conflicts
	end
	local delayed = 0
	for _, row in ipairs(m:report "oracle loads all".rows) do
		delayed = delayed + row.delayed
	end
	return got, truth, lost, delayed, m.stats["l1d.mshr_merges"]
end

local MACHINES <const> = { { "default", nil, {} },
	{ "in order", nil, { ["pipe.in_order"] = true } }, { "wide6", "wide6", {} } }
-- Program, whether it has conflicts.
local PROGRAMS <const> = { { "s", false }, { "a", false }, { "r", false }, { "f", true },
	{ "c", true }, { "b", true } }

for _, machine in ipairs(MACHINES) do
	for _, program in ipairs(PROGRAMS) do
		local got, truth, lost, delayed, merges = run(program[1], machine[2], machine[3])
		local what = ("%s on %s: %d conflicts, by the 3C model %d " ..
			"(%d compulsory, %d capacity, %d delayed)"):format(program[1], machine[1],
			got, truth.hit, truth.compulsory, truth.capacity, truth.delayed)
		if arg[1] then
			print(what)
		end
		check.eq(lost, 0, what .. ": records lost")
		check.ok(truth.hit > 100 == program[2], what .. ", as its text says; which")
		check.ok(math.abs(got - truth.hit) <= math.max(10, truth.hit * 0.02),
			what .. ", which")
		check.ok(delayed <= merges, ("%d delayed hits committed of %d, which"):format(delayed,
			merges))
	end
end
check.done()
