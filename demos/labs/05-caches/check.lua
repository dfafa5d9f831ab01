-- Grades lab 5: misses of the demo, sums of a matrix that nobody knows, misses and cycles.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local MACHINE, SIZE = "demos/labs/05-caches/machine.lua", 64

local function misses(from, to, set)
	local m = cyclops.machine{ program = "demos/labs/05-caches/demo.s", config = MACHINE,
		set = set, history = false }
	m:run{ until_pc = from }
	local before = m.l1d.misses
	m:run{ until_pc = to }
	return m.l1d.misses - before
end
h:answer(2, "rows", misses("rows", "columns"), "Words of a line.", 1)
h:answer(2, "columns", misses("columns", "apart"), "Which sets does a stride of 256 bytes use?", 1)
h:answer(2, "ways", misses("apart", "over", { ["l1d.ways"] = 2 }),
	"Now both arrays have room in a set.", 4)

local m
h:expect(4, "the sums are right", function()
	local words, sums = lab.numbers(9, SIZE * SIZE, 1000000), {}
	for i, word in ipairs(words) do
		local column = (i - 1) % SIZE + 1
		sums[column] = (sums[column] or 0) + word
	end
	local run = lab.finish(lab.fill(h:machine{ config = MACHINE }, "matrix", words, 4), 400000)
	local at = run:addr "sums"
	for column = 1, SIZE do
		if run.mem:i64(at + 8 * (column - 1)) ~= sums[column] then
			return false, "with another matrix than that in the file, a column is wrong"
		end
	end
	m = run
	return true
end)
h:expect(5, "misses of L1D", function()
	return m and lab.share(m.l1d.misses, 4000, 1300), m and "there are " .. m.l1d.misses
		or "a sum is wrong"
end, "Along which direction does the inner loop go?")
h:expect(5, "cycles", function()
	return m and lab.share(m.cycle, 60000, 26000), m and "it takes " .. m.cycle
		or "a sum is wrong"
end, "What does the inner loop do besides adding?")
h:done()
