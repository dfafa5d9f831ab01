-- The perceptron predictor of Jiménez and Lin (HPCA 2001): a row of weights for each branch, one
-- for each outcome in the history. Longer histories cost it little:
--   cyclops run -o bpred.history=24 --plugin demos/plugins/perceptron.lua --summary \
--     build/demos/branchy
local ROWS <const>, LENGTH <const> = 128, 24
local THRESHOLD <const> = 1.93 * LENGTH + 14 // 1

-- The sum of a branch's weights for this history; taken if it is not negative.
local function output(s, pc, history)
	local first = (pc >> 1 & ROWS - 1) * (LENGTH + 1)
	local sum = s.weights[first]
	for i = 1, LENGTH do
		local w = s.weights[first + i]
		sum = history >> i - 1 & 1 == 1 and sum + w or sum - w
	end
	return sum, first
end

return {
	description = "128 perceptrons over 24 outcomes",
	state = {
		weights = { ROWS * (LENGTH + 1), bits = 8, signed = true },
	},
	predict = function(s, pc, history)
		return output(s, pc, history) >= 0
	end,
	update = function(s, pc, taken, history)
		local sum, first = output(s, pc, history)
		if (sum >= 0) == taken and math.abs(sum) > THRESHOLD then
			return
		end
		s.weights:add(first, taken and 1 or -1)
		for i = 1, LENGTH do
			s.weights:add(first + i, (history >> i - 1 & 1 == 1) == taken and 1 or -1)
		end
	end,
}
