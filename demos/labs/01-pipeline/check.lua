-- Grades lab 1: answers from the demo, the sum of lists that are drawn, and cycles on classic5.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local DEMO, TASK = lab.file "demo.s", lab.file "task.s"
local N = 48

local function demo(label)
	return lab.lap(cyclops.machine{ program = DEMO, config = "classic5", history = false },
		label)
end
local near, far = demo "near", demo "far"
h:answer(2, "bubble", near - far, "Compare the two loops of the steps.")
h:answer(2, "taken", far - 5, "What does an iteration of `far` take beyond its instructions?")
h:answer(2, "lap", lab.lap(cyclops.machine{ program = TASK, config = "classic5", history = false },
	"loop", 4, 4),
	"From one commit of the first load to the next: stop there twice.")

local inputs = {}
for i = 1, 3 do
	inputs[i] = { x = h:numbers(N, 1 << 40), y = h:numbers(N, 1 << 40) }
end
local cycles
h:expect(4, "the sum is right", function()
	local worst = h:worst(inputs, function(input)
		local m, sum = h:machine{ config = "classic5" }, 0
		for i = 1, N do
			sum = sum + input.x[i] - input.y[i]
		end
		h:finish(lab.fill(lab.fill(m, "x", input.x), "y", input.y), 20000)
		return m, m.mem:i64 "sum" == sum
	end)
	cycles = worst and worst.cycle / N
	return worst and true, "with other lists than those in the file, `sum` is wrong"
end)
for _, step in ipairs{ { 3, 10.8, "Which instruction could stand between the loads and `sub`?" },
	{ 4, 7.8, "Several elements an iteration share one branch." },
	{ 3, 5.6, "More of them, and one `addi` for all." } } do
	h:expect(step[1], ("at most %g cycles for each element"):format(step[2]), function()
		return cycles and cycles <= step[2], cycles and ("it takes %.2f"):format(cycles)
			or "the sum is not right yet"
	end, step[3])
end
h:done()
