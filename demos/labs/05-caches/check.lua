-- Grades lab 5: misses of the demo, sums of a matrix that is drawn, misses and cycles.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local MACHINE, SIZE = lab.file "machine.lua", 64

local function misses(from, to, set)
	local m = cyclops.machine{ program = lab.file "demo.s", config = MACHINE,
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

local inputs = { h:numbers(SIZE * SIZE, 1000000), h:numbers(SIZE * SIZE, 1000000) }
local m
h:expect(4, "the sums are right", function()
	m = h:worst(inputs, function(words)
		local run, right = h:machine{ config = MACHINE }, true
		h:finish(lab.fill(run, "matrix", words, 4), 400000)
		local at = run:addr "sums"
		for column = 1, SIZE do
			local sum = 0
			for row = 0, SIZE - 1 do
				sum = sum + words[row * SIZE + column]
			end
			right = right and run.mem:i64(at + 8 * (column - 1)) == sum
		end
		return run, right
	end)
	return m and true, "with another matrix than that in the file, a column is wrong"
end)
h:expect(5, "misses of L1D", function()
	return m and lab.share(m.l1d.misses, 4000, 1300), m and "there are " .. m.l1d.misses
		or "a sum is not right yet"
end, "Along which direction does the inner loop go?")
h:expect(5, "cycles", function()
	return m and lab.share(m.cycle, 60000, 26000), m and "it takes " .. m.cycle
		or "a sum is not right yet"
end, "What does the inner loop do besides adding?")
h:done()
