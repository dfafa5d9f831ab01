-- Estimators: a tuple's count, estimated from messages of a stream in random order, is right on
-- average over many seeds. "Right" is the true count except for the sampler's contents at the end,
-- whose expectation follows from its method; so each also has the expected interval between
-- samples.
package.path = "tests/lua/?.lua;" .. package.path
local check = require "check"
local ref = require "reference"

local small = os.getenv "CYCLOPS_TEST_SCALE" ~= "long"
local SEEDS <const> = small and 300 or 1000
local SIGMAS <const> = 4

-- The expected weight of messages of a sampler that meets n tuples.
local function expected(part, n)
	local rate, p = part.rate, 1 / part.rate
	if part.kind == "P" then
		return n // rate * rate
	elseif part.kind == "R" then -- with C: all but what came since the last selection
		return part.counted and n - (1 - p) * (1 - (1 - p) ^ n) / p or n
	end
	-- Renewals at intervals of 1 to 2r - 1: m[k] messages of k tuples; left[k]: tuples since
	-- the last one.
	local m, left, longest = { [0] = 0 }, { [0] = 0 }, 2 * rate - 1
	for k = 1, n do
		m[k], left[k] = 0, 0
		for interval = 1, longest do
			if interval <= k then
				m[k] = m[k] + (1 + m[k - interval]) / longest
				left[k] = left[k] + left[k - interval] / longest
			else
				left[k] = left[k] + k / longest
			end
		end
	end
	return part.counted and n - left[n] or m[n] * rate
end

-- The stream has the tuple 300 times among 20 others.
local function population()
	local st = cyclops.stream():add(0x10400, 42, 0, 300)
	for i = 1, 20 do
		st:add(0x10400 + 4 * (i % 7), i, 0, 20 + i)
	end
	return st
end

local function try(part)
	local text, st = ref.text{ part }, population()
	local stratum, n, t = ref.index, 0, 300
	for pc, value in st:tuples() do
		if not part.strata or stratum(part, part.strata, pc, value) == stratum(part,
			part.strata, 0x10400, 42) then
			n = n + 1
		end
	end
	local sum, squares = 0, 0
	local c = cyclops.compressor(text)
	local messages = cyclops.messages()
	for seed = 1, SEEDS do
		st:shuffle(seed)
		c:reset(seed)
		local estimate = 0
		for pc, value, _, count in c:feed(st, nil, nil, messages:clear()):tuples() do
			if pc == 0x10400 and value == 42 then
				estimate = estimate + count
			end
		end
		sum, squares = sum + estimate, squares + estimate ^ 2
	end
	local mean, want = sum / SEEDS, expected(part, n) * t / n
	local deviation = math.sqrt(math.max(squares / SEEDS - mean ^ 2, 0) / (SEEDS - 1))
	check.ok(math.abs(mean - want) <= SIGMAS * deviation + 1e-9,
		("%s: %.2f on average, which should be %.2f (+- %.2f)"):format(text, mean, want,
		SIGMAS * deviation))
	check.ok(SIGMAS * deviation < (small and 0.10 or 0.05) * want,
		text .. ": enough seeds to tell 5 % (10 %)")
end

for _, kind in ipairs{ "R", "Rc", "P" } do
	for _, counted in ipairs{ false, true } do
		for _, strata in ipairs{ 0, 4, 16 } do
			try{ kind = kind, rate = 10, counted = counted, strata = strata > 0
				and strata or nil, hash = "random" }
		end
		try{ kind = kind, rate = 3, counted = counted, strata = 5, hash = "modulo" }
	end
end

-- R's selections are independent: as many gaps of each length as a geometric distribution has.
local gaps, last, rate = {}, 0, 8
local c, st = cyclops.compressor("R(8)", { seed = 5 }), cyclops.stream()
for i = 1, 80000 do
	st:add(i, 0)
end
local messages = c:feed(st)
for pc in messages:tuples() do
	gaps[pc - last] = (gaps[pc - last] or 0) + 1
	last = pc
end
for k = 1, 20 do
	local p = (1 - 1 / rate) ^ (k - 1) / rate
	local want, deviation = #messages * p, math.sqrt(#messages * p * (1 - p))
	check.ok(math.abs((gaps[k] or 0) - want) < SIGMAS * deviation,
		("gaps of %d: %d, expected %.0f"):format(k, gaps[k] or 0, want))
end
-- Rc's are 1 to 2r - 1, all equally likely.
gaps, last = {}, 0
messages = cyclops.compressor("Rc(8)", { seed = 6 }):feed(st)
for pc in messages:tuples() do
	gaps[pc - last] = (gaps[pc - last] or 0) + 1
	last = pc
end
for k = 1, 15 do
	local p = 1 / 15
	local want, deviation = #messages * p, math.sqrt(#messages * p * (1 - p))
	check.ok(math.abs((gaps[k] or 0) - want) < SIGMAS * deviation,
		("gaps of %d: %d, expected %.0f"):format(k, gaps[k] or 0, want))
	gaps[k] = nil
end
check.eq(next(gaps), nil, "no other gaps")

-- Equal seeds, equal messages; others, others.
local function text(seed)
	local all = {}
	for pc in cyclops.compressor("H(Rc(8), 4)", { seed = seed }):feed(st, 5000):tuples() do
		all[#all + 1] = pc
	end
	return table.concat(all, " ")
end
check.eq(text(1), text(1))
check.ok(text(1) ~= text(2), "another seed selects others")
check.done()
