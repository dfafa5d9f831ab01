-- Grades lab 1: answers from the demo, the sum of lists that nobody knows, and cycles on classic5.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local DEMO, TASK = "demos/labs/01-pipeline/demo.s", "demos/labs/01-pipeline/task.s"
local N = 48

local function demo(label)
	return lab.lap(cyclops.machine{ program = DEMO, config = "classic5", history = false },
		label)
end
local near, far = demo "near", demo "far"
h:answer(2, "bubble", near - far, "Compare the two loops of the steps.")
h:answer(2, "taken", far - 5, "What has a lap of `far` above its instructions?")
h:answer(2, "lap", lab.lap(cyclops.machine{ program = TASK, config = "classic5", history = false },
	"loop", 4, 4),
	"From one commit of the first load to the next: stop there twice.")

local cycles
h:expect(4, "the sum is right", function()
	for seed = 1, 2 do
		local x, y, sum = lab.numbers(seed, N, 1 << 40), lab.numbers(seed + 50, N, 1 << 40),
			0
		for i = 1, N do
			sum = sum + x[i] - y[i]
		end
		local m = lab.finish(lab.fill(lab.fill(h:machine{ config = "classic5" }, "x", x),
			"y", y), 20000)
		if m.mem:i64 "sum" ~= sum then
			return false, "with other lists than those in the file, `sum` is wrong"
		end
		cycles = m.cycle / N
	end
	return true
end)
for _, step in ipairs{ { 3, 10.3, "Which instruction could stand between the loads and `sub`?" },
	{ 4, 7, "Several elements a lap share one branch." },
	{ 3, 5.6, "More of them, and one `addi` for all." } } do
	h:expect(step[1], ("at most %g cycles for each element"):format(step[2]), function()
		return cycles and cycles <= step[2], cycles and ("it takes %.2f"):format(cycles)
			or "the sum is wrong"
	end, step[3])
end
h:done()
