-- Grades lab 6: iterations of the demo, a hash of random words, and cycles.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local N, ROUNDS = 128, 8

local function demo(label, warm, count, set)
	return lab.lap(cyclops.machine{ program = lab.file "demo.s", set = set,
		history = false }, label, warm,
		count)
end
-- Number of values of a register in a full window: its youngest writer in flight, and the older
-- writers.
local function values_in_flight(register, label, window)
	local m = cyclops.machine{ program = lab.file "demo.s", history = false,
		set = { ["pipe.rob_size"] = window } }
	lab.lap(m, label, 40, 1)
	for _, row in ipairs(m:view "rename".rows) do
		if row.register == register then
			return 1 + #row.before
		end
	end
end

h:answer(1, "chain", demo("one", 40, 40), "Four times lat.imul.")
h:answer(1, "chains", demo("four", 40, 40), "One chain of the four, by itself.")
h:answer(2, "window", demo("lines", 20, 160, { ["pipe.rob_size"] = 32 }),
	"How many iterations does it hold?", 6)
h:answer(2, "names", values_in_flight("a0", "six", 24),
	"How many iterations does it hold, and how often does each write a0?")

local inputs = {}
for i = 1, 3 do
	inputs[i] = { words = h:numbers(N, 1 << 50), factors = h:numbers(ROUNDS, 1 << 50) }
	for round, factor in ipairs(inputs[i].factors) do
		-- An even one would let h forget what came 64 words before.
		inputs[i].factors[round] = factor | 1
	end
end
local cycles
h:expect(4, "the hash is right", function()
	local worst = h:worst(inputs, function(input)
		local m, hash = h:machine(), 0
		for _, factor in ipairs(input.factors) do
			for _, word in ipairs(input.words) do
				hash = hash * factor + word
			end
		end
		lab.fill(lab.fill(m, "words", input.words), "factors", input.factors)
		h:finish(m, 100000)
		return m, m.mem:i64 "hash" == hash
	end)
	cycles = worst and worst.cycle
	return worst and true, "with other words and factors than those in the file it is wrong"
end)
for _, step in ipairs{ { 4800, 3000 }, { 3000, 2100 } } do
	h:expect(5, ("cycles: from %d to %d"):format(step[1], step[2]), function()
		return cycles and lab.share(cycles, step[1], step[2]), cycles and "it takes " ..
			cycles or "the hash is not right yet"
	end, "In h = a² h + (a w0 + w1), which multiplications need not wait for h? With four words?")
end
h:done()
