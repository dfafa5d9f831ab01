-- Rank correlation of two lists of numbers.
local ranks = {}

-- Each number's rank; equal numbers share the mean of theirs.
local function places(list)
	local order, rank = {}, {}
	for i in ipairs(list) do
		order[i] = i
	end
	table.sort(order, function(a, b) return list[a] < list[b] or list[a] == list[b]
		and a < b end)
	local i = 1
	while i <= #order do
		local j = i
		while order[j + 1] and list[order[j + 1]] == list[order[i]] do
			j = j + 1
		end
		for k = i, j do
			rank[order[k]] = (i + j) / 2
		end
		i = j + 1
	end
	return rank
end

--- ranks.correlation(LIST, OTHER) -> NUMBER
-- Spearman's rank correlation: 1 if one always grows with the other, -1 if it always falls.
function ranks.correlation(a, b)
	local x, y, mean = places(a), places(b), (#a + 1) / 2
	local xy, xx, yy = 0, 0, 0
	for i in ipairs(x) do
		local dx, dy = x[i] - mean, y[i] - mean
		xy, xx, yy = xy + dx * dy, xx + dx * dx, yy + dy * dy
	end
	return xx > 0 and yy > 0 and xy / math.sqrt(xx * yy) or 0
end

return ranks
