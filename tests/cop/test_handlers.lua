-- The handlers of edges, calls, dependences and conflicts, executed by the simulated core: after
-- each interrupt all arrays and registers are as the reference's handler leaves them, and the table
-- in memory holds the reference's totals.
package.path = "tests/cop/?.lua;tests/lua/?.lua;" .. package.path
local check = require "check"
local model = require "model"

local small = os.getenv "CYCLOPS_TEST_SCALE" ~= "long"
local RECORDS <const> = small and 4000 or 15000
local MAGIC <const>, COUNTS <const> = 0x706f632e637963, 3
local PROGRAMS <const> = {
	{ "build/tests/cop/known" },
	{ "build/demos/lisp", { "demos/programs/input/queens.lisp" } },
	{ "build/demos/json", { "demos/programs/input/timezones.json", "version" } },
}
local SIZES <const> = {
	edges = { { 256, 1024 }, { 70, 256, "build/tests/cop/counts/crowded.elf" } },
		calls = { { 256, 1024 }, { 10, 224 } },
	memdep = { { 256, 1024 }, { 70, 256 } }, conflicts = { { 256, 1024 }, { 66, 512 } },
}

-- Adds an entry of the table to counts in the reference's shape.
local ADD <const> = {
	function(t, pc, _, n) -- branch
		model.add(t, n[1], "branch", pc, 0)
		model.add(t, n[2], "branch", pc, 1)
	end,
	function(t, pc, to, n) model.add(t, n[1], "target", pc, to) end,
	function(t, from, to, n)
		for i = 1, 4 do
			model.add(t, n[i], "pair", from, to, i - 1)
		end
	end,
	function(t, from, to, n) model.add(t, n[1], from, to) end, -- context
	function(t, from, to, n) model.add(t, n[1], from, to) end, -- dependence
	function(t, set, _, n) model.add(t, n[1], "conflicts", set) end,
	function(t, set, pc, n)
		model.add(t, n[1], "accesses", set, pc)
		model.add(t, n[2], "misses", set, pc)
	end,
}

local function profile(m)
	local at, t, sum, used = m:symbol "cop_profile", {}, 0, 0
	check.eq(m:u64(at), MAGIC)
	check.eq(m:u64(at + 8), COUNTS)
	local capacity, bytes, first = m:u64(at + 24), m:u64(at + 32), m:u64(at + 40)
	for e = first, first + (capacity - 1) * bytes, bytes do
		local kind = m:u64(e) & 0xffffffff
		if kind ~= 0 then
			local places, n = m:u64(e + 8), {}
			for i = 1, 4 do
				n[i] = m:u64(
					e + 16 + (i - 1) // 2 * 8) >> (i - 1) % 2 * 32 & 0xffffffff
				sum = sum + n[i]
			end
			used = used + 1
			ADD[kind](t, places & 0xffffffff, places >> 32 & 0xffffffff, n)
		end
	end
	local interrupts, samples, dropped = m:u64(at + 48), m:u64(at + 56), m:u64(at + 64)
	check.eq(m:u64(at + 16), used, "entries in use")
	check.eq(sum + dropped, samples, "samples")
	return t, interrupts, dropped
end

local function run(name, program, size)
	local ref, totals, interrupts = require("model_" .. name), {}, 0
	ref.sets = 1024
	local m = machine.new{ program = program[1], args = program[2], firmware = size[3]
		or ("build/demos/firmware/cop_%s.elf"):format(name),
		set = { "cop.cam=" .. size[1], "cop.data=" .. size[2] } }
	local state = ref.new(size[1], size[2])
	for n = 1, RECORDS do
		local r, halted = m:next()
		if not r then
			break
		end
		local asks = ref.record(state, r) or false
		local wrong = halted ~= asks and "an interrupt is missing, or one too many"
			or m:differs(state)
		if wrong then
			check.ok(false,
				("%s, %s, %d entries: record %d, of 0x%x, behind %d " ..
				"interrupts: %s"):format(name, program[1], size[1], n, r.pc,
				interrupts,
				wrong))
			return 0
		elseif asks then
			interrupts = interrupts + 1
			ref.handle(state, totals)
		end
	end
	m:finish_handler(m:symbol "cop_profile" + 48, interrupts)
	local got, said, dropped = profile(m)
	-- which adds nothing yet
	check.ok(said == interrupts or said == interrupts + 1,
		"each interrupt, and perhaps the beginning of the next,")
	check.eq(dropped, 0, "all found room:")
	check.eq(model.text(got), model.text(totals), ("%s of %s, %d entries"):format(name,
		program[1], size[1]))
	return interrupts
end

for name, sizes in pairs(SIZES) do
	local interrupts = 0
	for _, program in ipairs(PROGRAMS) do
		for _, size in ipairs(sizes) do
			interrupts = interrupts + run(name, program, size)
		end
	end
	check.ok(interrupts >= 3, name .. " was handled " .. interrupts .. " times: often enough")
end
check.done()
