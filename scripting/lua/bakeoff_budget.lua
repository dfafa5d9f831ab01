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

-- The setting with the least overhead.
local function cheapest(knob)
	return knob.steps and knob.steps[#knob.steps] or knob.more and knob.least or knob.most
end

-- Whether no setting can meet the budget: the cheapest one exceeds it, or, of hardware that samples
-- at a rate, one that exceeds it has too few deliveries already: at lower rates there are fewer.
local function is_beyond(knob, records, budget)
	for _, r in ipairs(records) do
		if r.overhead > ABOVE * budget
			and (r.knob == cheapest(knob) or not (knob.more or budgets.is_long(r))) then
			return true
		end
	end
	return false
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
	if not below and knob.more then
		return cheapest(knob) -- shows whether any setting can meet it
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
		return cheapest(knob)
	end
	-- At most a factor of 64 at once: overhead is not linear far away.
	x2 = x2 or x
	next_x = math.max(math.min(x, x2) / 64, math.min(math.max(x, x2) * 64, next_x))
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
	while low < high and not is_beyond(way.knob, records, budget) do
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
	if low == high and not by_knob[last] then
		local r = measure(o, plain, way, last)
		records[#records + 1] = not r.reason and r or nil
	end
end

-- Runs until the overhead meets the budget, or no other setting can.
local function search_one(o, plain, way, records, budget, measure)
	local tried, knob = {}, way.knob
	for _, r in ipairs(records) do
		tried[r.knob or 0] = true
	end
	if not knob or is_beyond(knob, records, budget) then
		return
	elseif knob.steps then
		return step_down(o, plain, way, records, budget, measure)
	end
	for _ = 1, o.tries do
		local closest = nearest(records, budget)
		if fits(closest, budget) then
			break
		end
		local v = guess(knob, records, budget)
		if tried[v] then
			break
		end
		tried[v] = true
		local r = measure(o, plain, way, v)
		if r.reason then
			break
		end
		records[#records + 1] = r
		if is_beyond(knob, records, budget) then
			break
		end
	end
end

--- budgets.search(o, PLAIN, WAY, RECORDS, MEASURE)
-- Adds runs to RECORDS that meet o.budgets, as far as a setting can; MEASURE is bakeoff.measure.
-- The largest budget is first: its runs show which of the smaller ones are out of reach.
function budgets.search(o, plain, way, records, measure)
	local falling = table.move(o.budgets, 1, #o.budgets, 1, {})
	table.sort(falling, function(a, b) return a > b end)
	for _, budget in ipairs(falling) do
		search_one(o, plain, way, records, budget, measure)
	end
end

-- Of runs that have too few deliveries the one to name: the longest within the budget, or the one
-- closest above it.
local function closest_short(records, budget)
	local best
	for _, r in ipairs(records) do
		local function is_better()
			local inside, was_inside = r.overhead <= ABOVE * budget,
				best.overhead <= ABOVE * budget
			if inside ~= was_inside then
				return inside
			end
			return inside and r.deliveries > best.deliveries
				or not inside and r.overhead < best.overhead
		end
		if not budgets.is_long(r) and (not best or is_better()) then
			best = r
		end
	end
	return best
end

--- budgets.cell(PLAIN, WAY, RECORDS, BUDGET) -> CELL
-- What these runs are for a budget: budget, and record and whether the budget was met, or reason,
-- and short, how many deliveries the run had that comes closest, if these are too few.
function budgets.cell(plain, way, records, budget)
	local best, least = nil, records[1]
	for _, r in ipairs(records) do
		least = r.overhead < least.overhead and r or least
		-- A run below the budget is within it.
		if r.overhead <= ABOVE * budget and budgets.is_long(r)
			and (not best or r.overhead > best.overhead) then
			best = r
		end
	end
	if best then
		return { budget = budget, record = best, spent = best.overhead >= BELOW * budget }
	end
	local short = closest_short(records, budget)
	if not short or least.overhead > ABOVE * budget
		and (not way.knob or least.knob == cheapest(way.knob)) then
		return { budget = budget, reason = ("not below %.3g %%"):format(least.overhead) }
	end
	local factor = budgets.deliveries / math.max(short.deliveries, 0.5)
		* math.max(1, short.overhead / budget)
	return { budget = budget, short = short.deliveries,
		reason = ("%d deliveries in a run of %.3g %%, expected %d: use about %.2gM instructions")
			:format(short.deliveries, short.overhead, budgets.deliveries,
			plain.stats["sim.insts"] * factor / 1e6) }
end

return budgets
