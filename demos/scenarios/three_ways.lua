-- Three ways to a value: how a profiler with nothing but interrupts learns the values that
-- instructions compute (Burrows and others, 2.1).
--
-- Expect: the handler interprets: each try gives as many values as requested, for many cycles with
-- interrupts off. A library that an upcall enters does the same with interrupts on, costs the way
-- there and back, and writes to the program's stack. Bouncing back lets the processor do the work:
-- one or two values a try, with gaps, and one try in ten goes wrong.
-- See it: cyclops -o vsample.enable=true -o vsample.method=bounce build/demos/fib, then: catch
-- vsample, continue, view vsample, continue
local lab = require "lab"
lab.title "Three ways to a value"

local WAYS <const> = { "handler", "upcall", "bounce" }
local STOPS <const> = { "length", "trap", "syscall", "deadline", "stack", "block", "part", "stuck",
	"far", "ambiguous" }

local function run(method, set)
	local all = { ["vsample.enable"] = method and true or false, ["vsample.method"] = method,
		["vsample.every"] = 1, ["vsample.interval_min"] = 300,
		["vsample.interval_max"] = 400 }
	for name, value in pairs(set or {}) do
		all[name] = value
	end
	local m = lab.machine("build/demos/fib", { config = "burrows2000", history = false,
		set = all })
	m:finish()
	return m
end

lab.say [[A program that computes fib(18), in a burrows2000. After each 300 to 400 instructions it
	is interrupted to get four values: the results of the next instructions.]]
local alone, with = run(), {}
local rows = {}
for i, method in ipairs(WAYS) do
	local m = run(method)
	local v = m.vsample
	with[method] = m
	rows[i] = { method, v.interpretations, v.tuples, v.tuples / v.interpretations,
		v.cycles // v.interpretations, v.cycles // v.tuples }
	lab.holds("by " .. method .. " the program's answer is the same",
		m:output() == alone:output() and #alone:output() > 0)
	lab.expect("and so are its instructions", m.sim.insts, alone.sim.insts)
end
lab.table({ "method", "tries", "values", "values a try", "cycles a try", "cycles a value" }, rows)

local h, u, b = with.handler, with.upcall, with.bounce
lab.say [[The cost of a try is the sum of its parts, whose parameters begin with `vsample.` (`config vsample`). An upcall adds the way to the library and back;
	a bounce takes two interrupts, and two more of these parts each time that the program had not moved.]]
lab.expect("an upcall's way: cycles more than the handler, for as many interpretations",
	u.vsample.cycles - h.vsample.cycles - u.vsample.memory_cycles + h.vsample.memory_cycles,
	u.vsample.upcalls * (u.config["vsample.upcall_cycles"] + u.config["vsample.return_cycles"]))
lab.expect("a bounce's parts", b.vsample.cycles,
	(b.vsample.interrupts + b.vsample.bounces) * b.config["vsample.interrupt_cycles"]
	+ (b.vsample.interpretations + b.vsample.retries) * b.config["vsample.start_cycles"]
	+ b.vsample.tuples * b.config["vsample.tuple_cycles"])

lab.say "How the tries ended:"
rows = {}
for _, stop in ipairs(STOPS) do
	local row = { stop }
	for i, method in ipairs(WAYS) do
		row[i + 1] = with[method].vsample["stop_" .. stop]
	end
	if row[2] + row[3] + row[4] > 0 then
		rows[#rows + 1] = row
	end
end
lab.table({ "stop", table.unpack(WAYS) }, rows)
lab.say(
	("`block` and `part` brought values. After `far` the second interrupt came too late; " ..
	"of its %d looks %d found no progress at all, and %d took a round of a loop "
	.. "for something else, which only the simulator can detect."):format(b.vsample.bounces,
		b.vsample.retries, b.vsample.misjudged))
local good = b.vsample.stop_block + b.vsample.stop_part
lab.holds("most bounces bring values, and some bring none", good > b.vsample.interpretations / 2
	and good < b.vsample.interpretations)
lab.holds("but fewer than interpretation", b.vsample.tuples < h.vsample.tuples)

lab.say "The second interrupt comes in the cycle that it is set to. Cycles that the program has before it, beyond which each step of no progress adds one:"
rows = {}
local bars = {}
for i, cycles in ipairs{ 14, 17, 20, 25, 40 } do
	local v = run("bounce", { ["vsample.bounce_cycles"] = cycles }).vsample
	rows[i] = { cycles, v.retries, v.stop_block + v.stop_part, v.stop_far, v.tuples,
		v.wrong_tuples }
	bars[i] = { tostring(cycles), v.tuples }
end
lab.table({ "cycles", "no progress", "values found", "too far", "values", "wrong ones" }, rows)
lab.bars(bars, "values")
lab.holds("too few cost interrupts", rows[1][2] > rows[2][2])
lab.holds("too many cost values", rows[5][5] < rows[2][5] // 2 and rows[5][4] > rows[2][4])

lab.say "An interrupt's handler may not keep interrupts off for long. 128 instructions at a time, with a limit of 20,000 cycles and without one:"
local DEADLINE <const> = 20000
rows = {}
for i, way in ipairs{ { "handler" }, { "handler", DEADLINE }, { "upcall", DEADLINE } } do
	local v = run(way[1], { ["vsample.length"] = 128, ["vsample.deadline"] = way[2] or 0,
		["vsample.interval_min"] = 3000, ["vsample.interval_max"] = 4000 }).vsample
	rows[i] = { way[1], way[2] or "none", v.insts / v.interpretations, v.stop_deadline }
end
lab.table({ "method", "limit, cycles", "instructions a try", "stopped by it" }, rows)
lab.holds("the limit stops the handler", rows[2][4] > 0 and rows[2][3] < 20)
lab.expect("and not the library, whose interrupts are on", rows[3][4], 0)
lab.near("it interprets as many as the handler without a limit", rows[3][3], rows[1][3], 2)

lab.say "Traces of the profiler in the program's memory: words below its stack pointer that are not as they were."
local function disturbed(method)
	local m = lab.machine("build/demos/fib",
		{ config = "burrows2000", set = { ["vsample.enable"] = true, ["vsample.method"] =
		method, ["vsample.every"] = 1,
		["vsample.interval_min"] = 100000, ["vsample.interval_max"] = 100000 } })
	m:run{ until_event = "vsample" }
	local sp, before, n = m.sp, {}, 0
	for at = sp - 2048, sp - 8, 8 do
		before[at] = m.mem:u64(at)
	end
	m:run{ until_event = "interpret" }
	for at = sp - 2048, sp - 8, 8 do
		n = n + (m.mem:u64(at) ~= before[at] and 1 or 0)
	end
	return n
end
rows = { { "handler", disturbed "handler" }, { "upcall", disturbed "upcall" } }
lab.table({ "method", "words changed" }, rows)
lab.expect("the handler has memory of its own", rows[1][2], 0)
lab.holds("an upcall's frame is on the program's stack", rows[2][2] > 10)

lab.done()
