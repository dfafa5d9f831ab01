-- For lab 12: error_of() says how far what software was told is from what there was, in per cent,
-- and with how many messages.
function error_of()
	local all, known, sum = 0, 0, 0
	for _, _, _, selected, told in m.sampler:tuples() do
		all, known = all + selected, known + told
	end
	for _, _, _, selected, told in m.sampler:tuples() do
		sum = sum + math.abs(selected / math.max(1, all) - told / math.max(1, known))
	end
	print(("off by %.1f %%, %d messages about %d edges, %d bits"):format(50 * sum,
		m.sampler.messages, all,
		m.sampler:bits()))
end
