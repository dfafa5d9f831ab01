-- Grades lab 3: figures of the demo, sums of bytes that are drawn as their limits are, and
-- mispredictions and cycles.
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

local inputs = {}
for i = 1, 3 do
	inputs[i] = { bytes = h:numbers(N, 255), limits = h:numbers(N + ROUNDS - 1, 255) }
end
local run
h:expect(4, "sum and many are right", function()
	run = h:worst(inputs, function(input)
		local m, sum, many = h:machine(), 0, 0
		for round = 0, ROUNDS - 1 do
			for i, byte in ipairs(input.bytes) do
				if byte >= input.limits[i + round] then
					sum, many = sum + byte, many + 1
				end
			end
		end
		lab.fill(lab.fill(m, "bytes", input.bytes, 1), "limits", input.limits, 1)
		h:finish(m, 100000)
		return m, m.mem:i64 "sum" == sum and m.mem:i64 "many" == many
	end)
	return run and true, "with other bytes and limits than those in the file they are not"
end)
h:expect(4, "at most 60 mispredictions", function()
	return run and run.bpred.mispredicts <= 60, run and "there are " .. run.bpred.mispredicts
		or "the sum is not right yet"
end, "Compute what can't be foretold: sltu makes 0 or 1 of a comparison.")
h:expect(6, "cycles", function()
	return run and lab.share(run.cycle, 15000, 7200), run and "it takes " .. run.cycle
		or "the sum is not right yet"
end, "First the branch, then what is left of the loop.")
h:done()
