-- Grades lab 3: figures of the demo, sums of bytes that are drawn, mispredictions and cycles.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local N, ROUNDS = 256, 8

local function demo(set)
	return lab.finish(cyclops.machine{ program = lab.file "demo.s", set = set,
		history = false })
end
local usual, slower = demo(), demo{ ["bpred.penalty"] = 10 }
h:answer(2, "squashed", usual.squash.insts, "`stats squash` at the end of the program.", 2)
h:answer(2, "penalty", slower.cycle - usual.cycle, "Mispredictions, times what each costs more.", 5)
local m = cyclops.machine{ program = lab.file "demo.s", history = false }
m:run{ until_pc = "regular" }
local before = m.bpred.mispredicts
m:run{ until_pc = "random" }
h:answer(2, "half", (m.bpred.mispredicts - before) / 2.56, "Its two calls are 256 bytes each.", 10)

local inputs = { h:numbers(N, 255), h:numbers(N, 255), h:numbers(N, 255) }
local run
h:expect(4, "sum and many are right", function()
	run = h:worst(inputs, function(bytes)
		local m, sum, many = h:machine(), 0, 0
		for _, byte in ipairs(bytes) do
			sum = sum + (byte >= 128 and byte or 0) * ROUNDS
			many = many + (byte >= 128 and 1 or 0) * ROUNDS
		end
		h:finish(lab.fill(m, "bytes", bytes, 1), 100000)
		return m, m.mem:i64 "sum" == sum and m.mem:i64 "many" == many
	end)
	return run and true, "with other bytes than those in the file they are not"
end)
h:expect(4, "at most 60 mispredictions", function()
	return run and run.bpred.mispredicts <= 60, run and "there are " .. run.bpred.mispredicts
		or "the sum is wrong"
end, "Compute what can't be foretold: sltu makes 0 or 1 of a comparison.")
h:expect(6, "cycles", function()
	return run and lab.share(run.cycle, 14000, 7000), run and "it takes " .. run.cycle
		or "the sum is wrong"
end, "First the branch, then what is left of the loop.")
h:done()
