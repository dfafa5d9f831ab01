-- Grades lab 8: shares of the demo, and a plan for sampling. Tries the plan on programs with random
-- iterations, and on the three that its samples resonate with most; several times on each, so that
-- chance does not decide.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local CYCLES, MOST, FAR_TOO_MANY, LONGEST, TRIES = 120000, 250, 300, 700, 6
local FUNCTIONS = { "parse", "sort", "print" }

local function program(turns)
	local m = cyclops.machine{ program = lab.file "demo.s", config = "classic5",
		history = false }
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

-- Every cycle of three iterations, when the caches are warm.
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

-- The next time between two samples, and the random number after it.
local function interval(period, jitter, random)
	random = random * 6364136223846793005 + 1442695040888963407
	return period + (random >> 33) % (jitter + 1), random
end
-- The cycles at which samples are taken.
local function moments(period, jitter, random)
	local times, now, between = {}, 0, nil
	while true do
		between, random = interval(period, jitter, random)
		now = now + between
		if now > CYCLES then
			return times
		end
		times[#times + 1] = now
	end
end
-- The functions' shares of the samples at these times: for each list of times, of its first MOST.
local function sampled(m, lists)
	local all, shares, from = {}, {}, m.cycle
	for i, times in ipairs(lists) do
		local taken = math.min(#times, MOST)
		shares[i] = {}
		for k = 1, taken do
			all[#all + 1] = { at = times[k], list = i, share = 1 / taken }
		end
	end
	table.sort(all, function(a, b) return a.at < b.at or a.at == b.at and a.list < b.list end)
	for _, moment in ipairs(all) do
		local ahead = moment.at - (m.cycle - from)
		if ahead > 0 then
			m:run{ cycles = ahead }
		end
		local of, f = shares[moment.list], name(m)
		of[f] = (of[f] or 0) + moment.share
	end
	return shares
end

local right = truth(program())
h:answer(2, "parse", 100 * right.parse, "sample(1, 0, 10000) is the truth.", 3)
local seen = 0
local settled = program{ 10, 5, 2, 9999 }
settled:run{ cycles = 2000 }
for _ in pairs(sampled(settled, { moments(1000, 0, 1) })[1]) do
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

-- Turns whose iteration takes `cycles`: 17, and five for each of parse and sort, four of print.
local function turns_of(cycles)
	local best, off
	for print = 1, cycles // 4 do
		local both = (cycles - 17 - 4 * print) // 5
		local far = math.abs(12 * print - cycles + 17)
		if both >= 2 and 17 + 5 * both + 4 * print == cycles and (not off or far < off) then
			best, off = { both // 2, both - both // 2, print, 9999 }, far
		end
	end
	return best
end
-- The error of the plan's samples, the mean of four tries, in an iteration of three equal parts.
local function resonance(period, jitter, cycles, random)
	local off, between = 0, nil
	for _ = 1, 4 do
		local counts, taken, now = { 0, 0, 0 }, 0, 0
		repeat
			between, random = interval(period, jitter, random)
			now, taken = now + between, taken + 1
			local part = 1 + now % cycles * 3 // cycles
			counts[part] = counts[part] + 1
		until now > CYCLES or taken == MOST
		for part = 1, 3 do
			off = off + math.abs(counts[part] / taken - 1 / 3) / 8
		end
	end
	return off
end
-- The three iterations with the largest errors of these samples.
local function resonant(period, jitter, random)
	local laps = {}
	for cycles = 40, LONGEST do
		local turns = turns_of(cycles)
		if turns then
			laps[#laps + 1] = { off = resonance(period, jitter, cycles, random),
				cycles = cycles, turns = turns }
		end
	end
	table.sort(laps, function(a, b)
		if a.off ~= b.off then
			return a.off > b.off
		end
		return a.cycles < b.cycles
	end)
	return laps[1].turns, laps[2].turns, laps[3].turns
end
local drawn, chance = {}, h:number(1, 1 << 40)
while #drawn < 5 do
	local turns = { h:number(2, 70), h:number(2, 70), h:number(2, 70), 9999 }
	if 17 + 5 * turns[1] + 5 * turns[2] + 4 * turns[3] <= LONGEST then
		drawn[#drawn + 1] = turns
	end
end
local errors = {}
h:expect(4, "at most 250 samples", function()
	local period, jitter = wish("period", 1), wish("jitter", 0)
	local lists, most = {}, 0
	for i = 1, 8 do
		lists[i] = {}
		for try = 1, TRIES do
			lists[i][try] = moments(period, jitter, chance + i * TRIES + try)
			most = math.max(most, #lists[i][try])
		end
	end
	if most < FAR_TOO_MANY then
		drawn[6], drawn[7], drawn[8] = resonant(period, jitter, chance)
		for i, turns in ipairs(drawn) do
			local off, m = 0, program(turns)
			local shares = truth(m)
			for _, seen in ipairs(sampled(m, lists[i])) do
				for _, f in ipairs(FUNCTIONS) do
					off = off + math.abs((seen[f] or 0) - (shares[f] or 0)) / 2
				end
			end
			errors[i] = off * 100 / TRIES
		end
	end
	return lab.share(most, FAR_TOO_MANY, MOST), ("it takes %d samples"):format(most)
end, "A sample costs an interrupt: how many cycles lie between them?")
h:expect(5, "right in the mean of eight programs", function()
	if #errors == 0 then
		return nil, "there is no plan within the budget"
	end
	local sum = 0
	for _, off in ipairs(errors) do
		sum = sum + off / #errors
	end
	return lab.share(sum, 14, 6.5), ("it is off by %.1f %%"):format(sum)
end, "More samples, or other ones?")
h:expect(5, "right in the worst of them", function()
	if #errors == 0 then
		return nil, "there is no plan within the budget"
	end
	local worst = math.max(table.unpack(errors))
	return lab.share(worst, 30, 15), ("it is off by %.1f %%"):format(worst)
end, "Which iterations is this period a multiple of?")
h:done()
