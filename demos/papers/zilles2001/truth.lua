-- True invariances of loads, and how far a profile is from them.
--
-- The paper's error (section 5): the root mean square of the errors of estimated invariances, over
-- all values of all loads, each weighted by how often it was loaded. Programs load millions of
-- values of which a profile has hundreds: for the others, the sums are made once.
local values = require "cyclops.values"

local truths = {}

-- points of the scatter plot have a true or an estimated invariance from here on
local SHOWN <const> = 0.1

truths.index, truths.judge = values.index, values.judge

--- truths.points(INDEX, PROFILE) -> { { pc =, value =, count =, truth =, estimate = }, ... }
-- Every pair of load and value whose true or estimated invariance is a tenth at least; counts are
-- those of the value; by pc and value.
function truths.points(index, p)
	local points = {}
	for pc, known in pairs(index.loads) do
		local estimates = {}
		for _, v in ipairs(p.loads[pc] and p.loads[pc].values or {}) do
			estimates[v.value] = v.estimate
		end
		for value, n in pairs(known.values) do
			local share, estimate = n / known.count, estimates[value] or 0
			if share >= SHOWN or estimate >= SHOWN then
				points[#points + 1] = { pc = pc, value = value, count = n,
					truth = share, estimate = estimate }
			end
		end
	end
	table.sort(points, function(a, b) return a.pc < b.pc or a.pc == b.pc
		and a.value < b.value end)
	return points
end

--- truths.pairs(PROFILE) -> COUNT
-- Number of its pairs of load and value.
function truths.pairs(p)
	local n = 0
	for _, load in pairs(p.loads) do
		n = n + #load.values
	end
	return n
end

--- truths.size(INDEX) -> { static =, most =, dynamic =, distinct =, invariant = }
-- Executed loads; how many of them make up 99 % of all executions; executions; pairs of load and
-- value; the share of executions that loaded a value with an invariance of at least 90 %.
function truths.size(index)
	local counts, distinct, invariant = {}, 0, 0
	for _, load in pairs(index.loads) do
		counts[#counts + 1] = load.count
		for _, n in pairs(load.values) do
			distinct, invariant = distinct + 1,
				invariant + (n >= 0.9 * load.count and n or 0)
		end
	end
	table.sort(counts, function(a, b) return a > b end)
	local sum, most = 0, 0
	while sum < 0.99 * index.weight do
		most = most + 1
		sum = sum + counts[most]
	end
	return { static = #counts, most = most, dynamic = index.weight, distinct = distinct,
		invariant = invariant / index.weight }
end

return truths
