-- Grades lab 8: shares of the demo, and a plan for sampling, tried on five programs whose laps are
-- of other lengths.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local DEMO, CYCLES, MOST = "demos/labs/08-measuring/demo.s", 120000, 250
local FUNCTIONS = { "parse", "sort", "print" }

local function program(turns)
	local m = cyclops.machine{ program = DEMO, config = "classic5", history = false }
	if turns then
		lab.fill(m, "turns", turns)
	end
	m:run{ until_pc = "lap" }
	return m
end
local function name(m)
	local symbol = m:sym(m.pc)
	return symbol and symbol.name or "?"
end

-- Every cycle of three laps, when caches have what they need.
local function truth(m)
	local counts, cycles = {}, 0
	m:run{ until_pc = "lap" }
	for _ = 1, 3 do
		local from = m.cycle
		repeat
			m:step(1)
			local f = name(m)
			counts[f] = (counts[f] or 0) + 1
			cycles = cycles + 1
		until f == "lap" and m.cycle - from > 20 and m.pc == m:addr "lap"
	end
	for f, n in pairs(counts) do
		counts[f] = n / cycles
	end
	return counts
end

local function sampled(m, period, jitter, most)
	local counts, random, taken, stop = {}, 1, 0, m.cycle + CYCLES
	while true do
		random = random * 6364136223846793005 + 1442695040888963407
		m:run{ cycles = period + (random >> 33) % (jitter + 1) }
		if m.cycle > stop or m.status ~= "running" then
			break
		end
		taken = taken + 1
		if taken > most then
			error("it takes more than " .. most .. " samples in " .. CYCLES ..
				" cycles", 0)
		end
		local f = name(m)
		counts[f] = (counts[f] or 0) + 1
	end
	for f, n in pairs(counts) do
		counts[f] = n / taken
	end
	return counts
end

local right = truth(program())
h:answer(2, "parse", 100 * right.parse, "sample(1, 0, 10000) is the truth.", 3)
local seen = 0
local settled = program{ 10, 5, 2, 9999 }
settled:run{ cycles = 2000 }
for _ in pairs(sampled(settled, 1000, 0, 1000)) do
	seen = seen + 1
end
h:answer(2, "resonant", seen, "sample(1000, 0, 100)")
h:answer(2, "error", 100 * math.sqrt(0.5 * 0.5 / 250), "sqrt(p (1 - p) / n), in per cent", 8)

local function wish(what, least)
	local n = tonumber(h.answers[what] or "")
	if math.type(n) ~= "integer" or n < least or n > CYCLES then
		error("# answer " .. what .. " N: a whole number of cycles is needed", 0)
	end
	return n
end
local errors = {}
h:expect(4, "at most 250 samples", function()
	local period, jitter = wish("period", 1), wish("jitter", 0)
	for i, turns in ipairs{ { 10, 5, 2, 9999 }, { 3, 2, 2, 9999 }, { 31, 9, 20, 9999 },
		{ 8, 2, 5, 9999 }, { 40, 22, 9, 9999 } } do
		local off, m = 0, program(turns)
		local shares, seen = truth(m), sampled(m, period, jitter, MOST)
		for _, f in ipairs(FUNCTIONS) do
			off = off + math.abs((seen[f] or 0) - (shares[f] or 0)) / 2
		end
		errors[i] = off * 100
	end
	return true
end, "A sample costs an interrupt: how many cycles lie between them?")
h:expect(5, "right in the mean of five programs", function()
	if #errors < 5 then
		return false, "there is no plan that could be tried"
	end
	local sum = 0
	for _, off in ipairs(errors) do
		sum = sum + off / #errors
	end
	return lab.share(sum, 25, 5), ("it is off by %.1f %%"):format(sum)
end, "More samples, or other ones?")
h:expect(5, "right in the worst of them", function()
	if #errors < 5 then
		return false, "there is no plan that could be tried"
	end
	local worst = math.max(table.unpack(errors))
	return lab.share(worst, 40, 8), ("it is off by %.1f %%"):format(worst)
end, "Which laps is this period a multiple of?")
h:done()
