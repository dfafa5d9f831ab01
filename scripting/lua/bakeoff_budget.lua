-- Find the setting of a profiler that has a given overhead.
--
-- Each profiler of the bake-off has a knob: its sampling rate, or the number of methods counted. At
-- equal overhead, their errors can be compared.

local ABOVE <const>, BELOW <const> = 1.15, 0.85 -- factors of a budget that count as meeting it

-- A run above this factor of a budget exceeds it. One with fewer deliveries, from hardware to
-- software, is too short to be judged: most of what it has found waits for the next one.
local budgets = { above = ABOVE, deliveries = 20 }

--- budgets.is_long(RECORD) -> BOOLEAN
-- Whether the run has enough deliveries, or its profiler needs none.
function budgets.is_long(record)
	return not record.deliveries or record.deliveries >= budgets.deliveries
end

local function fits(record, budget)
	return record.overhead <= ABOVE * budget and record.overhead >= BELOW * budget
end

-- Overhead is roughly linear in this.
local function intensity(knob, v)
	return knob.more and v or 1 / v
end

local function allowed(knob, v)
	v = math.max(knob.least, math.min(knob.most, v))
	return knob.whole and math.floor(v + 0.5) or tonumber(("%.3g"):format(v))
end

-- The next setting to try: on the line through the two runs closest to the budget, on both sides of
-- it if possible.
local function guess(knob, records, budget)
	local below, above
	for _, r in ipairs(records) do
		if r.overhead < budget and (not below or r.overhead > below.overhead) then
			below = r
		elseif r.overhead >= budget and (not above or r.overhead < above.overhead) then
			above = r
		end
	end
	local a, b = below, above
	if not (a and b) then
		local sorted = table.move(records, 1, #records, 1, {})
		table.sort(sorted, function(x, y) return math.abs(x.overhead - budget) < math.abs(
			y.overhead - budget) end)
		a, b = sorted[1], sorted[2]
	end
	local x, x2 = intensity(knob, a.knob), b and intensity(knob, b.knob)
	local slope = b and x2 ~= x and (b.overhead - a.overhead) / (x2 - x)
	if not slope or slope <= 0 then
		slope = a.overhead > 0 and x > 0 and a.overhead / x or nil
	end
	local next_x = slope and x + (budget - a.overhead) / slope or x * 4
	if next_x <= 0 then -- overhead exceeds that even when it does nothing
		return knob.more and knob.least or knob.most
	end
	-- At most a factor of 64 at once: overhead is not linear far away.
	next_x = math.max(x / 64, math.min(x * 64, next_x))
	if knob.more then
		return allowed(knob, next_x)
	end
	return allowed(knob, 1 / next_x)
end

local function nearest(records, budget)
	local best
	for _, r in ipairs(records) do
		if not best or math.abs(r.overhead - budget) < math.abs(best.overhead - budget) then
			best = r
		end
	end
	return best
end

-- Of settings in steps of falling overhead, the first within the budget.
local function step_down(o, plain, way, records, budget, measure)
	local by_knob, low, high = {}, 1, #way.knob.steps
	for _, r in ipairs(records) do
		by_knob[r.knob] = r
	end
	while low < high do
		local middle = (low + high) // 2
		local knob = way.knob.steps[middle]
		local r = by_knob[knob] or measure(o, plain, way, knob)
		if r.reason then
			return
		elseif not by_knob[knob] then
			records[#records + 1], by_knob[knob] = r, r
		end
		if r.overhead <= ABOVE * budget then
			high = middle
		else
			low = middle + 1
		end
	end
	local last = way.knob.steps[low]
	local r = by_knob[last] or measure(o, plain, way, last)
	records[#records + 1] = not by_knob[last] and not r.reason and r or nil
end

--- budgets.search(o, PLAIN, WAY, RECORDS, BUDGET, MEASURE)
-- Runs until the overhead meets the budget, or no other setting can; MEASURE is bakeoff.measure.
function budgets.search(o, plain, way, records, budget, measure)
	local tried = {}
	for _, r in ipairs(records) do
		tried[r.knob or 0] = true
	end
	if way.knob and way.knob.steps then
		step_down(o, plain, way, records, budget, measure)
	end
	for _ = 1, way.knob and not way.knob.steps and o.tries or 0 do
		if fits(nearest(records, budget), budget) then
			break
		end
		local knob = guess(way.knob, records, budget)
		if tried[knob] then
			break
		end
		tried[knob] = true
		local r = measure(o, plain, way, knob)
		if r.reason then
			break
		end
		records[#records + 1] = r
	end
end

--- budgets.cell(PLAIN, RECORDS, BUDGET) -> CELL
-- What these runs are for a budget: budget, and record and whether the budget was met, or reason,
-- and short, how many deliveries the longest run within it had, if these are too few.
function budgets.cell(plain, records, budget)
	local best, short, least = nil, nil, math.huge
	for _, r in ipairs(records) do
		least = math.min(least, r.overhead)
		-- A run below the budget is within it.
		if r.overhead <= ABOVE * budget and not budgets.is_long(r) then
			short = math.max(short or 0, r.deliveries)
		elseif r.overhead <= ABOVE * budget
			and (not best or r.overhead > best.overhead) then
			best = r
		end
	end
	if not best and short then
		return { budget = budget, short = short,
			reason = ("%d deliveries in this run, expected %d: use about %.2gM instructions")
				:format(short, budgets.deliveries, plain.stats["sim.insts"]
				* budgets.deliveries / short / 1e6) }
	elseif not best then
		return { budget = budget, reason = ("not below %.3g %%"):format(least) }
	end
	return { budget = budget, record = best, spent = best.overhead >= BELOW * budget }
end

return budgets
