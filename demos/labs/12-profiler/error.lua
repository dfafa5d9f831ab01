-- For lab 12: error_of() prints the error of the messages against the truth, in per cent, and their
-- number.
local function unsigned(n)
	return n < 0 and n + 2.0 ^ 64 or n + 0.0
end
function error_of()
	local all, known, sum = 0, 0.0, 0
	for _, _, _, selected, told in m.sampler:tuples() do
		all, known = all + selected, known + unsigned(told)
	end
	for _, _, _, selected, told in m.sampler:tuples() do
		sum = sum + math.abs(selected / math.max(1, all)
			- unsigned(told) / math.max(1, known))
	end
	print(("off by %.1f %%, %d messages about %d edges, %d bits"):format(50 * sum,
		m.sampler.messages, all,
		m.sampler:bits()))
end
