-- The microprograms of edges, calls, memory dependences and conflicts on a machine, against a
-- reference, record by record: all arrays and registers; and the handlers' sums against exact
-- counts.
package.path = "tests/cop/?.lua;tests/lua/?.lua;" .. package.path
local check = require "check"
local model = require "model"

local small = os.getenv "CYCLOPS_TEST_SCALE" ~= "long"
local RECORDS <const> = small and 2500 or 5000

local PROGRAMS <const> = {
	{ "build/demos/lisp", { "demos/programs/input/queens.lisp" } },
	{ "build/demos/json", { "demos/programs/input/timezones.json", "version" } },
	{ "build/demos/compress", { "demos/programs/input/gpl-3.txt" } },
	{ "build/demos/fib" },
	{ "build/tests/cop/known", records = 12000 },
}
local SIZES <const> = {
	{ 256, 1024 }, { 70, 256, "cop.divider=2" },
		{ 130, 240, "cop.buffer=1024", "cop.transport=256", "cop.bus=8" },
}

local FILL <const> = 200 -- records from one to the next

-- Makes counts nearly full, in the machine and in the reference.
local function fill(ref, m, state)
	local data, writes = {}, {}
	for i = 0, #state.cam do
		ref.fill(state, i, data)
	end
	for word, value in pairs(data) do
		state.data[word] = value
	end
	for word in pairs(data) do
		local even = word & ~1
		writes[#writes + 1] = { model.DATA + 4 * even,
			state.data[even] | state.data[even + 1] << 32 }
	end
	if #writes > 0 then
		m:write(writes)
	end
end

local function machine_of(ref, program, size)
	local set = { "cop.cam=" .. size[1], "cop.data=" .. size[2], table.unpack(size, 3) }
	local m = machine.new{ program = program[1], args = program[2], microcode = ref.microcode,
		set = set }
	local state = ref.new(size[1], size[2])
	m:write(ref.setup(state))
	return m, state
end

-- True if the record took the microprogram's usual path, counted by class in `usual`.
local function time(ref, r, usual)
	local u = usual[r.kind] or { all = 0, usual = 0 }
	usual[r.kind] = u
	u.all = u.all + 1
	for _, clocks in ipairs(ref.clocks[r.kind]) do
		u.usual = u.usual + (r.clocks == clocks and 1 or 0)
	end
end

-- Runs so many records; returns the reference's totals and its number of interrupts.
local function run(ref, program, size, records, usual)
	local m, state = machine_of(ref, program, size)
	local totals, interrupts = {}, 0
	for n = 1, records do
		local r, halted = m:next()
		if not r then -- the program has ended, perhaps in the middle of a record
			return m, totals, interrupts
		end
		local asks = ref.record(state, r)
		if n > 500 and size[1] == SIZES[1][1] then -- most slots are there
			time(ref, r, usual)
		end
		local wrong = halted ~= (asks or false) and "it " .. (asks and "did not interrupt"
			or "interrupted") or m:differs(state)
		if wrong then
			check.ok(false, ("%s, %s, %d entries: record %d, of 0x%x: %s"):format(
				ref.microcode, program[1], size[1], n, r.pc, wrong))
			return m, totals, interrupts
		end
		if n % FILL == 0 then
			fill(ref, m, state)
		end
		if asks then
			interrupts = interrupts + 1
			m:write(ref.handle(state, totals))
		end
	end
	check.eq(m:differs(state), nil, ref.microcode .. ", " .. program[1])
	m:write(ref.handle(state, totals))
	return m, totals, interrupts
end

for _, name in ipairs{ "edges", "calls", "memdep", "conflicts" } do
	local ref, interrupts, count, executed = require("model_" .. name), 0, 0, {}
	local usual = {}
	for _, program in ipairs(PROGRAMS) do
		for _, size in ipairs(ref.sizes or SIZES) do
			local m, _, n = run(ref, program, size, program.records or RECORDS, usual)
			local here
			interrupts = interrupts + n
			count, here = m:executed()
			for at in pairs(here) do
				executed[at] = true
			end
		end
	end
	check.ok(interrupts > 5, name .. " was interrupted " .. interrupts ..
		" times: often enough")
	for kind, u in pairs(usual) do
		check.ok(u.usual > 0.7 * u.all,
			("%s: class %d takes the clocks that the text says %d of %d " ..
			"times, which"):format(name, kind, u.usual, u.all))
		if os.getenv "VERBOSE" then print(name, kind, u.usual / u.all) end
	end
	for at = 0, count - 1 do
		check.ok(executed[at] or (ref.elsewhere or {})[count - at],
			("%s: microinstruction %d"):format(name, at))
	end
end
check.done()
